"""What a large run is measured by: a pass over memory, peaks of memory, and where the time of a fit goes."""
import importlib
import os
import time
from contextlib import contextmanager

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _read(words):
    "Every word once"
    seen = np.int64(0)
    for i in range(words.size): seen ^= words[i]
    return seen


def stored_bytes(arrays): return sum(0 if 0 in a.strides else a.nbytes for a in arrays)


def read_memory(arrays):
    "Read the arrays once, as 64-bit words"
    for a in arrays:
        if 0 in a.strides: continue
        _read(a[:len(a)//8*8].view(np.int64))


def both(f):
    "What one run takes: dict of CPU and wall seconds, and what it returned"
    start, began = time.process_time(), time.perf_counter()
    out = f()
    return dict(cpu=time.process_time()-start, wall=time.perf_counter()-began), out


def speedup(one, two, repeat=5):
    "Least wall time of the one over that of the other, in turns"
    best = [float("inf")]*2
    for _ in range(repeat):
        for i, f in enumerate((one, two)):
            start = time.perf_counter()
            f()
            best[i] = min(best[i], time.perf_counter()-start)
    return best[0]/best[1]


def memory_now(field="VmRSS"):
    "Bytes of this process: VmRSS now, VmHWM at its peak, RssAnon without what is mapped from files"
    for line in open("/proc/self/status"):
        if line.startswith(field+":"): return 1024*int(line.split()[1])
    return 0


def forget_peak():
    "Let VmHWM begin anew"
    try:
        with open("/proc/self/clear_refs", "w") as f: f.write("5")
    except OSError: pass


PLACES = [("fsnb.data.sparse", "SparseColumns.find_moments", "moments"),
          ("fsnb.groups.selector", "open_task", "checks"),
          ("fsnb.gdm.gdm", "open_task", "checks"),
          ("fsnb.gdm.gdm", "_pose_problem", "counts"),
          ("fsnb.gdm.rounds", "_joint_scores", "scores"),
          ("fsnb.gdm.rounds", "_joint_evidence", "evidence"),
          ("fsnb.gdm.rounds", "_fit_machines", "restricted"),
          ("fsnb.gdm.gdm", "_finish", "restricted"),
          ("fsnb.data.sparse", "SparseColumns.partners", "partners"),
          ("fsnb.data.columns", "Columns.top", "top"),
          ("fsnb.gdm.cut", "find_group", "links"),
          ("fsnb.gdm.rounds", "_choose_next", "walk"),
          ("fsnb.gdm.gdm", "GroupMachine._store", "answer")]


class Watch:
    "CPU seconds of a run by what they go into; each counts what no part within it counts"
    def __init__(self): self.seconds, self.calls, self.stack = {}, {}, []

    def timed(self, label, f):
        def wrapped(*args, **kwargs):
            self.stack.append(0.)
            start = time.process_time()
            try: return f(*args, **kwargs)
            finally:
                spent = time.process_time()-start
                within = self.stack.pop()
                self.seconds[label] = self.seconds.get(label, 0.)+spent-within
                self.calls[label] = self.calls.get(label, 0)+1
                if self.stack: self.stack[-1] += spent
        return wrapped

    @contextmanager
    def running(self):
        "Parts are counted as long as this is open; a place that is not there is left out"
        saved = []
        for module, path, label in PLACES:
            *owner, name = path.split(".")
            try:
                home = importlib.import_module(module)
                for part in owner: home = getattr(home, part)
                f = getattr(home, name)
            except (ImportError, AttributeError): continue
            saved.append((home, name, f, name in vars(home)))
            setattr(home, name, self.timed(label, f))
        try: yield self
        finally:
            for home, name, f, own in saved:
                if own: setattr(home, name, f)
                else: delattr(home, name)

    def parts(self, total):
        "Seconds by part, largest first; the rest of the total beside"
        parts = dict(sorted(self.seconds.items(), key=lambda kv: -kv[1]))
        return parts | {"the rest": total-sum(parts.values())}


def processors(): return len(os.sched_getaffinity(0))

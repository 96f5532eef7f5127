"""The parts of the scale benchmark that read from a disk: a store larger than the memory allowed, and a Dask cluster."""
import json
import os
import shutil
import signal
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from fsnb import GDM

from .scaledata import Shape, count_entries, make_entries, make_labels, make_range, recipe
from .common import cpu_clock
from .scalewatch import both, memory_now

BLOCK = 8_000_000       # entries that are made and written at once
CHUNK = 16 << 20        # bytes of a read


def write_shape(shape, path):
    "Write the columns of a shape as a store, block by block; nothing is done where it is there"
    from fsnb.data.store import _fill_store, _new_store, is_store
    if is_store(path): return path
    made = recipe(shape)
    ends = np.cumsum(count_entries(made), dtype=np.int64)
    def blocks():
        begin = 0
        while begin < shape.p:
            end = int(np.searchsorted(ends, (ends[begin-1] if begin else 0)+BLOCK, side="right"))
            end = min(max(end, begin+1), shape.p)
            data, rows, counts = make_range(made, begin, end, shape.ones)
            if shape.ones: data = np.ones(len(rows), dtype=np.float32)
            starts = np.concatenate([[0], np.cumsum(counts)])
            yield sp.csc_matrix((data, rows, starts), (shape.n, end-begin))
            begin = end
    with _new_store(path, overwrite=True) as part:
        _fill_store(part, blocks(), (shape.n, shape.p), np.float32, is_sparse=True)
    return path


def store_bytes(path): return sum(f.stat().st_size for f in Path(path).iterdir())


def forget_files(path):
    "Drop the store from the page cache"
    for file in Path(path).iterdir():
        descriptor = os.open(file, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def read_files(path):
    "Read data and indices from the disk, in order: bytes and seconds"
    forget_files(path)
    total, start, buffer = 0, time.perf_counter(), bytearray(CHUNK)
    for name in ("data.npy", "indices.npy"):
        file = Path(path)/name
        if not file.exists(): continue
        with open(file, "rb", buffering=0) as f:
            while got := f.readinto(buffer): total += got
    return total, time.perf_counter()-start


def bytes_read():
    "What this process has had the disk read"
    for line in open("/proc/self/io"):
        if line.startswith("read_bytes"): return int(line.split()[1])
    return 0


@contextmanager
def memory_of(limit):
    "Confine this process, files that it reads included, to so many bytes; yields how that is done"
    one, two = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup/cgroup.controllers")
    if one.is_dir(): home, name, tasks = one, "memory.limit_in_bytes", "cgroup.procs"
    elif two.is_file(): home, name, tasks = two.parent, "memory.max", "cgroup.procs"
    else: home = None
    group = home and home/f"fsnb-scale-{os.getpid()}"
    try:
        group.mkdir()
        (group/name).write_text(str(limit))
        (group/tasks).write_text(str(os.getpid()))
    except (OSError, AttributeError):
        import resource
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        yield "RLIMIT_DATA, which leaves out the page cache"
        return
    try: yield f"cgroup {name}"
    finally:
        (home/tasks).write_text(str(os.getpid()))
        for _ in range(20):
            try: group.rmdir()
            except OSError: time.sleep(.1)
            else: break


def store(n, p, nnz, ones=False, share=1., k=50, limit=4 << 30, folder=None, threads=(1, 2)):
    "A store larger than the memory allowed: raw reads, a score pass, a fit"
    from fsnb.data.store import open_store
    from .scaleparts import open_entries, told, warm_up
    warm_up()
    shape = Shape(n, p, nnz, ones).scaled(share)
    path = Path(folder or tempfile.gettempdir())/f"fsnb-scale-{shape.p}-{int(ones)}.fsnb"
    made, _ = both(lambda: write_shape(shape, path))
    y, size = make_labels(n), store_bytes(path)
    out = dict(n=n, p=shape.p, bytes=size, limit=limit, write=made)
    print(out, flush=True)
    with memory_of(int(limit)) as how:
        out["confined_by"] = how
        raw = [got/seconds for got, seconds in (read_files(path) for _ in range(4))]
        out["raw_speed"] = max(raw)
        columns = open_store(path)
        columns.moments()
        v, seconds = y/len(y), []
        for _ in range(4):                               # whoever reads ahead, the whole store passes by
            forget_files(path)
            spent, _ = both(lambda: columns.scores(v))
            seconds.append(spent)
        best = min(seconds, key=lambda spent: spent["wall"])
        speed = read_files(path)[0]/best["wall"]
        out |= dict(pass_wall=best["wall"], pass_cpu=best["cpu"], pass_speed=speed, pass_of_raw=speed/out["raw_speed"])
        print(out, flush=True)
        had = bytes_read()
        out["fits"] = []
        for n_jobs in threads:
            forget_files(path)
            had = bytes_read()
            spent, model = both(lambda: GDM(k).fit(open_store(path, n_jobs=n_jobs), y))
            out["fits"].append(dict(threads=n_jobs, **spent, read=bytes_read()-had, speed=(bytes_read()-had)/spent["wall"],
                                    of_raw=(bytes_read()-had)/spent["wall"]/out["raw_speed"], anonymous=memory_now("RssAnon")))
            print(out["fits"][-1], flush=True)
    out["answer"], out["k"] = told(model), k
    shutil.rmtree(path)
    *arrays, y = make_entries(shape, 2)
    out["same_from_memory"] = told(GDM(k).fit(open_entries(tuple(arrays), (n, shape.p)), y)) == out["answer"]
    return out


def loopback():
    "Bytes that the loopback interface has carried"
    for line in open("/proc/net/dev"):
        if line.strip().startswith("lo:"): return int(line.split(":")[1].split()[0])
    return 0


def cluster(n, p, nnz, ones=False, share=1., k=20, n_blocks=16, folder=None):
    "Two Dask workers beside one process: the same answer, what a round costs more, what travels, a worker killed"
    from distributed import Client, LocalCluster
    from fsnb.data.cluster import ClusterColumns
    from fsnb.data.store import open_store
    from .scaleparts import told, warm_up
    warm_up()
    shape = Shape(n, p, nnz, ones).scaled(share)
    path = Path(folder or tempfile.gettempdir())/f"fsnb-cluster-{shape.p}.fsnb"
    write_shape(shape, path)
    y, out = make_labels(n), dict(n=n, p=shape.p, bytes=store_bytes(path), k=k, blocks=n_blocks)
    alone = open_store(path)
    out["entries"] = int(alone.entries.indptr[-1])
    GDM(k).fit(alone, y)                                  # the files are in memory from now on
    one, model = both(lambda: GDM(k).fit(open_store(path), y))
    expected = told(model)
    with LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=0, dashboard_address=":0") as here, Client(here) as client:
        columns = ClusterColumns(path, client, n_blocks=n_blocks)
        GDM(k).fit(columns, y)
        asked, ask = [], ClusterColumns.ask
        def counted(self, verb, *shared, **rest):
            start = time.perf_counter()
            found = ask(self, verb, *shared, **rest)
            asked.append((verb.__name__, time.perf_counter()-start))
            return found
        ClusterColumns.ask = counted
        columns = ClusterColumns(path, client, n_blocks=n_blocks)
        before = loopback()
        two, model = both(lambda: GDM(k).fit(columns, y))
        travelled = loopback()-before
        ClusterColumns.ask = ask
        passes = {}
        for name, seconds in asked: passes.setdefault(name, []).append(seconds)
        out |= dict(same=told(model) == expected, one_process=one, two_workers=two, rounds=model.n_iter_, travelled=travelled,
                    travelled_of_X=travelled/out["bytes"], asked={name: [len(own), sum(own)] for name, own in passes.items()})
        before = loopback()
        time.sleep(2)
        out["idle_bytes_a_second"] = (loopback()-before)/2
        empty, _ = clock_least(lambda: columns.ask(nothing), 20)
        local, _ = clock_least(lambda: alone.scores(y/n), 5)
        remote, _ = clock_least(lambda: columns.scores(y/n), 5)
        out |= dict(empty_pass=empty, score_pass=local, score_pass_on_two=remote)
        before = loopback()
        for _ in range(5): columns.scores(y/n)
        out["score_pass_bytes"] = (loopback()-before)/5
        times = np.array([columns.ask(timed_scores, y/n) for _ in range(5)])
        out["block_seconds"] = times.min(0).tolist()
        out["block_spread"] = (times/times.min(0)).ravel().tolist()
        threading.Timer(two["wall"]/3, lambda: os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)).start()
        killed, model = both(lambda: GDM(k).fit(ClusterColumns(path, client, n_blocks=n_blocks), y))
        out["killed"] = dict(same=told(model) == expected, wall=killed["wall"])
    print(json.dumps(out, indent=1), flush=True)
    shutil.rmtree(path)
    return out


def nothing(columns): return None


def timed_scores(columns, v): return cpu_clock(lambda: columns.scores(v), 1)[0]


def clock_least(f, repeat):
    from .common import clock
    return clock(f, repeat)


DISK = dict(store=store, cluster=cluster)


def save_arrays(arrays, folder):
    "Plain files of them, on the disk when it returns: what a store takes at least"
    folder.mkdir(exist_ok=True)
    for i, values in enumerate(arrays):
        with open(folder/f"{i}.npy", "wb") as f:
            np.save(f, values)
            f.flush()
            os.fsync(f.fileno())


def text(n=10_000, p=1_360_000, entries=3_000_000, folder=None):
    "svmlight text of about 40 MB: seconds of CPU of scikit-learn's reader, of ours, and of a store made of it"
    from sklearn.datasets import load_svmlight_file
    from fsnb.data.convert import convert
    from fsnb.data.files import read_data
    made = recipe(Shape(n, p, entries))
    data, rows, counts = make_range(made, 0, p)
    import scipy.sparse as sp
    X = sp.csc_matrix((data, rows, np.r_[0, np.cumsum(counts, dtype=np.int64)]), (n, p)).tocsr()
    y = make_labels(n)
    with tempfile.TemporaryDirectory(dir=folder) as home:
        path = Path(home)/"text.svm"
        with open(path, "w") as f:
            for i in range(n):
                own = slice(X.indptr[i], X.indptr[i+1])
                f.write(f"{y[i]:g} "+" ".join(f"{j+1}:{x:.6g}" for j, x in zip(X.indices[own], X.data[own]))+"\n")
        small = Path(home)/"small.svm"
        small.write_text("1 1:2 3:4\n-1 2:1\n")
        read_data(small)
        size = path.stat().st_size
        theirs, (A, _) = cpu_clock(lambda: load_svmlight_file(str(path), dtype=np.float64), 5)
        ours, found = cpu_clock(lambda: read_data(path), 5)
        mine = sp.csc_matrix(found[0].whole() if hasattr(found[0], "whole") else found[0])
        theirs_csc = A.tocsc()
        theirs_csc.sort_indices()
        k = min(mine.shape[1], theirs_csc.shape[1])
        same = mine.nnz == theirs_csc.nnz and (mine[:, :k] != theirs_csc[:, :k]).nnz == 0
        stored, _ = cpu_clock(lambda: convert(path, Path(home)/"text.fsnb", overwrite=True, verbose=False), 5)
        arrays = [np.load(file) for file in sorted((Path(home)/"text.fsnb").glob("*.npy"))]
        written, _ = cpu_clock(lambda: save_arrays(arrays, Path(home)/"copy"), 5)
    return dict(n=n, p=p, entries=int(X.nnz), bytes=size, scikit_learn=theirs, ours=ours, store=stored, same=bool(same),
                ours_over=theirs/ours, store_over=theirs/stored, written=written, store_bytes=sum(a.nbytes for a in arrays))


DISK["text"] = text

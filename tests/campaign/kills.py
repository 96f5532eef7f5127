"""`fsnb groups` ended at random moments, and on disks that are full or read-only.

After SIGINT the exit code is 130, and after SIGKILL nobody says anything; both times the target is whole or untouched and
nothing else lies beside it.
"""
import contextlib, os, random, shlex, shutil, signal, subprocess, sys, tempfile, time
from functools import lru_cache
from pathlib import Path
import numpy as np
from outcomes import Outcome

MOMENTS = 100       # of each signal
PLACES = ("tmpfs", "limit", "/dev/full", "/dev/full as picture", "stdout full", "stdout closed", "read-only folder", "read-only file", "no folder", "long name")
OLD = '{"what": "was here before"}'
PROGRAM = """
import sys
from fsnb.show.cli import main
print("ready", flush=True)
sys.exit(main())
"""


@lru_cache(None)
def data():
    "A data file that takes a second to read, search, draw and write"
    path = Path(tempfile.mkdtemp())/"x.npz"
    r = np.random.default_rng(0)
    X = np.repeat(r.standard_normal((200, 300)), 4, axis=1)+.3*r.standard_normal((200, 1200))
    np.savez(path, X=X, y=(X[:, 0] > X[:, 5]).astype(int))
    return path


def hear_signals():
    "SIGINT works in a process whose parents do not listen to it, as behind `&`"
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def begin(folder, *more, **settings):
    "The command as a process, in a folder of its own"
    settings = {"preexec_fn": hear_signals, "env": os.environ | {"PYTHONFAULTHANDLER": "1"}} | settings
    command = [sys.executable, "-c", PROGRAM, "groups", str(data()), *more]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings)


USUAL = ("--n-features", "40", "--C", "3", "--out", "out.json", "--plot", "out.svg")

@lru_cache(None)
def whole_run():
    "(seconds from the beginning of `main` to the end, what is written)"
    with tempfile.TemporaryDirectory() as folder:
        took = []
        for _ in range(3):                          # the first one may have to compile
            process = begin(folder, *USUAL)
            process.stdout.readline()
            began = time.perf_counter()
            told = process.communicate()[1]
            if process.returncode: raise RuntimeError(told)
            took.append(time.perf_counter()-began)
        return min(took), (Path(folder)/"out.json").read_text()


def groups_of(text):
    from fsnb import FeatureGroups
    return [list(m) for m in FeatureGroups.from_json(text).members]


def judge_kill(name, number):
    "One run, ended at one moment; in every second one there is an older file of that name"
    seconds, whole = whole_run()
    moment = random.Random(f"{name} {number}").random()*seconds
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)/"out.json"
        is_old = int(number) % 2 == 1
        if is_old: out.write_text(OLD)
        process = begin(folder, *USUAL)
        process.stdout.readline()
        time.sleep(moment)
        process.send_signal(getattr(signal, name))
        try: told = process.communicate(timeout=30)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            return Outcome("hang", f"more than 30 s after {name}")
        left = set(os.listdir(folder))-{"out.json", "out.svg"}
        written = out.read_text() if out.exists() else None
    return judge_end(name, process.returncode, told, left, written, is_old, whole)


def judge_end(name, code, told, left, written, is_old, whole):
    "What is left after the end"
    if left: return Outcome("silent", f"debris: {sorted(left)}")
    is_new = written is not None and written != OLD
    if is_new:
        try: same = groups_of(written) == groups_of(whole)
        except Exception as error: return Outcome("silent", f"half a file: {error}"[:200])
        if code == 0 and not same: return Outcome("silent", "another answer")
    elif is_old and written != OLD: return Outcome("silent", "the older file is gone")
    if code == 0: return Outcome("same", "it had ended before") if is_new else Outcome("silent", "exit code 0, and nothing is written")
    if "Traceback" in told or "Error" in told.replace("fsnb: error", ""): return Outcome("traceback", told[-1500:])
    if name == "SIGKILL": return Outcome("same") if code == -signal.SIGKILL else Outcome("silent", f"exit code {code}: {told[-200:]}")
    if code != 130: return Outcome("silent", f"exit code {code}: {told[-200:]}")
    if "wrote no file" in told and is_new: return Outcome("silent", "says that there is no result, and there is one")
    if "; wrote" in told and "out.json" in told and not is_new: return Outcome("silent", "says that there is a result, and there is none")
    if not told.strip(): return Outcome("silent", "says nothing")
    return Outcome("refused", told.strip().splitlines()[-1])


# ---- full and closed places

@contextlib.contextmanager
def small_disk(size="64k"):
    "A folder with hardly any room, or None where none may be mounted"
    folder = tempfile.mkdtemp()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True)
    try: yield Path(folder) if done.returncode == 0 else None
    finally:
        if done.returncode == 0: subprocess.run(["umount", folder], capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


def limit_files():
    "No file of the process may grow beyond a few bytes"
    import resource
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))


def ended(folder, *more, **settings):
    "(exit code, what it says on stderr) of a whole run"
    process = begin(folder, "--n-features", "5", *more, **settings)
    told = process.communicate(timeout=120)[1]
    return process.returncode, told


def judge_place(place):
    "A place that takes no file: one line, exit code 2 (or 1 for an output that is lost at the end), nothing is left"
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        if place == "tmpfs":
            with small_disk() as disk:
                if disk is None: return judge_place("limit")
                (disk/"fill").write_bytes(bytes(65536-4096*1))
                with contextlib.suppress(OSError), open(disk/"more", "wb", 0) as file:
                    while file.write(bytes(4096)): pass
                code, told = ended(folder, "--out", str(disk/"out.json"))
                return tell(code, told, disk, {"fill", "more"})
        if place == "limit": return tell(*ended(folder, "--out", "out.json", preexec_fn=limit_files), folder, set())
        if place == "/dev/full": return tell(*ended(folder, "--out", "/dev/full"), folder, set())
        if place == "/dev/full as picture":
            (folder/"x.svg").symlink_to("/dev/full")
            return tell(*ended(folder, "--plot", "x.svg"), folder, {"x.svg"})
        if place.startswith("stdout"): return judge_stdout(folder, place)
        if place.startswith("read-only"): return judge_read_only(folder, place)
        if place == "no folder": return tell(*ended(folder, "--out", "no/such/out.json"), folder, set())
        code, told = ended(folder, "--out", "a"*250+".json")
        return tell(code, told, folder, set()) if len("a"*250+".json") > 255 else judge_long(folder, code, told)


def heed_modes():
    "A program that is started from here on may write only what its user may write, also as root: Linux lets a process give that right away"
    import ctypes
    CAPBSET_DROP, DAC_OVERRIDE, DAC_READ_SEARCH = 24, 1, 2
    for right in (DAC_OVERRIDE, DAC_READ_SEARCH): ctypes.CDLL(None).prctl(CAPBSET_DROP, right, 0, 0, 0)


def heeds_modes(folder):
    "Whether such a program is refused where nobody may write"
    asked = f"import os; os.open({str(folder/'probe')!r}, os.O_CREAT | os.O_WRONLY)"
    done = subprocess.run([sys.executable, "-c", asked], preexec_fn=heed_modes, capture_output=True, text=True)
    with contextlib.suppress(OSError): (folder/"probe").unlink()
    return "PermissionError" in done.stderr


def judge_read_only(folder, place):
    "A folder, or a file in one, that may not be written"
    is_file = place == "read-only file"
    out = folder/"out.json"
    if is_file:
        out.write_text(OLD)
        out.chmod(0o400)
    folder.chmod(0o500)
    try:
        if not heeds_modes(folder): return Outcome("same", "skipped: modes are not heeded here")
        code, told = ended("/", "--out", str(out), preexec_fn=heed_modes)
        if is_file and out.read_text() != OLD: return Outcome("silent", "a file that may not be written was")
        return tell(code, told, folder, {"out.json"} if is_file else set())
    finally: folder.chmod(0o700)


def judge_long(folder, code, told):
    "A name as long as the disk allows is a name like any other"
    names = os.listdir(folder)
    if code == 0 and len(names) == 1: return Outcome("same")
    return Outcome("silent", f"exit code {code}, {len(names)} files: {told[-200:]}")


def judge_stdout(folder, place):
    "The answer on paper is lost; the file is not"
    where = "/dev/full" if place == "stdout full" else "&-"
    command = f"exec {shlex.quote(sys.executable)} -c 'import sys; from fsnb.show.cli import main; sys.exit(main())' groups {data()} --n-features 5 --out out.json >{where}"
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
    if "Traceback" in done.stderr or "Exception" in done.stderr: return Outcome("traceback", done.stderr[-300:])
    if os.listdir(folder) != ["out.json"]: return Outcome("silent", f"files: {os.listdir(folder)}; {done.stderr[-200:]}")
    if place == "stdout full" and done.returncode == 0: return Outcome("silent", "exit code 0 although the answer could not be shown")
    try: groups_of((folder/"out.json").read_text())
    except Exception as error: return Outcome("silent", f"half a file: {error}")
    return Outcome("refused", done.stderr.strip() or "nothing to say")


def tell(code, told, folder, expected):
    "One line of error, and only the files that were there"
    left = set(os.listdir(folder))
    if left != expected: return Outcome("silent", f"files: {sorted(left)}; exit code {code}")
    if "Traceback" in told: return Outcome("traceback", told[-1500:])
    lines = [line for line in told.splitlines() if line.startswith("fsnb: error")]
    if code not in (1, 2) or len(lines) != 1: return Outcome("silent", f"exit code {code}: {told[-200:]}")
    return Outcome("refused", lines[0])


def list_kills():
    "All cases: (signal, number) and places"
    return [*(("kill", name, str(i)) for i in range(MOMENTS) for name in ("SIGINT", "SIGKILL")), *(("place", place) for place in PLACES)]

"What the test files share: one thread, no windows, fresh processes."
import os
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")                # before numpy is imported: tests run side by side
os.environ.setdefault("MPLBACKEND", "Agg")

import signal, subprocess, sys, threading
from pathlib import Path
import pytest, fsnb

if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)        # a shell's & turned it off

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT/"tools"), str(ROOT/"tests/golden")]
# processes that tests start have the fsnb of the tests, wherever they start
paths = [str(Path(fsnb.__file__).resolve().parents[1]), str(ROOT), os.environ.get("PYTHONPATH", "")]
os.environ |= {"PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(filter(None, paths))}

@pytest.fixture(scope="session")
def python():
    "A function that runs code in a fresh process and gives what it prints"
    def run(code, **environment):
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=os.environ | environment,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()
    return run

"What a fresh process pays: the import, the first fit without and with numba's cache, and a warm one."
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .common import table

FIRST_FIT = """
import time
start = time.perf_counter()
from fsnb import GDM, make_groups
loaded = time.perf_counter()
data = make_groups(500, 2000, (3, 2, 1), random_state=0, n_test=0, sparse={sparse})
made = time.perf_counter()
GDM(3).fit(data.X, data.y)
first = time.perf_counter()-made
made = time.perf_counter()
GDM(3).fit(data.X, data.y)
print(loaded-start, first, time.perf_counter()-made)
"""


def _run(code, cache):
    env = dict(os.environ, NUMBA_CACHE_DIR=str(cache))
    done = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True, cwd=Path(__file__).parent.parent)
    return [float(x) for x in done.stdout.split()]


def run(quick=False):
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(2): seconds, = _run("import time; s = time.perf_counter(); import fsnb; print(time.perf_counter()-s)", cache)
        rows.append(dict(what="import fsnb", seconds=seconds))
        for kind, sparse in (("dense", False), ("sparse", .01)):
            code = FIRST_FIT.format(sparse=sparse)
            for name in ("without a cache", "with numba's cache"):
                load, first, warm = _run(code, cache)
                rows += [dict(what=f"from fsnb import GDM, {kind}, {name}", seconds=load), dict(what=f"first fit, {kind}, {name}", seconds=first),
                         dict(what=f"second fit, {kind}, {name}", seconds=warm)]
    table(rows, "seconds of a fresh process")
    return dict(rows=rows)

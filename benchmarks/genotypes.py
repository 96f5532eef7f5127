"""Genotypes of the psoriasis study's shape (529,651 variants of 2,176 people, generated): what a pass over the .bed costs.

Everything is CPU time of one thread, best of several, and a ratio to one pass over the same calls at a byte each (`read`), timed in
this process.
"""
import tempfile
from pathlib import Path

import numpy as np
from numba import njit

from fsnb.data.genotypes import MAGIC, GenotypeColumns, open_genotypes

from .common import cpu_clock, table

@njit(cache=True, nogil=True, fastmath=True)
def add_up(x):
    total = np.float32(0)
    for i in range(x.size): total += x[i]
    return total

def seconds(f, repeat=3):
    "Best CPU time of a few runs"
    f()
    return cpu_clock(f, repeat)[0]

@njit(cache=True, nogil=True)
def draw(packed, n, frequency, alike, missing):
    "Calls of both copies from xorshift numbers; each variant copies the one before with probability `alike`"
    state = np.uint64(88172645463325252)
    before = np.zeros((n, 2), np.uint8)
    for j in range(packed.shape[0]):
        for k in range(packed.shape[1]):
            byte = 0
            for field in range(min(4, n-4*k)):
                i, t = 4*k+field, 0
                for copy in range(2):
                    state ^= state << np.uint64(13)
                    state ^= state >> np.uint64(7)
                    state ^= state << np.uint64(17)
                    if (state & np.uint64(0xffff)) >= alike[j]:
                        before[i, copy] = ((state >> np.uint64(16)) & np.uint64(0xffff)) >= frequency[j]
                    t += before[i, copy]
                gap = ((state >> np.uint64(32)) & np.uint64(0xffff)) < missing
                byte |= (1 if gap else 0 if t == 0 else 2 if t == 1 else 3) << 2*field
            packed[j, k] = byte

def write_study(folder, n, p, missing=0., seed=0):
    "The three files, block by block"
    rng = np.random.default_rng(seed)
    path = Path(folder)/"study.bed"
    with open(path, "wb") as file:
        file.write(MAGIC)
        for start in range(0, p, 20_000):
            size = min(20_000, p-start)
            packed = np.empty((size, -(-n//4)), np.uint8)
            frequency = np.uint64(65536*rng.uniform(.05, .5, size))
            draw(packed, n, frequency, np.uint64(65536*np.where(rng.random(size) < .1, 0, .9)), int(65536*missing))
            file.write(packed)
    path.with_suffix(".bim").write_text("".join(f"{1+22*j//p}\trs{j}\t0\t{1000+j}\tA\tG\n" for j in range(p)))
    path.with_suffix(".fam").write_text("".join(f"f{i} i{i} 0 0 0 {1+i % 2}\n" for i in range(n)))
    return path

def passes(path, read):
    "CPU time of each verb, and as multiples of `read`"
    columns = open_genotypes(path)
    v = np.random.default_rng(0).standard_normal((columns.n_samples, 32))
    asked = list(range(0, 32*101, 101))
    columns.moments()
    verbs = [("moments", 1, lambda: GenotypeColumns(columns.packed, columns.n_samples).moments()),
             ("scores", 1, lambda: columns.scores(v[:, 0])),
             ("scores of 32 vectors, each", 32, lambda: columns.scores(v)),
             ("partners of 1", 1, lambda: columns.partners(asked[:1], .5)),
             ("partners of 32, each", 32, lambda: columns.partners(asked, .5))]
    times = [(what, seconds(f)/count) for what, count, f in verbs]
    return [dict(what=what, seconds=took, read_passes=took/read) for what, took in times]

def run(quick=False):
    n, p = (2176, 20_000) if quick else (2176, 529_651)
    size = min(p, 100_000)
    values = np.ones(size*n//4, np.float32)
    read, rows = seconds(lambda: add_up(values), 7)*p/size, []
    with tempfile.TemporaryDirectory() as folder:
        for missing in (0., .01):
            path = write_study(tempfile.mkdtemp(dir=folder), n, p, missing)
            rows += [dict(missing=missing, **row) for row in passes(path, read)]
    return dict(n=n, p=p, passes=table(rows, f"{p} variants of {n} people; one pass over a byte a call is {read:.3f} s"))

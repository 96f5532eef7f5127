"""Genotypes of the psoriasis study's shape (529,651 variants of 2,176 people, generated), and all pairs of columns counted.

genotypes   passes over the .bed, as ratios to one pass over the same calls at a byte each (`read`)
survey      all pairs of the shape of news20, equal to brute force on a sample of its columns, and a part of the
            pairs of the study: `part` is what was measured; `whole_hours` goes up by the number of pairs
"""
import tempfile
import numpy as np
from pathlib import Path
from numba import njit
from fsnb import as_columns, make_groups
from fsnb.correlation.survey import PairSurvey, count_block, survey_dense, survey_pairs
from fsnb.data.genotypes import MAGIC, GenotypeColumns, open_genotypes, pack_calls
from fsnb.groups.synthetic import make_genotypes
from .common import cpu

SHAPE, BLOCK = (2176, 529_651), 3000      # people and variants; variants that are made at once

def write_study(folder, n, p):
    "The three files, block by block: fifteen variants in linkage stand side by side"
    path = Path(folder)/"study.bed"
    with open(path, "wb") as file:
        file.write(MAGIC)
        for start in range(0, p, BLOCK):
            calls = make_genotypes(n, BLOCK//15, random_state=start).X.to_numpy()
            file.write(pack_calls(calls[:, :p-start]).tobytes())
    path.with_suffix(".bim").write_text("".join(f"{1+22*j//p}\trs{j}\t0\t{1000+j}\tA\tG\n" for j in range(p)))
    path.with_suffix(".fam").write_text("".join(f"f{i} i{i} 0 0 0 {1+i % 2}\n" for i in range(n)))
    return path

@njit(cache=True, nogil=True, fastmath=True)
def add_up(x):
    total = np.float32(0)
    for i in range(x.size): total += x[i]
    return total

def run_genotypes(quick=False):
    n, p = (2176, 20_000) if quick else SHAPE
    size = min(p, 100_000)
    values = np.ones(size*n//4, np.float32)
    read = cpu(lambda: add_up(values), 7)[0]*p/size
    with tempfile.TemporaryDirectory() as folder:
        columns = open_genotypes(write_study(folder, n, p))
        v, asked = np.random.default_rng(0).standard_normal((n, 32)), list(range(0, 32*101, 101))
        columns.moments()
        verbs = {"moments": (1, lambda: GenotypeColumns(columns.packed, n).moments()),
                 "scores": (1, lambda: columns.scores(v[:, 0])),
                 "scores of 32 vectors, each": (32, lambda: columns.scores(v)),
                 "partners of 1": (1, lambda: columns.partners(asked[:1], .5)),
                 "partners of 32, each": (32, lambda: columns.partners(asked, .5))}
        rows = []
        for what, (count, f) in verbs.items():
            seconds = cpu(f, 3)[0]/count
            rows.append(dict(what=what, seconds=seconds, read_passes=seconds/read))
    return dict(n=n, p=p, passes=rows)

def text(quick):
    "The sparse survey, and brute force on a sample of its columns"
    n, p = (2000, 50_000) if quick else (10_000, 1_360_000)
    X = make_groups(n, p, (1, 2, 3, 4, 5)*10, weights="normal", sparse=.001 if quick else 4.4/13_600, random_state=0).X.tocsc()
    survey_pairs(X[:, :500], above=.5)                                     # compiles
    seconds, found = cpu(lambda: survey_pairs(X, above=.7))
    assert found.counts.sum()+found.n_constant == p*(p-1)//2
    some = X[:, np.random.default_rng(0).choice(p, 2000 if quick else 20_000, replace=False)]
    fast, ours = cpu(lambda: survey_pairs(some))
    columns = as_columns(some.toarray())
    varies = np.flatnonzero(~columns.constant)
    slow = PairSurvey(columns.n_features, len(varies), ours.edges)
    brute, _ = cpu(lambda: survey_dense(columns, varies, slow))
    assert (slow.counts == ours.counts).all()
    return dict(n=n, p=p, nonzeros=X.nnz, pairs=found.n_pairs, seconds=seconds, share_under_a_tenth=1-found.share_above()[2],
                listed=len(found.pairs[0]), sample=some.shape[1], sample_seconds=fast, brute_seconds=brute)

def study(quick):
    "A share of the pairs of the study: every so manieth column against all after it"
    (n, p), every = ((2176, 20_000), 10) if quick else (SHAPE, 100)
    with tempfile.TemporaryDirectory() as folder:
        columns = open_genotypes(write_study(folder, n, p))
        columns.moments()
        survey_pairs(open_genotypes(write_study(tempfile.mkdtemp(dir=folder), n, 200)))
        found, place = PairSurvey(p, p, np.linspace(0, 1, 21)), np.arange(p)
        starts = np.arange(0, p, columns.batch)[::every]
        def part():
            for i in starts:
                asked = np.arange(i, min(i+columns.batch, p))
                for start, r in columns.correlation_blocks(asked, int(i)):
                    rows = start+np.arange(len(r))
                    count_block(r, rows, place[rows], asked, asked, found)
        seconds, _ = cpu(part)
    done, pairs = int(found.counts.sum()), p*(p-1)//2
    return dict(n=n, p=p, pairs=pairs, part=done/pairs, seconds=seconds, ns_a_pair=1e9*seconds/done, whole_hours=seconds/3600*pairs/done)

def run_survey(quick=False): return dict(text=text(quick), genotypes=study(quick))

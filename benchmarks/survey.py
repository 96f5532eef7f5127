"""All pairs of columns counted: the shape of news20 (10,000 x 1.36M, 4.4M nonzeros, generated; 9.2e11 pairs), equal to brute force on
20,000 of its columns, and a part of the pairs of a genotype study (529,651 variants of 2,176 people).

CPU time of one thread. `part` of the genotypes is what was measured; `whole_hours` goes up by the number of pairs. The thesis gives 20.6
days for such a study, on a processor of its year.
"""
import tempfile

import numpy as np

from fsnb import as_columns, make_groups
from fsnb.correlation.survey import PairSurvey, count_block, survey_dense, survey_pairs
from fsnb.data.genotypes import open_genotypes

from .common import cpu, table
from .genotypes import write_study

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

def genotypes(quick):
    "A share of the pairs of the study: every so manieth column against all after it"
    n, p, every = (2176, 20_000, 10) if quick else (2176, 529_651, 100)
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

def run(quick=False):
    words, variants = text(quick), genotypes(quick)
    table([words], "text"), table([variants], "genotypes")
    return dict(text=words, genotypes=variants)

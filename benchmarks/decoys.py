"The price of preferring features with partners: icml2012 with 60 correlated groups that have nothing to do with the label."
import numpy as np

from fsnb import GDM, make_groups
from fsnb.groups.metrics import strict_hits

from .common import table


def add_decoys(data, count, rng):
    "A copy of X in which `count` sets of 2 to 6 noise columns are correlated at .8 to .97; the sets"
    X, noise = data.X.copy(), np.setdiff1d(np.arange(data.X.shape[1]), data.groups.all_members)
    sets = np.split(noise, np.cumsum(rng.integers(2, 7, count)))[:count]
    for columns in sets:
        for j in columns[1:]:
            rho = rng.uniform(.8, .97)
            X[:, j] = rho*X[:, columns[0]]+np.sqrt(1-rho**2)*X[:, j]
    return X, sets


def run(quick=False):
    rows = []
    for rank_by in ("support", "pair", "group"):
        runs = []
        for seed in range(1 if quick else 3):
            data = make_groups(preset="icml2012", random_state=seed, n_test=0)
            X, decoys = add_decoys(data, 60, np.random.default_rng(100+seed))
            groups = GDM(200, rank_by=rank_by).fit(X, data.y).groups_
            hits = strict_hits(groups, data.groups)
            runs.append((hits.exact_multi, hits.hits, hits.wrong, np.isin(groups.support, np.concatenate(decoys)).sum()))
        rows.append(dict(rank_by=rank_by, **dict(zip(("exact_multi", "members", "wrong", "decoys_of_60"), np.mean(runs, axis=0).tolist()))))
    return dict(rows=table(rows, "icml2012 with 60 decoys, means over the seeds"))

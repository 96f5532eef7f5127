"""What each form of the bound prunes: the rows of the page gdm/12_bound on generated and on real data.

    FSNB_DATA=folder python -m benchmarks bound     # writes benchmarks/results/bound.json

Generated rows need no data. Real data sets that are not in the folder of FSNB_DATA are skipped, and rows
that an earlier run wrote for them are kept. A row: data, n, p, tau, and what `pruned_share`
returns (shares in [0, 1]) for 50 supports and, as more pivots, the 15 principal directions of the samples
over 256 random features.
"""
import numpy as np

from fsnb import as_columns, make_groups
from fsnb.gdm.bound import pruned_share

from .common import table
from .datasets import available, load, signed
from .records import read_result

N_SUPPORTS, TAUS = 50, (.3, .25, .1, .05)
REAL = {"leukemia_golub": None, "chowdary": None, "mnist_3v8": None, "usps": (0, 1),
        "bbc": (0, 4), "farm_ads": None, "ng20_bigram_dev": None}   # name: two classes, None where y has two

def principal_pivots(cols, q, seed=20):
    "The q leading directions over the samples, of at most 256 random features."
    varies = np.flatnonzero(~cols.constant)
    sample = np.random.default_rng(seed).permutation(varies)[:256]
    return np.linalg.svd(cols.standardized(sample), full_matrices=False)[0][:, :q]

def datasets(quick):
    "name, X, y of everything there is; when quick, one small generated set."
    if quick:
        made = make_groups(300, 500, n_test=0, random_state=0)
        yield "generated, small", made.X, made.y
        return
    for preset in ("thesis2015", "icml2012"):
        made = make_groups(preset=preset, n_test=0, random_state=0)
        yield f"generated {preset}", made.X, made.y
    for name, classes in REAL.items():
        if name in available():
            X, y, _ = load(name, classes)
            yield name + (f" {classes[0]}v{classes[1]}" if classes else ""), X, signed(y)

def run(quick=False):
    rows = []
    for name, X, y in datasets(quick):
        cols = as_columns(X)
        pivots = principal_pivots(cols, 15)
        for tau in TAUS:
            row = dict(data=name, n=cols.n_samples, p=cols.n_features, tau=tau,
                       **pruned_share(cols, y, tau, n_supports=N_SUPPORTS, pivots=pivots))
            false = [form for form, wrong in row["wrong"].items() if wrong and form != "printed"]
            if false: raise AssertionError(f"{name}, tau {tau}: wrongly pruned by {false}")
            rows.append(row)
    table([dict(data=r["data"], tau=r["tau"], max_p=r["max_p"], wrong=r["wrong"]["printed"],
                **{form: 100*share for form, share in r["pruned"].items()}) for r in rows],
          "share of (support, feature) pairs pruned, %")
    done = {row["data"] for row in rows}
    return dict(n_supports=N_SUPPORTS, rows=rows + [row for row in read_result("bound").get("rows", []) if row["data"] not in done])

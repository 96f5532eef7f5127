"""What each form of the bound prunes: the rows of notebook 10_bound on generated and on real data.

    FSNB_DATA=folder python benchmarks/bound.py     # writes benchmarks/results/bound.json

Generated rows need no data. Real data sets that are not in the folder of FSNB_DATA are skipped, and rows
that an earlier run wrote for them are kept. A row: data, n, p, tau, and what `fsnb.bound.pruned_share`
returns (shares in [0, 1]) for 50 supports and, as more pivots, the 15 principal directions of the samples
over 256 random features.
"""
import json
from pathlib import Path
import numpy as np
from fsnb.bound import pruned_share
from fsnb.columns import as_columns
from fsnb.synthetic import make_groups
from realdata import available, load, signed_labels

RESULTS = Path(__file__).parent / "results" / "bound.json"
TAUS = .3, .25, .1, .05
REAL = {"leukemia_golub": None, "chowdary": None, "mnist_3v8": None, "usps": (0, 1),
        "bbc": (0, 4), "farm_ads": None, "ng20_bigram_dev": None}   # name: two classes, None where y has two


def principal_pivots(cols, q, seed=20):
    "The q leading directions over the samples, of at most 256 random features."
    varies = np.flatnonzero(~cols.constant)
    sample = np.random.default_rng(seed).permutation(varies)[:256]
    return np.linalg.svd(cols.standardized(sample), full_matrices=False)[0][:, :q]


def datasets():
    "name, X, y of everything there is."
    for preset in ("thesis2015", "icml2012"):
        made = make_groups(preset=preset, n_test=0, random_state=0)
        yield f"generated {preset}", made.X, made.y
    for name, classes in REAL.items():
        if name in available():
            X, y, _ = load(name, classes)
            yield name + (f" {classes[0]}v{classes[1]}" if classes else ""), X, signed_labels(y)


def main():
    rows = []
    for name, X, y in datasets():
        cols = as_columns(X)
        pivots = principal_pivots(cols, 15)
        for tau in TAUS:
            row = dict(data=name, n=cols.n_samples, p=cols.n_features, tau=tau, **pruned_share(cols, y, tau, pivots=pivots))
            right = [k for k, wrong in row["wrong"].items() if wrong and k != "printed"]
            if right: raise AssertionError(f"{name}, tau {tau}: wrongly pruned by {right}")
            rows.append(row)
            shares = "  ".join(f"{form} {100*share:5.1f}" for form, share in row["pruned"].items())
            print(f"{name:22s} tau {tau:4.2f}  max|p| {row['max_p']:.2f}  pruned %: {shares}", flush=True)
    done = {row["data"] for row in rows}
    old = json.loads(RESULTS.read_text())["rows"] if RESULTS.exists() else []
    rows += [row for row in old if row["data"] not in done]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"n_supports": 50, "rows": rows}, indent=1, default=float) + "\n")


if __name__ == "__main__":
    main()

"""Real data sets for the benchmarks, read from the folder that the environment variable FSNB_DATA names.

    from benchmarks.realdata import available, load
    available()                              # ['bbc', 'farm_ads', ...]; [] when FSNB_DATA is not set
    X, y, names = load("farm_ads")
    X, y, names = load("usps", classes=(0, 1))

A data set is one file NAME.npz of one of two kinds:

    dense    X (n_samples, n_features), y
    sparse   data, indices, indptr, shape, format ("csc"), y

Optional keys in both: feature_names, class_names, and others; `extras` hands them over as they are.

`load` returns X (float64 ndarray, or CSC with float64 values and sorted int32 indices), y and the feature
names (or None). y comes back as stored, unless `classes=(a, b)` is given: then only the rows of these two
classes are kept, and y is -1.0 for a and +1.0 for b. `signed_labels` does the same to a two-class y.
A benchmark skips what is absent:

    for name in ("farm_ads", "usps"):
        if name in available(): ...
"""
import os
from pathlib import Path
import numpy as np
import scipy.sparse as sp


def data_dir():
    "The folder of FSNB_DATA as a Path, or None when the variable is not set or names no folder."
    path = os.environ.get("FSNB_DATA", "")
    return Path(path) if path and Path(path).is_dir() else None


def available():
    "Sorted names of the data sets in FSNB_DATA, [] when there is no such folder."
    folder = data_dir()
    return sorted(f.stem for f in folder.glob("*.npz")) if folder else []


def _open(name):
    "The opened npz of one data set."
    if name not in available():
        raise FileNotFoundError(f"name must be a data set in the folder FSNB_DATA, one of {available()}, got {name!r}")
    return np.load(data_dir() / f"{name}.npz", allow_pickle=False)


def extras(name):
    "Dict of everything in the file that is neither the matrix nor the labels (class_names, n_train, ...)."
    matrix = {"X", "data", "indices", "indptr", "shape", "format", "y"}
    with _open(name) as z: return {k: z[k] for k in z.files if k not in matrix}


def signed_labels(y, classes=None):
    "y as -1.0 / +1.0: -1 for classes[0], +1 for classes[1] (by default the two values of y in increasing order)."
    values = np.unique(y) if classes is None else np.asarray(classes)
    if len(values) != 2: raise ValueError(f"classes must name two classes, got {values.tolist()}")
    return np.where(y == values[1], 1.0, -1.0)


def load(name, classes=None):
    """X, y, names of one data set; with classes=(a, b) only these two classes, y as -1.0 / +1.0.

    Raises FileNotFoundError for a name that is absent and ValueError for a class that y does not have."""
    with _open(name) as z:
        y = z["y"]
        names = z["feature_names"] if "feature_names" in z.files else None
        if "X" in z.files: X = np.asarray(z["X"], dtype=np.float64)
        else:
            parts = z["data"].astype(np.float64), z["indices"].astype(np.int32), z["indptr"].astype(np.int32)
            X = sp.csc_matrix(parts, shape=tuple(int(s) for s in z["shape"]))
            X.sort_indices()
    if classes is None: return X, y, names
    missing = [c for c in classes if c not in y]
    if missing: raise ValueError(f"classes must be two of {np.unique(y).tolist()}, got {tuple(classes)}")
    rows = np.flatnonzero(np.isin(y, classes))
    if sp.issparse(X):
        X = X.tocsr()[rows].tocsc()
        X.sort_indices()
    else: X = X[rows]
    return X, signed_labels(y[rows], classes), names

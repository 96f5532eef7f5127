"""Real data sets for the benchmarks, from their sources into the folder FSNB_DATA: `python -m benchmarks.datasets vote usps`.

pooch downloads the files that datasets.toml names into FSNB_DATA/sources, and refuses one whose
checksum is another; a digest of X and y says whether they are the data that the tables of this
repository were made from. Without names: every set, and whether it is there.

A set is one file NAME.npz: X and y, or data, indices, indptr, shape, format ("csc") and y; beside
them feature_names and what `extras` hands over. `load` reads it; a benchmark skips what is absent.
"""
import hashlib, io, os, sys, tomllib, zipfile
import numpy as np, pandas as pd, scipy.sparse as sp
from pathlib import Path
from typing import NamedTuple
from scipy.io import loadmat, mmread
from sklearn.datasets import load_svmlight_file

class DataSet(NamedTuple):
    "What is known of a set; a digest or a checksum that nobody knows is ''"
    shape: tuple          # (samples, features, classes)
    reader: object        # of the files' paths
    addresses: tuple
    options: dict = {}    # of the reader
    digest: str = ""      # `digest_of` X and y
    checksum: str = ""    # of the only file, as pooch has it: sha256:..., or git:...

def digest_of(X, y):
    "A digest that does not depend on the order of samples, nor on how X is stored"
    rows = sp.csr_matrix(X)
    rows.sort_indices()
    rows.eliminate_zeros()
    places, values, ends = rows.indices.astype(np.int64), rows.data.astype(np.float32), rows.indptr
    cells = [places[a:b].tobytes()+values[a:b].tobytes()+repr(float(label)).encode() for a, b, label in zip(ends, ends[1:], y)]
    entries = sorted(hashlib.sha256(cell).digest() for cell in cells)
    return hashlib.sha256(repr(tuple(map(int, rows.shape))).encode()+b"".join(entries)).hexdigest()[:16]

def read_mat(paths):
    found = loadmat(paths[0])
    return dict(X=found["X"], y=found["Y"].ravel().astype(np.int64))

def code(labels, classes=None):
    "The place of each label among the classes; raises ValueError for another label"
    if classes is None: return np.asarray(labels).astype(np.float64).astype(np.int64)
    return np.array([list(map(str, classes)).index(str(label).strip()) for label in labels])

def read_tables(paths, sep=",", header=None, label=-1, drop=(), words=(), classes=None, skip=0):
    "Tables of text, one beside the other; `words` are numbers"
    parts = [pd.read_csv(p, sep=sep, header=header, dtype=str, keep_default_na=False, skiprows=skip) for p in paths]
    table = pd.concat(parts, axis=1)
    kept = np.delete(np.arange(table.shape[1]), [label, *drop])
    return dict(X=table.iloc[:, kept].replace(dict(words)).astype(np.float64).to_numpy(), y=code(table.iloc[:, label], classes))

def read_sequences(paths, letters, classes):
    "Class, name and sequence in each line"
    parts = [line.split(",") for line in Path(paths[0]).read_text().splitlines() if line.strip()]
    X = np.array([[letters.index(letter) for letter in part[2].strip()] for part in parts], dtype=np.uint8)
    return dict(X=X, y=code([part[0] for part in parts], classes))

def read_svm(paths, n_features, classes=None, shift=0, unit=False, dense=False, signed=False):
    "svmlight files below one another; `n_train` rows are of the first"
    parts = [load_svmlight_file(str(path), n_features=n_features, zero_based=False) for path in paths]
    X, y = sp.vstack([X for X, _ in parts], format="csr"), np.concatenate([y for _, y in parts])
    y = (y > 0 if signed else y+shift).astype(np.int64)
    kept = np.isin(y, y if classes is None else classes)
    more = dict(n_train=int(kept[:parts[0][0].shape[0]].sum())) if len(parts) > 1 else {}
    X = X[kept].toarray() if dense else X[kept].tocsc()
    return dict(X=(X+1)/2 if unit else X, y=y[kept], **more)

def read_terms(paths, stem):
    "A zip of stem.mtx (terms by texts), stem.terms and stem.classes"
    with zipfile.ZipFile(paths[0]) as archive:
        text = {Path(name).name: archive.read(name) for name in archive.namelist()}
    classes = np.loadtxt(io.BytesIO(text[f"{stem}.classes"]), comments="%")
    names = text[f"{stem}.terms"].decode("utf-8", "replace").split()
    return dict(X=mmread(io.BytesIO(text[f"{stem}.mtx"])).T.tocsc(), y=classes[:, 1].astype(np.int64), feature_names=np.array(names))

def read_r(paths):
    "A list with x, a table, and y, a factor; takes `pip install rdata`"
    import rdata
    content = next(iter(rdata.read_rda(paths[0]).values()))
    return dict(X=np.asarray(content["x"], dtype=np.float64), y=np.unique(np.asarray(content["y"]).astype(str), return_inverse=True)[1])

NOT_TO_BE_HAD = {
    "ng20_bigram_dev": "made from 200 posts of each of the 20 newsgroups, words and pairs of words in two posts or more; its digest is 407fc483d5806edf",
    "psoriasis": "restricted: a study of dbGaP, on request there",
    "RAOA": "no source is known", "RAC": "no source is known", "chemical": "no source is known"}

def all_sets():
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {name: DataSet(**own | dict(shape=tuple(own["shape"]), reader=globals()[own["reader"]]))
            for name, own in table.items()}

def fetch(address, folder, checksum=""):
    "The path of a file that pooch has downloaded. Raises ValueError for another checksum; git's is of a blob, which pooch does not know"
    import pooch
    is_git = checksum.startswith("git:")
    path = Path(pooch.retrieve(address, known_hash=None if is_git else checksum or None, fname=address.rsplit("/", 1)[1], path=folder))
    content = path.read_bytes() if is_git else b""
    if is_git and hashlib.sha1(b"blob %d\0" % len(content)+content).hexdigest() != checksum[4:]:
        path.unlink()
        raise ValueError(f"{address} holds another file: its git checksum should be {checksum[4:]}")
    return path

def get(name, one=None):
    "The path of NAME.npz in FSNB_DATA, fetched where it is not there. Raises ValueError for other data than the known ones"
    if data_dir() is None: raise ValueError("FSNB_DATA must name a folder")
    if name in NOT_TO_BE_HAD: raise ValueError(f"{name} cannot be fetched: {NOT_TO_BE_HAD[name]}")
    one, path = one or all_sets()[name], data_dir()/f"{name}.npz"
    if path.exists(): return path
    content = one.reader([fetch(address, data_dir()/"sources", one.checksum) for address in one.addresses], **one.options)
    X, y = content.pop("X"), content["y"]
    if (*X.shape, len(np.unique(y))) != one.shape or one.digest not in ("", digest_of(X, y)):
        raise ValueError(f"{name}: these are not the data that the tables were made from: {X.shape}, digest {digest_of(X, y)}")
    if sp.issparse(X): content |= dict(data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, format="csc")
    else: content["X"] = X
    part = path.with_suffix(".part")
    with open(part, "wb") as file: np.savez_compressed(file, **content)
    os.replace(part, path)
    return path

def data_dir():
    "The folder of FSNB_DATA as a Path, or None when the variable is not set or names no folder."
    path = os.environ.get("FSNB_DATA", "")
    return Path(path) if path and Path(path).is_dir() else None

def available():
    "Sorted names of the data sets in FSNB_DATA, [] when there is no such folder."
    folder = data_dir()
    return sorted(f.stem for f in folder.glob("*.npz")) if folder else []

def present(names):
    "Those of some names, or of tuples that begin with one, that are in FSNB_DATA; prints which are not"
    for one in names:
        name = one if isinstance(one, str) else one[0]
        if name in available(): yield one
        else: print(f"{name}: not in FSNB_DATA, left out")

def _open(name): return np.load(data_dir()/f"{name}.npz", allow_pickle=False)

def extras(name):
    "Dict of everything in the file that is neither the matrix nor the labels (class_names, n_train, ...)."
    matrix = {"X", "data", "indices", "indptr", "shape", "format", "y"}
    with _open(name) as z: return {k: z[k] for k in z.files if k not in matrix}

def signed(y): return np.where(y == np.max(y), 1., -1.)

def load(name, classes=None):
    "X, y, names of one data set; with classes=(a, b) only these two classes, y as -1.0 / +1.0"
    with _open(name) as z:
        y = z["y"]
        names = z["feature_names"] if "feature_names" in z.files else None
        if "X" in z.files: X = np.asarray(z["X"], dtype=np.float64)
        else:
            parts = z["data"].astype(np.float64), z["indices"].astype(np.int32), z["indptr"].astype(np.int32)
            X = sp.csc_matrix(parts, shape=tuple(int(s) for s in z["shape"]))
            X.sort_indices()
    if classes is None: return X, y, names
    rows = np.flatnonzero(np.isin(y, classes))
    X = X.tocsr()[rows].tocsc() if sp.issparse(X) else X[rows]
    return X, np.where(y[rows] == classes[1], 1., -1.), names

def main(names):
    for name in names: print(get(name))
    if names: return
    for name, one in sorted(all_sets().items()): print(f"{name:16}", *(f"{k:8}" for k in one.shape), "here" if name in available() else "")
    for name, why in NOT_TO_BE_HAD.items(): print(f"{name}: {why}")

if __name__ == "__main__": sys.exit(main(sys.argv[1:]))

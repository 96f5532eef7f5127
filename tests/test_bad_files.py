"""Forty damaged or misleading files by name: each is refused in one sentence that names the file, and leaves nothing behind."""
import bz2, gzip, io, json, os, pickle
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from fsnb import GDM, FeatureGroups, read_data

r = np.random.default_rng(1)
y = np.arange(16) % 2
X = np.round(r.standard_normal((16, 5))+y[:, None], 3)
A = sp.csc_matrix(np.where(X > 0, X, 0))
CSV = pd.DataFrame(X, columns=[*"abcde"]).assign(label=y).to_csv(index=False).encode()
SVM = "".join(f"{2*k-1} "+" ".join(f"{j+1}:{v}" for j, v in enumerate(row))+"\n" for row, k in zip(X, y)).encode()
PARTS = dict(data=A.data, indices=A.indices, indptr=A.indptr, shape=np.array(A.shape), format=b"csc", y=y)
RECORD = json.loads(GDM(2, tau=.7, chance=None).fit(pd.DataFrame(X, columns=[*"abcde"]), y).groups_.to_json())


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def parquet(frame):
    file = io.BytesIO()
    frame.to_parquet(file)
    return file.getvalue()


def record(**changes): return json.dumps(RECORD | changes).encode()


def flipped(content, at):
    "With one bit turned"
    return content[:at]+bytes([content[at] ^ 4])+content[at+1:]


GOOD = {"x.csv": CSV, "x.csv.gz": gzip.compress(CSV), "x.tsv": CSV.replace(b",", b"\t"), "x.svm": SVM, "x.svm.bz2": bz2.compress(SVM), "dense.npz": npz(X=X, y=y),
        "sparse.npz": npz(**PARTS), "x.parquet": parquet(pd.DataFrame(X, columns=[*"abcde"]).assign(label=y)), "groups.json": record(),
        "bom.csv": b"\xef\xbb\xbf"+CSV, "crlf.csv": CSV.replace(b"\n", b"\r\n"), "float16.npz": npz(X=X.astype("float16"), y=y), "zero.svm": b"1 0:1 1:2\n-1 1:1\n"}
BAD = {
    "empty.csv": b"", "noise.csv": r.bytes(4000), "utf16.csv": CSV.decode().encode("utf-16"), "html.csv": b"<!DOCTYPE html><html><body>404</body></html>",
    "cut.csv.gz": gzip.compress(CSV)[:-40], "flipped.csv.gz": flipped(gzip.compress(CSV, mtime=0), 60), "ragged.csv": b"a,b,label\n1,2,0\n1,2,3,4,5\n",
    "no_rows.csv": b"a,b,label\n", "no_label.csv": b"a,b\n1,1\n3,2\n", "only_label.csv": b"label\n0\n1\n", "name_twice.csv": b"a,a,label\n1,0,1\n2,1,0\n", "label_twice.csv": b"a,label,label\n1,0,1\n2,1,0\n",
    "words.csv": b"a,b,label\nx,1,0\ny,2,1\n", "missing.csv": b"a,b,label\n,1,0\n3,2,1\n4,,1\n", "infinite.csv": b"a,b,label\n1e400,1,0\n3,2,1\n",
    "empty.svm": b"", "twice.svm": b"1 1:1 1:2\n-1 1:1\n", "falls.svm": b"1 3:1 1:2\n-1 1:1\n", "negative.svm": b"1 -3:1\n-1 1:1\n", "fraction.svm": b"1 1.5:1\n-1 1:1\n",
    "far.svm": b"1 2147483647:1\n-1 1:1\n", "word.svm": b"1 1:x\n-1 1:1\n", "nan.svm": b"1 1:nan\n-1 1:1\n", "label.svm": b"1 1:1\nb 1:2\n", "cut.svm.bz2": bz2.compress(SVM)[:-20],
    "text.npz": b"hello\n", "cut.npz": npz(X=X, y=y)[:-30], "objects.npz": npz(X=np.array([[{}]], dtype=object), y=y), "no_X.npz": npz(y=y), "words.npz": npz(X=X.astype(str), y=y),
    "short_y.npz": npz(X=X, y=y[:3]), "one_dimension.npz": npz(X=X[:, 0], y=y), "names_twice.npz": npz(X=X, y=y, names=np.array([*"aacde"])), "nan.npz": npz(X=X*np.nan, y=y),
    "row_too_large.npz": npz(**PARTS | {"indices": A.indices+100}), "falling.npz": npz(**PARTS | {"indptr": A.indptr[::-1]}), "enormous.npz": npz(**PARTS | {"shape": np.array([10**18, 10**18])}),
    "cut.parquet": GOOD["x.parquet"][:-10], "csv.parquet": CSV, "pickle.npy": pickle.dumps(X),
}
BAD_GROUPS = {
    "list.json": b"[1, 2, 3]", "cut.json": record()[:-20], "deep.json": b"["*100_000, "words.json": record(n_features="five"), "fraction.json": record(members=[[j+.3 for j in own] for own in RECORD["members"]]),
    "another.json": record(format="another.Format"),
    "twice.json": record(members=[[0, 1], [1, 2]]), "too_large.json": record(members=[[99]]), "huge.json": record().replace(b'"n_features": 5', b'"n_features": 1'+b"0"*5000),
}


def read(path): return FeatureGroups.from_json(path) if path.suffix == ".json" else read_data(path)


@pytest.mark.parametrize("name", GOOD)
def test_a_right_file_is_read(tmp_path, name):
    path = tmp_path/name
    path.write_bytes(GOOD[name])
    found = read(path)
    if name == "groups.json": assert found.to_json() == FeatureGroups.from_json(GOOD[name].decode()).to_json()
    else: assert found.X.shape[0] == len(found.y)


@pytest.mark.parametrize("name", [*BAD, *BAD_GROUPS])
def test_a_damaged_file_is_refused(tmp_path, name):
    path = tmp_path/name
    path.write_bytes((BAD | BAD_GROUPS)[name])
    with pytest.raises((ValueError, OSError)) as caught: read(path)
    assert name in str(caught.value) and not isinstance(caught.value, UnicodeError)
    assert os.listdir(tmp_path) == [name]

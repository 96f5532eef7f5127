"""Damaged files: cut off after every k-th byte, single bits turned, other content under the name, and huge numbers.

A reader gives the same data, or one clear error that names the file. A text that is cut off or changed may be a right
text of other data: what is read then must be well formed. Formats with checksums may not be read otherwise.
"""
import bz2, contextlib, gzip, io, json, os, tempfile
from functools import lru_cache
from pathlib import Path
import numpy as np
import scipy.sparse as sp
from outcomes import CLEAR, Outcome, call, short_place, where

CUTS = 40           # lengths that are tried of each file
FLIPS = 60          # bits that are turned
CHECKED = {"x.npz", "sparse.npz", "x.csv.gz", "x.svm.bz2"}     # formats that notice every change of what they hold


def table():
    "A little table: (X, y)"
    r = np.random.default_rng(1)
    y = np.arange(16) % 2
    return np.round(r.standard_normal((16, 5))+y[:, None], 3), y


def as_csv(sep=","):
    X, y = table()
    lines = [sep.join([*"abcde", "label"])]+[sep.join(map(str, [*row, label])) for row, label in zip(X, y)]
    return ("\n".join(lines)+"\n").encode()


def as_svm():
    X, y = table()
    return "".join(f"{2*k-1} "+" ".join(f"{j+1}:{v}" for j, v in enumerate(row))+"\n" for row, k in zip(X, y)).encode()


def as_npz(sparse=False):
    from fsnb.data.writing import write_data
    X, y = table()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"x.npz"
        write_data(path, sp.csc_matrix(np.where(X > 0, X, 0)) if sparse else X, y, [*"abcde"])
        return path.read_bytes()


def as_parquet():
    import pandas as pd
    X, y = table()
    file = io.BytesIO()
    pd.DataFrame(X, columns=[*"abcde"]).assign(label=y).to_parquet(file)
    return file.getvalue()


def as_json():
    import pandas as pd
    from fsnb import GDM
    X, y = table()
    return GDM(2, tau=.7).fit(pd.DataFrame(X, columns=[*"abcde"]), y).groups_.to_json().encode()


def as_npy():
    file = io.BytesIO()
    np.save(file, table()[1])
    return file.getvalue()


def as_h5ad(text=None):
    "As AnnData writes it: a sparse matrix, names, and labels as categories; text of one length, or (text=list) of any"
    import h5py
    X, y = table()
    A, file, text = sp.csr_matrix(np.where(X > 0, X, 0)), io.BytesIO(), text or (lambda words: np.array(words, dtype="S3"))
    with h5py.File(file, "w") as h5:
        group = h5.create_group("X")
        group.attrs["encoding-type"], group.attrs["encoding-version"], group.attrs["shape"] = "csr_matrix", "0.1.0", A.shape
        for part in ("data", "indices", "indptr"): group[part] = getattr(A, part)
        h5["var/_index"], h5["var"].attrs["_index"] = text([*"abcde"]), "_index"
        h5["obs/_index"], h5["obs"].attrs["_index"] = text([f"c{i}" for i in range(16)]), "_index"
        h5["obs/label/categories"], h5["obs/label/codes"] = text(["ann", "bob"]), y.astype("i1")
    return file.getvalue()


FILES = {"x.csv": as_csv, "x.tsv": lambda: as_csv("\t"), "x.svm": as_svm, "x.npz": as_npz, "sparse.npz": lambda: as_npz(True),
         "x.parquet": as_parquet, "x.csv.gz": lambda: gzip.compress(as_csv(), mtime=0), "x.svm.bz2": lambda: bz2.compress(as_svm()),
         "groups.json": as_json, "labels.npy": as_npy, "labels.txt": lambda: "\n".join("ab"[k] for k in table()[1]).encode(),
         "places.tsv": lambda: ("name\tposition\n"+"".join(f"{n}\t{100*j}\n" for j, n in enumerate("abcde"))).encode(),
         "x.h5ad": as_h5ad, "text.h5ad": lambda: as_h5ad(list), "names.txt": lambda: b"alpha\nbeta\ngamma\ndelta\nepsilon\n"}

@lru_cache(None)
def content(name):
    "The bytes of the file as they should be"
    return FILES[name]()


def many(line, times): return line*times

HUGE_INT = b"1"+b"0"*400
WRONG = {
    "empty": lambda name: b"", "spaces": lambda name: b"  \n \n", "zeros": lambda name: bytes(4000), "noise": lambda name: np.random.default_rng(0).bytes(4000),
    "a line": lambda name: b"hello\n", "not UTF-8": lambda name: b"a,b,label\n\xff\xfe,1,0\n", "UTF-16": lambda name: as_csv().decode().encode("utf-16"),
    "BOM": lambda name: b"\xef\xbb\xbf"+content(name), "CRLF": lambda name: content(name).replace(b"\n", b"\r\n"), "CR": lambda name: content(name).replace(b"\n", b"\r"),
    "NUL": lambda name: content(name).replace(b"\n", b"\0\n", 3), "twice": lambda name: content(name)*2, "html": lambda name: b"<!DOCTYPE html><html><body>404</body></html>",
    "json list": lambda name: b"[1, 2, 3]", "json null": lambda name: b"null", "json deep": lambda name: b"["*100000, "json deep objects": lambda name: b'{"a":'*100000,
    "json 1e400": lambda name: b'{"groups": [{"support": 1e400, "affiliates": []}], "n_features": 1e400}', "json 10**30": lambda name: content("groups.json").replace(b'"n_features": 5', b'"n_features": '+b"1"+b"0"*30),
    "json huge": lambda name: content("groups.json").replace(b'"n_features": 5', b'"n_features": '+HUGE_INT*12), "json words": lambda name: content("groups.json").replace(b'"n_features": 5', b'"n_features": "five"'),
    "json true": lambda name: content("groups.json").replace(b'"n_features": 5', b'"n_features": true'), "json fraction": lambda name: content("groups.json").replace(b'"n_features": 5', b'"n_features": 5.5'),
    "json NaN": lambda name: content("groups.json").replace(b'"n_features": 5', b'"n_features": NaN'), "json negative": lambda name: content("groups.json").replace(b'"n_features": 5', b'"n_features": -5'),
    "svm index huge": lambda name: b"1 2147483647:1\n-1 1:1\n", "svm index 10**30": lambda name: b"1 1000000000000000000000000000000:1\n-1 1:1\n", "svm index 0": lambda name: b"1 0:1 1:2\n-1 1:1\n",
    "svm index negative": lambda name: b"1 -3:1\n-1 1:1\n", "svm index fraction": lambda name: b"1 1.5:1\n-1 1:1\n", "svm index twice": lambda name: b"1 1:1 1:2\n-1 1:1\n", "svm index falls": lambda name: b"1 3:1 1:2\n-1 1:1\n",
    "svm value 1e400": lambda name: b"1 1:1e400\n-1 1:1\n", "svm value nan": lambda name: b"1 1:nan\n-1 1:1\n", "svm value word": lambda name: b"1 1:x\n-1 1:1\n", "svm label word": lambda name: b"a 1:1\nb 1:2\n",
    "csv one column": lambda name: b"label\n0\n1\n", "csv no rows": lambda name: b"a,b,label\n", "csv one row": lambda name: b"a,b,label\n1,2,0\n", "csv ragged": lambda name: b"a,b,label\n1,2,0\n1,2,3,4,5\n", "csv short row": lambda name: b"a,b,label\n1,2,0\n1\n1,3,1\n",
    "csv label twice": lambda name: b"a,label,label\n1,0,1\n2,1,0\n3,0,1\n", "csv name twice": lambda name: b"a,a,label\n1,0,1\n2,1,0\n3,0,1\n", "csv index": lambda name: b",a,b,label\n0,1,2,0\n1,2,1,1\n2,2,2,0\n3,1,1,1\n",
    "csv quotes": lambda name: b'a,b,label\n"1,2,0\n', "csv words": lambda name: b"a,b,label\nx,1,0\ny,2,1\n", "csv missing": lambda name: b"a,b,label\n,1,0\n3,2,1\n4,,1\n", "csv 1e400": lambda name: b"a,b,label\n1e400,1,0\n3,2,1\n",
    "csv huge int": lambda name: b"a,b,label\n"+HUGE_INT+b",1,0\n3,2,1\n", "csv one class": lambda name: b"a,b,label\n1,1,0\n3,2,0\n", "csv no label": lambda name: b"a,b\n1,1\n3,2\n", "csv wide": lambda name: b",".join(b"c%d" % j for j in range(20000))+b"\n1\n",
    "positions repeated": lambda name: b"name\tposition\na\t1\na\t2\nb\t3\nc\t4\nd\t5\n", "positions inf": lambda name: b"name\tposition\na\tinf\nb\t2\nc\t3\nd\t4\ne\t5\n", "positions few": lambda name: b"name\tposition\na\t1\n",
    "names repeated": lambda name: b"a\nb\na\nd\ne\n", "names empty line": lambda name: b"a\n\nc\nd\ne\n", "names few": lambda name: b"a\nb\n", "names many": lambda name: b"a\nb\nc\nd\ne\nf\n",
    "names trailing lines": lambda name: b"a\nb\nc\nd\ne\n\n\n", "pickle": lambda name: b"\x80\x04\x95\x1f\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x04true\x94\x85\x94R\x94.",
}


FIELD_VALUES = {"null": None, "true": True, "x": "x", "empty": "", "1.5": 1.5, "-1": -1, "5": 5, "99": 99, "5.0": 5., "10**30": 10**30, "[]": [], "{}": {}, "[3.7, 1.2]": [3.7, 1.2], "['3', '1']": ["3", "1"],
                "[true, false]": [True, False], "[[0]]": [[0]], "[0, 0]": [0, 0], "[-1]": [-1], "[null]": [None], "[5.0, 5.0]": [5., 5.], "missing": ...}


def places_of(record):
    "Every place in a record: its keys, and the first entries of its lists"
    return [(key,) for key in record]+[(key, 0) for key, value in record.items() if isinstance(value, list) and value]


def with_field(number):
    "The record with one field changed"
    place, _, told = number.partition("=")
    record = json.loads(content("groups.json"))
    keys = [int(key) if key.isdigit() else key for key in place.split(".")]
    own = record
    for key in keys[:-1]: own = own[key]
    if FIELD_VALUES[told] is ...: del own[keys[-1]]
    else: own[keys[-1]] = FIELD_VALUES[told]
    return json.dumps(record).encode()


def field_of(text, number):
    "What stands in that place"
    own = json.loads(text)
    for key in number.partition("=")[0].split("."): own = own[int(key) if key.isdigit() else key]
    return own


def npz_of(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def npz_cases():
    "Archives of which one part is wrong"
    X, y = table()
    A = sp.csc_matrix(np.where(X > 0, X, 0))
    whole = dict(data=A.data, indices=A.indices, indptr=A.indptr, shape=np.array(A.shape), y=y)
    with contextlib.suppress(Exception):
        with np.load(io.BytesIO(content("sparse.npz"))) as archive: whole = {k: archive[k] for k in archive.files}
    out = {"object array": npz_of(X=np.array([{}], dtype=object), y=y), "no y": npz_of(X=X), "no X": npz_of(y=y), "y too short": npz_of(X=X, y=y[:3]),
           "X of words": npz_of(X=X.astype(str), y=y), "X of dates": npz_of(X=X.astype("datetime64[s]"), y=y), "X complex": npz_of(X=X+1j, y=y), "X 1-d": npz_of(X=X[:, 0], y=y),
           "X 3-d": npz_of(X=X[:, :, None], y=y), "X float16": npz_of(X=X.astype("float16"), y=y), "X >f8": npz_of(X=X.astype(">f8"), y=y), "X of NaN": npz_of(X=X*np.nan, y=y), "names few": npz_of(X=X, y=y, names=np.array(["a"])),
           "names twice": npz_of(X=X, y=y, names=np.array([*"aacde"])), "y of objects": npz_of(X=X, y=np.array([None]*16, dtype=object)), "y 2-d": npz_of(X=X, y=np.c_[y, y]), "X empty": npz_of(X=X[:0], y=y[:0]), "X no columns": npz_of(X=X[:, :0], y=y)}
    changes = {"indices": [lambda v: v+100, lambda v: v-3, lambda v: v+.5, lambda v: v[:-1], lambda v: v.astype(str), lambda v: v[:, None]], "indptr": [lambda v: v+3, lambda v: v[::-1], lambda v: v*1000, lambda v: v[:-1], lambda v: v+.5, lambda v: -v],
               "shape": [lambda v: v*1., lambda v: v+.5, lambda v: -v, lambda v: v[:1], lambda v: v*10**9, lambda v: np.array(["a", "b"]), lambda v: np.array([10**18, 10**18]), lambda v: v*0], "data": [lambda v: v[:-1], lambda v: v*np.nan, lambda v: v.astype(str), lambda v: v+1j]}
    for part, some in changes.items():
        for i, change in enumerate(some):
            if part in whole: out[f"{part} wrong {i}"] = npz_of(**(whole | {part: change(whole[part])}))
    return out


def npz_with_text():
    "Members that are no arrays"
    import zipfile
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in ("X.npy", "y.npy"): archive.writestr(name, b"hello")
    return file.getvalue()


@lru_cache(None)
def wrong_archives(): return npz_cases() | {"members are no arrays": npz_with_text()}


def damaged(name, how, number):
    "The bytes of a case"
    whole = content(name)
    if how == "cut": return whole[:int(number)]
    if how == "flip":
        bit = int(np.random.default_rng([7, int(number), len(whole)]).integers(0, 8*len(whole)))
        return b"".join([whole[:bit//8], bytes([whole[bit//8] ^ 1 << bit % 8]), whole[bit//8+1:]])
    if how == "archive": return wrong_archives()[number]
    if how == "field": return with_field(number)
    return WRONG[number](name)


def read(path):
    "Whatever reads a file of this name"
    from fsnb import FeatureGroups, read_data
    from fsnb.data.positions import read_positions
    if path.name == "groups.json": return FeatureGroups.from_json(path)
    if path.name.startswith("labels"):
        np.savez(path.parent/"X.npz", X=table()[0])
        try: return read_data(path.parent/"X.npz", labels=path)
        finally: (path.parent/"X.npz").unlink()
    if path.name == "names.txt":
        (path.parent/"x.svm").write_bytes(content("x.svm"))
        try: return read_data(path.parent/"x.svm", names=path)
        finally: (path.parent/"x.svm").unlink()
    if path.suffix == ".h5ad": return read_data(path, label="label")
    if path.name == "places.tsv": return [np.asarray(part) for part in np.atleast_1d(np.array(read_positions(path, 5, [*"abcde"]), dtype=object)) if part is not None]
    return read_data(path)


def shown(found):
    "What was read, as text that can be compared"
    if hasattr(found, "to_json"): return found.to_json()
    if hasattr(found, "X"): return repr([found.X.toarray() if sp.issparse(found.X) else np.asarray(found.X), np.asarray(found.y).tolist(), found.names])
    return repr(found)


def is_well_formed(found):
    "Whether what was read can be right"
    if not hasattr(found, "X"): return True
    values = found.X.data if sp.issparse(found.X) else np.asarray(found.X)
    if sp.issparse(found.X): found.X.tocsc(copy=True).check_format(full_check=True)
    return bool(np.isfinite(np.asarray(values, dtype=float)).all()) and (found.y is None or len(found.y) == found.X.shape[0])


def judge_file(name, how, number):
    "One damaged file"
    with tempfile.TemporaryDirectory() as folder:
        path, good = Path(folder)/name, Path(folder)/"good"/name
        good.parent.mkdir()
        good.write_bytes(content(name))
        expected = shown(read(good))
        path.write_bytes(damaged(name, how, number))
        ran = call(lambda: read(path))
        left = sorted(os.listdir(folder))
        if left != sorted([name, "good"]): return Outcome("silent", f"files were made: {left}")
    if ran.bad: return Outcome("RuntimeWarning", ran.bad[0])
    if ran.error is not None: return judge_refusal(ran.error, name)
    if shown(ran.answer) == expected: return Outcome("same")
    if name in CHECKED and how in ("flip", "cut"): return Outcome("silent", "other data are read from a file that is damaged")
    if how == "wrong" and number not in READABLE: return Outcome("silent", f"accepted: {shown(ran.answer)[:100]}")
    if how == "field" and not kept(ran.answer, number): return Outcome("silent", f"read as {shown(ran.answer)[:200]}")
    if how == "archive" and number not in FINE: return Outcome("silent", f"accepted: {shown(ran.answer)[:100]}")
    if not is_well_formed(ran.answer): return Outcome("silent", f"not well formed: {shown(ran.answer)[:100]}")
    return Outcome("same", "read as it stands")

def kept(found, number):
    "Whether a field that is accepted comes back as it was; one that was left out may get its default"
    if number.endswith("=missing") or not FIELD_VALUES[number.partition("=")[2]]: return True     # nothing given
    asked, told = FIELD_VALUES[number.partition("=")[2]], field_of(found.to_json(), number)
    if told == asked or isinstance(asked, list) and told == [str(x) for x in asked]: return True      # a name is text
    return type(asked) is int and type(told) in (int, float) and told == float(asked)

# other line ends, another head, more of the same, one row, one class, and indices from 0 are right files
READABLE = {"names trailing lines", "BOM", "CRLF", "CR", "NUL", "twice", "csv one row", "csv one class", "svm index 0"}
FINE = {"X float16", "X >f8", "no y"}


def judge_refusal(error, name):
    "One sentence that begins with the file"
    told = f"{type(error).__name__}: {str(error)[:200]} ({short_place(where(error))})"
    if not isinstance(error, (*CLEAR, OSError)) or isinstance(error, UnicodeError): return Outcome("traceback", told)
    if name not in str(error) and "X.npz" not in str(error): return Outcome("unclear error", told)
    return Outcome("refused", told)


ENDLESS = "text.h5ad"      # the HDF5 library does not come back from a damaged heap of text, whoever asks it: h5py alone hangs

def list_files():
    "All cases: (file, name, how, number)"
    cases = []
    for name in FILES:
        size = len(content(name))
        cases += [("file", name, "cut", str(n)) for n in range(0, size, max(1, size//CUTS))]
        if name != ENDLESS: cases += [("file", name, "flip", str(i)) for i in range(FLIPS)]
        cases += [("file", name, "wrong", told) for told in WRONG if fits(name, told)]
    record = json.loads(content("groups.json"))
    cases += [("file", "groups.json", "field", f"{'.'.join(map(str, place))}={told}") for place in places_of(record) for told in FIELD_VALUES]
    return cases+[("file", "x.npz", "archive", told) for told in wrong_archives()]


def fits(name, told):
    "Whether this wrong content is worth a try under this name: its own kind, and what is wrong for all"
    kinds = {"csv": ("csv", "tsv"), "svm": ("svm",), "json": ("json",), "positions": ("places",), "names": ("names",)}
    own = kinds.get(told.split()[0])
    return own is None or any(part in name for part in own)

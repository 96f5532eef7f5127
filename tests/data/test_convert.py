"""Any file becomes the store that the same data make from memory; what fails or is stopped leaves nothing that opens."""
import os, subprocess, sys
from pathlib import Path
import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import fsnb.data.store_writer as store_writer
from fsnb import as_columns, convert, read_data
from fsnb.data.convert import read_memory, _store_columns, _store_parquet
from fsnb.data.folder import PartFolder
from fsnb.data.store import StoreWriter, open_store, read_store_labels, read_store_names, write_store


def data(n=37, p=53, seed=0, dtype=np.float32):
    r = np.random.default_rng(seed)
    X = np.where(r.random((n, p)) < .2, r.integers(1, 9, (n, p)), 0).astype(dtype)
    X[-1, -1] = 3
    return X, r.integers(0, 2, n)


def write_h5ad(path, X, chunks=None, old=False):
    with h5py.File(path, "w") as file:
        if sp.issparse(X):
            group = file.create_group("X")
            group.attrs["h5sparse_format" if old else "encoding-type"] = X.format if old else f"{X.format}_matrix"
            group.attrs["h5sparse_shape" if old else "shape"] = X.shape
            for part in ("data", "indices", "indptr"): group[part] = getattr(X, part)
        else: file.create_dataset("X", data=X, chunks=chunks)
        file["var/genes"], file["var"].attrs["_index"] = [f"g{j}" for j in range(X.shape[1])], "genes"
        file["obs/kind"] = np.arange(X.shape[0]) % 3
        file["obs/donor/codes"], file["obs/donor/categories"] = np.arange(X.shape[0]) % 2, ["ann", "bob"]


def bytes_of(folder): return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def whole(path):
    columns = open_store(path, check=True)
    X = columns.whole()
    return X.toarray() if sp.issparse(X) else X


def quiet(source, target, **kwargs): return convert(source, target, verbose=False, **kwargs)


@pytest.mark.parametrize("memory", ["1M", "64M"])
@pytest.mark.parametrize("kind", ["csr", "csc", "dense", "old csc", "chunked"])
def test_h5ad(tmp_path, kind, memory):
    X, _ = data(90, 70)
    given = {"csr": sp.csr_matrix, "csc": sp.csc_matrix, "old csc": sp.csc_matrix}.get(kind, np.asarray)(X)
    write_h5ad(tmp_path/"x.h5ad", given, (10, 70) if kind == "chunked" else None, kind == "old csc")
    path = quiet(tmp_path/"x.h5ad", tmp_path/"x.fsnb", memory=memory, label="donor")
    assert np.array_equal(whole(path), X) and read_store_labels(path)[:3].tolist() == ["ann", "bob", "ann"]
    assert read_store_names(path).tolist() == [f"g{j}" for j in range(70)]
    if kind in ("csr", "csc"):
        assert bytes_of(path) == bytes_of(write_store(tmp_path/"y.fsnb", sp.csc_matrix(X), [f"g{j}" for j in range(70)], read_store_labels(path)))
    assert read_store_labels(quiet(tmp_path/"x.h5ad", tmp_path/"z.fsnb")) is None


def test_bad_h5ad(tmp_path):
    X, _ = data()
    def refused(said, change, X=sp.csc_matrix(X), **kwargs):
        write_h5ad(tmp_path/"x.h5ad", X)
        with h5py.File(tmp_path/"x.h5ad", "a") as file: change(file)
        with pytest.raises(ValueError, match=said): quiet(tmp_path/"x.h5ad", tmp_path/"x.fsnb", **kwargs)
        assert not list(tmp_path.glob("x.fsnb*"))
    def put(name, value):
        def change(file):
            del file[name]
            file[name] = value
        return change
    def attribute(name, value): return lambda file: file["X"].attrs.__setitem__(name, value)
    matrix = sp.csc_matrix(X)
    far, twice = matrix.indices.copy(), matrix.indices.copy()
    far[3], twice[1] = 37, twice[0]
    refused("there is no X in it", lambda file: file.__delitem__("X"))
    refused("X must be dense, csc_matrix or csr_matrix, got coo", attribute("encoding-type", "coo"))
    refused("X must have a shape of two numbers", attribute("shape", [3]))
    refused("X: indptr does not fit its shape", attribute("shape", [37, 54]))
    refused("indptr must begin with 0", put("X/indptr", matrix.indptr[::-1]))
    refused(r"indices must lie in \[0, 37\), got 37", put("X/indices", far))
    refused("has row . twice", put("X/indices", twice))
    refused("holds nan: a store holds finite numbers only", put("X/data", matrix.data*np.nan))
    refused(r"indices must lie in \[0, 53\), got 99", put("X/indices", np.full(matrix.nnz, 99)), sp.csr_matrix(X))
    refused("/obs has no column age; it has donor, kind", lambda file: None, label="age")
    refused("donor misses values", put("obs/donor/codes", np.full(37, -1)), label="donor")
    (tmp_path/"x.h5ad").write_text("text")
    with pytest.raises(ValueError, match="x.h5ad: an .h5ad is an HDF5 file, and this is none"): quiet(tmp_path/"x.h5ad", tmp_path/"x.fsnb")


def test_rows_of_h5ad_that_are_not_finite_are_refused(tmp_path):
    X, _ = data()
    rows = sp.csr_matrix(X)
    rows.data[4] = np.inf
    write_h5ad(tmp_path/"x.h5ad", rows)
    with pytest.raises(ValueError, match="holds inf"): quiet(tmp_path/"x.h5ad", tmp_path/"x.fsnb")
    assert not list(tmp_path.glob("x.fsnb*"))


@pytest.mark.parametrize("memory", [2**20, 2**26])
def test_files_give_what_reading_them_gives(tmp_path, memory):
    X, y = data()
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(53)]).assign(label=y)
    frame.to_csv(tmp_path/"a.csv", index=False)
    frame.to_csv(tmp_path/"a.tsv", sep="\t", index=False)
    frame.to_parquet(tmp_path/"a.parquet")
    np.savez(tmp_path/"dense.npz", X=X, y=y)
    for form in (sp.csr_matrix, sp.csc_matrix): sp.save_npz(tmp_path/f"{form.__name__}.npz", form(X))
    from sklearn.datasets import dump_svmlight_file
    dump_svmlight_file(X, y, str(tmp_path/"a.svm"), zero_based=False)
    for source in sorted(tmp_path.iterdir()):
        zeros = np.zeros(37) if source.name in ("csr_matrix.npz", "csc_matrix.npz") else None
        read = read_data(source, labels=zeros)
        path = quiet(source, tmp_path/f"{source.name}.fsnb", memory=memory)
        expected = read.X.toarray() if sp.issparse(read.X) else read.X
        assert np.array_equal(whole(path), expected)
        labels = read_store_labels(path)
        assert labels is None if zeros is not None else np.array_equal(labels, read.y)
        names = read_store_names(path)
        assert (names is None) == (read.names is None) and (names is None or list(names) == list(read.names))


def test_what_is_in_memory(tmp_path):
    X, y = data()
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(53)])
    np.save(tmp_path/"x.npy", X)
    for i, given in enumerate((X, sp.csr_matrix(X), sp.csc_matrix(X), frame, as_columns(X), tmp_path/"x.npy", sp.coo_matrix(X))):
        path = quiet(given, tmp_path/f"{i}.fsnb", labels=y)
        assert np.array_equal(whole(path), X) and np.array_equal(read_store_labels(path), y)
    assert read_store_names(tmp_path/"3.fsnb").tolist() == list(frame.columns)
    again = quiet(open_store(tmp_path/"1.fsnb"), tmp_path/"again.fsnb", labels=y)
    assert bytes_of(again) == bytes_of(tmp_path/"1.fsnb")
    with pytest.raises(ValueError, match="Input X contains NaN"): quiet(X*np.nan, tmp_path/"nan.fsnb")
    with pytest.raises(ValueError, match="label"): quiet(X, tmp_path/"y.fsnb", labels=y[:5])
    assert not list(tmp_path.glob("nan*")) and not list(tmp_path.glob("y*"))


def test_what_cannot_be_asked(tmp_path):
    X, y = data()
    path = write_store(tmp_path/"x.fsnb", X)
    (tmp_path/"few.svm").write_text("1 1:2 3:4\n-1 2:1\n")
    before = bytes_of(path)
    for said, source, target, kwargs in (
            ("is a store already", path, tmp_path/"y.fsnb", {}), ("from which it is made", path, path, {}),
            ("from which it is made", open_store(path), path/"inner.fsnb", dict(overwrite=True)),
            ("from which it is made", open_store(path), path, dict(overwrite=True)),
            ("is read where it lies", tmp_path/"a.bed", tmp_path/"y.fsnb", {}),
            ("label is for", tmp_path/"few.svm", tmp_path/"y.fsnb", dict(label="y")),
            ("n_features is for", X, tmp_path/"y.fsnb", dict(n_features=3)),
            ("names is for", tmp_path/"few.parquet", tmp_path/"y.fsnb", dict(names=["a"])),
            ("memory must be a number of bytes from 1M on", X, tmp_path/"y.fsnb", dict(memory="no")),
            ("verbose must be", X, tmp_path/"y.fsnb", dict(verbose=-1)),
            ("a data file ends in", tmp_path/"few.txt", tmp_path/"y.fsnb", {})):
        with pytest.raises(ValueError, match=said): convert(source, target, **dict(verbose=False) | kwargs)
    with pytest.raises(FileExistsError, match="is there already: overwrite=True replaces it"): quiet(tmp_path/"few.svm", path)
    for name in ("none.svm", "none.parquet", "none.npy", "none.h5ad", "none.csv", "none.npz"):
        with pytest.raises(FileNotFoundError, match=name): quiet(tmp_path/name, tmp_path/"y.fsnb")
    with pytest.raises(ValueError, match="line 2"):
        (tmp_path/"bad.svm").write_text("1 1:2 3:4\n-1 2:x\n")
        quiet(tmp_path/"bad.svm", tmp_path/"y.fsnb")
    assert bytes_of(path) == before and not list(tmp_path.glob("y.fsnb*"))
    assert whole(quiet(tmp_path/"few.svm", path, overwrite=True)).tolist() == [[2, 0, 4], [0, 1, 0]]


def test_a_table_with_words_or_gaps(tmp_path):
    frame = pd.DataFrame({"a": [1., 2], "b": ["x", "y"], "label": [0, 1]})
    frame.to_parquet(tmp_path/"x.parquet")
    with pytest.raises(ValueError, match="x.parquet: .*b"): quiet(tmp_path/"x.parquet", tmp_path/"x.fsnb")
    frame.assign(b=[1, None]).to_parquet(tmp_path/"x.parquet")
    with pytest.raises(ValueError, match="b"): quiet(tmp_path/"x.parquet", tmp_path/"x.fsnb")
    assert not list(tmp_path.glob("x.fsnb*"))
    types = pd.DataFrame({"f": np.float32([1, 2]), "i": np.int8([3, 4]), "t": [True, False], "label": [0, 1]})
    types.to_parquet(tmp_path/"x.parquet")
    assert open_store(quiet(tmp_path/"x.parquet", tmp_path/"x.fsnb")).X.dtype == read_data(tmp_path/"x.parquet").X.dtype


@pytest.mark.parametrize("form", ["parquet", "csc.h5ad", "csr.h5ad", "npy", "svm"])
def test_stopped_and_resumed(tmp_path, form, monkeypatch):
    monkeypatch.setattr(store_writer, "_SYNC_EVERY", 1)
    X, y = data(3000, 90)
    source = tmp_path/f"x.{form}"
    if form == "parquet": pd.DataFrame(X, columns=[f"x{j}" for j in range(90)]).assign(label=y).to_parquet(source)
    elif form == "npy": np.save(source, X)
    elif form == "svm":
        from sklearn.datasets import dump_svmlight_file
        dump_svmlight_file(X, y, str(source), zero_based=False)
    else: write_h5ad(source, (sp.csc_matrix if "csc" in form else sp.csr_matrix)(X))
    complete = bytes_of(quiet(source, tmp_path/"whole.fsnb", memory="1M"))
    append, calls = StoreWriter.append, []
    def stop(self, *block):
        calls.append(self.done)
        if len(calls) == 3: raise KeyboardInterrupt
        return append(self, *block)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(StoreWriter, "append", stop)
        quiet(source, tmp_path/"x.fsnb", memory="1M")
    with pytest.raises(FileExistsError, match="resume=True goes on with it"): quiet(source, tmp_path/"x.fsnb", memory="1M")
    assert not (tmp_path/"x.fsnb").exists() and calls[2] > 0
    assert bytes_of(quiet(source, tmp_path/"x.fsnb", memory="1M", resume=True)) == complete


def test_a_source_that_changed_is_not_gone_on_with(tmp_path, monkeypatch):
    monkeypatch.setattr(store_writer, "_SYNC_EVERY", 1)
    X, y = data(3000, 90)
    np.save(tmp_path/"x.npy", X)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        def stop(self): raise KeyboardInterrupt
        patch.setattr(PartFolder, "take_place", stop)
        quiet(tmp_path/"x.npy", tmp_path/"x.fsnb")
    np.save(tmp_path/"x.npy", X+1)
    with pytest.raises(ValueError, match="was begun with another source"): quiet(tmp_path/"x.npy", tmp_path/"x.fsnb", resume=True)
    assert whole(quiet(tmp_path/"x.npy", tmp_path/"x.fsnb", overwrite=True))[0, 0] == X[0, 0]+1


def stop_at(monkeypatch, block, source, target, **how):
    "A conversion that somebody stops before its block of that number; the columns that it noted"
    append, calls = StoreWriter.append, []
    def stop(self, *given):
        calls.append(self.done)
        if len(calls) == block: raise KeyboardInterrupt
        return append(self, *given)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(StoreWriter, "append", stop)
        quiet(source, target, **how)
    return calls[-1]


@pytest.mark.parametrize("form", [np.asarray, sp.csc_matrix, sp.csr_matrix, pd.DataFrame])
def test_another_table_of_the_same_shape_is_not_gone_on_with(tmp_path, monkeypatch, form):
    "What was written must be what would be written: else the store would hold columns of both"
    monkeypatch.setattr(store_writer, "_SYNC_EVERY", 1)
    X, _ = data(3000, 90)
    other, later = X.copy(), X.copy()
    other[np.flatnonzero(X[:, 0])[0], 0] += 1
    done = stop_at(monkeypatch, 3, form(X), tmp_path/"x.fsnb", memory="1M")
    assert 0 < done < 90
    part = bytes_of(tmp_path/"x.fsnb.part")
    for wrong in (other, np.roll(X, 1, axis=0)):
        with pytest.raises(ValueError, match=rf"x.fsnb.part was begun with another source: its first {done} columns hold other numbers; overwrite=True"):
            quiet(form(wrong), tmp_path/"x.fsnb", resume=True, memory="64M")
        assert bytes_of(tmp_path/"x.fsnb.part") == part
    later[:, done:] = 2*X[:, done:]
    assert np.array_equal(whole(quiet(form(later), tmp_path/"x.fsnb", resume=True, memory="64M")), later)


def test_tables_of_one_value_are_told_apart(tmp_path, monkeypatch):
    "Values that are all equal are not written, and yet they are compared"
    monkeypatch.setattr(store_writer, "_SYNC_EVERY", 1)
    X, _ = data(3000, 90)
    ones = sp.csc_matrix((X > 0).astype(float))
    stop_at(monkeypatch, 3, ones, tmp_path/"x.fsnb", memory="1M")
    assert not (tmp_path/"x.fsnb.part"/"data.npy").exists()
    with pytest.raises(ValueError, match="columns hold other numbers"): quiet(2*ones, tmp_path/"x.fsnb", resume=True)
    complete = bytes_of(quiet(ones, tmp_path/"whole.fsnb"))
    assert bytes_of(quiet(ones, tmp_path/"x.fsnb", resume=True)) == complete


def test_the_least_of_a_store_does_not_depend_on_the_memory(tmp_path):
    "Zero and minus zero are one number, and the record has one of them"
    X, _ = data(3000, 90)
    X[0, 0], X[1, 1], X[:, 40:] = 0, -0., 0
    matrix = sp.csc_matrix(X)
    for start in (0, 20_000): matrix.data[start:start+7] = [-0., 0, 0, -0., -0., 0, -0.]
    kept = [(quiet(matrix, tmp_path/f"{memory}.fsnb", memory=memory)/"store.json").read_bytes() for memory in ("1M", "3M", "64M")]
    assert len(set(kept)) == 1 and b'"least": 0.0' in kept[0]


FULL = """
import resource, sys
from fsnb import convert
convert(sys.argv[1], sys.argv[1]+".warm", verbose=False, overwrite=True)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
try: convert(sys.argv[1], sys.argv[2], verbose=False)
except OSError as error: print(error)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no such limit")
@pytest.mark.parametrize("form", ["npy", "svm"])
def test_a_full_disk_is_one_error(tmp_path, root, form):
    X, y = data(3000, 90)
    source = tmp_path/f"x.{form}"
    if form == "npy": np.save(source, X)
    else:
        from sklearn.datasets import dump_svmlight_file
        dump_svmlight_file(X, y, str(source), zero_based=False)
    done = subprocess.run([sys.executable, "-c", FULL, str(source), str(tmp_path/"y.fsnb")], cwd=root, capture_output=True, text=True)
    assert done.stderr == "" and done.stdout.count("\n") == 1 and f"cannot write {tmp_path}" in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"x.{form}", f"x.{form}.warm"]


def test_the_way_is_told(tmp_path, capsys):
    X, _ = data()
    write_h5ad(tmp_path/"x.h5ad", sp.csr_matrix(X))
    convert(tmp_path/"x.h5ad", tmp_path/"x.fsnb")
    told = capsys.readouterr().err
    assert "x.fsnb: " in told and "rows become columns" in told and "B/s" in told
    quiet(tmp_path/"x.h5ad", tmp_path/"y.fsnb")
    assert capsys.readouterr().err == ""


def test_archives_with_parts_that_are_missing_or_of_another_kind(tmp_path):
    M = sp.random(20, 30, .2, "csr", random_state=0)
    def archive(**other):
        parts = dict(data=M.data, indices=M.indices, indptr=M.indptr, shape=M.shape, format="csr") | other
        np.savez(tmp_path/"m.npz", **{name: part for name, part in parts.items() if part is not None})
        return tmp_path/"m.npz"
    for name in ("data", "indices"):
        with pytest.raises(ValueError, match="an npz file holds X, or data, indices, indptr and shape"): quiet(archive(**{name: None}), tmp_path/"o")
    with pytest.raises(ValueError, match="indices must be a list of whole numbers, got float64"): quiet(archive(indices=M.indices+.5), tmp_path/"o")
    half = open_store(quiet(archive(data=M.data.astype(np.float16)), tmp_path/"half"), check=True)
    np.testing.assert_array_equal(half.whole().toarray(), M.toarray().astype(np.float16))
    np.save(tmp_path/"dense.npy", M.toarray())
    with pytest.raises(ValueError, match="dense.npy"): quiet(tmp_path/"dense.npy", tmp_path/"o", format="npz")
    assert not (tmp_path/"o").exists() and not (tmp_path/"o.part").exists()


def test_parquet_that_is_no_plain_table(tmp_path):
    "An index of pandas is no feature; what holds no numbers is told as by read_data, in one sentence that names the file"
    pd, _ = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    table = pd.DataFrame({"id": list("abcdefgh"), "a": np.arange(8)*1., "b": np.arange(8) % 3, "label": ["u", "v"]*4})
    table.set_index("id").to_parquet(tmp_path/"t.parquet")
    columns = open_store(quiet(tmp_path/"t.parquet", tmp_path/"t.fsnb"), check=True)
    assert list(columns.names) == ["a", "b"] and np.array_equal(columns.X, table[["a", "b"]])
    bare = table.drop(columns="id")
    wrong = dict(c=bare.assign(c=pd.Categorical(["x", "y"]*4)), s=bare.assign(c=[{"q": 1}]*8), t=bare.assign(c=pd.to_timedelta(np.arange(8), "s")))
    for name, frame in wrong.items():
        frame.to_parquet(tmp_path/f"{name}.parquet")
        with pytest.raises(ValueError, match=rf"{name}\.parquet: features must be numbers; these columns are not: c"): quiet(tmp_path/f"{name}.parquet", tmp_path/"o")
    for frame, said in ((bare.iloc[:0], "there are no samples"), (bare[["label"]], "there are no features")):
        frame.to_parquet(tmp_path/"z.parquet")
        with pytest.raises(ValueError, match=rf"z\.parquet: {said}"): quiet(tmp_path/"z.parquet", tmp_path/"o")


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int8, bool])
def test_an_archive_of_rows_that_lists_a_column_twice_gives_the_sum_as_reading_it_does(tmp_path, dtype):
    parts = dict(data=np.array([3, 4, 1, 2, 1, 5]).astype(dtype), indices=[1, 1, 0, 2, 1, 0], indptr=[0, 2, 4, 6], shape=[3, 3])
    found = []
    for form in ("csr", "csc"):
        np.savez(tmp_path/f"{form}.npz", format=form, y=[0, 1, 0], **parts)
        read = as_columns(read_data(tmp_path/f"{form}.npz").X).whole().toarray()
        found.append(whole(quiet(tmp_path/f"{form}.npz", tmp_path/f"{form}.fsnb")))
        assert np.array_equal(found[-1], read) and np.array_equal(found[-1], found[0].T if form == "csc" else found[0])
    assert dtype == bool or found[0].tolist() == [[0, 7, 0], [1, 0, 2], [5, 1, 0]]


def test_names_that_come_twice_are_refused_at_every_door(tmp_path):
    "As read_data refuses them, and before anything is written"
    X, y = data(20, 3)
    twice, rows = ["a", "b", "a"], sp.csr_matrix(X)
    np.save(tmp_path/"x.npy", X)
    np.savez(tmp_path/"x.npz", X=X, y=y)
    np.savez(tmp_path/"own.npz", X=X, y=y, feature_names=twice)
    np.savez(tmp_path/"rows.npz", data=rows.data, indices=rows.indices, indptr=rows.indptr, shape=rows.shape, format="csr", y=y, feature_names=twice)
    (tmp_path/"x.svm").write_text("1 1:2 3:4\n0 2:1\n")
    for source in (X, rows, as_columns(X), *(tmp_path/name for name in ("x.npy", "x.npz", "x.svm"))):
        with pytest.raises(ValueError, match=r"a name of a column must come once; a comes more than once \(a at positions 0 and 2\)"):
            quiet(source, tmp_path/"x.fsnb", names=twice)
    for name in ("own.npz", "rows.npz"):
        for call in (lambda: quiet(tmp_path/name, tmp_path/"x.fsnb"), lambda: read_data(tmp_path/name)):
            with pytest.raises(ValueError, match=f"{name}: a name of a column must come once; a comes more than once"): call()
        if name == "rows.npz": assert read_store_names(quiet(tmp_path/name, tmp_path/"named.fsnb", names=list("abc"), overwrite=True)).tolist() == list("abc")
    with pytest.raises(ValueError, match="names must be a list of names or a file of them, got 5"): quiet(as_columns(X), tmp_path/"x.fsnb", names=5)
    assert not list(tmp_path.glob("x.fsnb*"))


def test_what_is_wrong_with_a_file_begins_with_that_file(tmp_path):
    "The data, the labels or the names: whichever is at fault, and no other"
    X, y = data(20, 4)
    gaps, rows = np.where(X == X[-1, -1], np.nan, X), sp.csr_matrix(X)
    def archive(name, **other):
        parts = dict(data=rows.data, indices=rows.indices, indptr=rows.indptr, shape=rows.shape, format="csr", y=y) | other
        np.savez(tmp_path/name, **parts)
    for name, values in (("nan", gaps), ("one", X[:, 0]), ("row", X[:1]), ("words", np.array([["a", "b"]]*20)), ("fine", X)):
        np.save(tmp_path/f"{name}.npy", values)
        np.savez(tmp_path/f"{name}.npz", X=values, y=y[:len(values)])
    np.savez(tmp_path/"named.npz", X=X, y=y, feature_names=["a"])
    archive("named_rows.npz", feature_names=["a"])
    archive("one_row.npz", indptr=[0, 1], shape=[1, 4], y=[0])
    archive("rows.npz")
    write_h5ad(tmp_path/"nan.h5ad", gaps)
    write_h5ad(tmp_path/"nan_csr.h5ad", sp.csr_matrix(gaps))
    write_h5ad(tmp_path/"row.h5ad", X[:1])
    write_h5ad(tmp_path/"fine.h5ad", X)
    with h5py.File(tmp_path/"genes.h5ad", "w") as file: file["X"], file["var/_index"], file["var"].attrs["_index"] = X, ["a"], "_index"
    frame = pd.DataFrame(X, columns=list("abcd")).assign(label=y)
    frame[:1].to_parquet(tmp_path/"row.parquet")
    frame.to_parquet(tmp_path/"fine.parquet")
    for name, text in (("lab", "inf 1:2\n0 1:2\n"), ("row", "1 1:2\n"), ("fine", "1 1:2 4:1\n"*20)): (tmp_path/f"{name}.svm").write_text(text)
    (tmp_path/"few.txt").write_text("1\n0\n")
    np.save(tmp_path/"gaps.npy", np.where(y > 0, np.nan, 1.))
    def refused(at_fault, source, **how):
        with pytest.raises(ValueError, match=f"^{tmp_path/at_fault}: [^/]*$"): quiet(tmp_path/source, tmp_path/"x.fsnb", **how)
    for bad in ("nan.npy", "nan.npz", "one.npy", "one.npz", "row.npy", "row.npz", "words.npy", "words.npz", "named.npz", "named_rows.npz", "one_row.npz",
                "nan.h5ad", "nan_csr.h5ad", "row.h5ad", "genes.h5ad", "row.parquet", "lab.svm", "row.svm"): refused(bad, bad)
    for source in ("fine.npy", "fine.npz", "rows.npz", "fine.h5ad", "fine.parquet", "fine.svm"):
        for labels in ("few.txt", "gaps.npy"): refused(labels, source, labels=tmp_path/labels)
        if source in ("fine.npy", "fine.npz", "rows.npz", "fine.svm"):
            refused("few.txt", source, names=tmp_path/"few.txt")
            refused(source, source, names=["a"])
    with pytest.raises(ValueError, match=f"^{tmp_path/'gaps.npy'}: the label of sample"): read_data(tmp_path/"fine.svm", labels=tmp_path/"gaps.npy")
    assert not list(tmp_path.glob("x.fsnb*"))

"""Columns on disk: what is written is read back bit for bit, in other processes too, by every selector."""
import os, pickle, shutil, warnings
import numpy as np
import pytest
import scipy.sparse as sp
import fsnb.data.store as store
from fsnb import FCBF, FSIR2, GDM, GDMCV, MMFS, QPFS, Discretizer, FilterBruteForce, OneClassGDM, as_columns
from fsnb.data.columns import DenseColumns
from fsnb.data.sparse import SparseColumns
from fsnb.data.store import StoreWriter, open_store, read_store_labels, read_store_names, write_store
from stores import bytes_of, make, random_sparse, same_bits

DTYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]


# ---- there and back

@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_sparse_columns_from_disk_are_those_from_memory(tmp_path, dtype, n_jobs):
    X = random_sparse(dtype)
    memory, disk = SparseColumns(X, n_jobs=n_jobs), open_store(write_store(tmp_path/"x.fsnb", X), True, n_jobs)
    v = np.random.default_rng(1).standard_normal((len(X.toarray()), 3))
    whole = disk.whole()
    for own, other in ((whole.data, X.data), (whole.indices, X.indices), (whole.indptr, X.indptr)):
        assert np.array_equal(own, other)
    assert whole.dtype == dtype and disk.entries.data.dtype == dtype
    for own, other in zip(disk.moments(), memory.moments()): assert same_bits(own, other)
    assert same_bits(disk.peak, memory.peak)
    assert same_bits(disk.dot(v), memory.dot(v)) and same_bits(disk.scores(v[:, 0]), memory.scores(v[:, 0]))
    assert disk.has_negative == memory.has_negative
    for own, other in zip(disk.partners([4, 5, 6], .3), memory.partners([4, 5, 6], .3)):
        assert all(map(same_bits, own, other))
    assert same_bits(disk.take([5, 2]).toarray(), X[:, [5, 2]].toarray())
    starts = [(a, b) for a, b, _ in disk.blocks(50)]
    assert starts == [(a, b) for a, b, _ in memory.blocks(50)]


@pytest.mark.parametrize("dtype", DTYPES)
def test_dense_columns_from_disk_are_those_from_memory(tmp_path, dtype):
    X = np.asfortranarray(random_sparse(dtype).toarray())
    memory, disk = DenseColumns(X), open_store(write_store(tmp_path/"x.fsnb", np.ascontiguousarray(X)), True)
    v = np.random.default_rng(1).standard_normal(len(X))
    assert disk.X.dtype == dtype and disk.X.flags.f_contiguous and np.array_equal(disk.X, X)
    for own, other in zip(disk.moments(), memory.moments()): assert same_bits(own, other)
    assert same_bits(disk.dot(v), memory.dot(v))
    for own, other in zip(disk.partners([4, 5], .3), memory.partners([4, 5], .3)): assert all(map(same_bits, own, other))


def test_anyone_with_numpy_can_read_it(tmp_path):
    X = random_sparse(np.float32)
    path = write_store(tmp_path/"x.fsnb", X)
    parts = [np.load(path/f"{name}.npy", mmap_mode="r") for name in ("data", "indices", "indptr")]
    assert (sp.csc_matrix(tuple(parts), shape=X.shape) != X).nnz == 0
    path = write_store(tmp_path/"d.fsnb", X.toarray())
    assert np.array_equal(np.load(path/"X.npy", mmap_mode="r"), X.toarray())


def test_flags_and_half_precision_become_what_they_are_in_memory(tmp_path):
    X = random_sparse().toarray() != 0
    for given, dtype in ((X, np.uint8), (X.astype(np.float16), np.float32), (X.astype(">i4"), np.int32)):
        disk = open_store(write_store(tmp_path/"x.fsnb", given, overwrite=True))
        assert disk.X.dtype == as_columns(given).X.dtype == dtype
    for bad in (X.astype(complex), X.astype(object), X.astype(np.longdouble)):
        with pytest.raises(ValueError, match="X must hold whole or floating-point numbers"):
            write_store(tmp_path/"bad.fsnb", bad)
    assert not list(tmp_path.glob("bad*"))


@pytest.mark.parametrize("value", [1, -2.5, 0., -0.])
def test_equal_values_are_not_written(tmp_path, value):
    X = random_sparse()
    X.data[:] = value
    memory, disk = SparseColumns(X), open_store(write_store(tmp_path/"x.fsnb", X), True)
    assert (tmp_path/"x.fsnb"/"data.npy").exists() == (str(value) == "-0.0")
    assert same_bits(disk.take(np.arange(60)).data, X.data)
    assert same_bits(disk.dot(np.arange(40.)), memory.dot(np.arange(40.)))
    assert same_bits(disk.whole().data, X.data)
    for own, other in zip(disk.moments(), memory.moments()): assert same_bits(own, other)


def test_the_first_value_that_differs_writes_those_before_it(tmp_path):
    with StoreWriter(tmp_path/"x.fsnb", (5, 4), np.int8) as writer:
        writer.append(7, [0, 4, 2], [2, 1])
        assert not (writer.part/"data.npy").exists()
        writer.append(np.int8([7, 6]), [0, 3], [0, 2]).finish()
    assert np.load(tmp_path/"x.fsnb"/"data.npy").tolist() == [7, 7, 7, 7, 6]
    assert open_store(tmp_path/"x.fsnb", True).take([0, 3]).toarray().T.tolist() == [[7, 0, 0, 0, 7], [7, 0, 0, 6, 0]]


def test_a_store_without_an_entry(tmp_path):
    disk = open_store(write_store(tmp_path/"x.fsnb", sp.csc_matrix((6, 9), dtype=np.int16)), True)
    assert disk.take([1, 2]).toarray().sum() == 0 and disk.dot(np.ones(6)).tolist() == [0]*9
    assert disk.entries.data.dtype == np.int16


def test_blocks_decide_nothing(tmp_path):
    X = random_sparse(np.float32)
    one = bytes_of(write_store(tmp_path/"one.fsnb", X))
    for size in (1, 7, 59):
        with StoreWriter(tmp_path/f"{size}.fsnb", X.shape, X.dtype) as writer:
            for start in range(0, 60, size):
                x = X[:, start:start+size]
                writer.append(x.data, x.indices, np.diff(x.indptr))
            writer.finish()
        assert bytes_of(tmp_path/f"{size}.fsnb") == one


def test_names_and_labels(tmp_path):
    X, odd = random_sparse(), ["", "a,b", "two\nlines", "ä", "\ud800", "'\"\\", "7"]
    names = odd+[f"x{j}" for j in range(53)]
    for y in (np.arange(40), np.arange(40)/3, np.array(["ja", "nein"]*20), ["ja", "nö"]*20, np.arange(40) > 3):
        path = write_store(tmp_path/"x.fsnb", X, names, y, overwrite=True)
        assert read_store_names(path).tolist() == names and open_store(path).names.tolist() == names
        assert read_store_labels(path).tolist() == np.asarray(y).tolist()
    assert read_store_labels(write_store(tmp_path/"y.fsnb", X)) is None and open_store(tmp_path/"y.fsnb").names is None
    assert read_store_names(write_store(tmp_path/"r.fsnb", X, range(1, 61))) == range(1, 61)
    assert open_store(tmp_path/"r.fsnb").names is None
    for bad in (dict(names=["a"]), dict(y=[1, 2]), dict(y=[None]*40), dict(y=np.eye(40))):
        with pytest.raises(ValueError, match="names must be 60|labels must be 40"): write_store(tmp_path/"z.fsnb", X, **bad)
    assert not list(tmp_path.glob("z.fsnb*"))


def test_names_of_columns_are_kept(tmp_path):
    X = as_columns(random_sparse(), names=[f"x{j}" for j in range(60)])
    assert as_columns(write_store(tmp_path/"x.fsnb", X)).names.tolist() == X.names.tolist()
    assert as_columns(tmp_path/"x.fsnb", names=list("ab")*30).names[1] == "b"


# ---- read in blocks, by threads, in other processes

@pytest.mark.parametrize("dtype", [np.float32, np.int8])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_reading_ahead_changes_no_bit(tmp_path, monkeypatch, dtype, n_jobs):
    X = random_sparse(dtype, n=200, p=300)
    if dtype == np.int8: X.data[:] = 1
    path, memory, walked = write_store(tmp_path/"x.fsnb", X), SparseColumns(X), []
    monkeypatch.setattr(store, "_PASS_BLOCK", 64)
    monkeypatch.setattr(store, "_READ_AT_ONCE", 100)
    walk = store._walk_store
    monkeypatch.setattr(store, "_walk_store", lambda columns, kernel: walked.append(1) or walk(columns, kernel))
    V = np.random.default_rng(0).standard_normal((200, 3))
    disk = open_store(path, n_jobs=n_jobs)
    weights = np.random.default_rng(1).random(200)
    assert same_bits(disk.dot(V), memory.dot(V)) and same_bits(disk.scores(V[:, 0]), memory.scores(V[:, 0]))
    for own, other in zip(disk.weighted_moments(weights), memory.weighted_moments(weights)): assert same_bits(own, other)
    assert len(walked) >= 3 if hasattr(os, "RWF_NOWAIT") else not walked
    def fail(lo, hi): raise ArithmeticError("in the kernel")
    with pytest.raises(ArithmeticError): disk.run(fail)


def test_what_a_disk_refuses_is_left_to_the_reader(tmp_path):
    with open(tmp_path/"short", "wb+", buffering=0) as file:
        file.write(bytes(10))
        store._read_ahead(file.fileno(), 0, 10**7)
    with open(tmp_path/"short", "wb") as file: store._read_ahead(file.fileno(), 0, 10)     # not open for reading


@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_copies_open_the_store_again(tmp_path, kind):
    import copy
    path = make(tmp_path, kind)
    columns = open_store(path, n_jobs=2)
    pickled = pickle.dumps(columns)
    assert len(pickled) < 1000
    for again in (pickle.loads(pickled), copy.copy(columns), copy.deepcopy(columns)):
        assert again.n_jobs == 2 and same_bits(again.dot(np.arange(40.)), columns.dot(np.arange(40.)))
        assert again.names.tolist() == columns.names.tolist()
    columns.names = np.array(["y"]*60, dtype=object)
    assert pickle.loads(pickle.dumps(columns)).names[0] == "y"
    write_store(path, random_sparse(np.float32, seed=5) if kind == "sparse" else np.eye(40, 60), overwrite=True)
    with pytest.raises(ValueError, match="is not the store that was opened"): pickle.loads(pickled)
    assert columns.dot(np.arange(40.)).shape == (60,)             # whoever has it open keeps the old one
    shutil.rmtree(path)
    with pytest.raises(FileNotFoundError, match="there is no such file or folder"): pickle.loads(pickled)


def test_joblib_workers_open_it_themselves(tmp_path):
    from joblib import Parallel, delayed
    columns = open_store(make(tmp_path))
    V = np.random.default_rng(0).standard_normal((4, 40))
    found = Parallel(2)(delayed(columns.scores)(v) for v in V)
    for own, v in zip(found, V): assert same_bits(own, columns.scores(v))


@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_closed(tmp_path, kind):
    with open_store(make(tmp_path, kind)) as columns: columns.dot(np.ones(40))
    for use in (lambda: columns.dot(np.ones(40)), lambda: columns.take([1]), lambda: columns.whole()):
        with pytest.raises(ValueError, match=f"the store .*{kind}.fsnb was closed"): use()
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"): columns.nothing
    assert repr(columns).endswith(f"{kind}.fsnb: 40 samples, 60 features)")


# ---- every selector

def groups_of_counts(n=60, p=24):
    r = np.random.default_rng(7)
    base = r.poisson(1.5, (n, p//4)).astype(np.float32)
    X = np.repeat(base, 4, axis=1)+r.poisson(.15, (n, p)).astype(np.float32)
    return X[:, r.permutation(p)], np.digitize(base[:, 0]-base[:, 1]+.3*r.standard_normal(n), [0])


SELECTORS = {
    "GDM": lambda: GDM(4), "GDM threads": lambda: GDM(4, n_jobs=2), "GDM su": lambda: GDM(3, correlation="su", tau=.6),
    "GDM positive": lambda: GDM(4, correlation="positive"),
    "GDM cut": lambda: GDM(3, mode="cut"), "GDMCV": lambda: GDMCV(3, cv=3), "OneClassGDM": lambda: OneClassGDM(3),
    "FilterBruteForce": lambda: FilterBruteForce(3), "MMFS": lambda: MMFS(3), "QPFS": lambda: QPFS(3), "FSIR2": lambda: FSIR2(3),
    "FCBF": lambda: FCBF(),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["sparse", "dense"])
@pytest.mark.parametrize("name", SELECTORS)
def test_every_selector_answers_from_disk_as_from_memory(tmp_path, name, kind):
    X, y = groups_of_counts()
    names, told = [f"x{j}" for j in range(24)], np.array(["no", "yes"])[y]
    X = sp.csc_matrix(X) if kind == "sparse" else np.asfortranarray(X)
    path = write_store(tmp_path/"x.fsnb", X, names, told)
    y = read_store_labels(path)
    memory = SELECTORS[name]().fit(as_columns(X, names), y)
    for given in (str(path), path, open_store(path)):
        disk = SELECTORS[name]().fit(given, y)
        assert disk.support_.tolist() == memory.support_.tolist()
        if hasattr(memory, "groups_"):
            assert [list(m) for m in disk.groups_.members] == [list(m) for m in memory.groups_.members]
            for own, other in zip(disk.groups_.correlations, memory.groups_.correlations): assert same_bits(own, other)
            assert disk.groups_.names == memory.groups_.names
        assert disk.feature_names_in_.tolist() == names and disk.n_features_in_ == 24
        for own, other in ((disk.transform(path), memory.transform(open_store(path))),):
            own, other = (x.toarray() if sp.issparse(x) else x for x in (own, other))
            chosen = X[:, np.sort(memory.support_)]
            assert np.array_equal(own, other) and np.array_equal(own, chosen.toarray() if sp.issparse(chosen) else chosen)
        for method in ("predict", "decision_function"):
            if hasattr(memory, method):
                assert np.array_equal(getattr(disk, method)(path), getattr(memory, method)(as_columns(X, names)))


@pytest.mark.filterwarnings("ignore")
def test_another_store_is_refused_by_what_was_fitted(tmp_path):
    X, y = groups_of_counts()
    names = [f"x{j}" for j in range(24)]
    fitted = GDM(3).fit(write_store(tmp_path/"x.fsnb", X, names), y)
    few = write_store(tmp_path/"few.fsnb", X[:, :9])
    other = write_store(tmp_path/"other.fsnb", X, names[::-1])
    for use in (fitted.transform, fitted.predict):
        with pytest.raises(ValueError, match="X has 9 features, but GDM is expecting 24 features as input"): use(few)
        with pytest.raises(ValueError, match="column 0 is called x23, and was x0"): use(other)
    with pytest.raises(ValueError, match=r"y must have shape \(60,\)"): GDM(3).fit(few, y[:9])
    with pytest.raises(ValueError, match="requires y to be passed"): GDM(3).fit(few, None)
    with pytest.raises(FileNotFoundError, match="there is no such file or folder"): GDM(3).fit("nowhere.fsnb", y)


def test_a_discretizer_reads_a_store(tmp_path):
    X, y = groups_of_counts()
    path = write_store(tmp_path/"x.fsnb", X)
    one, other = Discretizer().fit(path, y), Discretizer().fit(X, y)
    a, b = (model.transform(data) for model, data in ((one, path), (other, X)))
    a, b = (x.toarray() if sp.issparse(x) else x for x in (a, b))
    assert np.array_equal(a, b)


# ---- what is asked of a store

@pytest.mark.parametrize("wrong, said", [
    (dict(n_jobs="a"), "n_jobs must be None or a whole number other than 0, got 'a'"), (dict(n_jobs=0), "n_jobs must be None"), (dict(n_jobs=1.5), "n_jobs must"),
    (dict(n_jobs=[2]), "n_jobs must"), (dict(check="all"), "check must be one of True, False, got 'all'"), (dict(check=2), "check must be"),
    (dict(path=3), "path must be the folder of a store, got 3"), (dict(path=None), "path must be"), (dict(path=""), "path must be")])
def test_what_opens_no_store_is_named_at_once(tmp_path, wrong, said):
    path = make(tmp_path)
    with pytest.raises(ValueError, match=said): open_store(**dict(path=path) | wrong)
    assert open_store(path, True, -1).n_jobs >= 1 and open_store(str(path), n_jobs=None).n_jobs == 1


def test_splitters_are_told_what_they_may_split(tmp_path):
    "cross_val_score chooses samples, and columns on disk are not cut by samples: one clear error, and the way that goes"
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    from fsnb import FisherScore
    X, y = random_sparse(np.float32), np.arange(40) % 2
    model = make_pipeline(FisherScore(3), LogisticRegression())
    for form in (X, X.toarray()):
        columns = open_store(write_store(tmp_path/"x.fsnb", form, overwrite=True))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(TypeError, match="StoreColumns gives columns, and not some of the samples: .* X must be an array or a sparse matrix, such as X.whole"):
                cross_val_score(model, columns, y, cv=2)
            assert np.array_equal(cross_val_score(model, columns.whole(), y, cv=2), cross_val_score(model, form, y, cv=2))
        columns.close()


def test_messages_call_columns_by_the_numbers_of_their_file(tmp_path):
    "An svmlight file counts from 1: so do the messages about a store of it, and what is fitted counts from 0"
    import pickle
    from fsnb import convert
    (tmp_path/"x.svm").write_text("".join(f"{i % 2} 1:{i % 2+i/100} 2:1 3:{i*i} 5:2\n" for i in range(20)))
    columns = open_store(convert(tmp_path/"x.svm", tmp_path/"x.fsnb", verbose=0))
    y = np.arange(20) % 2
    with pytest.warns(UserWarning, match=r"3 constant columns are never selected: 2, 4, 5 \(counted from 1\)$"): model = FilterBruteForce(1).fit(columns, y)
    assert model.support_.tolist() == [0] and model.groups_.names is None
    assert pickle.loads(pickle.dumps(columns)).first == columns.first == 1
    with pytest.warns(UserWarning, match="never selected: 1, 3, 4$"): FilterBruteForce(1).fit(columns.whole(), y)
    columns.names = list("abcde")
    with pytest.warns(UserWarning, match="never selected: b, d, e$"): FilterBruteForce(1).fit(columns, y)
    (tmp_path/"zero.svm").write_text("".join(f"{i % 2} 0:{i % 2+i/100} 1:1\n" for i in range(20)))
    with pytest.warns(UserWarning, match="never selected: 1$"): FilterBruteForce(1).fit(convert(tmp_path/"zero.svm", tmp_path/"zero.fsnb", verbose=0), y)


def ask_everything(path, y):
    "What looks at a store's columns: selectors, groups, a survey, a table of an answer"
    from fsnb import MRMR, group_columns
    from fsnb.correlation import SymmetricalUncertainty
    from fsnb.correlation.survey import survey_pairs
    yield from (lambda model=model: model.fit(path, y) for model in (GDM(2), FCBF(), FSIR2(2), MRMR(2), GDM(2, correlation=SymmetricalUncertainty())))
    yield lambda: group_columns(path, .5)
    yield lambda: survey_pairs(path)
    yield lambda: GDM(2).fit(open_store(path), y)


@pytest.mark.parametrize("row, told", [(50, r"outside \[0, 40\)"), (2**30, r"outside \[0, 40\)"), (-7, r"outside \[0, 40\)"), (0, "twice|out of order")])
def test_a_row_that_a_disk_has_lost_is_named_and_nobody_dies(tmp_path, row, told):
    X = sp.random(40, 30, .3, format="csc", random_state=0)
    y = np.arange(40) % 2
    write_store(tmp_path/"a.fsnb", X, y=y)
    path = tmp_path/"a.fsnb"
    place = X.indptr[7]+1
    with open(path/"indices.npy", "r+b") as file:
        file.seek(-(X.nnz-place)*4, 2)
        file.write(np.int32(row).tobytes())
    for ask in ask_everything(path, y):
        with pytest.raises(ValueError, match=f"a.fsnb is damaged: column 7 has row -?[0-9]+ ({told})"): ask()
    open_store(path)                       # to open it reads no row


def test_rows_are_looked_at_once(tmp_path, monkeypatch):
    X = sp.random(40, 30, .3, format="csc", random_state=0)
    write_store(tmp_path/"a.fsnb", X)
    columns, looked = open_store(tmp_path/"a.fsnb"), []
    monkeypatch.setattr(store, "_check_stored_rows", lambda path, columns: looked.append(path))
    for _ in range(3): as_columns(columns)
    as_columns(pickle.loads(pickle.dumps(columns)))
    assert len(looked) == 1

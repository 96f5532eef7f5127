"""The column store: what is written is read back bit for bit, by every selector; a run that is killed leaves nothing
that opens, and goes on where it was; whatever is damaged is named."""
import json, os, pickle, shutil, signal, subprocess, sys, time, zlib
from pathlib import Path
import numpy as np
import pytest
import scipy.sparse as sp
import fsnb.data.store as store
import fsnb.data.store_writer as store_writer
from fsnb import FCBF, FSIR2, GDM, GDMCV, MMFS, QPFS, Discretizer, FilterBruteForce, OneClassGDM, as_columns
from fsnb.data.convert import convert
from fsnb.data.dense import DenseColumns
from fsnb.data.folder import HEADER, OWN_FILES, PartFolder, seal_record
from fsnb.data.sparse import SparseColumns
from fsnb.data.store import StoreWriter, open_store, read_store_labels, read_store_names, write_store

DTYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]


def random_sparse(dtype=np.float64, n=40, p=60, density=.2, seed=0):
    "CSC with empty columns, full ones, and stored zeros"
    r = np.random.default_rng(seed)
    X = np.where(r.random((n, p)) < density, r.integers(1, 90, (n, p)), 0).astype(dtype)
    if np.dtype(dtype).kind in "if": X[r.random((n, p)) < .05] *= -1
    X[:, 3] = 0
    X[:, 4] = r.integers(1, 9, n)
    X = sp.csc_matrix(X)
    if X.nnz: X.data[::17] = 0
    return X


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def same_bits(a, b):
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


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


# ---- what a block must be

@pytest.mark.parametrize("data, indices, counts, said", [
    ([1., 2], [1, 1], [2], "column 1 has row 1 twice"), ([1., 2], [2, 1], [2], "column 1 has row 1 out of order"),
    ([1.], [5], [1], r"column 1 has row 5 outside \[0, 5\)"), ([1.], [-1], [1], "column 1 has row -1 outside"),
    ([1., 2, 3], [2, 0, 0], [1, 2], "column 2 has row 0 twice"),
    ([np.nan], [0], [1], "column 1 holds nan"), ([1., -np.inf], [0, 1], [1, 1], "column 2 holds -inf"),
    ([1.], [0, 1], [2], "data must have as many values as indices, 2"), ([1.], [0], [2], "indices must be 2 rows"),
    ([1.], [0.5], [1], "indices must be 1 rows"), ([1.], [0], [-1], "counts must be"), ([1.], [0], [1.], "counts must be"),
    ([1.], [0], [[1]], "counts must be"), ([1.]*4, [0, 0, 0, 0], [1]*4, "a store of 4 columns cannot take 4 more after 1")])
def test_a_bad_block_is_refused_and_nothing_stays(tmp_path, data, indices, counts, said):
    with pytest.raises(ValueError, match=said), StoreWriter(tmp_path/"x.fsnb", (5, 4), np.float64) as writer:
        writer.append(np.array([3.]), [2], [1])
        writer.append(np.array(data), np.array(indices), np.array(counts))
    assert list(tmp_path.iterdir()) == []


def test_a_bad_dense_block_is_refused(tmp_path):
    for block, said in ((np.ones((4, 2)), r"a block must have shape \(5, k\)"), (np.ones(5), "must have shape"),
                        (np.full((5, 1), np.nan), "column 0 holds nan"), (np.ones((5, 9)), "cannot take 9 more after 0")):
        with pytest.raises(ValueError, match=said), StoreWriter(tmp_path/"x.fsnb", (5, 4), float, "dense") as writer:
            writer.append(block)
    assert list(tmp_path.iterdir()) == []


def test_values_are_not_cut_to_another_type(tmp_path):
    with pytest.raises(ValueError, match="1.5 does not fit"), StoreWriter(tmp_path/"x.fsnb", (5, 4), np.int8) as writer:
        writer.append(np.array([1.5]), [0], [1])
    with pytest.raises(ValueError, match="does not fit"), StoreWriter(tmp_path/"x.fsnb", (5, 4), np.int8) as writer:
        writer.append(np.array([300]), [0], [1])
    with pytest.raises(ValueError, match="does not fit"), StoreWriter(tmp_path/"x.fsnb", (5, 4), np.uint8) as writer:
        writer.append(-1, [0], [1])
    assert list(tmp_path.iterdir()) == []


def test_an_end_before_the_last_column_is_refused(tmp_path):
    with pytest.raises(ValueError, match="a store of 4 columns cannot end after 1"), \
            StoreWriter(tmp_path/"x.fsnb", (5, 4), np.float64) as writer:
        writer.append(np.array([3.]), [2], [1])
        writer.finish()


@pytest.mark.parametrize("shape, said", [((2**31, 5), "n_samples must be a whole number in"), ((5, 0), "n_features"),
                                         ((1, 5), "n_samples"), ((5, 2.5), "n_features")])
def test_a_shape_that_cannot_be(tmp_path, shape, said):
    with pytest.raises(ValueError, match=said): StoreWriter(tmp_path/"x.fsnb", shape, np.float64)
    assert list(tmp_path.iterdir()) == []


# ---- killed, and resumed

BLOCKS, ROWS, WIDTH = 12, 300, 40


def block_of(i, kind):
    "Every block but the first few holds values that differ, so that data.npy begins in the middle"
    r = np.random.default_rng(i)
    x = r.integers(0, 2, (ROWS, WIDTH)).astype(np.float32)
    if i > 4: x[r.random(x.shape) < .1] = 3
    return np.asfortranarray(x) if kind == "dense" else sp.csc_matrix(x)


def write_blocks(path, kind, resume=False, pause=0., stop=None, **kwargs):
    "A conversion as a program would write it"
    with StoreWriter(path, (ROWS, BLOCKS*WIDTH), np.float32, kind, resume=resume, source={"seed": 0}, **kwargs) as writer:
        for i in range(writer.done//WIDTH, BLOCKS):
            if i == stop: raise KeyboardInterrupt
            x = block_of(i, kind)
            if kind == "dense": writer.append(x)
            else: writer.append(x.data, x.indices, np.diff(x.indptr))
            time.sleep(pause)
        writer.finish(names=[f"x{j}" for j in range(BLOCKS*WIDTH)], labels=np.arange(ROWS))
    return path


@pytest.fixture
def often(monkeypatch):
    "Progress is noted after every block"
    monkeypatch.setattr(store_writer, "SYNC_EVERY", 1)


@pytest.mark.parametrize("kind", ["sparse", "dense"])
@pytest.mark.parametrize("stop", range(BLOCKS))
def test_resume_equals_uninterrupted_byte_for_byte(tmp_path, kind, stop, often):
    whole = bytes_of(write_blocks(tmp_path/"whole.fsnb", kind))
    with pytest.raises(KeyboardInterrupt): write_blocks(tmp_path/"x.fsnb", kind, stop=stop)
    assert not (tmp_path/"x.fsnb").exists() and (tmp_path/"x.fsnb.part").exists() == (stop > 0)
    if stop:
        for array in (tmp_path/"x.fsnb.part").glob("*.npy"):             # what a crash leaves behind the noted length
            with open(array, "ab") as file: file.write(b"torn")
    done = []
    old = StoreWriter.append
    StoreWriter.append = lambda self, *a: done.append(self.done) or old(self, *a)
    try: write_blocks(tmp_path/"x.fsnb", kind, resume=True)
    finally: StoreWriter.append = old
    assert done[0] == stop*WIDTH
    assert bytes_of(tmp_path/"x.fsnb") == whole and not (tmp_path/"x.fsnb.part").exists()


def noted_columns(folder):
    "How many columns the half-written store says that it has; the note is written anew, so it may be half there"
    try: return json.loads((folder/"x.fsnb.part"/"progress.json").read_text())["columns"]
    except (FileNotFoundError, NotADirectoryError, json.JSONDecodeError): return 0


def wait_for(happened, seconds=20.):
    "Looked at often: kills at times of a clock would fall together on a machine that is fast or slow"
    until = time.monotonic()+seconds
    while not happened() and time.monotonic() < until: time.sleep(.0002)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_killed_at_random_moments(tmp_path, kind, often):
    "SIGKILL, again and again, until one run comes to its end; at no moment is there a store that is not whole"
    whole, path = bytes_of(write_blocks(tmp_path/"whole.fsnb", kind)), tmp_path/"x.fsnb"
    r, reached = np.random.default_rng(0 if kind == "sparse" else 1), [0]
    for trial in range(40):
        child = os.fork()
        if not child:
            try: write_blocks(path, kind, resume=True, pause=.02)
            finally: os._exit(0)
        if trial % 2: wait_for(lambda: path.exists() or noted_columns(tmp_path) > reached[-1])
        time.sleep(r.uniform(0, .003))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        if path.exists(): break
        with pytest.raises((ValueError, FileNotFoundError)): open_store(path)
        if (tmp_path/"x.fsnb.part").exists():
            with pytest.raises(ValueError, match="it is written half only"): open_store(tmp_path/"x.fsnb.part")
            reached.append(noted_columns(tmp_path))
    assert reached == sorted(reached) and len(set(reached)) > 1
    if not path.exists(): write_blocks(path, kind, resume=True)
    found = bytes_of(path)
    found.pop("progress.json", None)          # a run that was killed right after the store had its name
    assert found == whole and open_store(path, True).shape == (ROWS, BLOCKS*WIDTH)


def test_killed_between_the_record_and_the_name(tmp_path, monkeypatch, often):
    whole = bytes_of(write_blocks(tmp_path/"whole.fsnb", "sparse"))
    def stop(self): raise KeyboardInterrupt
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(PartFolder, "take_place", stop)
        write_blocks(tmp_path/"x.fsnb", "sparse")
    with pytest.raises(ValueError, match="it is written half only"): open_store(tmp_path/"x.fsnb.part")
    assert bytes_of(write_blocks(tmp_path/"x.fsnb", "sparse", resume=True)) == whole


def test_what_stands_there_is_not_lost(tmp_path, often):
    path = write_blocks(tmp_path/"x.fsnb", "sparse")
    whole = bytes_of(path)
    for resume in (False, True):
        with pytest.raises(FileExistsError, match="is there already: overwrite=True replaces it"):
            write_blocks(path, "sparse", resume=resume)
    with pytest.raises(KeyboardInterrupt): write_blocks(path, "dense", stop=3, overwrite=True)
    assert bytes_of(path) == whole
    with pytest.raises(FileExistsError, match="resume=True goes on with it, overwrite=True begins anew"):
        shutil.move(path, tmp_path/"old.fsnb")
        write_blocks(path, "dense")
    with pytest.raises(ValueError, match="was begun with another kind, dense and not sparse"):
        write_blocks(path, "sparse", resume=True)
    write_blocks(path, "sparse", overwrite=True)
    assert bytes_of(path) == whole and sorted(p.name for p in tmp_path.iterdir()) == ["old.fsnb", "x.fsnb"]


@pytest.mark.parametrize("moment", ["between the names", "while the old one is removed"])
def test_an_older_store_is_replaced_or_stays_and_leaves_nothing(tmp_path, often, monkeypatch, moment):
    path = write_blocks(tmp_path/"x.fsnb", "sparse")
    old = bytes_of(path)
    where, which = (os, "rename") if moment == "between the names" else (shutil, "rmtree")
    real, calls = getattr(where, which), []
    def interrupted(*args, **more):
        calls.append(args)
        if len(calls) == (2 if where is os else 1): raise KeyboardInterrupt
        return real(*args, **more)
    monkeypatch.setattr(where, which, interrupted)
    with pytest.raises(KeyboardInterrupt): write_blocks(path, "dense", overwrite=True)
    monkeypatch.undo()
    left = sorted(p.name for p in tmp_path.iterdir())
    if where is os:
        assert bytes_of(path) == old and left == ["x.fsnb", "x.fsnb.part"]
        write_blocks(path, "dense", resume=True, overwrite=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.fsnb"]
    assert open_store(path, True).record["kind"] == "dense"


def test_an_older_store_that_a_killed_run_set_aside_comes_back(tmp_path):
    path = write_blocks(tmp_path/"x.fsnb", "sparse")
    old = bytes_of(path)
    os.rename(path, tmp_path/"x.fsnb.old.part")
    with pytest.raises(FileExistsError, match="is there already: overwrite=True replaces it"):
        write_blocks(path, "dense")
    assert bytes_of(path) == old
    shutil.copytree(path, tmp_path/"x.fsnb.old.part")
    write_blocks(path, "dense", overwrite=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.fsnb"]


def test_only_stores_are_overwritten(tmp_path):
    (tmp_path/"home").mkdir()
    (tmp_path/"home"/"letter").write_text("dear")
    (tmp_path/"file").write_text("dear")
    for name in ("home", "file"):
        with pytest.raises(FileExistsError, match="and is no store"):
            write_store(tmp_path/name, random_sparse(), overwrite=True)
    assert (tmp_path/"home"/"letter").read_text() == (tmp_path/"file").read_text() == "dear"
    with pytest.raises(FileNotFoundError, match="cannot write .*there is no folder"):
        write_store(tmp_path/"none"/"x.fsnb", random_sparse())


def test_what_somebody_put_into_a_store_is_not_removed_with_it(tmp_path):
    path = write_store(tmp_path/"x.fsnb", random_sparse())
    assert {p.name for p in path.iterdir()} <= OWN_FILES
    (path/"letter.svm").write_text("1 1:2\n0 2:3\n")
    with pytest.raises(FileExistsError, match="x.fsnb holds letter.svm, which is no part of a store and would be lost"):
        write_store(path, random_sparse(), overwrite=True)
    assert (path/"letter.svm").exists()
    with pytest.raises(FileExistsError, match="holds letter.svm"):
        convert(path/"letter.svm", path, overwrite=True, verbose=0)
    assert (path/"letter.svm").read_text().startswith("1 1:2")


def test_two_writers_of_one_store(tmp_path):
    with StoreWriter(tmp_path/"x.fsnb", (5, 4), np.float64) as first:
        first.append(np.array([3.]), [2], [1]).sync()
        for how in (dict(), dict(resume=True), dict(overwrite=True)):
            with pytest.raises(BlockingIOError, match="cannot write .*another process is writing it"):
                StoreWriter(tmp_path/"x.fsnb", (5, 4), np.float64, **how)
        first.append(4., [1, 2, 3], [1, 2, 0]).finish()
    assert open_store(tmp_path/"x.fsnb", True).take([2]).toarray().ravel().tolist() == [0, 0, 4, 4, 0]


FULL = """
import resource, sys
import numpy as np, fsnb.data.store_writer as store
store.SYNC_EVERY = 1 << 16
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    with store.StoreWriter(sys.argv[1], (1000, 100), np.float64, "dense", resume=True) as writer:
        for j in range(writer.done, 100): writer.append(np.full((1000, 1), j+.5)+np.arange(1000)[:, None])
        writer.finish()
except OSError as error: print(type(error).__name__, error)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no such limit")
def test_a_full_disk_is_one_error_and_room_made_later_is_enough(tmp_path, root):
    def run(limit):
        return subprocess.run([sys.executable, "-c", FULL, str(tmp_path/"x.fsnb"), str(limit)], cwd=root,
                              capture_output=True, text=True)
    done = run(300_000)
    assert done.stderr == "" and done.stdout.startswith(f"OSError cannot write {tmp_path/'x.fsnb'}: ")
    assert done.stdout.endswith("resume=True goes on from there\n") and "Traceback" not in done.stdout
    assert [p.name for p in tmp_path.iterdir()] == ["x.fsnb.part"]
    assert run(10_000_000).stdout == ""
    assert open_store(tmp_path/"x.fsnb", True).X[5, 7] == 12.5
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path/"y.fsnb"), "1000"], cwd=root, capture_output=True, text=True)
    assert done.stdout.startswith("OSError cannot write") and not (tmp_path/"y.fsnb.part").exists()


# ---- damaged

def make(tmp_path, kind="sparse", **kwargs):
    X = random_sparse(np.float32)
    names, y = [f"x{j}" for j in range(60)], np.arange(40)
    return write_store(tmp_path/f"{kind}.fsnb", X if kind == "sparse" else X.toarray(), names, y, **kwargs)


ARRAYS = {"sparse": ["data", "indices", "indptr", "mean", "std", "peak"], "dense": ["X", "mean", "std"]}
EACH = [(kind, name) for kind in ARRAYS for name in ARRAYS[kind]]


@pytest.mark.parametrize("kind, name", EACH)
def test_what_is_cut_short_or_gone_is_named(tmp_path, kind, name):
    path = make(tmp_path, kind)
    file = path/f"{name}.npy"
    content = file.read_bytes()
    for kept in (len(content)-1, len(content)//2, HEADER, 60, 0):
        file.write_bytes(content[:kept])
        with pytest.raises(ValueError, match=f"{path} is damaged: {name}.npy is cut short, {kept} bytes and not {len(content)}"):
            open_store(path)
    file.write_bytes(content+b"\0")
    with pytest.raises(ValueError, match=f"is damaged: {name}.npy is not an array of"): open_store(path)
    file.write_bytes(content.replace(b"NUMPY", b"NUMPX"))
    with pytest.raises(ValueError, match=f"is damaged: {name}.npy is not an array of"): open_store(path)
    file.unlink()
    with pytest.raises(ValueError, match=f"is damaged: {name}.npy is not there"): open_store(path)


@pytest.mark.parametrize("kind, name", EACH+[("sparse", "labels"), ("dense", "names")])
def test_any_byte_that_changes_is_found_by_check(tmp_path, kind, name):
    path = make(tmp_path, kind)
    file = path/(f"{name}.npy" if name != "names" else "names.json")
    content, start = bytearray(file.read_bytes()), HEADER if name != "names" else 0
    assert open_store(path, check=True).n_features == 60
    for at in np.random.default_rng(0).integers(start, len(content), 9):
        changed = bytearray(content)
        changed[at] ^= 1 << at % 8
        file.write_bytes(changed)
        with pytest.raises(ValueError, match=f"is damaged: the bytes of {file.name} are not those that were written"):
            open_store(path, check=True)


def rewrite(path, name, change):
    "Change an array and its checksum, as somebody else's program would that writes stores"
    array = np.load(path/f"{name}.npy")
    change(array)
    content = (path/f"{name}.npy").read_bytes()[:HEADER]+array.tobytes()
    (path/f"{name}.npy").write_bytes(content)
    record = json.loads((path/"store.json").read_text())
    record["arrays"][name]["crc32"] = f"{zlib.crc32(content[HEADER:]):08x}"
    (path/"store.json").write_text(json.dumps(seal_record(record)))


def test_rows_and_pointers_are_looked_at_by_check(tmp_path):
    def swap(x): x[[1, 0]] = x[[0, 1]]
    def double(x): x[1] = x[0]
    def far(x): x[-1] = 40
    def below(x): x[0] = -1
    def fall(x): x[7] = x[8]+1
    def start(x): x[0] = 1
    for name, change, said in (("indices", swap, "out of order"), ("indices", double, "twice"),
                               ("indices", far, r"has row 40 outside \[0, 40\)"), ("indices", below, "has row -1 outside"),
                               ("indptr", fall, "indptr.npy must begin with 0 and never fall"), ("indptr", start, "never fall")):
        path = make(tmp_path, overwrite=True)
        rewrite(path, name, change)
        with pytest.raises(ValueError, match=f"is damaged: .*{said}"): open_store(path, check=True)


def test_the_record(tmp_path):
    path = make(tmp_path)
    good = json.loads((path/"store.json").read_text())
    def refused(said, text=None, **changes):
        (path/"store.json").write_text(json.dumps(seal_record(good | changes)) if text is None else text)
        for opened in (open_store, as_columns):
            with pytest.raises(ValueError, match=said): opened(path)
    refused(r"was written by fsnb 9.1 in format 2, and this fsnb reads format 1: update it", version=2, package="9.1")
    for text in ("", "{", "[]", "3", json.dumps(good)[:-9]): refused("store.json is damaged", text)
    refused("store.json is damaged", format="zarr")
    for key in ("shape", "kind", "arrays", "entries", "dtype", "value", "least", "names"):
        refused("store.json is damaged", text=json.dumps({k: v for k, v in good.items() if k != key}))
        for wrong in (7.5, "x", [1], {"a": 1}, None, -1, True):
            if wrong is None and key in ("value", "least", "names") or key in ("value", "least") and not isinstance(wrong, (str, list, dict)):
                continue
            refused("is damaged", **{key: wrong})
    (path/"store.json").write_text(json.dumps(good | {"least": -5.}))
    with pytest.raises(ValueError, match="store.json is damaged: it does not say what was written"): open_store(path)
    refused("is damaged: .*npy", shape=[40, 61])
    refused("is damaged: .*npy", shape=[40, 60], entries=5)
    for name in good["arrays"]:
        if name != "labels": refused("is damaged", arrays={k: v for k, v in good["arrays"].items() if k != name})


@pytest.mark.parametrize("dtype", ["<,4", "(4", "f4,f4", "<U99999999999", "f", "O"])
def test_a_type_that_cannot_be_is_told_as_every_other_damage(tmp_path, dtype):
    "Once: what numpy raises for some of them, without the name of the store"
    path = make(tmp_path)
    record = json.loads((path/"store.json").read_text())
    record["arrays"]["mean"]["dtype"] = dtype
    (path/"store.json").write_text(json.dumps(seal_record(record)))
    with pytest.raises(ValueError, match=f"^{path}[/ ].*is damaged: "): open_store(path)


def test_names_without_a_checksum_are_told(tmp_path):
    "Once: a KeyError"
    path = make(tmp_path)
    record = json.loads((path/"store.json").read_text())
    del record["names"]["crc32"]
    (path/"store.json").write_text(json.dumps(seal_record(record)))
    with pytest.raises(ValueError, match="store.json is damaged: it says nothing that can be of names"): open_store(path, check=True)


def test_what_is_no_store(tmp_path):
    (tmp_path/"file").write_text("1")
    (tmp_path/"empty").mkdir()
    for opened in (open_store, as_columns, read_store_labels, read_store_names):
        with pytest.raises(FileNotFoundError, match="there is no such folder"): opened(tmp_path/"none")
        with pytest.raises(NotADirectoryError, match="a store is a folder, and this is none"): opened(tmp_path/"file")
        with pytest.raises(ValueError, match="is no store: there is no store.json in it"): opened(str(tmp_path/"empty"))


# ---- read in blocks, by threads, in other processes

@pytest.mark.parametrize("dtype", [np.float32, np.int8])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_reading_ahead_changes_no_bit(tmp_path, monkeypatch, dtype, n_jobs):
    X = random_sparse(dtype, n=200, p=300)
    if dtype == np.int8: X.data[:] = 1
    path, memory, walked = write_store(tmp_path/"x.fsnb", X), SparseColumns(X), []
    monkeypatch.setattr(store, "PASS_BLOCK", 64)
    monkeypatch.setattr(store, "READ_AT_ONCE", 100)
    walk = store.walk_store
    monkeypatch.setattr(store, "walk_store", lambda columns, kernel: walked.append(1) or walk(columns, kernel))
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
        store.read_ahead(file.fileno(), 0, 10**7)
    with open(tmp_path/"short", "wb") as file: store.read_ahead(file.fileno(), 0, 10)     # not open for reading


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
    with pytest.raises(FileNotFoundError, match="there is no such folder"): pickle.loads(pickled)


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
    with pytest.raises(FileNotFoundError, match="there is no such folder"): GDM(3).fit("nowhere.fsnb", y)


def test_a_discretizer_reads_a_store(tmp_path):
    X, y = groups_of_counts()
    path = write_store(tmp_path/"x.fsnb", X)
    one, other = Discretizer().fit(path, y), Discretizer().fit(X, y)
    a, b = (model.transform(data) for model, data in ((one, path), (other, X)))
    a, b = (x.toarray() if sp.issparse(x) else x for x in (a, b))
    assert np.array_equal(a, b)


def test_pointers_that_end_elsewhere_name_the_store(tmp_path):
    "Once: a changed last pointer was told without the folder"
    path = write_store(tmp_path/"x.fsnb", sp.csc_matrix(np.eye(6)[:, :4]))
    file = path/"indptr.npy"
    content = bytearray(file.read_bytes())
    content[-7] ^= 8
    file.write_bytes(content)
    with pytest.raises(ValueError, match=f"^{path} is damaged: indptr.npy ends with 2052 and not with 4$"): open_store(path)

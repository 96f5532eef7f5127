"""Columns on disk: what is written is read back bit for bit, in other processes too, by every selector."""
import copy, json, mmap, os, pickle, random, shutil, stat
from contextlib import suppress
from functools import partial
from pathlib import Path
import numpy as np, pytest, scipy.sparse as sp
from sklearn.base import clone
from doors import exit_of_fork
import fsnb.data.store as store
from fsnb import (FCBF, FSIR2, GDM, MRMR, FilterBruteForce, OneClassGDM, as_columns, convert,
                  group_columns)
from fsnb.correlation.survey import survey_pairs
from fsnb.data.columns import DenseColumns
from fsnb.data.sparse import SparseColumns
from fsnb.data.writing import write_atomic
from fsnb.data.store import open_store, read_store_labels, read_store_names, write_store
from stores import bytes_of, dense, groups_of_counts, make, random_sparse, same_bits

DTYPES = [np.int8, np.uint16, np.float32, np.float64]

# ---- there and back

def same_answers(disk, memory, asked=(4, 5, 6)):
    "All that columns answer, to the last bit"
    v = np.random.default_rng(1).standard_normal((memory.n_samples, 3))
    for own, other in zip(disk.moments(), memory.moments()): assert same_bits(own, other)
    assert same_bits(disk.dot(v), memory.dot(v)) and same_bits(disk.scores(v[:, 0]), memory.scores(v[:, 0]))
    weights = np.arange(float(memory.n_features))
    assert same_bits(disk.combine(weights), memory.combine(weights))
    for own, other in zip(disk.weighted_moments(v[:, 1]**2), memory.weighted_moments(v[:, 1]**2)):
        assert same_bits(own, other)
    for own, other in zip(disk.partners(asked, .3), memory.partners(asked, .3), strict=True):
        assert all(map(same_bits, own, other))

@pytest.mark.parametrize("dtype", DTYPES)
def test_columns_from_disk_are_those_from_memory(tmp_path, dtype):
    X = random_sparse(dtype)
    memory, disk = SparseColumns(X, n_jobs=3), open_store(write_store(tmp_path/"x.fsnb", X), True, 3)
    whole = disk.whole()
    for name in ("data", "indices", "indptr"): assert np.array_equal(getattr(whole, name), getattr(X, name))
    assert whole.dtype == dtype and disk.entries.data.dtype == dtype
    same_answers(disk, memory)
    assert same_bits(disk.peak, memory.peak) and disk.has_negative == memory.has_negative
    assert same_bits(disk.take([5, 2]).toarray(), X[:, [5, 2]].toarray())
    assert [block[:2] for block in disk.blocks(50)] == [block[:2] for block in memory.blocks(50)]
    X = np.asfortranarray(X.toarray())
    disk = open_store(write_store(tmp_path/"x.fsnb", np.ascontiguousarray(X), overwrite=True), True)
    assert np.array_equal(np.load(tmp_path/"x.fsnb"/"X.npy", mmap_mode="r"), X)       # anyone with numpy can read it
    assert disk.X.dtype == dtype and disk.X.flags.f_contiguous and np.array_equal(disk.X, X)
    same_answers(disk, DenseColumns(X))

@pytest.mark.parametrize("value", [1, -2.5, 0., -0.])
def test_equal_values_are_not_written(tmp_path, value):
    X = random_sparse()
    X.data[:] = value
    disk = open_store(write_store(tmp_path/"x.fsnb", X), True)
    assert (tmp_path/"x.fsnb"/"data.npy").exists() == (str(value) == "-0.0")
    assert same_bits(disk.take(np.arange(60)).data, X.data) and same_bits(disk.whole().data, X.data)
    same_answers(disk, SparseColumns(X), range(60))
    empty = write_store(tmp_path/"e.fsnb", sp.csc_matrix((6, 9), dtype=np.int16))
    assert open_store(empty, True).take([1, 2]).dtype == np.int16
    assert open_store(empty).dot(np.ones(6)).tolist() == [0]*9

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
    for bad in (dict(names=["a"]), dict(y=[1, 2]), dict(y=[None]*40)):
        with pytest.raises(ValueError, match="names must be 60|labels must be 40"): write_store(tmp_path/"z.fsnb", X, **bad)
    assert not list(tmp_path.glob("z.fsnb*"))

# ---- read in blocks, by threads, in other processes

@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_copies_open_the_store_again_and_rows_are_looked_at_once(tmp_path, kind, monkeypatch):
    path, looked = make(tmp_path, kind), []
    monkeypatch.setattr(store, "_check_stored_rows", lambda path, columns: looked.append(path))
    columns = open_store(path, n_jobs=2)
    pickled = pickle.dumps(as_columns(as_columns(columns)))
    as_columns(pickle.loads(pickled))
    assert len(looked) == (kind == "sparse")
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
    with pytest.raises(FileNotFoundError, match="is no store"): pickle.loads(pickled)

# ---- every selector

SELECTORS = [GDM(4, n_jobs=2), OneClassGDM(3), FCBF()]      # of all others, and of columns, tests/test_inputs.py

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["sparse", "dense"])
@pytest.mark.parametrize("model", SELECTORS, ids=repr)
def test_every_selector_answers_from_disk_as_from_memory_and_knows_it(tmp_path, model, kind):
    X, y = groups_of_counts()
    names, told = [f"x{j}" for j in range(24)], np.array(["no", "yes"])[y]
    X = sp.csc_matrix(X) if kind == "sparse" else np.asfortranarray(X)
    path = write_store(tmp_path/"x.fsnb", X, names, told)
    y = read_store_labels(path)
    memory = clone(model).fit(as_columns(X, names), y)
    chosen = X[:, np.sort(memory.support_)]
    for given in (str(path), open_store(path)):
        disk = clone(model).fit(given, y)
        assert disk.support_.tolist() == memory.support_.tolist()
        assert disk.groups_ == memory.groups_ and disk.groups_.names == memory.groups_.names
        assert all(map(same_bits, disk.groups_.correlations, memory.groups_.correlations))
        assert disk.feature_names_in_.tolist() == names and disk.n_features_in_ == 24
        assert abs(disk.transform(path)-chosen).max() == 0
        for method in ("predict", "decision_function"):
            if hasattr(memory, method):
                assert np.array_equal(getattr(disk, method)(path), getattr(memory, method)(as_columns(X, names)))
    few = write_store(tmp_path/"few.fsnb", X[:, :9])
    other = write_store(tmp_path/"other.fsnb", X, names[::-1])
    for use in (disk.transform, getattr(disk, "predict", disk.transform)):
        with pytest.raises(ValueError, match="X has 9 features, but .* is expecting 24"): use(few)
        with pytest.raises(ValueError, match="column 0 is called x23, and was x0"): use(other)

def test_messages_call_columns_by_the_numbers_of_their_file(tmp_path):
    "An svmlight file counts from 1: so do messages about its store; what is fitted counts from 0"
    rows = "".join(f"{i % 2} 1:{i % 2+i/100} 2:1 3:{i*i} 5:2\n" for i in range(20))
    (tmp_path/"x.svm").write_text(rows)
    columns = open_store(convert(tmp_path/"x.svm", tmp_path/"x.fsnb", verbose=0))
    y = np.arange(20) % 2
    with pytest.warns(UserWarning, match=r"never selected: 2, 4, 5 \(counted from 1\)$"):
        model = FilterBruteForce(1).fit(columns, y)
    assert model.support_.tolist() == [0] and model.groups_.names is None
    assert pickle.loads(pickle.dumps(columns)).first == columns.first == 1

@pytest.mark.parametrize("row", [50, 2**30, -7, 0])
def test_a_row_that_a_disk_has_lost_is_named_and_nobody_dies(tmp_path, row):
    X = sp.random(40, 30, .3, format="csc", random_state=0)
    y = np.arange(40) % 2
    path = write_store(tmp_path/"a.fsnb", X, y=y)
    place = X.indptr[7]+1
    with open(path/"indices.npy", "r+b") as file:
        file.seek(-(X.nnz-place)*4, 2)
        file.write(np.int32(row).tobytes())
    opened = open_store(path)                       # to open it reads no row
    for ask in (*(partial(model.fit, path, y) for model in (GDM(2), FCBF(), FSIR2(2), MRMR(2))), partial(GDM(2).fit, opened, y),
                partial(group_columns, path, .5), partial(survey_pairs, path)):
        with pytest.raises(ValueError, match="a.fsnb is damaged: column 7 has a row twice, out of order or outside"): ask()

@pytest.mark.skipif(not hasattr(mmap, "MADV_WILLNEED"), reason="no madvise")
@pytest.mark.parametrize("dtype, n_jobs", [(np.float32, 3), (np.int8, 1)])
def test_reading_ahead_changes_no_bit(tmp_path, monkeypatch, dtype, n_jobs):
    X = random_sparse(dtype, n=200, p=300)
    if dtype == np.int8: X.data[:] = 1
    monkeypatch.setattr(store, "_PASS_BLOCK", 64)
    fetched, fetch = [], store.StoreColumns._fetch
    monkeypatch.setattr(store.StoreColumns, "_fetch", lambda *given: fetched.append(given[1:]) or fetch(*given))
    disk, memory = open_store(write_store(tmp_path/"x.fsnb", X), n_jobs=n_jobs), SparseColumns(X)
    same_answers(disk, memory)
    assert len(fetched) >= 4 and min(fetched)[0] == 0 and max(end for _, end in fetched) >= X.nnz
    def fail(lo, hi): raise ArithmeticError("in the kernel")
    with pytest.raises(ArithmeticError): disk.run(fail)

# ---- what is damaged

EACH = [("sparse", name) for name in ("data", "indices", "indptr", "mean", "std", "peak")]+[("dense", "X"), ("dense", "mean")]

@pytest.mark.parametrize("kind, name", EACH+[("sparse", "labels"), ("dense", "names")])
def test_what_is_damaged_is_found_and_named(tmp_path, kind, name):
    "Any byte that changes by check; what is cut short, gone or another array at once"
    path = make(tmp_path, kind)
    file = path/("names.json" if name == "names" else f"{name}.npy")
    whole = file.read_bytes()
    for place in np.random.default_rng(0).integers(128, len(whole), 5):
        file.write_bytes(whole[:place]+bytes([whole[place] ^ 4])+whole[place+1:])
        with pytest.raises(ValueError, match="is damaged"): open_store(path, check=True)
    if (kind, name) not in EACH: return
    for content in (whole[:-1], whole[:60], b"", whole[:10]+b"{" * 118+whole[128:]):
        file.write_bytes(content)
        with pytest.raises(ValueError, match=f"{kind}.fsnb is damaged: {name}.npy"): open_store(path)
    for other in (np.zeros(7), np.array([None]*60, dtype=object)):
        np.save(file, other)                           # of another shape; of objects, which are never unpickled
        with pytest.raises(ValueError, match=f"{name}.npy"): open_store(path)
    file.unlink()
    with pytest.raises(ValueError, match=f"{name}.npy is not there"): open_store(path)

def seal(path, **change):
    "The record changed, with the right checksum: what a stranger may send"
    record = json.loads((path/"store.json").read_text())
    (path/"store.json").write_text(json.dumps(store._seal_record(record | change)))

def test_the_record(tmp_path):
    path, secret = make(tmp_path), tmp_path/"secret.json"
    text = (path/"store.json").read_text()
    (path/"store.json").write_text(text.replace("60", "61", 1))
    with pytest.raises(ValueError, match="it does not say what was written"): open_store(path)
    for other in ("", "[]", '{"format": 3}', "["*10**5):
        (path/"store.json").write_text(other)
        with pytest.raises(ValueError, match="it is no record of"): open_store(path)
    for change, told in (
            (dict(version=2), "this fsnb reads format 1"), (dict(shape=[40]), "is damaged"),
            (dict(shape=["a", 3]), "is damaged"), (dict(shape=[40, -1]), "is damaged"),
            (dict(arrays={}), "is damaged"), (dict(entries=7), "is damaged"), (dict(names={"first": -1}), "is damaged"),
            (dict(arrays=json.loads(text)["arrays"] | {"../secret": {}}), "is damaged"),
            (dict(arrays=json.loads(text)["arrays"] | {"mean": {"dtype": "<f8", "length": 7, "crc32": "0"*8}}), "is damaged")):
        shutil.rmtree(path)
        seal(make(tmp_path), **change)
        with pytest.raises(ValueError, match=told): open_store(path).dot(np.ones(40))
    secret.write_text(json.dumps([f"secret {j}" for j in range(60)]))
    shutil.rmtree(path)
    make(tmp_path)
    names = json.loads((path/"store.json").read_text())["names"]
    seal(path, names=names | {"file": "../secret.json"})                 # no other file is opened
    assert open_store(path).names[3] == "x3"
    (path/"names.json").write_text(json.dumps("a"*60))
    with pytest.raises(ValueError, match="names.json does not hold 60 names"): open_store(path).names
    for place in (tmp_path/"no", secret, tmp_path):
        with pytest.raises(FileNotFoundError, match=f"{place.name} is no store"): open_store(place)

def test_a_store_of_version_0_1_opens():
    "Written by fsnb 0.1: float32 values, whole numbers that are all 1, and a dense one; names and labels"
    old = Path(__file__).parent/"stores_0_1"
    for kind in ("sparse", "ones", "dense"):
        columns = open_store(old/f"{kind}.fsnb", check=True)
        X = random_sparse(np.float32, 6, 9)
        X = sp.csc_matrix(X != 0, dtype=np.int8) if kind == "ones" else X
        memory = as_columns(X if kind != "dense" else X.toarray())
        assert np.array_equal(dense(columns.whole()), X.toarray()) and columns.names[8] == "x8"
        assert read_store_labels(old/f"{kind}.fsnb").tolist() == ["a", "b"]*3
        same_answers(columns, memory)

# ---- what is written appears in one step, and loses nothing

def test_bad_blocks_leave_nothing(tmp_path):
    X = random_sparse(np.float64)
    X.data[7] = np.inf
    falling = SparseColumns(random_sparse())
    falling.entries.indices[:2] = falling.entries.indices[1::-1].copy()
    for bad, said in ((X, "holds inf: a store holds finite numbers"), (X.toarray(), "holds inf"), (falling, "the rows of a column must rise"),
                      (np.ones((1, 3)), "n_samples")):
        with pytest.raises(ValueError, match=said): write_store(tmp_path/"x.fsnb", bad)
    assert not list(tmp_path.iterdir())

def test_only_stores_are_replaced_and_nothing_of_others_is_lost(tmp_path):
    path, X = make(tmp_path), random_sparse(np.float32, seed=3)
    before = bytes_of(path)
    with pytest.raises(FileExistsError, match="overwrite=True replaces it"): write_store(path, X)
    for target, letter, told in (
            (path, path/"letter.txt", "holds letter.txt, which is no part of this store"),
            (path, path/".git", "holds .git, which is no part of this store"),
            (path, path/"progress.json", "holds progress.json, which is no part"),
            (path, path/"X.npy", "holds X.npy, which is no part"),
            (path, path/"letter.part", "holds letter.part, which is no part"),
            (tmp_path/"folder", tmp_path/"folder/letter.txt", "and is no store"),
            (tmp_path/"other", tmp_path/"other/store.json", "is no record of a column store"),
            (tmp_path/"file", tmp_path/"file", "and is no store")):
        letter.parent.mkdir(exist_ok=True)
        letter.write_text("dear")
        with pytest.raises((FileExistsError, ValueError), match=told): write_store(target, X, overwrite=True)
        assert letter.read_text() == "dear"
        letter.unlink()
        if letter.parent not in (path, tmp_path): letter.parent.rmdir()
    with pytest.raises(ValueError, match="lies inside of the"): write_store(path/"more/x.fsnb", X)
    with pytest.raises(OSError, match="there is no folder"): write_store(tmp_path/"no/x.fsnb", X)
    assert bytes_of(path) == before and os.listdir(tmp_path) == ["sparse.fsnb"]

@pytest.mark.parametrize("overwrite", [False, True])
def test_what_stands_under_a_similar_name_is_not_touched(tmp_path, overwrite):
    "Only what its own record names, and the private folder, is ever removed"
    home, elsewhere, others = tmp_path/"home", tmp_path/"elsewhere", {}
    home.mkdir()
    for file in ("x.fsnb.part/rows/0/data.npy", "x.fsnb.part/labels.npy", "x.fsnb.part/letter.txt", ".x.fsnb.mine.part/old/mine.txt",
                 f".x.fsnb.{'0'*16}.part/rows/mine.npy", "fsnb.lock", ".x.part/store/a.txt"):
        (home/file).parent.mkdir(parents=True, exist_ok=True)
        (home/file).write_text("dear")
    write_store(home/"x.fsnb.old.part", np.eye(4))
    write_store(elsewhere, np.eye(7))
    if os.name != "nt": (home/"link.fsnb.part").symlink_to(elsewhere)
    def everything(): return {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file() and "x.fsnb/" not in str(file) and "link.fsnb/" not in str(file)}
    before = everything()
    for name in ("x.fsnb", "link.fsnb"):
        if overwrite: write_store(home/name, np.eye(3))
        write_store(home/name, np.eye(5), overwrite=overwrite)
        assert open_store(home/name, True).shape == (5, 5) and everything() == before

def test_what_comes_while_a_store_is_written_stays(tmp_path, monkeypatch):
    path, rename = make(tmp_path), os.rename
    with pytest.raises(FileExistsError, match="holds late.txt, which is no part"), store._new_store(path, True) as part:
        store._fill_store(part, [np.eye(4)], (4, 4), float, False)
        (path/"late.txt").write_text("dear")
    assert (path/"late.txt").read_text() == "dear" and open_store(path, True).shape == (40, 60) and os.listdir(tmp_path) == ["sparse.fsnb"]
    (path/"late.txt").unlink()
    def busy(old, new):
        if str(old) == str(path): (path/"later.txt").write_text("dear")      # after it was looked at
        rename(old, new)
    monkeypatch.setattr(os, "rename", busy)
    with pytest.warns(UserWarning, match="an older store is left in .*: .*old"): write_store(path, np.eye(3), overwrite=True)
    [left] = tmp_path.glob(".sparse.fsnb.*.part/old/later.txt")
    for _ in range(2): assert left.read_text() == "dear" and write_store(path, np.eye(3), overwrite=True) == path
    shutil.rmtree(path)
    with pytest.raises(FileNotFoundError, match="is no store"): open_store(path)     # what is left is none

def stranger(record, r):
    "The record with one change anywhere in it"
    record = copy.deepcopy(record)
    nodes = [record, *(value for value in record.values() if isinstance(value, (dict, list))), *record["arrays"].values()]
    node = r.choice(nodes)
    key = r.choice(list(node) if isinstance(node, dict) else range(len(node)))
    if r.random() < .3: del node[key]
    else: node[key] = r.choice([None, -1, 0, 2, 2**70, .5, 1e300, np.nan, np.inf, "", "a", "|O", "<f8", [], [40], {}, {"first": .5}, True])
    return record

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["sparse", "dense", "ones"])
def test_any_change_of_a_sealed_record_is_refused_or_harmless(tmp_path, kind):
    "Sealed again by a stranger: a ValueError of one line, an OSError, or a store that still answers"
    X, r = random_sparse(np.float32), random.Random(0)
    if kind == "ones": X.data[:] = 1
    path = write_store(tmp_path/"x.fsnb", X.toarray() if kind == "dense" else X, [f"x{j}" for j in range(60)], np.arange(40) % 2)
    record, refused = json.loads((path/"store.json").read_text()), 0
    for _ in range(250):
        (path/"store.json").write_text(json.dumps(store._seal_record(stranger(record, r))))
        try:
            columns = open_store(path, check=r.random() < .5)
            assert columns.dot(np.arange(40.)[:columns.n_samples]).shape == (60,)
            columns.names, read_store_labels(path), columns.whole(), getattr(columns, "has_negative", None)
        except (ValueError, OSError) as error:
            assert "\n" not in str(error)
            refused += 1
    assert refused > 100

@pytest.mark.skipif(os.name == "nt", reason="links and pipes")
@pytest.mark.parametrize("name", ["names.json", "labels.npy", "mean.npy", "indices.npy", "store.json"])
def test_a_link_or_a_pipe_is_no_file_of_a_store(tmp_path, name):
    "A link out of the store tells what is elsewhere; to open a pipe never ends"
    path = make(tmp_path)
    os.rename(path/name, tmp_path/name)
    (path/name).symlink_to(tmp_path/name)
    def read(): return open_store(path, True), read_store_names(path), read_store_labels(path)
    with pytest.raises(ValueError, match=f"is damaged: {name} is a link or no file"): read()
    (path/name).unlink()
    os.mkfifo(path/name)
    with pytest.raises((ValueError, FileNotFoundError), match=f"is damaged: {name} is a link or no file|is no store"): read()
    (path/name).unlink()
    os.rename(tmp_path/name, path/name)
    read()

def test_what_is_synced_may_be_written(tmp_path, monkeypatch):
    "Windows syncs a file only through a descriptor that may be written"
    fcntl = pytest.importorskip("fcntl")
    modes, sync = [], os.fsync
    def looked_at(descriptor):
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        if is_file: modes.append(fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE)
        sync(descriptor)
    monkeypatch.setattr(os, "fsync", looked_at)
    make(tmp_path)
    write_atomic(tmp_path/"a.txt", "x")
    assert len(modes) == 10 and os.O_RDONLY not in modes

@pytest.mark.skipif(os.name == "nt", reason="links")
def test_a_link_to_a_store_stays_one(tmp_path):
    (tmp_path/"link.fsnb").symlink_to(make(tmp_path))
    write_store(tmp_path/"link.fsnb", np.eye(3), overwrite=True)
    assert (tmp_path/"link.fsnb").is_symlink() and open_store(tmp_path/"sparse.fsnb").shape == (3, 3)
    assert sorted(os.listdir(tmp_path)) == ["link.fsnb", "sparse.fsnb"]

@pytest.mark.skipif(os.name == "nt", reason="no lock")
def test_a_second_writer_is_refused(tmp_path):
    with store._new_store(tmp_path/"x.fsnb") as part:
        with pytest.raises(BlockingIOError, match="cannot write .*x.fsnb: another process is writing it"):
            write_store(tmp_path/"x.fsnb", np.eye(3))
        store._fill_store(part, [np.eye(4)], (4, 4), float, False)
    assert open_store(tmp_path/"x.fsnb", True).shape == (4, 4)

def test_two_writers_that_began_together_leave_one_whole_store(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "fcntl", None)                        # as on Windows
    for overwrite in (False, True):
        for first in (4, 5):
            with suppress(FileExistsError), store._new_store(tmp_path/"x.fsnb", overwrite) as part:
                store._fill_store(part, [np.eye(first)], (first, first), float, False)
                write_store(tmp_path/"x.fsnb", np.eye(3), overwrite=overwrite)
            assert open_store(tmp_path/"x.fsnb", True).shape == ((first, first) if overwrite else (3, 3))
            assert os.listdir(tmp_path) == ["x.fsnb"]

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_a_reader_between_the_two_renames(tmp_path, monkeypatch, kind):
    "It finds the older store; one that is opened while another takes its place is of one piece"
    path, rename, seen = make(tmp_path, kind), os.rename, []
    X = open_store(path).whole()
    def look():
        if store.is_store(path): seen.append((GDM(1).fit(str(path), np.arange(40) % 2).n_features_in_, read_store_names(path)[3], len(read_store_labels(path))))
    def looked_at(old, new):
        look()
        rename(old, new)
        look()
    monkeypatch.setattr(os, "rename", looked_at)
    write_store(path, X[:, :50], [f"y{j}" for j in range(50)], np.arange(40), overwrite=True)
    assert seen == [(60, "x3", 40)]*3+[(50, "y3", 40)]
    monkeypatch.undo()
    map_array, calls, new = store._map_array, [], dense(X)[:, 49::-1].copy()
    def swap(path, *about):
        calls.append(about)
        if len(calls) == 2: write_store(path, new, [f"z{j}" for j in range(50)], overwrite=True)
        return map_array(path, *about)
    old = open_store(path)
    monkeypatch.setattr(store, "_map_array", swap)
    assert np.array_equal(open_store(path, True).X, new)
    with pytest.raises(ValueError, match="names.json does not hold"): old.names       # not those of another store

def write_and_die(path, n_calls):
    "Killed before a call of the system"
    left = iter(range(n_calls))
    for name in ("mkdir", "fsync", "rename", "unlink", "rmdir"):
        def counted(*given, real=getattr(os, name), **more):
            if next(left, None) is None: os._exit(9)
            return real(*given, **more)
        setattr(os, name, counted)
    write_store(path, np.eye(5), overwrite=True)

@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
@pytest.mark.parametrize("is_old", [False, True])
def test_gone_before_every_call_of_the_system(tmp_path, is_old):
    "Killed at any moment there is the older store, the new one or none; the next run leaves one folder, and it is whole"
    for step in range(40):
        home = tmp_path/str(step)
        home.mkdir()
        if is_old: write_store(home/"x.fsnb", np.eye(3))
        for again in range(2):                       # the second dies over what the first has left
            died = exit_of_fork(lambda: write_and_die(home/"x.fsnb", step))
        if is_old: assert open_store(home/"x.fsnb", True).shape in ((3, 3), (5, 5))       # whoever reads finds one
        elif (home/"x.fsnb").exists(): assert open_store(home/"x.fsnb", True).shape == (5, 5)
        if is_old:
            with pytest.raises(FileExistsError, match="overwrite=True replaces it"): write_store(home/"x.fsnb", np.eye(4))
            assert (home/"x.fsnb").exists()                                               # under its name again
        write_store(home/"x.fsnb", np.eye(4), overwrite=True)
        assert open_store(home/"x.fsnb", True).shape == (4, 4)
        for name in os.listdir(home): assert name == "x.fsnb" or os.listdir(home/name) == []
        if not died: break
    assert step > 8

def test_what_cannot_be_replaced_keeps_its_name(tmp_path, monkeypatch):
    path, rename = make(tmp_path), os.rename
    def refuse(old, new):
        if str(new) == str(path) and str(old).endswith("store"): raise OSError(5, "Input/output error")
        rename(old, new)
    monkeypatch.setattr(os, "rename", refuse)
    before = bytes_of(path)
    with pytest.raises(OSError, match="cannot write .*Input/output error"):
        write_store(path, np.eye(3), overwrite=True)
    assert bytes_of(path) == before                          # the older one has its name back
    assert os.listdir(tmp_path) == ["sparse.fsnb"]

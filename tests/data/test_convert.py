"Conversion: a store of any source holds what reading it gives, within the memory, whole or not at all."
import gzip, os, signal, subprocess, sys
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from doors import exit_of_fork
from fsnb import as_columns, convert, read_data
from fsnb.data.convert import _cut, _read_memory, _Rows, _smallest_dtype
from fsnb.data.store import open_store, read_store_labels, read_store_names, write_store
from stores import dense, random_sparse

def write_text(path, X, y, base=1):
    rows = (f"{t} "+" ".join(f"{j+base}:{x:.17g}" for j, x in zip(row.indices, row.data)) for t, row in zip(y, sp.csr_matrix(X)))
    path.write_bytes((gzip.compress if path.suffix == ".gz" else bytes)(("\n".join(rows)+"\n").encode()))
    return path

def test_smallest_type_holds_every_bit():
    for values, dtype in (([1, 255], "u1"), ([-1, 127], "i1"), ([0, 256], "u2"), ([-300], "i2"),
                          ([70000], "i4"), ([2.**31], "f4"), ([.5], "f4"), ([.1], "f8"),
                          ([-0.], "f4"), ([1e300], "f8"), ([], "u1")):
        assert _smallest_dtype(np.array(values, float)) == dtype
        assert np.array_equal(np.array(values, float).astype(dtype), values)

# ---- each kind of source

@pytest.mark.parametrize("name, memory", [("d.svm", "1M"), ("zero.svm.gz", "64M"), ("d.npz", "1M"),
                                          ("csr.npz", "64M"), ("d.csv", "1M"), ("d.parquet", "1M")])
def test_files_give_what_reading_them_gives(tmp_path, name, memory, monkeypatch):
    X, y, path = random_sparse(np.float64, 3000, 40, seed=1).toarray(), np.arange(3000) % 3, tmp_path/name
    X[:2500, 30:] = 0                           # columns that come late, in the second run of rows
    X = sp.csc_matrix(X)
    if ".svm" in name: write_text(path, X, y, base="zero" not in name)
    elif name == "d.npz": np.savez(path, X=X.toarray(), y=y)
    elif name == "csr.npz": np.savez(path, y=y, format="csr", shape=X.shape, **{part: getattr(X.tocsr(), part) for part in ("data", "indices", "indptr")})
    else:
        frame = pd.DataFrame(X.toarray(), columns=[f"x{j}" for j in range(40)]).assign(y=y)
        frame.to_csv(path, index=False) if name == "d.csv" else frame.to_parquet(path)
    want = read_data(path)
    store = open_store(convert(path, tmp_path/"x.fsnb", memory, verbose=0), check=True)
    assert np.array_equal(dense(store.whole()), dense(want.X)) and np.array_equal(read_store_labels(store.path), want.y)
    named = read_store_names(store.path)
    assert (named is None and want.names is None) or list(named) == list(want.names)
    assert store.is_sparse == sp.issparse(want.X)
    small = open_store(convert(path, tmp_path/"y.fsnb", labels=y.astype(str), verbose=0))
    assert read_store_labels(small.path).tolist() == y.astype(str).tolist()
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([name, "x.fsnb", "y.fsnb"])

def test_what_is_in_memory(tmp_path):
    X = random_sparse(np.float32)
    frame = pd.DataFrame(X.toarray(), columns=[f"x{j}" for j in range(60)])
    np.save(tmp_path/"x.npy", X.toarray())
    for source in (X, X.tocsr(), X.toarray(), frame, as_columns(X), tmp_path/"x.npy"):
        path = convert(source, tmp_path/"x.fsnb", overwrite=True, verbose=0, labels=np.arange(40))
        assert np.array_equal(dense(open_store(path, True).whole()), X.toarray()) and read_store_labels(path)[7] == 7
        assert (read_store_names(path) is not None) == (source is frame)
    twice = sp.csr_matrix((np.ones(3), [0, 0, 1], [0, 2, 3]), (2, 2))         # a place that is stored twice
    assert dense(open_store(convert(twice, tmp_path/"t.fsnb", verbose=0), True).whole()).tolist() == [[2, 0], [0, 1]]

def test_what_is_wrong_is_one_line_and_leaves_nothing(tmp_path):
    X, old = random_sparse(), tmp_path/"old.fsnb"
    text, bad, nan = write_text(tmp_path/"x.svm", X, np.arange(40)), tmp_path/"bad.svm", tmp_path/"nan.svm"
    bad.write_text("1 1:2\n1 1:x\n")
    nan.write_text("1 1:2\n1 1:4 3:nan\n")
    np.save(tmp_path/"o.npy", np.array([[None]]))
    write_store(old, X)
    for source, given, told in (
            (bad, {}, "bad.svm: line 2: could not convert"), (nan, {}, "feature 3 of sample 1 is nan"), (text, dict(labels=[1]), "inconsistent numbers of samples: .40, 1"),
            (text, dict(names=["a"]), "name for each"), (text, dict(n_features=3), "lies beyond"),
            (old, {}, "is a store already"), (tmp_path/"o.npy", {}, "allow_pickle=False|objects"),
            (text, dict(memory="12"), "memory must be"), (np.array([[1., np.nan]]*2), {}, "NaN")):
        with pytest.raises((OSError, ValueError), match=told) as error: convert(source, tmp_path/"new.fsnb", verbose=0, **given)
        assert "\n" not in str(error.value)
    with pytest.raises(FileExistsError, match="overwrite=True replaces it"): convert(text, old, verbose=0)
    with pytest.raises(ValueError, match="line 2"): convert(bad, old, verbose=0, overwrite=True)
    for inside in (old, old/"x"):
        with pytest.raises(ValueError, match="lies inside"): convert(open_store(old), inside, verbose=0, overwrite=True)
    assert open_store(old, True).shape == X.shape
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.svm", "nan.svm", "o.npy", "old.fsnb", "x.svm"]
    assert [_read_memory(given) for given in ("1M", "1.5g", "2GiB", 2**20)] == [2**20, 3*2**29, 2**31, 2**20]

@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.filterwarnings("ignore:.*fork")
@pytest.mark.parametrize("sign, is_old", [(signal.SIGKILL, True), (signal.SIGINT, False)])
def test_killed_at_some_moment_there_is_the_old_store_or_none(tmp_path, sign, is_old, monkeypatch):
    X, target = random_sparse(np.float64, 4000, 60), tmp_path/"x.fsnb"
    text = write_text(tmp_path/"x.svm", X, np.arange(4000))
    if is_old: write_store(target, np.eye(3))
    add, done = _Rows.add, []
    def add_and_die(self, X):
        add(self, X)
        done.append(1)
        if len(done) == 2: os.kill(os.getpid(), sign)
    with monkeypatch.context() as patch:
        patch.setattr(_Rows, "add", add_and_die)
        assert exit_of_fork(lambda: convert(text, target, "1M", overwrite=True, verbose=0)) == (-9 if sign == signal.SIGKILL else 130)
    assert target.exists() == is_old and (not is_old or open_store(target, True).shape == (3, 3))
    assert any(tmp_path.glob(".x.fsnb.*.part")) == (sign == signal.SIGKILL)
    found = open_store(convert(text, target, "1M", overwrite=True, verbose=0), True)
    assert np.array_equal(dense(found.whole()), X.toarray())
    assert sorted(os.listdir(tmp_path)) == ["x.fsnb", "x.svm"]

def peaks(folder, *names, memory="16M"):
    "Peak memory in KB, and what was said, after the conversion of each file in a process of its own"
    code = ("import re, sys; from fsnb import convert\nfor name in sys.argv[2:]:\n"
            "    told = ''\n"
            "    try: convert(name, name+'.fsnb', sys.argv[1], verbose=0)\n"
            "    except ValueError as error: told = error\n"
            "    print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1], told)")   # ru_maxrss may be the parent's
    (folder/"tiny.svm").write_text("1 1:2\n-1 1:3\n")
    told = subprocess.check_output([sys.executable, "-c", code, memory, "tiny.svm", *names], cwd=folder, text=True)
    return [(int(line.split()[0]), line.partition(" ")[2]) for line in told.splitlines()]

@pytest.mark.skipif(sys.platform != "linux", reason="peak memory")
def test_memory_is_kept(tmp_path):
    "A text of 5 MB within 16M: beyond what the imports, and a file of two lines, take"
    row = " ".join(f"{j}:1.5" for j in range(1, 400, 2))
    with gzip.open(tmp_path/"x.svm.gz", "wb", 1) as file: file.write((f"1 {row}\n-1 {row}\n"*1500).encode())
    (tiny, _), (large, told) = peaks(tmp_path, "x.svm.gz")
    assert large-tiny < 16_384 and not told

@pytest.mark.skipif(sys.platform != "linux", reason="peak memory")
@pytest.mark.parametrize("name, told", [("rows", "rows and 2 columns are too many for a memory of 16777216 bytes: give 48 bytes"), ("line", "line 1 or a later one is too long, above 524288 bytes: convert with more memory"),
                                        ("blank", "line 1 or a later one is too long"), ("columns", "3 rows and 500001 columns are too many"), ("no", "")])
def test_memory_is_a_limit(tmp_path, name, told):
    "A few KB that unpack to a GB are refused, and a file that just fits is not: neither takes more than the memory"
    with gzip.open(tmp_path/"x.svm.gz", "wb", 6) as file:
        if name == "columns": file.write(b"1 1:1\n"+b"1 499999:1 500000:1\n"*2)
        elif name == "blank": file.write(b" "*10**7)
        elif name == "line": file.write(b"1 1:1\n1 "+b" ".join(b"%d:1" % j for j in range(1, 10**6))+b"\n")
        else: file.write((b"1 1:1.5 3:1e-300\n" if name == "no" else b"1 1:1\n")*(34*10**4 if name == "no" else 10**6))
    (tiny, _), (large, said) = peaks(tmp_path, "x.svm.gz")
    assert large-tiny < 16_384, large-tiny
    assert told in said and bool(told) == bool(said)
    assert (tmp_path/"x.svm.gz.fsnb").exists() == (not told) and len(os.listdir(tmp_path)) == (4 if told == "" else 3)

def test_every_way_keeps_to_the_memory(tmp_path):
    "Too many rows for the memory; many entries in a few rows or columns, where the average row has one"
    n = 30_000
    pd.DataFrame({"a": np.arange(n), "y": 1}).to_parquet(tmp_path/"x.parquet")
    np.save(tmp_path/"x.npy", np.ones((n, 2)))
    for name, more in (("x.parquet", dict(label="y")), ("x.npy", {})):
        with pytest.raises(ValueError, match=f"{n} rows and [12] columns are too many for a memory of 1048576 bytes"): convert(tmp_path/name, tmp_path/"x.fsnb", "1M", verbose=0, **more)
        convert(tmp_path/name, tmp_path/"y.fsnb", "2M", verbose=0, overwrite=True, **more)
    pointers = np.r_[np.arange(0, 10**6, 10**4), np.full(500, 10**6)]
    cuts = list(_cut(pointers, 2**20))
    assert cuts[0][0] == 0 and cuts[-1][1] == 599 and all(a[1] == b[0] for a, b in zip(cuts, cuts[1:]))
    assert max(pointers[stop]-pointers[start] for start, stop in cuts if stop-start > 1) <= 2**20//64
    with pytest.raises(ValueError, match="10000 rows"): list(_cut(pointers, 10**5))

@pytest.mark.skipif(os.name == "nt", reason="limits")
@pytest.mark.parametrize("name", ["x.svm", "x.npz", "x.npy", "x.parquet", "x.h5ad", "csr.h5ad"])
@pytest.mark.parametrize("most", [300, 2_000, 9_000, 40_000])
def test_a_full_disk_names_the_target(tmp_path, name, most):
    "Whichever file is too large for the disk: that of some rows, of the columns, the record or the names"
    X, y, source = random_sparse(np.float64, 3000, 40), np.arange(3000) % 2, tmp_path/name
    if name == "x.svm": write_text(source, X, y)
    elif name == "x.npz": np.savez(source, X=X.toarray(), y=y)
    elif name == "x.npy": np.save(source, X.toarray())
    elif name == "x.parquet": pd.DataFrame(X.toarray(), columns=[f"x{j}" for j in range(40)]).assign(y=y).to_parquet(source)
    else: pytest.importorskip("anndata").AnnData(X.tocsr() if name[0] == "c" else X, obs=pd.DataFrame(index=map(str, range(3000)))).write_h5ad(source)
    code = ("import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "from fsnb import convert\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),)*2)\n"      # bytes a file
            "try: convert(sys.argv[1], 'x.fsnb', '1M', verbose=0)\n"
            "except OSError as error: print(error)")
    told = subprocess.check_output([sys.executable, "-c", code, name, str(most)], cwd=tmp_path, text=True)
    assert told.startswith("cannot write ") and told.endswith("x.fsnb: File too large\n") and os.listdir(tmp_path) == [name]

"Rows to columns through the disk: the bytes of the transposition in memory, within the memory given, and nothing left behind."
import gzip, os, resource, signal, subprocess, sys, time
import numpy as np, pytest, scipy.sparse as sp
from fsnb.data import buckets as room_of, from_rows
from fsnb.data.buckets import Buckets, _cut_buckets, _gather_columns, _join_dtypes, _smallest_dtype, _sort_entries
from fsnb.data.files import read_data
from fsnb.data.from_rows import _is_csr, _store_csr, _store_svmlight
from fsnb.data.store import open_store, read_store_labels, read_store_names

def random_csr(seed):
    "Rows with empty ones among them, columns empty, dense and far apart, values of one kind"
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(1, 60)), int(rng.choice([1, 7, 300, 5000]))
    X = (rng.random((n, p)) < rng.choice([0, .02, .5], p)[None, :]*rng.choice([0, 1, 1], n)[:, None]).astype(float)
    kind = rng.integers(5)
    values = [np.ones, lambda k: rng.integers(-5, 5, k), lambda k: rng.integers(0, 60000, k), rng.standard_normal, lambda k: rng.standard_normal(k).astype(np.float32)][kind]
    S = sp.csr_matrix(X)
    S.data = np.asarray(values(S.nnz), float)                  # zeros that are stored are kept
    return S

def through(S, folder, memory, block=5, base=0, dtype=None, start=0):
    with Buckets(folder, memory, dtype) as b:
        for i in range(0, S.shape[0], block):
            part = S[i:i+block]
            b.add(np.diff(part.indptr), part.indices+base, part.data)
        parts = list(_gather_columns(b, S.shape[1], base, start))
        return [np.concatenate(own) for own in zip(*parts)], b, parts

@pytest.mark.parametrize("memory", [0, 2*10**6])
def test_the_bytes_of_the_transposition(tmp_path, monkeypatch, memory):
    monkeypatch.setattr(room_of, "_LEAST_ENTRIES", 64)
    monkeypatch.setattr(room_of, "_check_memory", lambda *args: memory > 0)
    runs = set()
    for seed in range(300 if memory else 100):
        S = random_csr(seed)
        (data, indices, counts), b, parts = through(S, tmp_path, memory, block=1+seed % 9, base=seed % 2)
        true = S.tocsc()
        assert b.dtype in (None, _smallest_dtype(S.data)) or not S.nnz or np.promote_types(b.dtype, _smallest_dtype(S.data)) == b.dtype
        assert data.astype(float).tobytes() == true.data.tobytes() and indices.tobytes() == true.indices.astype(np.int32).tobytes()
        assert np.array_equal(counts, np.diff(true.indptr))
        if S.nnz: runs.add(len(b.runs))
    assert max(runs) > 20 if memory == 0 else min(runs) == 0 and max(runs) >= 1           # both ways, in memory and by the disk
    assert os.listdir(tmp_path) == []

def test_from_a_column_on(tmp_path, monkeypatch):
    monkeypatch.setattr(room_of, "_LEAST_ENTRIES", 64)
    for seed in range(40):
        S = random_csr(seed)
        start = int(np.random.default_rng(seed).integers(0, S.shape[1]+1))
        if start == S.shape[1]: continue
        (data, indices, counts), _, _ = through(S, tmp_path, 10**6, start=start)
        true = S.tocsc()[:, start:]
        assert np.array_equal(data, true.data) and np.array_equal(indices, true.indices) and len(counts) == true.shape[1]

def test_a_sort_that_keeps_order():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        k, top = int(rng.integers(0, 500)), int(rng.choice([1, 2**11-1, 2**11, 2**22, 2**31-1]))
        entries = [rng.integers(0, top, k, dtype=np.int32), np.arange(k, dtype=np.int32), rng.standard_normal(k)]
        order = np.argsort(entries[0], kind="stable")
        true = [a[order] for a in entries]
        for mine, other in zip(_sort_entries(entries, [np.empty_like(a) for a in entries]), true): assert mine.tobytes() == other.tobytes()

def test_smallest_type_holds_every_bit():
    for seed in range(400):
        rng = np.random.default_rng(seed)
        x = [rng.integers(-2**int(rng.integers(1, 40)), 2**int(rng.integers(1, 40)), 9).astype(float), rng.standard_normal(9), np.float64(np.float32(rng.standard_normal(9))), np.array([0., -0.])][seed % 4]
        dtype = _smallest_dtype(x)
        assert x.astype(dtype).astype(float).tobytes() == x.tobytes()
        smaller = [d for d in (*room_of._WHOLE_DTYPES, np.float32) if np.dtype(d).itemsize < dtype.itemsize]
        with np.errstate(all="ignore"): assert not any(x.astype(d).astype(float).tobytes() == x.tobytes() for d in smaller)
        y = rng.integers(-300, 300, 5).astype(float)
        both = _join_dtypes(dtype, _smallest_dtype(y))
        assert np.array_equal(np.r_[x, y].astype(both).astype(float), np.r_[x, y])
    assert _join_dtypes(None, np.float32) == np.float32

def test_buckets_cover_all_columns():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        total, start = rng.integers(0, 9, rng.integers(1, 40)), 0
        start, capacity = int(rng.integers(0, len(total))), int(rng.integers(1, 30))
        at = _cut_buckets(total, start, capacity)
        assert at[0] == start and at[-1] == len(total) and (np.diff(at) > 0).all() and (np.diff(at) <= capacity).all()
        assert all(total[a:b].sum() <= capacity or b == a+1 for a, b in zip(at, at[1:]))

def test_memory_that_does_not_suffice_is_named(tmp_path):
    with Buckets(tmp_path, 1000) as b:
        b.add(np.array([1]), np.array([9999]), np.array([1.]))
        with pytest.raises(ValueError, match=r"memory must be at least 240032 bytes, for 10000 columns of up to 1 entries, got 1000"): next(_gather_columns(b, 10000))

# ---- files to stores

def write_svm(path, S, y, base=1):
    text = "".join(f"{t} "+" ".join(f"{j+base}:{x!r}" for j, x in zip(S[i].indices.tolist(), S[i].data.tolist()))+"\n" for i, t in enumerate(y)).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path

def same_store(store, X, y, names=None):
    columns, true = open_store(store, check=True), sp.csc_matrix(X)
    entries = columns.entries
    assert np.array_equal(entries.data, true.data) and np.array_equal(entries.indices, true.indices) and np.array_equal(entries.indptr, true.indptr)
    assert np.array_equal(read_store_labels(store), y)
    if names is not None: assert list(map(str, read_store_names(store))) == list(map(str, names))

@pytest.mark.parametrize("name", ["d.svm", "d.svm.gz"])
@pytest.mark.parametrize("base", [0, 1])
def test_a_store_holds_what_reading_gives(tmp_path, name, base):
    for seed in (3, 5, 8, 11, 12):
        S, rng = random_csr(seed), np.random.default_rng(seed)
        S = sp.csr_matrix(sp.vstack([S, sp.csr_matrix(np.ones((2, S.shape[1])))]))
        y = rng.integers(0, 2, S.shape[0])
        f = write_svm(tmp_path/name, S, y, base)
        said = []
        _store_svmlight(f, tmp_path/"d.fsnb", 10**7, overwrite=True, note=lambda done, total: said.append((done, total)))
        X, t, names = read_data(f)
        same_store(tmp_path/"d.fsnb", X, t, names)
        half = said.index((f.stat().st_size,)*2)
        assert said[0][1] == f.stat().st_size and said[-1][0] == said[-1][1] and all(a <= b for a, b in said) and half < len(said)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["d.fsnb", name]

def test_more_columns_than_occur_and_other_labels(tmp_path):
    (tmp_path/"d.svm").write_text("1 1:2 3:4\n-1 2:1\n")
    _store_svmlight(tmp_path/"d.svm", tmp_path/"d.fsnb", n_features=9, labels=["no", "yes"])
    assert open_store(tmp_path/"d.fsnb").n_features == 9 and read_store_labels(tmp_path/"d.fsnb").tolist() == ["no", "yes"]

@pytest.mark.parametrize("text, words", [("1 1:2\n1 1:x\n", "line 2: a feature must be index:value, got '1:x'"), ("", "no samples"), ("1\n-1\n", "no features"), ("1 1:1\n-1 3:inf\n", "feature 3 of sample 1 is inf"),
                                         ("nan 1:1\n1 1:2\n", "label of sample 0 is nan"), ("1 1:2\n1 2147483647:3\n", "line 2: index 2147483647 is far beyond all others")])
def test_bad_text_leaves_nothing(tmp_path, text, words):
    (tmp_path/"d.svm").write_text(text)
    with pytest.raises(ValueError) as error: _store_svmlight(tmp_path/"d.svm", tmp_path/"d.fsnb")
    assert words in str(error.value) and os.listdir(tmp_path) == ["d.svm"]
    if "label" not in words: assert str(error.value).startswith(str(tmp_path/"d.svm"))

@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.uint16, bool])
def test_csr_archives(tmp_path, dtype):
    for seed in (3, 5, 11):
        S = random_csr(seed)
        S = sp.csr_matrix(sp.vstack([S, sp.csr_matrix(np.ones((2, S.shape[1])))])).astype(dtype)
        y = np.random.default_rng(seed).choice(["a", "b"], S.shape[0])
        for save in (np.savez, np.savez_compressed):
            save(tmp_path/"d.npz", data=S.data, indices=S.indices, indptr=S.indptr, shape=S.shape, format="csr", y=y, feature_names=[f"g{j}" for j in range(S.shape[1])])
            assert _is_csr(tmp_path/"d.npz")
            _store_csr(tmp_path/"d.npz", tmp_path/"d.fsnb", 10**6, overwrite=True)
            same_store(tmp_path/"d.fsnb", S, y, [f"g{j}" for j in range(S.shape[1])])
    sp.save_npz(tmp_path/"c.npz", S.tocsc())
    np.savez(tmp_path/"x.npz", X=S.toarray())
    assert not _is_csr(tmp_path/"c.npz") and not _is_csr(tmp_path/"x.npz")

@pytest.mark.parametrize("change, words", [(dict(indices=np.array([0, 9])), "indices must lie in [0, 3), got 9"), (dict(indptr=np.array([0, 1, 9])), "indptr must begin with 0"), (dict(data=np.array([1., np.nan])), "feature 2 of sample 1 is nan"),
                                           (dict(shape=np.array([5, 3])), "does not fit shape"), (dict(indices=np.array([[0, 2]])), "must be a list of whole numbers"), (dict(data=np.array(["a", "b"])), "must be a list of numbers")])
def test_bad_archives_leave_nothing(tmp_path, change, words):
    parts = dict(data=np.array([1., 2]), indices=np.array([0, 2]), indptr=np.array([0, 1, 2]), shape=np.array([2, 3]), format="csr", y=[0, 1]) | change
    np.savez(tmp_path/"d.npz", **parts)
    with pytest.raises(ValueError) as error: _store_csr(tmp_path/"d.npz", tmp_path/"d.fsnb")
    assert words in str(error.value) and str(error.value).startswith(str(tmp_path/"d.npz")) and os.listdir(tmp_path) == ["d.npz"]

def test_a_row_that_names_a_column_twice(tmp_path):
    np.savez(tmp_path/"d.npz", data=np.ones(3), indices=np.array([1, 1, 0]), indptr=np.array([0, 2, 3]), shape=np.array([2, 3]), format="csr", y=[0, 1])
    assert open_store(_store_csr(tmp_path/"d.npz", tmp_path/"d.fsnb"), check=True).whole().toarray().tolist() == [[0, 2, 0], [1, 0, 0]]
    assert sorted(os.listdir(tmp_path)) == ["d.fsnb", "d.npz"]

# ---- what stops it

def big_text(path, n=3000, k=40, p=50_000):
    rng = np.random.default_rng(0)
    with open(path, "w") as file:
        for i in range(n): file.write(f"{i % 2} "+" ".join(f"{j}:{x:.4f}" for j, x in zip(np.unique(rng.integers(1, p, k)), rng.random(k)))+"\n")
    return path

STOPPED = """
import os, signal, sys
from fsnb.data import from_rows
phases = []
def note(done, total):
    if len(phases) == 0 or total != phases[-1][1]: phases.append((done, total))
    if len(phases) >= {phase} and done > .3*total: os.kill(os.getpid(), signal.{sign})
from_rows._store_svmlight(sys.argv[1], sys.argv[2], 3*10**6, note=note)
"""

@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("sign, phase", [("SIGKILL", 1), ("SIGKILL", 2), ("SIGTERM", 2)])
def test_killed_anywhere_nothing_opens_as_whole_and_no_temporary_file_stays(tmp_path, sign, phase):
    f, target = big_text(tmp_path/"d.svm"), tmp_path/"d.fsnb"
    done = subprocess.run([sys.executable, "-c", STOPPED.format(sign=sign, phase=phase), str(f), str(target)], capture_output=True, text=True)
    assert done.returncode == -getattr(signal, sign), done.stderr
    assert set(os.listdir(tmp_path)) <= {"d.svm", "d.fsnb.part"} and not target.exists()
    _store_svmlight(f, target, 3*10**6, resume=(tmp_path/"d.fsnb.part").exists())
    X, y, _ = read_data(f)
    same_store(target, X, y)
    assert sorted(os.listdir(tmp_path)) == ["d.fsnb", "d.svm"]

@pytest.mark.skipif(sys.platform != "linux", reason="a limit on the size of files")
def test_a_full_disk_is_one_error_and_leaves_nothing(tmp_path):
    f = big_text(tmp_path/"d.svm")
    code = ("import resource, signal, sys\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nfrom fsnb.data.from_rows import _store_svmlight\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
            "try: _store_svmlight(sys.argv[1], sys.argv[2], 3*10**6)\nexcept OSError as error: print(error)\n")
    done = subprocess.run([sys.executable, "-c", code, str(f), str(tmp_path/"d.fsnb")], capture_output=True, text=True)
    assert done.stderr == "" and done.stdout.count("\n") == 1 and "cannot write" in done.stdout and "File too large" in done.stdout
    assert os.listdir(tmp_path) == ["d.svm"]

@pytest.mark.skipif(sys.platform != "linux", reason="peak memory")
def test_memory_is_kept(tmp_path):
    "Five times the entries take no more memory"
    code = ("import resource, sys\nfrom fsnb.data.from_rows import _store_svmlight\n"
            "_store_svmlight(sys.argv[1], sys.argv[2], 3*10**6)\nprint(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n")
    peaks = []
    for n in (200, 3000, 15000):
        f = big_text(tmp_path/f"{n}.svm", n)
        done = subprocess.run([sys.executable, "-c", code, str(f), str(tmp_path/f"{n}.fsnb")], capture_output=True, text=True)
        peaks.append(int(done.stdout)*1024)
    assert peaks[2]-peaks[1] < 8e6, peaks                # 600,000 entries would be 9.6 MB in memory as they come

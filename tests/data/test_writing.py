"Writing: a file is there whole or not at all, and no input is written over."
import os, signal, subprocess, sys, threading
import numpy as np, pytest, scipy.sparse as sp
from fsnb.data.files import read_data
from fsnb.data.store import write_store
from fsnb.data.writing import check_apart, check_writable, _is_same_file, write_atomic, write_data

posix = pytest.mark.skipif(os.name != "posix", reason="signals, links, modes and limits")

def test_a_failed_write_leaves_the_old_file(tmp_path):
    file = tmp_path/"a.txt"
    file.write_text("old")
    for error in (OSError(28, "No space left on device"), KeyboardInterrupt(), RuntimeError()):
        def write(out):
            out.write(b"half")
            raise error
        with pytest.raises(type(error)) as told: write_atomic(file, write)
        if isinstance(error, OSError): assert str(told.value) == f"cannot write {file}: No space left on device"
    assert file.read_text() == "old" and os.listdir(tmp_path) == ["a.txt"]

@posix
def test_a_full_disk_is_told_then_and_beforehand(tmp_path):
    (tmp_path/"a.txt").write_text("old")
    code = ("import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "from fsnb.data.writing import check_writable, write_atomic\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"      # bytes a file
            "for ask, *more in (write_atomic, b'x'*5000), (check_writable,):\n"
            "    try: ask(sys.argv[1], *more)\n"
            "    except OSError as error: print(error)")
    told = subprocess.check_output([sys.executable, "-c", code, tmp_path/"a.txt"], text=True)
    assert [line.startswith("cannot write ") for line in told.splitlines()] == [True, True]
    assert (tmp_path/"a.txt").read_text() == "old" and os.listdir(tmp_path) == ["a.txt"]

@posix
def test_a_killed_writer_leaves_the_old_file(tmp_path):
    (tmp_path/"a.txt").write_text("old")
    code = ("import os, signal, sys; from fsnb.data.writing import write_atomic\n"
            "write_atomic(sys.argv[1], lambda f: (f.write(b'x'*10**6), f.flush(), os.kill(os.getpid(), signal.SIGKILL)))")
    assert subprocess.run([sys.executable, "-c", code, tmp_path/"a.txt"]).returncode == -signal.SIGKILL
    assert (tmp_path/"a.txt").read_text() == "old" and [p.suffix for p in tmp_path.glob(".*")] == [".part"]

def test_long_names_and_many_threads(tmp_path):
    for name in ("a.txt", "n"*250, "ü"*127):
        check_writable(tmp_path/name)
        write_atomic(tmp_path/name, "x"*10000)
    with pytest.raises(OSError, match="File name too long"): check_writable(tmp_path/("n"*256))
    texts = [str(i)*200_000 for i in range(8)]
    threads = [threading.Thread(target=write_atomic, args=(tmp_path/"a.txt", text)) for text in texts*2]
    for t in threads: t.start()
    for t in threads: t.join()
    assert (tmp_path/"a.txt").read_text() in texts and len(os.listdir(tmp_path)) == 3

@posix
def test_two_names_of_one_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path/"a").write_text("")
    (tmp_path/"sub").mkdir()
    os.link("a", "hard"); os.symlink("a", "soft"); os.symlink(tmp_path/"b", "dangling")
    one = [("a", "a"), ("a", "./sub/../a"), ("a", tmp_path/"a"), ("a", "hard"), ("a", "soft"), ("hard", "soft"), ("b", "b"), ("b", "dangling")]
    two = [("a", "b"), ("a", "sub"), ("b", "c"), ("soft", "dangling"), (os.devnull, os.devnull), ("sub/a", "a")]
    for x, y in one+two: assert _is_same_file(x, y) == _is_same_file(y, x) == ((x, y) in one), (x, y)
    for x, y in one:
        with pytest.raises(ValueError, match="are one file, which would be overwritten"): check_apart({"--out": y}, {"FILE": x})
        with pytest.raises(ValueError, match="are one file"): check_apart({"--out": y, "--plot": x})
    for x, y in two: check_apart({"--out": y}, {"FILE": x})

@posix
def test_where_nothing_can_be_written(tmp_path):
    (tmp_path/"file").write_text("")
    store = write_store(tmp_path/"x.fsnb", np.eye(3))
    for path, told in ((tmp_path/"no/a.txt", "there is no folder"), (tmp_path, "it is a folder|[Ii]s a directory"), (tmp_path/"file/a.txt", "Not a directory"),
                       (store/"mean.npy", "lie inside of a store"), (store/"new.json", "lie inside of a store")):
        for write in (check_writable, lambda path: write_atomic(path, "x")):
            with pytest.raises(OSError, match=f"cannot write .*({told})"): write(path)
    assert sorted(os.listdir(tmp_path)) == ["file", "x.fsnb"]

@posix
def test_links_modes_and_devices(tmp_path):
    real, link = tmp_path/"real.txt", tmp_path/"link.txt"
    real.write_text("old"); real.chmod(0o640); link.symlink_to(real)
    write_atomic(link, "new")
    assert link.is_symlink() and real.read_text() == "new" and real.stat().st_mode & 0o777 == 0o640
    before = os.umask(0o027)
    try: write_atomic(tmp_path/"fresh.txt", "x")
    finally: os.umask(before)
    assert (tmp_path/"fresh.txt").stat().st_mode & 0o777 == 0o640
    check_writable("/dev/null"); write_atomic("/dev/null", "gone")
    assert not os.path.isfile("/dev/null")

def test_data_there_and_back(tmp_path):
    for seed in range(15):
        rng = np.random.default_rng(seed)
        n, p = rng.integers(1, 12, 2)
        A = rng.standard_normal((n, p))*(rng.random((n, p)) < .4)
        A[-1, -1] = 1                               # svmlight forgets features after the last one that occurs
        y = rng.choice([-1., 0, 1, 2.5], n)
        for form in (np.asarray, sp.csc_matrix, sp.csr_matrix):
            for name, tol in (("d.npz", 0), ("d.svm", 1e-15)):
                write_data(tmp_path/name, form(A), y)
                X, t, _ = read_data(tmp_path/name)
                assert np.allclose(X.toarray() if sp.issparse(X) else X, A, rtol=tol, atol=0) and np.array_equal(t, y)
    write_data(tmp_path/"w.npz", A, np.array(["no"]*n, dtype=object), [f"x{j}" for j in range(p)])
    assert read_data(tmp_path/"w.npz").y.tolist() == ["no"]*n and read_data(tmp_path/"w.npz").names[0] == "x0"
    for name in ("d.csv", "d.svm.gz", "d"):
        with pytest.raises(ValueError, match="a data file to write ends in"): write_data(tmp_path/name, A, y)

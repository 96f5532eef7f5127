"benchmarks/datasets.py: what is fetched is checked and read, or not there; from a server on this machine"
import functools, hashlib, threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
import numpy as np, pytest, scipy.io, scipy.sparse as sp

from benchmarks import datasets
from benchmarks.datasets import all_sets, available, digest_of, get, load

X = np.arange(12.).reshape(4, 3) % 5
Y = np.array([0, 1, 1, 0])

class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args): pass

@pytest.fixture
def toy(tmp_path, monkeypatch):
    "A set at a local address, and an empty folder for it"
    (tmp_path/"home").mkdir()
    monkeypatch.setenv("FSNB_DATA", str(tmp_path/"home"))
    scipy.io.savemat(tmp_path/"toy.mat", dict(X=X, Y=Y[:, None]))
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=tmp_path))
    threading.Thread(target=server.serve_forever, args=(.01,), daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/toy.mat"
    yield datasets.DataSet((4, 3, 2), datasets.read_mat, (address,), digest=digest_of(X, Y))
    server.shutdown(), server.server_close()

def test_local_sets_are_those_of_the_digests():
    here = sorted(name for name in available() if name in all_sets() and all_sets()[name].digest)
    if len(here) < 20: pytest.skip("the folder has few of the sets")
    for name in here:
        A, y, _ = load(name)
        assert (*A.shape, len(np.unique(y))) == all_sets()[name].shape and digest_of(A, y) == all_sets()[name].digest, name

def test_a_digest_knows_no_order_and_no_storage():
    order = [2, 0, 3, 1]
    for form in (np.asfortranarray, sp.csr_matrix, sp.csc_matrix): assert digest_of(form(X[order]), Y[order]) == digest_of(X, Y)
    changed = X.copy()
    changed[1, 1] += 1
    assert len({digest_of(X, Y), digest_of(X, 1-Y), digest_of(changed, Y), digest_of(X[:, ::-1], Y), digest_of(np.c_[X, 0*Y], Y)}) == 5

def test_a_set_is_fetched_once(toy):
    path = get("toy", toy)
    before = path.stat().st_mtime_ns
    assert get("toy", toy).stat().st_mtime_ns == before and available() == ["toy"]
    assert np.array_equal(load("toy")[0], X) and np.array_equal(load("toy")[1], Y)

def test_other_data_are_refused_and_the_right_checksums_pass(toy, tmp_path):
    for change, words in ((dict(checksum="sha256:"+"0"*64), "does not match"),
                          (dict(checksum="git:"+"0"*40), "holds another file"),
                          (dict(shape=(5, 3, 2)), "not the data"),
                          (dict(digest="0"*16), "not the data")):
        with pytest.raises(ValueError, match=words): get("toy", toy._replace(**change))
        assert available() == []
    content = (tmp_path/"toy.mat").read_bytes()
    git = hashlib.sha1(b"blob %d\0" % len(content)+content)
    for kind, found in (("git", git), ("sha256", hashlib.sha256(content))):
        get("toy", toy._replace(checksum=f"{kind}:{found.hexdigest()}")).unlink()

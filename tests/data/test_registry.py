"The registry of data sets: what is fetched is whole, checked and read, or not there; all through addresses, here of local files"
import os, re, subprocess, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from fsnb.data import registry
from fsnb.data.registry import DataSet, all_sets, _digest_of, find_set, _get_data, get_set

ROOT = Path(__file__).resolve().parents[2]
X = np.arange(12.).reshape(4, 3) % 5
Y = np.array([0, 1, 1, 0])

@pytest.fixture
def toy(tmp_path):
    "A set at a local address, and an empty folder for it"
    (tmp_path/"home").mkdir()
    scipy.io.savemat(tmp_path/"toy.mat", dict(X=X, Y=Y[:, None]))
    one = DataSet("toy", ((tmp_path/"toy.mat").as_uri(),), "mat", (4, 3, 2), "none", {}, digest=_digest_of(X, Y))
    return one, tmp_path/"home"

def left(folder): return sorted(os.listdir(folder))

# ---- the table

def test_every_set_is_told_in_full():
    known = all_sets()
    assert len(known) >= 35 and all(name == one.name for name, one in known.items())
    for one in known.values():
        assert re.fullmatch(r"\w+", one.name) and one.reader in registry._READERS and len(one.shape) == 3 and min(one.shape) > 1
        assert one.addresses and all(re.match(r"https?://\S+$", a) for a in one.addresses)
        assert len({a.rsplit("/", 1)[1] for a in one.addresses}) == len(one.addresses) and one.licence
        assert re.fullmatch(r"(git:[0-9a-f]{40}|sha256:[0-9a-f]{64})?", one.checksum) and re.fullmatch(r"([0-9a-f]{16})?", one.digest)
        assert len(one.addresses) == 1 or not one.checksum

def test_sets_of_the_results_are_in_it():
    "What a benchmark's tables name is to be had, or it is said why not"
    import json
    def names(value):
        if isinstance(value, dict):
            if isinstance(value.get("data"), str): yield value["data"]
            for inner in value.values(): yield from names(inner)
        elif isinstance(value, list):
            for inner in value: yield from names(inner)
    used = {n for f in (ROOT/"benchmarks/results").glob("*.json") for n in names(json.loads(f.read_text(encoding="utf-8")))}
    real = {re.split(r"[ ,]", name)[0] for name in used if re.match(r"(?!made_|generated)[A-Za-z]+_|usps|bbc|vote|heart|clean|austra|isolet|splice|promoters|arrh|coil|warp|pixraw|TOX|ORL|BASE|chowd", name)}
    assert len(real) >= 15
    assert sorted(real-set(all_sets())-set(registry.NOT_TO_BE_HAD)) == []

def test_local_sets_are_those_of_the_digests(real_data):
    "Where the folder has a set, its digest is the registered one"
    sys.path.insert(0, str(ROOT))
    from benchmarks.realdata import available, load
    seen = 0
    if len(available()) < 20: pytest.skip("the folder has few of the sets")
    for name in sorted(set(available()) & set(all_sets())):
        one = find_set(name)
        if not one.digest: continue
        A, y, _ = load(name)
        assert (*A.shape, len(np.unique(y))) == one.shape and _digest_of(A, y) == one.digest, name
        seen += 1
    assert seen >= 20

def test_a_digest_knows_no_order_and_no_storage():
    order = [2, 0, 3, 1]
    for form in (np.asfortranarray, sp.csr_matrix, sp.csc_matrix, sp.coo_matrix):
        assert _digest_of(form(X[order]), Y[order]) == _digest_of(X, Y)
    assert _digest_of(X.astype(np.float32), Y.astype(float)) == _digest_of(X, Y)
    changed = X.copy()
    changed[1, 1] += 1
    assert len({_digest_of(X, Y), _digest_of(X, 1-Y), _digest_of(changed, Y), _digest_of(X[:, ::-1], Y), _digest_of(np.c_[X, 0*Y], Y)}) == 5

@pytest.mark.parametrize("name, words", [("colon_disk", "near it are colon_disc"), ("zzzzzz", "fsnb data list shows all"),
                                         ("psoriasis", "cannot be fetched: restricted"), ("../vote", "there is no data set")])
def test_a_name_that_cannot_be_had(name, words, tmp_path):
    with pytest.raises(ValueError, match=re.escape(words)): _get_data(name, tmp_path)
    assert left(tmp_path) == []

# ---- fetching

def test_a_set_is_fetched_once(toy):
    one, home = toy
    first = get_set(one, home)
    assert first.is_new and first.told == "the very data of this book's tables" and left(home) == ["toy.npz"]
    before = first.path.stat().st_mtime_ns
    assert not get_set(one, home).is_new and first.path.stat().st_mtime_ns == before
    assert get_set(one, home, overwrite=True).is_new
    with np.load(first.path) as z: assert np.array_equal(z["X"], X) and np.array_equal(z["y"], Y)

def test_a_written_set_is_read_by_the_benchmarks(toy, monkeypatch):
    one, home = toy
    monkeypatch.setenv("FSNB_DATA", str(home))
    get_set(one)
    sys.path.insert(0, str(ROOT))
    from benchmarks.realdata import available, load
    assert available() == ["toy"] and np.array_equal(load("toy")[0], X)

def test_other_data_are_told_apart(toy):
    one, home = toy
    assert get_set(one._replace(digest="0"*16), home).told.startswith("not the very data")
    assert get_set(one._replace(digest="", name="b"), home).told == "no digest is known of it"

@pytest.mark.parametrize("change, error, words", [
    (dict(checksum="sha256:"+"0"*64), ValueError, "holds another file: its sha256 checksum is"),
    (dict(checksum="git:"+"0"*40), ValueError, "holds another file: its git checksum is"),
    (dict(shape=(5, 3, 2)), ValueError, "must be (5, 3, 2), got (4, 3, 2)"),
    (dict(reader="svm"), ValueError, "toy: toy.mat cannot be read"), (dict(reader="terms", options=dict(stem="a")), ValueError, "cannot be read"),
    (dict(addresses=("file:///nowhere/at/all.mat",)), OSError, "file:///nowhere/at/all.mat cannot be read: No such file"),
    (dict(addresses=("http://127.0.0.1:9/a.mat",)), OSError, "http://127.0.0.1:9/a.mat cannot be read: Connection refused"),
    (dict(addresses=("nonsense",)), OSError, "nonsense cannot be read: No such file")])
def test_what_fails_leaves_nothing(toy, change, error, words):
    one, home = toy
    with pytest.raises(error, match=re.escape(words)) as caught: get_set(one._replace(**change), home)
    assert "\n" not in str(caught.value) and left(home) == []

def test_a_failed_renewal_keeps_the_old_file(toy):
    one, home = toy
    before = get_set(one, home).path.read_bytes()
    with pytest.raises(ValueError): get_set(one._replace(checksum="sha256:00"), home, overwrite=True)
    assert left(home) == ["toy.npz"] and (home/"toy.npz").read_bytes() == before

class Broken(BaseHTTPRequestHandler):
    "Announces more bytes than come; and knows no other page"
    def do_GET(self):
        if self.path != "/short.mat": return self.send_error(404)
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"x"*10)
    def log_message(self, *args): pass

@pytest.mark.parametrize("page, words", [("gone.mat", "cannot be read: Not Found"), ("short.mat", "cannot be read: ")])
def test_a_server_that_breaks_off(toy, page, words):
    one, home = toy
    server = ThreadingHTTPServer(("127.0.0.1", 0), Broken)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with pytest.raises(OSError, match=words): get_set(one._replace(addresses=(f"http://127.0.0.1:{server.server_port}/{page}",)), home)
    finally: server.shutdown(), server.server_close()
    assert left(home) == []

FULL = """
import resource, sys
from fsnb.data.registry import DataSet, get_set
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
one = DataSet("toy", (sys.argv[1],), "mat", (4, 3, 2), "none", {})
try: get_set(one, sys.argv[2])
except OSError as error: print(error)
"""

@pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
def test_a_full_disk_is_told_and_left_clean(tmp_path):
    (tmp_path/"home").mkdir()
    (tmp_path/"big.mat").write_bytes(bytes(100_000))
    done = subprocess.run([sys.executable, "-c", FULL, (tmp_path/"big.mat").as_uri(), str(tmp_path/"home")], capture_output=True, text=True, check=True)
    assert re.search(r"cannot write .*big\.mat: File too large", done.stdout) and done.stderr == "" and left(tmp_path/"home") == []

def test_folders_that_are_none(toy, monkeypatch):
    one, home = toy
    monkeypatch.delenv("FSNB_DATA", raising=False)
    with pytest.raises(ValueError, match="Set FSNB_DATA"): get_set(one)
    with pytest.raises(ValueError, match="there is no folder"): get_set(one, home/"none")

# ---- readers, on files as the sources have them

def read(tmp_path, name, files, **more):
    "A registered set, its shape replaced, from small files of the same form"
    one = find_set(name)
    for address, text in zip(one.addresses, files): (tmp_path/address.rsplit("/", 1)[1]).write_bytes(text if isinstance(text, bytes) else text.encode())
    (tmp_path/"home").mkdir()
    addresses = [(tmp_path/a.rsplit("/", 1)[1]).as_uri() for a in one.addresses]
    with np.load(get_set(one._replace(**more), tmp_path/"home", addresses).path) as z: return {k: z[k] for k in z.files}

def pack(kind, text):
    import bz2, gzip
    return dict(bz2=bz2.compress, gz=gzip.compress)[kind](text.encode())

@pytest.mark.parametrize("name, text, rows, labels", [
    ("heart", "70.0 1.0 2\n60.0 0.0 1\n", [[70, 1], [60, 0]], [1, 0]),
    ("austra", "1 22.08 0\n0 3 1\n", [[1, 22.08], [0, 3]], [0, 1]),
    ("vote", "republican,n,?\ndemocrat,y,n\n", [[-1, 0], [1, -1]], [1, 0]),
    ("lung_cancer", "1,0,?\n2,3,1\n", [[0, -1], [3, 1]], [1, 2]),
    ("coil2000", "3\t4\t0\n5\t6\t1\n", [[3, 4], [5, 6]], [0, 1]),
    ("arrhythmia", "75,?,8\n2,3,16\n", [[75, np.nan], [2, 3]], [8, 16]),
    ("promoters", "+,S10,\t\tacg\n-,AMPC,\tttt\n", [[0, 1, 2], [3, 3, 3]], [1, 0]),
    ("splice", "EI,  D1,   ACN\nN, D2, GTR\n", [[0, 1, 5], [2, 3, 6]], [0, 2])])
def test_tables_and_sequences(tmp_path, name, text, rows, labels):
    found = read(tmp_path, name, [text], shape=(2, len(rows[0]), 2), digest="")
    assert np.array_equal(found["X"], rows, equal_nan=True) and found["y"].tolist() == labels

def test_a_packed_table_with_names(tmp_path):
    text = "molecule\tconformation\tf1\tf2\ttarget\n0\t5\t1.5\t2\t1\n1\t6\t3\t4\t0\n"
    found = read(tmp_path, "clean1", [pack("gz", text)], shape=(2, 2, 2))
    assert found["X"].tolist() == [[1.5, 2], [3, 4]] and found["y"].tolist() == [1, 0]

def test_digits_of_libsvm(tmp_path):
    found = read(tmp_path, "usps", [pack("bz2", "1 1:-1 256:1\n10 2:0\n"), pack("bz2", "10 1:1\n")], shape=(3, 256, 2))
    assert found["y"].tolist() == [0, 9, 9] and found["n_train"] == 2 and found["X"][0, [0, 255]].tolist() == [0, 1]
    (tmp_path/"b").mkdir()
    found = read(tmp_path/"b", "mnist_3v8", [pack("bz2", "3 1:9\n7 1:1\n"), pack("bz2", "8 780:2\n")], shape=(2, 784, 2))
    assert found["y"].tolist() == [3, 8] and found["X"].shape == (2, 784) and found["n_train"] == 1

def test_advertisements_are_signed(tmp_path):
    found = read(tmp_path, "farm_ads", ["-1 1:1\n1 2:1 54877:1\n"], shape=(2, 54877, 2))
    assert found["y"].tolist() == [0, 1] and found["indices"].tolist() == [0, 1, 1] and str(found["format"]) == "csc"

def test_features_in_six_files(tmp_path):
    parts = ["1 2\n"*10, "3\n"*10, "4\n"*10, "5\n"*10, "6\n"*10, "7\n"*10]
    found = read(tmp_path, "mfeat", parts, shape=(10, 7, 10))
    assert found["X"][0].tolist() == [1, 2, 3, 4, 5, 6, 7] and found["y"].tolist() == list(range(10))

def test_a_label_of_no_class_is_told(tmp_path):
    with pytest.raises(ValueError, match="vote: house-votes-84.data cannot be read: the label 'green' is none of democrat"):
        read(tmp_path, "vote", ["green,n,y\n"], shape=(1, 2, 1))
    assert left(tmp_path/"home") == []

def test_what_r_needs_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "rdata", None)
    with pytest.raises(ImportError, match='pip install "rdata'): read(tmp_path, "colon_alon", [b"x"])
    assert left(tmp_path/"home") == []

def test_data_of_r(tmp_path, monkeypatch):
    import pandas as pd, types
    frame = pd.DataFrame([[1.5, 2], [3, 4]])
    monkeypatch.setitem(sys.modules, "rdata", types.SimpleNamespace(read_rda=lambda path: {"alon": {"x": frame, "y": pd.Categorical(["t", "n"])}}))
    found = read(tmp_path, "colon_alon", [b"x"], shape=(2, 2, 2))
    assert found["X"].tolist() == frame.to_numpy().tolist() and found["y"].tolist() == [1, 0]

def test_sets_of_this_disk_come_back_from_their_sources_form(real_data, tmp_path):
    "A local set, written as its source has it, fetched and read: the very data"
    sys.path.insert(0, str(ROOT))
    from benchmarks.realdata import available, load
    if "colon_disc" not in available(): pytest.skip("colon_disc is not there")
    A, y, _ = load("colon_disc")
    scipy.io.savemat(tmp_path/"colon.mat", dict(X=A.astype(np.int16), Y=y[:, None]))
    (tmp_path/"home").mkdir()
    fetched = _get_data("colon_disc", tmp_path/"home", [(tmp_path/"colon.mat").as_uri()])
    assert fetched.told == "the very data of this book's tables"

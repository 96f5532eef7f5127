"Files: every format says the same, a damaged one is refused in one line that names it, and nothing is read wrongly without a word."
import bz2, codecs, gzip, io, json, os, pickle, threading
import numpy as np, pandas as pd, pyarrow as pa, pyarrow.parquet as pq, pytest, scipy.sparse as sp
from sklearn.datasets import load_svmlight_file
from fsnb import GDM, FeatureGroups, convert
from fsnb.data.store import open_store
from fsnb.groups.max_t import feature_p_values
from fsnb.data import files
from fsnb.data.files import read_data, read_labels, read_positions
from stores import dense

r = np.random.default_rng(1)
y = np.arange(16) % 2
X = np.round(r.standard_normal((16, 5))+y[:, None], 3)
A = sp.csc_matrix(np.where(X > 0, X, 0))
NAMES = [*"abcde"]
FRAME = pd.DataFrame(X, columns=NAMES)
TABLE = FRAME.assign(label=y)
CSV = TABLE.to_csv(index=False).encode()
SVM = "".join(f"{k} "+" ".join(f"{j+1}:{v}" for j, v in enumerate(row))+"\n" for row, k in zip(X, y)).encode()
PARTS = dict(data=A.data, indices=A.indices, indptr=A.indptr, shape=np.array(A.shape), y=y)
RECORD = json.loads(GDM(2, tau=.7, chance=None).fit(FRAME, y).groups_.to_json())
PACK = {"gz": gzip.compress, "bz2": bz2.compress}

def said(call, *args, **kwargs):
    "The one line with which a call is refused"
    with pytest.raises((OSError, ValueError)) as error: call(*args, **kwargs)
    assert "\n" not in str(error.value) and "[Errno" not in str(error.value)
    assert not isinstance(error.value, UnicodeError)
    return str(error.value)

def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()

def spoilt(**changes): return npz(**PARTS | changes)

def parquet(frame):
    file = io.BytesIO()
    frame.to_parquet(file)
    return file.getvalue()

def record(**changes): return json.dumps(RECORD | changes).encode()

def flipped(content, at):
    "With one bit turned"
    return content[:at]+bytes([content[at] ^ 4])+content[at+1:]

GOOD = {
    "x.csv": CSV, "x.csv.gz": gzip.compress(CSV), "x.tsv": CSV.replace(b",", b"\t"),
    "x.tsv.bz2": bz2.compress(CSV.replace(b",", b"\t")), "x.svm": SVM, "x.svmlight": SVM,
    "x.svm.gz": gzip.compress(SVM), "x.libsvm.bz2": bz2.compress(SVM), "x.parquet": parquet(TABLE),
    "dense.npz": npz(X=X, y=y, feature_names=NAMES), "sparse.npz": npz(**PARTS, names=NAMES),
    "float16.npz": npz(X=X.astype("float16"), y=y, names=NAMES), "groups.json": record(),
    "bom.csv": b"\xef\xbb\xbf"+CSV, "crlf.csv": CSV.replace(b"\n", b"\r\n")}
BAD = {
    "empty.csv": b"", "noise.csv": r.bytes(4000), "utf16.csv": CSV.decode().encode("utf-16"), "html.csv": b"<!DOCTYPE html><html><body>404</body></html>",
    "cut.csv.gz": gzip.compress(CSV)[:-40], "flipped.csv.gz": flipped(gzip.compress(CSV, mtime=0), 60), "ragged.csv": b"a,b,label\n1,2,0\n1,2,3,4,5\n",
    "no_rows.csv": b"a,b,label\n", "no_label.csv": b"a,b\n1,1\n3,2\n", "only_label.csv": b"label\n0\n1\n", "name_twice.csv": b"a,a,label\n1,0,1\n2,1,0\n", "label_twice.csv": b"a,label,label\n1,0,1\n2,1,0\n",
    "words.csv": b"a,b,label\nx,1,0\ny,2,1\n", "missing.csv": b"a,b,label\n,1,0\n3,2,1\n4,,1\n", "infinite.csv": b"a,b,label\n1e400,1,0\n3,2,1\n",
    "missing_label.csv": b"a,y\n1,0\n2,\n", "no_names.csv": b"1,0\n2,1\n", "two_labels.csv": b"y,label\n1,2\n", "index.csv": b",a,y\n0,1,0\n1,2,1\n",
    "empty.svm": b"", "far.svm": b"1 2147483647:1\n-1 1:1\n",
    "nan.svm": b"1 1:nan\n-1 1:1\n", "label.svm": b"1 1:1\nb 1:2\n",
    "cut.svm.bz2": bz2.compress(SVM)[:-20],
    "none.svm.gz": b"no gzip", "flipped.svm.gz": flipped(gzip.compress(SVM, mtime=0), 60),
    "text.npz": b"hello\n", "cut.npz": npz(X=X, y=y)[:-30], "objects.npz": npz(X=np.array([[{}]], dtype=object), y=y), "no_X.npz": npz(matrix=X, y=y), "words.npz": npz(X=X.astype(str), y=y),
    "short_y.npz": npz(X=X, y=y[:3]), "square_y.npz": npz(X=X, y=np.eye(16)), "one_dimension.npz": npz(X=X[:, 0], y=y), "names_twice.npz": npz(X=X, y=y, names=np.array([*"aacde"])), "nan.npz": npz(X=X*np.nan, y=y),
    "row_too_large.npz": spoilt(indices=A.indices+100), "negative.npz": spoilt(indices=A.indices-9), "fraction.npz": spoilt(indices=A.indices+.5),
    "falling.npz": spoilt(indptr=A.indptr[::-1]), "minus.npz": spoilt(indptr=-A.indptr), "short.npz": spoilt(indptr=A.indptr[:2]), "jump.npz": spoilt(indptr=A.indptr*2),
    "few.npz": spoilt(data=A.data[:2]), "gaps.npz": spoilt(data=A.data*np.nan), "coo.npz": spoilt(format="coo"),
    "enormous.npz": spoilt(shape=np.array([10**18, 10**18])), "small.npz": spoilt(shape=(2, 2)), "below_0.npz": spoilt(shape=(-16, 5)),
    "cut.parquet": GOOD["x.parquet"][:-10], "csv.parquet": CSV, "pickle.npy": pickle.dumps(X),
    "list.json": b"[1, 2, 3]", "cut.json": record()[:-20], "deep.json": b"["*100_000, "words.json": record(n_features="five"), "fraction.json": record(members=[[j+.3 for j in own] for own in RECORD["members"]]),
    "another.json": record(format="another.Format"), "twice.json": record(members=[[0, 1], [1, 2]]), "too_large.json": record(members=[[99]]),
    "huge.json": record().replace(b'"n_features": 5', b'"n_features": 1'+b"0"*5000),
}

def read(path):
    return FeatureGroups.from_json(path) if path.suffix == ".json" else read_data(path)

def put(folder, name, content):
    (folder/name).write_bytes(content)
    return folder/name

@pytest.mark.parametrize("name", GOOD)
def test_a_right_file_is_read(tmp_path, name):
    path = put(tmp_path, name, GOOD[name])
    found = read(path)
    if name == "groups.json":
        assert found.to_json() == FeatureGroups.from_json(GOOD[name].decode()).to_json()
        return
    want = A.toarray() if "sparse" in name else X.astype("float16") if "16" in name else X
    assert np.array_equal(dense(found.X), want) and np.array_equal(found.y, y)
    assert list(map(str, found.names)) == ([*"12345"] if "svm" in name else NAMES)
    kind, *packed = path.suffixes
    path = path.rename(tmp_path/("data"+"".join(packed)))
    told = "svmlight" if "svm" in kind else kind[1:]
    assert np.array_equal(dense(read_data(path, format=told).X), want)

@pytest.mark.parametrize("name", BAD)
def test_a_damaged_file_is_refused(tmp_path, name):
    "In one sentence that names the file; nothing is left behind"
    assert name in said(read, put(tmp_path, name, BAD[name]))
    assert os.listdir(tmp_path) == [name]

# ---- svmlight

LINES = ["+1 1:2 3:4", "-1", "1 # 5:x", "", "# all", "  2.5  7:1e-3 ", "1 qid:3 1:2", "-1 2:1", "\t"]
WRONG = ["x 1:2", "1 1", "1 1:", "1 :2", "1 a:2", "1 1:b", "1 2:1 1:1", "1 2:1 2:1", "1 -1:2",
         "1 99999999999:1", "1,2 1:1", "1 1:2:3", "1 1.5:1"]

@pytest.mark.parametrize("packed, size", [("", 60), (".gz", 1 << 20)])
def test_a_broken_line_is_named(tmp_path, monkeypatch, packed, size):
    monkeypatch.setattr(files._read_rows, "__defaults__", (size,))
    path = tmp_path/f"d.svm{packed}"
    for bad in WRONG:
        path.write_bytes(PACK.get(packed[1:], bytes)("\n".join(LINES+[bad]+LINES).encode()))
        told = said(read_data, path)
        assert told.startswith(f"{path}: line {len(LINES)+1}: ") and told.endswith(f"in {bad!r}")

@pytest.mark.parametrize("base, packed", [(0, ".bz2"), (1, ".gz"), (1, "")])
def test_blocks_of_text_are_the_whole_file(tmp_path, monkeypatch, base, packed):
    "The features keep the file's numbers: whether the first is 0 or 1 is decided once a file"
    rng = np.random.default_rng(base)
    text = "".join(f"{i % 2} "+" ".join(f"{j}:{rng.standard_normal():.17g}" for j in np.flatnonzero(rng.random(30) < .3)+base+5*(i < 40))+"\n"
                   for i in range(60))+f"1 {base}:3"             # only the last line says where it begins; no line feed
    for mark in (b"", codecs.BOM_UTF8):
        path = tmp_path/f"d.svm{packed}"
        path.write_bytes(PACK.get(packed[1:], bytes)(mark+text.encode()))
        (tmp_path/"plain.svm").write_text(text)
        want, labels = load_svmlight_file(str(tmp_path/"plain.svm"), zero_based=base == 0)
        for size in (1, 100, 1 << 20):
            monkeypatch.setattr(files._read_rows, "__defaults__", (size,))
            X, y, names = read_data(path)
            assert (X != want).nnz == 0 and np.array_equal(y, labels) and names == range(base, X.shape[1]+base)
    assert read_data(path, n_features=99).X.shape == (61, 99)

def test_an_index_far_beyond_all_others(tmp_path):
    path = put(tmp_path, "d.svm", b"1 1:2 3:4\n0 qid:1 2:1 # 9:9\n0 1:1 2147483646:5\n")
    told = said(read_data, path)
    assert "index 2147483646 is far beyond all others, the next is 3; if it is meant" in told
    assert read_data(path, n_features=2147483646).X.shape == (3, 2147483646)
    assert "index 2147483646 lies beyond n_features=5" in said(read_data, path, n_features=5)
    path.write_text("1 2000000000:2\n0 2000000000:5\n")             # twice the same typing error
    assert "is far beyond all others" in said(read_data, path)
    row = " ".join(f"{j}:1" for j in range(9_000_000, 9_020_000))
    for text, p in (("1 1:2 3:4\n0 1:1 900000:5\n", 900_000),                     # not so many
                    (f"1 1:2 {row}\n0 1:1 80000000:5\n", 80_000_000)):            # not so far
        path.write_text(text)
        assert read_data(path).X.shape == (2, p)

def test_a_line_without_an_end(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_LONGEST_LINE", 1000)
    monkeypatch.setattr(files._read_rows, "__defaults__", (10,))
    path = put(tmp_path, "d.svm.gz", gzip.compress(b"1 1:1\n"+b" "*10**6))
    assert "too long" in said(read_data, path)

@pytest.mark.skipif(os.name != "posix", reason="names of pipes")
def test_text_is_read_from_a_pipe(tmp_path):
    os.mkfifo(tmp_path/"pipe")
    feeder = threading.Thread(target=lambda: (tmp_path/"pipe").write_bytes(SVM))
    feeder.start()
    assert np.array_equal(dense(read_data(tmp_path/"pipe", format="svmlight").X), X)
    feeder.join()

# ---- npz

def test_sparse_npz(tmp_path):
    for S in (A, A.tocsr()):
        sp.save_npz(tmp_path/"scipy.npz", S)
        got = read_data(tmp_path/"scipy.npz", labels=y)
        assert got.X.format == S.format and np.array_equal(dense(got.X), A.toarray()) and got.names is None
    path = put(tmp_path, "parts.npz", spoilt(y=y[:, None]))           # no word on the format: CSC
    got = read_data(path, names=NAMES)
    assert got.X.format == "csc" and np.array_equal(got.y, y) and got.names == NAMES

@pytest.mark.filterwarnings("error")
def test_one_byte_of_a_file_that_is_wrong(tmp_path):
    "Read as it should be or refused with the path in one line, and no file stays open"
    refused = 0
    np.save(tmp_path/"y.npy", y)
    labels = (tmp_path/"y.npy").read_bytes()
    # pandas' notes in a parquet are left out: where these are wrong its KeyError comes through
    pq.write_table(pa.Table.from_pandas(TABLE).replace_schema_metadata(), tmp_path/"x.parquet")
    table = (tmp_path/"x.parquet").read_bytes()
    for name, whole in (("s.npz", npz(**PARTS)), ("x.parquet", table), ("y.npy", labels)):
        for seed in range(20):
            rng = np.random.default_rng(seed)
            wrong = bytearray(whole)
            wrong[rng.integers(128 if name == "y.npy" else len(whole))] ^= 1 << rng.integers(8)
            (tmp_path/name).write_bytes(wrong)
            try: read_labels(tmp_path/name) if name == "y.npy" else read_data(tmp_path/name)
            except (OSError, ValueError) as e:
                refused += 1
                assert str(e).startswith(str(tmp_path/name)) and "\n" not in str(e), (name, seed, e)
    for content in (labels[:-30], labels[:9], b""):
        assert "y.npy" in said(read_labels, put(tmp_path, "y.npy", content))
    assert refused > 20

# ---- tables

def test_types_of_parquet(tmp_path):
    def written(**columns): return put(tmp_path, "d.parquet", parquet(pd.DataFrame(columns)))
    for kind in (np.int8, np.float32, bool):
        found = read_data(written(a=np.array([1, 0], kind), y=[0, 1])).X
        assert found.dtype == (np.int8 if kind is bool else kind) and found[:, 0].tolist() == [1, 0]
    path = written(a=pd.array([1, 2], dtype="Int64"), b=[1, 2], y=[0, 1])
    assert read_data(path).X.tolist() == [[1, 1], [2, 2]]
    for odd in (pd.Categorical(["3", "10"]), ["3", "10"], pd.to_datetime(["2020", "2021"])):       # their codes are no numbers
        assert "these columns are not: a (" in said(read_data, written(a=odd, y=[0, 1]))

def test_label_and_index_by_name(tmp_path):
    frame = pd.DataFrame({"a": [5, 6, 9], "group": ["u", "v", "v"]})
    frame.to_csv(tmp_path/"d.csv")
    frame.rename_axis("id").to_csv(tmp_path/"named.csv")
    frame.rename_axis("id").reset_index().to_parquet(tmp_path/"d.parquet")
    for name, index in (("d.csv", 0), ("d.csv", "0"), ("named.csv", "id"), ("d.parquet", "id")):
        found = read_data(tmp_path/name, "group", index=index)
        assert (found.X.tolist(), found.y.tolist(), found.names) == ([[5], [6], [9]], ["u", "v", "v"], ["a"])
    for option in ("index", "label"):
        told = said(read_data, put(tmp_path, "d.npz", GOOD["dense.npz"]), **{option: "a"})
        assert f"{option} is for csv, tsv, parquet" in told

ROWS = [(1.5, 2.25, "ill"), (3., 4., "well"), (5.5, 6., "ill")]

def table(sep=",", decimal=".", head="", names="a,b,state", end=""):
    lines = [names.replace(",", sep)]+[sep.join(map(str, row)).replace(".", decimal) for row in ROWS]
    return (head+"".join(line+end+"\n" for line in lines)).encode()

@pytest.mark.parametrize("content", [
    table(";", ","), table(";"), table("\t"), table("\t", ","), table(";", ",", "\ufeffsep=;\r\n"), table(head="# made by a machine\n"),
    table(end=",")], ids=["european", "semicolon", "tab", "tab and comma", "excel", "remark", "nameless and empty"])
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_tables_as_people_have_them(tmp_path, content, packed):
    "Public reports: nyetwurk/ecuxplot 14 and mindsdb/mindshub 46, semicolons and decimal commas"
    found = read_data(put(tmp_path, "d.csv"+packed, PACK.get(packed[1:], bytes)(content)), "state")
    assert found.X.tolist() == [[1.5, 2.25], [3, 4], [5.5, 6]] and found.names == ["a", "b"] and found.y.tolist() == ["ill", "well", "ill"]
    assert read_data(tmp_path/("d.csv"+packed), 2).names == ["a", "b"]          # the label by position

CAUSES = {
    table()+b"1,2\n": "line 5 is cut short of the line of names, 2 fields for 3",               # h2oai/datatable 575: filled in silently
    table()[:-6]+b"\n": "line 4 is cut short", table()+b"1,2,ill,3\n": "line 5 is longer than the line of names",
    table(names="gr\u00f6\u00dfe,b,state").decode().encode("latin-1"): "byte 0xf6 in 'gr\u00f6\u00dfe,b,stat' is no UTF-8",    # csvkit 168
    table(names="a,a,state"): "Duplicate names are not allowed", table().split(b"\n", 1)[1]+b"1.5,2,ill\n": "the first line must hold the names",
    b'a,b,c,state\n1,"1,408",x,0\n2,"1,511",y,1\n': "these columns are not: b ('1,408'), c ('x'); leave them out by drop='b,c', encode",  # OpenCompare 143
    b"a,b,state\n1,?,0\n2,3,1\n": "b ('?')", b"a,b,state\n1,,0\n2,3,1\n": "fill them in by impute='median', or leave them out by drop='b'"}

@pytest.mark.parametrize("content", CAUSES)
def test_a_table_is_refused_with_its_cause_and_cure(tmp_path, content):
    assert CAUSES[content] in said(read_data, put(tmp_path, "d.csv", content), "state")

def test_columns_are_left_out_encoded_and_filled_in(tmp_path):
    frame = pd.DataFrame({"id": [*"uvwx"], "sex": ["m", "f", "m", "f"], "site": [*"abca"], "age": [3., np.nan, 5, 7], "y": [0, 1, 0, 1]})
    frame.to_csv(tmp_path/"d.csv", index=False)
    frame.to_parquet(tmp_path/"d.parquet")
    for name in ("d.csv", "d.parquet"):
        found = read_data(tmp_path/name, "y", drop="id", categories="onehot", impute="median")
        assert found.names == ["age", "sex_m", "site_a", "site_b", "site_c"]
        assert found.X.T.tolist() == [[3, 5, 5, 7], [1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]]
        convert(tmp_path/name, tmp_path/"s.fsnb", label=4, drop=["id"], categories="onehot", impute="median", overwrite=True, verbose=0)
        assert np.array_equal(open_store(tmp_path/"s.fsnb").whole(), found.X)
    assert read_data(tmp_path/"d.csv", "y", drop="0,1,site", impute="mean").X.ravel().tolist() == [3, 5, 5, 7]

@pytest.mark.parametrize("fit", [lambda X, y: GDM(1).fit(X, y), lambda X, y: feature_p_values(X, y)])
def test_y_in_another_order_than_x_is_refused(fit):
    "scikit-learn 25419: both are pandas, and their order differs, or some rows of X; wholly other names may be of anything"
    frame, labels = pd.DataFrame(X, [f"s{i}" for i in range(16)], NAMES), pd.Series(y, [f"s{i}" for i in range(16)])
    with pytest.raises(ValueError, match="y has the index of X in another order: give y.reindex"): fit(frame, labels[::-1])
    shifted = labels.set_axis([*labels.index[1:], "s16"])
    with pytest.raises(ValueError, match="y has only 15 of the 16 names in the index of X: give X and y the same rows"): fit(frame, shifted)
    for right in (labels, labels.reset_index(drop=True), labels.to_numpy()): fit(frame, right)

# ---- labels and names from elsewhere

def test_labels_are_words_where_two_would_become_one_number(tmp_path):
    big = ["9007199254740993.0", "9007199254740992", "1"]
    for words, want in ((["1", "2", "1"], [1, 2, 1]), (["1.0", "2.5", "1.0"], [1, 2.5, 1]),
                        *((w, w) for w in (["001", "01", "1"], [*"a12"], ["1", "1.0", "2"], big))):
        (tmp_path/"y.txt").write_text("\n".join(words)+"\n\n")
        assert read_labels(tmp_path/"y.txt").tolist() == want

def test_labels_and_names_from_elsewhere(tmp_path):
    path, words = put(tmp_path, "d.npz", GOOD["dense.npz"]), ["a", "b"]*8
    np.save(tmp_path/"y.npy", y+3)
    (tmp_path/"y.txt").write_text("\n".join(words))
    for given, want in ((tmp_path/"y.npy", y+3), (tmp_path/"y.txt", words), (pd.Series(words), words),
                        (np.array(words, "S"), words)):
        assert read_data(path, labels=given).y.tolist() == list(want)
    for given, told in (([1, 2], "inconsistent numbers of samples: [16, 2]"),
                        (np.where(y, y, np.nan), "y contains NaN")):
        assert told in said(read_data, path, labels=given)
    (tmp_path/"names.txt").write_text("the\nü, b\nc\nd\n5\n")
    assert read_data(path, names=tmp_path/"names.txt").names == ["the", "ü, b", "c", "d", "5"]
    for names, told in (("ab", "each of the 5 features, got 2"), ("abade", "a comes more than")):
        assert told in said(read_data, path, names=[*names])
    (tmp_path/"y.txt").write_text("a\nNA\nb\n")
    assert said(read_labels, tmp_path/"y.txt").endswith("y.txt: line 2: the label is missing")
    np.save(tmp_path/"y.npy", np.array([{}], dtype=object))
    assert "allow_pickle=False" in said(read_labels, tmp_path/"y.npy")

# ---- positions

POSITIONS = {
    "10\n20\n5\n": None, "10 1\n20 1\n5 X\n": "11X", "a,10\nb,20\nc,5\n": None,
    "a\t10\t1\nb\t20\t1\nc\t5\tX\n": "11X", "#CHROM\tID\tPOS\n1\ta\t10\n1\tb\t20\nX\tc\t5\n": "11X",
    "name,position\na,10\nb,20\nc,5\n": None, "1 a 0 10 A G\n1 b 0 20 A G\nX c 0 5 A G\n": "11X"}
BAD_POSITIONS = {
    "name,pos\nb,1\na,2\nc,3\n": "line 2: this must be feature a, got b",
    "a,1\nb,x\nc,3\n": "without a number on lines [2]", "a 1 1\nb 2 \nc 3 1\n": "",
    "1 10\n1 20\n1 30\n": "more chromosomes than different positions"}

def test_positions(tmp_path):
    for text, want in (POSITIONS | BAD_POSITIONS).items():
        name = "m.bim" if "A G" in text else "m.txt.gz"
        path = put(tmp_path, name, text.encode() if "A G" in text else gzip.compress(text.encode()))
        if text in BAD_POSITIONS:
            message = said(read_positions, path, 3, ["a", "b", "c"])
            assert message.startswith(str(path)) and want in message
            continue
        positions, found = read_positions(path, 3, ["a", "b", "c"])
        assert positions.tolist() == [10, 20, 5]
        assert (found if found is None else "".join(found)) == want

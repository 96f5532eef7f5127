"Files: every format says the same, an error names file and place, and nothing is read wrongly without a word."
import bz2, codecs, gzip, os, threading
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from sklearn.datasets import load_svmlight_file
from fsnb.data import files
from fsnb.data.files import file_format, read_data, read_labels, read_positions, read_vocabulary

X0 = np.array([[1., 0, 7], [2, 0, 5], [3, 9, 0], [5, 0, 1.5]])
Y0 = np.array([-1, -1, 1, 1])
TEXT = "".join(f"{t} "+" ".join(f"{j+1}:{x:g}" for j, x in enumerate(r) if x)+"\n" for t, r in zip(Y0, X0))
PACK = {"gz": gzip.compress, "bz2": bz2.compress}


def dense(X): return X.toarray() if sp.issparse(X) else X


def said(call, *args, **kwargs):
    "The one line with which a call is refused"
    with pytest.raises((OSError, ValueError)) as error: call(*args, **kwargs)
    assert "\n" not in str(error.value) and "[Errno" not in str(error.value)
    return str(error.value)


def save(path, kind):
    frame = pd.DataFrame(X0, columns=["a", "b", "c"])
    frame.insert(1, "Label", Y0)
    kind, _, packed = kind.partition(".")
    if kind == "npz": np.savez(path, X=X0, y=Y0, feature_names=["a", "b", "c"])
    elif kind == "parquet": frame.to_parquet(path)
    else:
        text = TEXT if "svm" in kind else frame.to_csv(index=False, sep="\t" if kind == "tsv" else ",")
        path.write_bytes(PACK.get(packed, bytes)(text.encode()))
    return path


@pytest.mark.parametrize("kind", ["svm", "svmlight", "libsvm", "svm.gz", "libsvm.bz2", "npz", "csv", "tsv", "csv.gz", "tsv.bz2", "parquet"])
def test_formats_agree(tmp_path, kind):
    path = save(tmp_path/f"d.{kind}", kind)
    X, y, names = read_data(path)
    assert np.array_equal(dense(X), X0) and np.array_equal(y, Y0)
    assert list(map(str, names)) == (["1", "2", "3"] if "svm" in kind else ["a", "b", "c"])
    path.rename(tmp_path/("D"+"".join(path.suffixes[1:])))
    assert np.array_equal(read_data(tmp_path/("D"+"".join(path.suffixes[1:])), format=kind.split(".")[0].replace("libsvm", "svm").replace("svmlight", "svm").replace("svm", "svmlight")).y, Y0)


def test_formats_that_are_none(tmp_path):
    for name in ("a.txt", "a.npz.gz"):
        assert f"{name}: a data file ends in .svm" in said(file_format, name)
    assert "make a .bed of it" in said(file_format, "a.vcf.gz") and "for any other name give the format" in said(file_format, "a.svm", "text")
    for path, told in ((tmp_path/"no.csv", "No such file"), (tmp_path, "s a directory")): assert told in said(read_data, path, format="csv")
    (tmp_path/"empty.csv").write_text("")
    assert said(read_data, tmp_path/"empty.csv").endswith("the file is empty")


# ---- svmlight

GOOD = ["+1 1:2 3:4", "-1", "1 # 5:x", "", "# all", "  2.5  7:1e-3 ", "1 qid:3 1:2", "-1 2:1", "\t"]
BAD = ["x 1:2", "1 1", "1 1:", "1 :2", "1 a:2", "1 1:b", "1 2:1 1:1", "1 2:1 2:1", "1 -1:2", "1 99999999999:1", "1,2 1:1", "1 1:2:3"]

@pytest.mark.parametrize("packed, size", [("", 60), (".gz", 1 << 20)])
def test_a_broken_line_is_named(tmp_path, monkeypatch, packed, size):
    monkeypatch.setattr(files._read_rows, "__defaults__", (size,))
    path = tmp_path/f"d.svm{packed}"
    for bad in BAD:
        path.write_bytes(PACK.get(packed[1:], bytes)("\n".join(GOOD+[bad]+GOOD).encode()))
        told = said(read_data, path)
        assert told.startswith(f"{path}: line {len(GOOD)+1}: ") and told.endswith(f"in {bad!r}")


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
    path = tmp_path/"d.svm"
    path.write_text("1 1:2 3:4\n0 qid:1 2:1 # 9:9\n0 1:1 2147483646:5\n")
    assert "index 2147483646 is far beyond all others, the next is 3; if it is meant, give the number of columns as n_features (--columns 2147483646)" in said(read_data, path)
    assert read_data(path, n_features=2147483646).X.shape == (3, 2147483646)
    assert "index 2147483646 lies beyond n_features=5" in said(read_data, path, n_features=5)
    path.write_text("1 2000000000:2\n0 2000000000:5\n")             # twice the same typing error
    assert "is far beyond all others" in said(read_data, path)
    path.write_text("1 1:2 3:4\n0 1:1 900000:5\n"); assert read_data(path).X.shape == (2, 900000)          # not so many
    row = " ".join(f"{j}:1" for j in range(9_000_000, 9_020_000))
    path.write_text(f"1 1:2 {row}\n0 1:1 80000000:5\n"); assert read_data(path).X.shape == (2, 80000000)    # not so far


def test_damaged_packing_and_lines_without_an_end(tmp_path, monkeypatch):
    whole = gzip.compress("".join(f"1 1:{i}\n" for i in range(9999)).encode())
    for content in (whole[:len(whole)//2], whole[:60]+b"?"*9+whole[69:], b"no gzip"):
        (tmp_path/"d.svm.gz").write_bytes(content)
        assert said(read_data, tmp_path/"d.svm.gz").startswith(str(tmp_path/"d.svm.gz"))
    monkeypatch.setattr(files, "_LONGEST_LINE", 1000)
    monkeypatch.setattr(files._read_rows, "__defaults__", (10,))
    (tmp_path/"d.svm.gz").write_bytes(gzip.compress(b"1 1:1\n"+b" "*10**6))
    assert "too long" in said(read_data, tmp_path/"d.svm.gz")


@pytest.mark.skipif(os.name != "posix", reason="names of pipes")
def test_text_is_read_from_a_pipe(tmp_path, kind="svmlight"):
    content = save(tmp_path/"d", kind).read_bytes()
    os.mkfifo(tmp_path/"pipe")
    feeder = threading.Thread(target=lambda: (tmp_path/"pipe").write_bytes(content))
    feeder.start()
    assert np.array_equal(dense(read_data(tmp_path/"pipe", format=kind).X), X0)
    feeder.join()


# ---- npz

def test_sparse_npz(tmp_path):
    for S in (sp.csc_matrix(X0), sp.csr_matrix(X0)):
        sp.save_npz(tmp_path/"scipy.npz", S)
        got = read_data(tmp_path/"scipy.npz", labels=Y0)
        assert got.X.format == S.format and np.array_equal(dense(got.X), X0) and got.names is None
    C = sp.csc_matrix(X0)                                              # the parts, with no word on the format: CSC
    np.savez(tmp_path/"parts.npz", data=C.data, indices=C.indices, indptr=C.indptr, shape=C.shape, y=Y0[:, None])
    got = read_data(tmp_path/"parts.npz", names=["a", "b", "c"])
    assert got.X.format == "csc" and np.array_equal(got.y, Y0) and got.names == ["a", "b", "c"]


def bad_archives():
    "Beside those of tests/test_bad_files.py"
    C = sp.csc_matrix(X0)
    parts = dict(data=C.data, indices=C.indices, indptr=C.indptr, shape=C.shape, y=Y0)
    yield dict(matrix=X0), "holds matrix"
    yield dict(X=X0, y=np.eye(4)), "shape (4, 4)"
    yield parts | dict(format="coo"), "csc or csr, got coo"
    for shape in ((2, 2), [-4, 3]): yield parts | dict(shape=shape), ""
    yield parts | dict(indices=C.indices+.5), "whole numbers"
    yield parts | dict(indices=C.indices-9), ""
    for indptr in ([0, 9], [0, 9, 1, 5], -C.indptr): yield parts | dict(indptr=indptr), ""
    yield parts | dict(data=C.data[:2]), ""
    yield parts | dict(data=C.data*np.nan), "missing values"


def test_an_archive_from_a_stranger(tmp_path):
    path = tmp_path/"d.npz"
    for arrays, told in bad_archives():
        np.savez(path, **arrays)
        message = said(read_data, path)
        assert message.startswith(f"{path}: ") and told in message


@pytest.mark.filterwarnings("error")
def test_one_byte_of_a_file_that_is_wrong(tmp_path):
    "Read as it should be or refused with the path in one line, and no file stays open"
    C, refused = sp.csc_matrix(X0), 0
    np.savez(tmp_path/"s.npz", data=C.data, indices=C.indices, indptr=C.indptr, shape=C.shape, y=Y0)
    np.save(tmp_path/"y.npy", Y0)
    save(tmp_path/"x.parquet", "parquet")
    for name in ("s.npz", "x.parquet", "y.npy"):
        whole = (tmp_path/name).read_bytes()
        for seed in range(20):
            rng = np.random.default_rng(seed)
            wrong = bytearray(whole)
            wrong[rng.integers(128 if name == "y.npy" else len(whole))] ^= 1 << rng.integers(8)
            (tmp_path/name).write_bytes(wrong)
            try: read_labels(tmp_path/name) if name == "y.npy" else read_data(tmp_path/name)
            except (OSError, ValueError) as e:
                refused += 1
                assert str(e).startswith(str(tmp_path/name)) and "\n" not in str(e), (name, seed, e)
        for content in (whole[:-30], whole[:9], b""):
            (tmp_path/name).write_bytes(content)
            assert said(read_labels if name == "y.npy" else read_data, tmp_path/name).startswith(str(tmp_path/name))
    assert refused > 20


# ---- tables

BAD_TABLES = {
    "a,y\n1,0\n2,\n": "label y is missing in row 2", "1,0\n2,1\n": "must hold the names",
    "a,y\n1,0,9\n2,1,9\n": "longer than the first line", "y,label\n1,2\n": "several",
    ",a,y\n0,1,0\n1,2,1\n": "column 0 has no name and may be an index"}

def test_bad_tables(tmp_path):
    path = tmp_path/"d.csv.gz"
    for text, told in BAD_TABLES.items():
        path.write_bytes(gzip.compress(text.encode()))
        message = said(read_data, path)
        assert message.startswith(str(path)) and told in message


def test_types_of_parquet(tmp_path):
    path = tmp_path/"d.parquet"
    for kind in (np.int8, np.float32, bool):
        pd.DataFrame({"a": np.array([1, 0], kind), "y": [0, 1]}).to_parquet(path)
        X = read_data(path).X
        assert X.dtype == (np.int8 if kind is bool else kind) and X[:, 0].tolist() == [1, 0]
    pd.DataFrame({"a": pd.array([1, 2], dtype="Int64"), "b": [1, 2], "y": [0, 1]}).to_parquet(path)
    assert read_data(path).X.tolist() == [[1, 1], [2, 2]]
    for odd in (pd.Categorical(["3", "10"]), ["3", "10"], pd.to_datetime(["2020", "2021"])):       # their codes are no numbers
        pd.DataFrame({"a": odd, "y": [0, 1]}).to_parquet(path)
        assert "these columns are not: a" in said(read_data, path)


def test_label_and_index_by_name(tmp_path):
    frame = pd.DataFrame({"a": [5, 6, 9], "group": ["u", "v", "v"]})
    frame.to_csv(tmp_path/"d.csv")
    frame.rename_axis("id").to_csv(tmp_path/"named.csv")
    frame.rename_axis("id").reset_index().to_parquet(tmp_path/"d.parquet")
    for name, index in (("d.csv", 0), ("d.csv", "0"), ("named.csv", "id"), ("d.parquet", "id")):
        X, y, names = read_data(tmp_path/name, "group", index=index)
        assert (X.tolist(), y.tolist(), names) == ([[5], [6], [9]], ["u", "v", "v"], ["a"])
    for option in ("index", "label"): assert f"{option} is for csv, tsv, parquet" in said(read_data, save(tmp_path/"d.npz", "npz"), **{option: "a"})


# ---- labels and names from elsewhere

@pytest.mark.parametrize("words, want", [
    (["001", "01", "1"], ["001", "01", "1"]), (["1", "2", "1"], [1, 2, 1]), (["1.0", "2.5", "1.0"], [1, 2.5, 1]), (["a", "1", "2"], ["a", "1", "2"]),
    (["1", "1.0", "2"], ["1", "1.0", "2"]), (["9007199254740993.0", "9007199254740992", "1"], ["9007199254740993.0", "9007199254740992", "1"])])
def test_labels_are_words_where_two_would_become_one_number(tmp_path, words, want):
    (tmp_path/"y.txt").write_text("\n".join(words)+"\n\n")
    assert read_labels(tmp_path/"y.txt").tolist() == want


def test_labels_from_elsewhere(tmp_path):
    path = save(tmp_path/"d.npz", "npz")
    np.save(tmp_path/"y.npy", Y0+3)
    (tmp_path/"y.txt").write_text("a\nb\na\nb\n")
    for given, want in ((tmp_path/"y.npy", Y0+3), (tmp_path/"y.txt", ["a", "b"]*2), (pd.Series(["u", "v"]*2), ["u", "v"]*2), (np.array([b"x", b"y"]*2), ["x", "y"]*2)):
        assert read_data(path, labels=given).y.tolist() == list(want)
    for given, told in (([1, 2], "4 samples, a number or a word, got int64 of shape (2,)"),
                        ([1, 2, np.nan, 3], "label of sample 2 is nan")):
        assert told in said(read_data, path, labels=given)
    (tmp_path/"y.txt").write_text("a\nNA\nb\n")
    assert said(read_labels, tmp_path/"y.txt").endswith("y.txt: line 2: the label is missing")
    np.save(tmp_path/"y.npy", np.array([{}], dtype=object))
    assert "allow_pickle=False" in said(read_labels, tmp_path/"y.npy")


def test_vocabularies(tmp_path):
    (tmp_path/"words.txt").write_text("the\nü, b\nc\n")
    assert read_vocabulary(tmp_path/"words.txt", 3) == ["the", "ü, b", "c"]
    assert "each of the 3 features, got 2" in said(read_vocabulary, ["a", "b"], 3)
    assert "a comes more than once" in said(read_vocabulary, ["a", "b", "a"], 3)


# ---- positions

@pytest.mark.parametrize("text, chromosomes", [
    ("10\n20\n5\n", None), ("10 1\n20 1\n5 X\n", ["1", "1", "X"]), ("a,10\nb,20\nc,5\n", None), ("a\t10\t1\nb\t20\t1\nc\t5\tX\n", ["1", "1", "X"]),
    ("#CHROM\tID\tPOS\n1\ta\t10\n1\tb\t20\nX\tc\t5\n", ["1", "1", "X"]), ("name,position\na,10\nb,20\nc,5\n", None)])
def test_positions(tmp_path, text, chromosomes):
    (tmp_path/"m.txt.gz").write_bytes(gzip.compress(text.encode()))
    positions, found = read_positions(tmp_path/"m.txt.gz", 3, ["a", "b", "c"])
    assert positions.tolist() == [10, 20, 5] and (None if found is None else found.tolist()) == chromosomes


def test_positions_of_bim(tmp_path):
    (tmp_path/"m.bim").write_text("1 rs1 0 500 A G\n2 rs2 0 70 A G\n")
    positions, chromosomes = read_positions(tmp_path/"m.bim", 2, ["rs1", "rs2"])
    assert positions.tolist() == [500, 70] and chromosomes.tolist() == ["1", "2"]


BAD_POSITIONS = {
    "name,pos\nb,1\na,2\nc,3\n": "line 2: this must be feature a, got b",
    "a,1\nb,x\nc,3\n": "without a number on lines [2]", "a 1 1\nb 2 \nc 3 1\n": "",
    "1 10\n1 20\n1 30\n": "more chromosomes than different positions"}

def test_bad_positions(tmp_path):
    for text, told in BAD_POSITIONS.items():
        (tmp_path/"m").write_text(text)
        message = said(read_positions, tmp_path/"m", 3, ["a", "b", "c"])
        assert message.startswith(str(tmp_path/"m")) and told in message

"Files: every format says the same, a guess is handed on, an error names file and place, and nothing is half written."
import bz2, gzip, io, os, re, signal, subprocess, sys, threading, warnings, zipfile
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file
from fsnb.data.files import read_data, read_labels
from fsnb.data.formats import _SUFFIXES, check_readable, file_format
from fsnb.data.positions import read_positions
from fsnb.data.svmlight import _line_fault
from fsnb.data import writing
from fsnb.data.writing import check_apart, check_writable, _is_same_file, write_atomic, write_data

X0 = np.array([[1., 0, 7], [2, 0, 5], [3, 9, 0], [5, 0, 1.5]])
Y0 = np.array([-1, -1, 1, 1])

def dense(X): return X.toarray() if sp.issparse(X) else X

def said(f, *args, **kwargs):
    "The one line with which a call is refused"
    with pytest.raises((OSError, ValueError)) as e: f(*args, **kwargs)
    assert "\n" not in str(e.value) and "[Errno" not in str(e.value)
    return str(e.value)

# ---- every format says the same

def save(path, kind):
    frame = pd.DataFrame(X0, columns=["a", "b", "c"]); frame.insert(1, "label", Y0)
    if kind in ("svm", "svmlight", "libsvm"): dump_svmlight_file(X0, Y0, str(path), zero_based=False)
    elif kind in ("svm.gz", "libsvm.bz2"):
        text = "".join(f"{t} "+" ".join(f"{j+1}:{x:g}" for j, x in enumerate(r) if x)+"\n" for t, r in zip(Y0, X0))
        (gzip if kind.endswith("gz") else bz2).open(path, "wt").write(text)
    elif kind == "npz": np.savez(path, X=X0, y=Y0, feature_names=["a", "b", "c"])
    elif kind == "parquet": frame.to_parquet(path)
    else: frame.to_csv(path, index=False, sep="\t" if "tsv" in kind else ",")
    return path

@pytest.mark.parametrize("kind", ["svm", "svmlight", "libsvm", "svm.gz", "libsvm.bz2", "npz", "csv", "tsv", "csv.gz", "tsv.bz2", "parquet"])
def test_formats_agree(tmp_path, kind):
    X, y, names = read_data(save(tmp_path/f"d.{kind}", kind))
    assert np.array_equal(dense(X), X0) and np.array_equal(y, Y0)
    assert list(map(str, names)) == (["1", "2", "3"] if "svm" in kind else ["a", "b", "c"])

@pytest.mark.parametrize("make", [sp.csc_matrix, sp.csr_matrix])
def test_sparse_npz(tmp_path, make):
    S = make(X0)
    sp.save_npz(tmp_path/"scipy.npz", S)
    got = read_data(tmp_path/"scipy.npz", labels=Y0)
    assert got.X.format == S.format and np.array_equal(dense(got.X), X0) and got.names is None
    C = sp.csc_matrix(X0)                                              # the parts, with no word on the format: CSC
    np.savez(tmp_path/"parts.npz", data=C.data, indices=C.indices, indptr=C.indptr, shape=C.shape, y=Y0[:, None])
    got = read_data(tmp_path/"parts.npz")
    assert got.X.format == "csc" and np.array_equal(dense(got.X), X0) and np.array_equal(got.y, Y0)

def test_round_trips(tmp_path):
    for seed in range(100):
        rng = np.random.default_rng(seed)
        n, p = rng.integers(1, 12, 2)
        A = rng.standard_normal((n, p))*(rng.random((n, p)) < .4); A[-1, -1] = 1
        y = rng.choice([-1., 0, 1, 2.5], n)
        for make in (np.asarray, np.asfortranarray, sp.csc_matrix, sp.csr_matrix):
            for name, tol in (("d.npz", 0), ("d.svm", 1e-15)):
                write_data(tmp_path/name, make(A), y)
                X, t, _ = read_data(tmp_path/name)
                assert np.allclose(dense(X), A, rtol=tol, atol=0) and np.array_equal(t, y)
    write_data(tmp_path/"w.npz", X0, np.array(["no", "no", "yes", "yes"]), ["a", "b", "c"])
    assert read_data(tmp_path/"w.npz").y.tolist() == ["no", "no", "yes", "yes"] and read_data(tmp_path/"w.npz").names == ["a", "b", "c"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["d.npz", "d.svm", "w.npz"]

@pytest.mark.parametrize("text, first", [("1 0:5 2:1\n0 1:2\n", 0), ("1 1:5 3:1\n0 2:2\n", 1), ("1 4:1\n", 1), ("1 0:1\n", 0)])
def test_svmlight_numbers_are_the_files_own(tmp_path, text, first):
    (tmp_path/"d.svm").write_text(text)
    X, _, names = read_data(tmp_path/"d.svm")
    for i, line in enumerate(text.splitlines()):
        for index, value in (f.split(":") for f in line.split()[1:]):
            assert X[i, list(names).index(int(index))] == float(value)
    assert names[0] == first and len(names) == X.shape[1]

def test_format_by_suffix_or_name(tmp_path):
    assert [file_format("d"+s) for s in _SUFFIXES] == list(_SUFFIXES.values())
    assert file_format("D.SVM.BZ2") == "svmlight" and file_format("x.tar.csv") == "csv"
    for name in ("d", "d.txt", "d.gz", "d.npz.gz", "d.parquet.bz2", ".svm.zip", "svm"):
        message = said(file_format, name)
        assert message.startswith(f"{name}: ") and all(s in message for s in _SUFFIXES)
    save(tmp_path/"d.svm", "svm").rename(tmp_path/"news20")
    assert np.array_equal(dense(read_data(tmp_path/"news20", format="svmlight").X), X0)
    assert "format" in said(read_data, tmp_path/"news20", format="excel")

# ---- labels

@pytest.mark.parametrize("label", ["l", 1, "1", -3, "-3"])
def test_label_by_name_or_position(tmp_path, label):
    pd.DataFrame({"a": [1, 2], "l": ["u", "v"], "b": [3, 4], "c": [.5, 6]}).to_csv(tmp_path/"d.csv", index=False)
    X, y, names = read_data(tmp_path/"d.csv", label=label)
    assert names == ["a", "b", "c"] and y.tolist() == ["u", "v"] and X.tolist() == [[1, 3, .5], [2, 4, 6]]

@pytest.mark.parametrize("name", ["label", "Y", "Class", "TARGET"])
def test_label_by_default(tmp_path, name):
    pd.DataFrame({"a": [1, 2], name: [0, 1]}).to_csv(tmp_path/"d.csv", index=False)
    assert read_data(tmp_path/"d.csv").names == ["a"]

def test_label_not_found(tmp_path):
    f = tmp_path/"d.csv"
    f.write_text(",".join(f"c{i}" for i in range(20))+"\n"+",".join("1"*20)+"\n")
    assert "none is called label" in said(read_data, f) and "c0, c1, c2" in said(read_data, f) and "c19" not in said(read_data, f)
    assert "got 'c20'" in said(read_data, f, label="c20") and "got 20" in said(read_data, f, label=20) and "got -21" in said(read_data, f, label=-21)
    f.write_text("label,y,a\n1,2,3\n")
    assert "more than one" in said(read_data, f) and read_data(f, label="y").names == ["label", "a"]

def test_labels_from_elsewhere(tmp_path):
    f = save(tmp_path/"d.csv", "csv")
    np.save(tmp_path/"y.npy", Y0); (tmp_path/"y.txt").write_text("-1\n-1\n1\n1\n\n"); (tmp_path/"w.txt").write_text("no\nno\nyes of course\nyes\n")
    for source in (Y0, list(Y0), tmp_path/"y.npy", str(tmp_path/"y.txt")):
        got = read_data(f, labels=source)                              # then every column is a feature
        assert np.array_equal(got.y, Y0) and got.names == ["a", "label", "b", "c"]
    assert read_data(f, label="label", labels=Y0).names == ["a", "b", "c"]
    assert read_labels(tmp_path/"w.txt").tolist() == ["no", "no", "yes of course", "yes"]
    assert np.array_equal(read_data(save(tmp_path/"d.svm", "svm"), labels=[4, 5, 6, 7]).y, [4, 5, 6, 7])
    assert "4 samples, got 3" in said(read_data, f, labels=[1, 2, 3])
    (tmp_path/"few.txt").write_text("0\n1\n")
    assert said(read_data, f, labels=tmp_path/"few.txt") == f"{tmp_path/'few.txt'}: there must be one label for each of the 4 samples, got 2"
    assert said(read_data, f, labels=tmp_path/"no.txt").startswith(str(tmp_path/"no.txt"))
    assert "no labels" in said(lambda: (np.savez(tmp_path/"x.npz", X=X0), read_data(tmp_path/"x.npz")))

@pytest.mark.parametrize("kind", ["csv", "tsv.gz", "parquet", "npz", "svm"])
def test_three_classes_in_words_or_numbers(tmp_path, kind):
    words, numbers = np.array(["Ulm", "Bonn", "Gießen", "Bonn"]), np.array([2, 0, 7, 0])
    f = tmp_path/f"d.{kind}"
    for y in (words, words.astype(object), pd.Series(words), np.char.encode(words, "utf-8"), numbers, numbers.astype(object)):
        plain = numbers if y is numbers or len(y) and isinstance(y[0], int) else words
        if kind in ("npz", "svm"):
            if kind == "svm" and plain is words:
                assert "labels must be numbers in an svmlight file, got Ulm" in said(write_data, f, X0, y) and not f.exists()
                continue
            write_data(f, X0, y)
        else:
            frame = pd.DataFrame(X0, columns=list("abc")).assign(label=plain if np.asarray(y).dtype.kind == "S" else y)
            frame.to_parquet(f) if kind == "parquet" else frame.to_csv(f, index=False, sep="\t" if "tsv" in kind else ",")
        got = read_data(f).y
        assert got.tolist() == plain.tolist() and got.dtype.kind in "ifU"
        if f.exists(): f.unlink()

def test_labels_of_another_kind(tmp_path):
    np.savez(tmp_path/"b.npz", X=X0, y=np.char.encode(["a", "ü", "a", "b"], "utf-8"))
    assert read_data(tmp_path/"b.npz").y.tolist() == ["a", "ü", "a", "b"]
    np.savez(tmp_path/"d.npz", X=X0, y=Y0.astype("M8[D]"))
    assert "y must hold numbers or words, got datetime64[D]" in said(read_data, tmp_path/"d.npz")
    frame = pd.DataFrame(X0).rename(columns=str).assign(y=pd.Categorical(["u", "v", "w", "u"]))
    frame.to_parquet(tmp_path/"d.parquet")
    assert read_data(tmp_path/"d.parquet").y.tolist() == ["u", "v", "w", "u"]

# ---- positions

NAMES = ["rs1", "rs2", "rs3"]

@pytest.mark.parametrize("text, chromosomes", [
    ("10\n12.5\n3e3\n", None), ("10 1\n12.5 1\n3e3 X\n", "11X"), ("rs1 10\nrs2 12.5\nrs3 3e3", None), ("rs1\t10\t1\nrs2\t12.5\t1\nrs3\t3e3\tX\n\n\n", "11X"),
    ("position\n10\n12.5\n3e3\n", None), ("#CHROM,POS,ID,REF\n1,10,rs1,A\n1,12.5,rs2,C\nX,3e3,rs3,\n", "11X"), ("bp chr\n 10  1\n12.5 1 \n3e3 X\n", "11X"),
    ("name, Position\n\"rs1\", 10\nrs2 ,12.5\nrs3,3e3\n", None), ("pos\tother thing\n10\ta b\n12.5\t\n3e3\tc\n", None),
])
@pytest.mark.parametrize("pack", [open, gzip.open, bz2.open])
def test_positions(tmp_path, text, chromosomes, pack):
    f = tmp_path/{open: "map.txt", gzip.open: "map.txt.gz", bz2.open: "map.bz2"}[pack]
    with pack(f, "wt") as out: out.write(text)
    for names in (None, NAMES):
        x, c = read_positions(f, 3, names)
        assert x.dtype == np.float64 and x.tolist() == [10, 12.5, 3000] and (None if c is None else "".join(c)) == chromosomes

@pytest.mark.parametrize("text, words", [
    ("10\nten\n12\n", "line 2: the position must be a number, got 'ten'"), ("pos\n10\n\n12\n", "line 3: the position must be a number, got ''"),
    ("10\n11\nnan\n", "line 3: the position must be a number, got 'nan'"), ("1 1\ninf 1\n2 2\n", "line 2: the position must be a number, got 'inf'"),
    ("place\n10\n11\n12\n", "line 1: the position must be a number, got 'place'; a line of names must name a column position"),
    ("rs1 10\nrs2 x\nrs3 12\n", "line 2: the position must be a number, got 'x'"), ("10\n11\n", "each of the 3 features, got 2"),
    ("position\n10\n11\n12\n13\n", "each of the 3 features, got 4"), ("pos,chrom\n", "got 0"),
    ("rs1 10\nrs3 11\nrs2 12\n", "line 2: this must be feature rs2, got rs3"), ("name,pos\nrs1,10\nrs2,11\nrs4,12\n", "line 4: this must be feature rs3, got rs4"),
    ("rs1 10\nrs3 12\n", "line 2: this must be feature rs2, got rs3"),
    ("pos,chr\n10,1\n11,1\n12,\n", "line 4: the chromosome is missing"), ("10 1\n11\n12 1\n", "line 2: the chromosome is missing"),
    ("10\n11 1\n12\n", "line 2"), ("1 10\n1 20\n1 30\n", "more chromosomes (3) than different positions (1)"),
    ("1 rs1 0 10\n1 rs2 0 11\n1 rs3 0 12\n", "1 to 3 fields, got 4"), ("pos,bp\n1,1\n2,2\n3,3\n", "more than one column is called a position"),
    ("", "empty"), ("\n\n", ""), (" \n", "empty"), (b"\xff\xfe\n", "decode"),
])
def test_bad_positions(tmp_path, text, words):
    f = tmp_path/"map.txt"
    f.write_bytes(text if isinstance(text, bytes) else text.encode())
    message = said(read_positions, f, 3, NAMES)
    assert message.startswith(f"{f}: ") and words in message

def test_names_of_positions_where_the_data_has_none(tmp_path):
    f = tmp_path/"map.txt"
    f.write_text("b 10\na 11\nc 12\n")
    assert read_positions(f, 3)[0].tolist() == [10, 11, 12]
    f.write_text("chr1 10\nchr2 11\nchr1 12\n")                          # chromosomes where names belong
    assert "line 3: chr1 was named before, in line 1" in said(read_positions, f, 3)
    f.write_text("name\tposition\na b\t10\nc\t11\n")                     # spaces do not part what tabs part
    assert read_positions(f, 2, ["a b", "c"])[0].tolist() == [10, 11]
    f.write_text("chr pos\n1 10\n2 10\n3 10\n")                          # many chromosomes are fine when they are called so
    assert read_positions(f, 3)[1].tolist() == ["1", "2", "3"]

def test_the_fault_is_named_wherever_it_is(tmp_path):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        p, headed, kind = int(rng.integers(2, 40)), int(rng.integers(2)), rng.integers(3)
        rows = [[f"g{j}", str(int(rng.integers(99))), "7"] for j in range(p)]
        i, sep = int(rng.integers(p)), [",", "\t", " "][rng.integers(3)]
        rows[i][kind] = ["g", "1x", ""][kind]
        if headed: rows.insert(0, ["name", "position", "chromosome"])
        (tmp_path/"m").write_text("".join(sep.join(r)+"\n" for r in rows))
        if kind == 2 and i == 0 and not headed and sep == " ": continue        # then the first line has two fields, the others too many
        assert said(read_positions, tmp_path/"m", p, [f"g{j}" for j in range(p)]).startswith(f"{tmp_path/'m'}: line {i+1+headed}: ")

# ---- tables

def test_numbers_keep_their_kind(tmp_path):
    for kind in (np.int8, np.float32, np.float64, bool):
        pd.DataFrame({"a": np.array([1, 0], kind), "y": [0, 1]}).to_parquet(tmp_path/"d.parquet")
        X = read_data(tmp_path/"d.parquet").X
        assert X.dtype == (np.int8 if kind is bool else kind) and X[:, 0].tolist() == [1, 0]
    pd.DataFrame({"a": pd.array([1, 2], dtype="Int64"), "b": [1, 2], "y": [0, 1]}).to_parquet(tmp_path/"d.parquet")
    assert read_data(tmp_path/"d.parquet").X.tolist() == [[1, 1], [2, 2]]

@pytest.mark.parametrize("text, words", [
    ("a,y,town,eyes\n1,0,Ulm,blue\n2,1,Bonn,red\n", "not: town, eyes"),
    ("a,b,y\n1,,0\n2,3,1\n", "1 missing value in 1 column: b; impute or drop them"),
    ("a,y\n1,0\n2,\n", "label y is missing in row 2"),
    ("a,y\n1,0\n2,1,9\n", "line 3"),
    ("a,y\n1,0,9\n2,1,9\n", "more fields than there are names"),
    ("1,0\n2,1\n", "must hold the names"),
    ("y\n1\n2\n", "no features"),
    ("a,y\n", "no samples"),
    ("a,y\n1,0\ninf,1\n", "feature a of sample 1 is inf"),
    ("", "empty"),
    ("\n\n", ""),
    (b"a,y\n\xff\xfe,1\n", "decode"),
])
def test_bad_tables(tmp_path, text, words):
    f = tmp_path/"d.csv"
    f.write_bytes(text if isinstance(text, bytes) else text.encode())
    message = said(read_data, f)
    assert message.startswith(str(f)) and words in message

def test_many_word_columns_are_counted(tmp_path):
    pd.DataFrame({"y": [0, 1], **{f"w{i}": ["p", "q"] for i in range(30)}}).to_csv(tmp_path/"d.csv", index=False)
    assert "w0, w1, w2, w3, w4 and 25 more" in said(read_data, tmp_path/"d.csv")

@pytest.mark.parametrize("text, words", [
    ("label,a,label\n0,1,0\n1,2,1\n", "label comes more than once (label at positions 0 and 2)"),
    ("a,b,a,b,y\n1,2,3,4,0\n1,2,3,4,1\n", "a, b comes more than once"), ("a, a,y\n1,2,0\n1,2,1\n", "a comes more than once"),
    (",a,y\n0,1,0\n1,2,1\n", "column 0 has no name and may be an index: say so by index=0 (--index 0)"), ("a,y,\n1,0,\n2,1,\n", "column 2 has no name"),
    ("Unnamed: 0,a,y\n0,1,0\n1,2,1\n", "column 0 has no name, but Unnamed: 0,"), ("Unnamed: 0.1,a,y\n0,1,0\n1,2,1\n", "has no name"),
    ("a;b;y\n1;2;0\n3;4;1\n", "a comma must part the fields, got 'a;b;y'"), ("a\ty\n1\t0\n", "a comma must part the fields"),
    ("a,b,y\n1,,0\n,,1\n", "3 missing values in 2 columns: a, b; impute or drop them"), ("a,b,y\n1,3,0\n2,m,1\n", "not: b; row 2 of b holds 'm'"),
])
@pytest.mark.parametrize("kind", ["csv", "csv.gz", "tsv"])
def test_what_a_table_would_get_silently_wrong(tmp_path, text, words, kind):
    if kind == "tsv": text, words = text.translate({44: 9, 9: 44}), words.replace("a comma", "a tab").replace("'a,y'", "'a\ty'")
    if kind == "tsv" and ", a" in str(text): return
    with (gzip.open if kind.endswith("gz") else open)(tmp_path/f"d.{kind}", "wt") as f: f.write(text)
    assert words in said(read_data, tmp_path/f"d.{kind}")

def test_an_index_that_is_said(tmp_path):
    frame = pd.DataFrame({"a": [5, 6, 9], "y": [0, 1, 1]})
    frame.to_csv(tmp_path/"d.csv"); frame.rename_axis("id").to_csv(tmp_path/"named.csv")
    for name, index in (("d.csv", 0), ("d.csv", "0"), ("named.csv", "id"), ("named.csv", -3)):
        X, y, names = read_data(tmp_path/name, index=index)
        assert (X.tolist(), y.tolist(), names) == ([[5], [6], [9]], [0, 1, 1], ["a"])
    assert "index must be a column's name" in said(read_data, tmp_path/"d.csv", index="id") and "both label and index" in said(read_data, tmp_path/"d.csv", index="y")
    assert "index is for csv, tsv, parquet" in said(read_data, save(tmp_path/"d.npz", "npz"), index=0)

def test_a_column_that_counts_the_rows_is_worth_a_word(tmp_path):
    pd.DataFrame({"id": range(7, 27), "a": range(20), "y": [0, 1]*10}).to_csv(tmp_path/"d.csv", index=False)
    with pytest.warns(UserWarning, match=r"column id counts the rows .* say so by index=id \(--index id\)"): read_data(tmp_path/"d.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_data(tmp_path/"d.csv", index="id")

def test_two_columns_of_one_name_in_parquet(tmp_path):
    import pyarrow as pa, pyarrow.parquet as pq
    pq.write_table(pa.Table.from_arrays([pa.array([0, 1]), pa.array([3, 4]), pa.array([1, 0])], names=["y", "a", "y"]), tmp_path/"d.parquet")
    assert "y comes more than once (y at positions 0 and 2)" in said(read_data, tmp_path/"d.parquet")
    pq.write_table(pa.Table.from_arrays([pa.array([0, 1]), pa.array([3, 4])], names=["y", "__index_level_0__"]), tmp_path/"d.parquet")
    assert "column 1 has no name" in said(read_data, tmp_path/"d.parquet")

def test_a_name_before_a_position_and_it_is_said(tmp_path):
    pd.DataFrame({"a": [1, 2], "0": [0, 1], "b": [5, 6]}).to_csv(tmp_path/"d.csv", index=False)
    for label in ("0", 0):
        with pytest.warns(UserWarning, match="label=0 is taken as the column called 0, not as the column at position 0, which is called 'a'"):
            assert read_data(tmp_path/"d.csv", label=label).names == ["a", "b"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_data(tmp_path/"d.csv", label=2).names == ["a", "0"]
    for label in (1.5, True, [0], ""): assert "label must be a column's name or its position" in said(read_data, tmp_path/"d.csv", label=label)

@pytest.mark.parametrize("words, want", [
    (["001", "01", "1"], ["001", "01", "1"]), (["1", "2", "1"], [1, 2, 1]), (["+1", "-1", "1"], [1, -1, 1]), (["1.0", "2.5", "1"], [1, 2.5, 1]),
    (["1e0", "2", "1"], [1, 2, 1]), (["1_0", "10", "2"], ["1_0", "10", "2"]), (["0x1", "1", "2"], ["0x1", "1", "2"]), (["-0", "0", "1"], [0, 0, 1]),
    (["9007199254740993", "9007199254740992", "1"], ["9007199254740993", "9007199254740992", "1"]), (["0.5", "00.5", "1"], ["0.5", "00.5", "1"]),
])
def test_labels_are_words_unless_all_are_plain_numbers(tmp_path, words, want):
    (tmp_path/"y.txt").write_text("\n".join(words)+"\n\n")
    for sep, kind in ((",", "csv"), ("\t", "tsv")):
        (tmp_path/f"d.{kind}").write_text(f"a{sep}y\n"+"".join(f"{i}{sep}{w} \n" for i, w in enumerate(words)))
        assert read_data(tmp_path/f"d.{kind}").y.tolist() == want
        assert read_data(tmp_path/f"d.{kind}", label="y", labels=tmp_path/"y.txt").y.tolist() == want
    pd.DataFrame({"a": range(3), "y": words}).to_parquet(tmp_path/"d.parquet")
    assert read_data(tmp_path/"d.parquet").y.tolist() == words                  # text is text where the file says so

@pytest.mark.parametrize("word", ["", "NA", "nan", "NULL", "None"])
def test_a_label_that_is_missing_in_a_file_of_labels(tmp_path, word):
    (tmp_path/"y.txt").write_text(f"1\n{word}\n0\n0\n")
    assert said(read_labels, tmp_path/"y.txt").endswith("y.txt: line 2: the label is missing")

def test_labels_that_are_no_array(tmp_path):
    np.savez(tmp_path/"y.npz", y=Y0); (tmp_path/"y.npz").rename(tmp_path/"y.npy")
    assert "an archive, not one array" in said(read_labels, tmp_path/"y.npy")
    (tmp_path/"y.txt").write_text("\ufeff1\n0\n", encoding="utf-8")
    assert read_labels(tmp_path/"y.txt").tolist() == [1, 0]

def test_tables_as_others_write_them(tmp_path):
    f = tmp_path/"d.csv"
    for text in ("a, label\n1, yes\n2, no\n", "\ufeffa,label\n1,yes\n2,no\n", "a,label\r\n1,yes\r\n2,no\r\n", '"a" , "label"\n1 ,"yes" \n2, no\n', "\n\na,label\n\n1,yes\n2,no"):
        f.write_bytes(text.encode())
        X, y, names = read_data(f)
        assert (X.tolist(), y.tolist(), names) == ([[1], [2]], ["yes", "no"], ["a"]), text
    f.write_text('"two\nlines","say ""x""",größe $_,label\n1,2,3,0\n4,5,6,1\n')
    assert read_data(f).names == ["two\nlines", 'say "x"', "größe $_"]
    f.write_text(f"a,b,label\n{10**30},1,0\n-{10**25},2,1\n")
    if int(pd.__version__.split(".")[0]) >= 3: assert read_data(f).X[:, 0].tolist() == [1e30, -1e25]
    else: assert "features must be numbers; these columns are not: a" in said(read_data, f)      # pandas 2 leaves them as text

# ---- pipes

@pytest.mark.skipif(os.name != "posix", reason="names of pipes")
@pytest.mark.parametrize("kind", ["csv", "tsv", "svm", "npz", "parquet"])
def test_pipes_are_read(tmp_path, kind):
    f = save(tmp_path/f"d.{kind}", kind)
    os.mkfifo(tmp_path/"pipe")
    check_readable(tmp_path/"pipe")                             # and it is not opened
    feeder = threading.Thread(target=lambda: (tmp_path/"pipe").write_bytes(f.read_bytes()))
    feeder.start()
    X, y, _ = read_data(tmp_path/"pipe", format={"svm": "svmlight"}.get(kind, kind))
    feeder.join()
    assert np.array_equal(dense(X), X0) and np.array_equal(y, Y0)

@pytest.mark.skipif(os.name != "posix", reason="names of pipes")
def test_pipes_of_labels_and_positions_and_nothing(tmp_path):
    os.mkfifo(tmp_path/"pipe")
    def feed(text):
        t = threading.Thread(target=lambda: (tmp_path/"pipe").write_bytes(text)); t.start()
        return t
    t = feed(b"0\n1\n"); assert read_labels(tmp_path/"pipe").tolist() == [0, 1]; t.join()
    t = feed(b"10 1\n12 1\n"); assert read_positions(tmp_path/"pipe", 2)[0].tolist() == [10, 12]; t.join()
    t = feed(b""); assert said(read_data, tmp_path/"pipe", format="csv") == f"{tmp_path/'pipe'}: the file is empty"; t.join()
    t = feed(b"1 1:2\n1 1:x\n"); assert said(read_data, tmp_path/"pipe", format="svmlight").startswith(f"{tmp_path/'pipe'}: line 2: "); t.join()

# ---- svmlight that is broken

GOOD = ["+1 1:2 3:4", "-1", "1 # 5:x", "", "# all", "  2.5  7:1e-3 ", "1 qid:3 1:2", "-1 0:1", "\t"]
BAD = ["x 1:2", "1 1", "1 1:", "1 :2", "1 a:2", "1 1:b", "1 2:1 1:1", "1 2:1 2:1", "1 -1:2", "1 99999999999:1", "1,2 1:1", "1 1:2:3"]

@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("pack", [open, gzip.open, bz2.open])
def test_broken_line_is_named(tmp_path, bad, pack):
    f = tmp_path/{open: "d.svm", gzip.open: "d.svm.gz", bz2.open: "d.svm.bz2"}[pack]
    with pack(f, "wt") as out: out.write("\n".join(GOOD+[bad]+GOOD)+"\n")
    assert said(read_data, f).startswith(f"{f}: line {len(GOOD)+1}: ")

def test_the_slow_reading_accepts_what_the_fast_one_does(tmp_path):
    "Random lines: the slow check finds a fault exactly where the file cannot be loaded"
    f, loaded = tmp_path/"d.svm", 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        line = "".join(rng.choice(list("1122:: -.#eqx"), rng.integers(1, 12)))
        f.write_text("1 1:1\n"+line+"\n")
        try: read_data(f); loaded += 1
        except ValueError as e: assert "line 2: " in str(e), (line, e)
        else: assert _line_fault(line.encode()) is None, line
    assert 20 < loaded < 380

@pytest.mark.parametrize("text, words", [("", "empty"), ("# remark\n", "no samples"), ("1\n-1\n", "no features"),
                                         ("1 1:1\n-1 1:2 3:nan\n", "feature 3 of sample 1 is nan"), ("inf 1:1\n", "label of sample 0 is inf")])
def test_svmlight_that_is_no_data(tmp_path, text, words):
    (tmp_path/"d.svm").write_text(text)
    assert words in said(read_data, tmp_path/"d.svm")

def test_an_index_far_beyond_all_others(tmp_path):
    f = tmp_path/"d.svm"
    f.write_text("1 1:2 3:4\n0 qid:1 2:1 # 9:9\n0 1:1 2147483646:5\n")
    message = said(read_data, f)
    assert "line 3: index 2147483646 is far beyond all others, the next is 3; if it is meant, give the number of columns as n_features (--columns 2147483646)" in message
    assert read_data(f, n_features=2147483646).X.shape == (3, 2147483646)
    assert "line 3: index 2147483646 lies beyond n_features=5" in said(read_data, f, n_features=5)
    f.write_text("1 1:2 3:4\n0 1:1 900000:5\n"); assert read_data(f).X.shape == (2, 900000)          # not so many
    f.write_text("1 1:2 9000000:4\n0 1:1 80000000:5\n"); assert read_data(f).X.shape == (2, 80000000)  # not so far
    f.write_text("1 0:2 3:4\n0 1:1\n")
    assert read_data(f, n_features=6).X.shape == (2, 6) and read_data(f, n_features=4).X.shape == (2, 4)
    assert "line 1: index 3 lies beyond n_features=3" in said(read_data, f, n_features=3)
    for bad in (0, -1, 2.5, "4", 2**40): assert "n_features must be a whole number" in said(read_data, f, n_features=bad)
    assert "n_features (--columns) is for svmlight, and this is csv" in said(read_data, save(tmp_path/"d.csv", "csv"), n_features=3)

def test_damaged_packing(tmp_path):
    whole = gzip.compress("".join(f"1 1:{i}\n" for i in range(9999)).encode())
    for content in (whole[:len(whole)//2], whole[:60]+b"?"*9+whole[69:], b"no gzip"):
        (tmp_path/"d.svm.gz").write_bytes(content)
        assert said(read_data, tmp_path/"d.svm.gz").startswith(str(tmp_path/"d.svm.gz"))

# ---- npz that is broken

def test_bad_npz(tmp_path):
    f = tmp_path/"d.npz"
    C = sp.csc_matrix(X0); parts = dict(data=C.data, indices=C.indices, indptr=C.indptr, shape=C.shape, y=Y0)
    for arrays, words in [(dict(matrix=X0), "holds matrix"), (dict(X=X0), "no labels"), (dict(X=X0, y=Y0[:2]), "4 samples, got 2"),
                          (dict(X=X0, y=np.eye(4)), "got 4 x 4"), (dict(X=Y0, y=Y0), "two dimensions, got 1"),
                          (dict(X=np.array([[{}]], dtype=object), y=[1]), "Python objects"), (dict(X=X0.astype(complex), y=Y0), "must hold numbers"),
                          (dict(X=X0.astype(str), y=Y0), "must hold numbers"), (dict(X=X0, y=Y0, names=["a"]), "one name for each of the 3"),
                          (parts | dict(format="coo"), "csc or csr, got coo"), (parts | dict(shape=(2, 2)), ""), (parts | dict(indptr=[0, 9]), ""),
                          (parts | dict(data=C.data*np.nan), "is nan"), (dict(X=np.full((2, 2), np.inf), y=[0, 1]), "feature 0 of sample 0 is inf")]:
        np.savez(f, **arrays)
        message = said(read_data, f)
        assert message.startswith(str(f)) and words in message, arrays.keys()
    whole = f.read_bytes()
    for content in (b"PK", b"not a zip", whole[:-30], b""):
        f.write_bytes(content)
        assert said(read_data, f).startswith(str(f))

@pytest.mark.parametrize("change, words", [
    (lambda C: dict(indices=C.indices+.5), "indices must be a list of whole numbers, got float64"), (lambda C: dict(indices=C.indices.astype(float)), "indices must be a list"),
    (lambda C: dict(indptr=C.indptr/1.), "indptr must be a list of whole numbers"), (lambda C: dict(shape=[4., 3.]), "shape must be a list of whole numbers"),
    (lambda C: dict(shape=4), "shape must be a list"), (lambda C: dict(shape=[4, 3, 1]), "shape must be two numbers, got [4, 3, 1]"), (lambda C: dict(shape=[-4, 3]), ""),
    (lambda C: dict(indices=C.indices+9), "must be <"), (lambda C: dict(indices=C.indices-9), "must be >= 0"), (lambda C: dict(indptr=C.indptr+1), ""),
    (lambda C: dict(indptr=np.array([0, 9, 1, 5])), "indptr must begin with 0"), (lambda C: dict(indptr=-C.indptr), "indptr must begin with 0"), (lambda C: dict(indptr=[]), "indptr"),
    (lambda C: dict(names=["a", "b", "a"]), "a comes more than once (a at positions 0 and 2)"), (lambda C: dict(indptr=C.indptr[:-1]), ""), (lambda C: dict(data=C.data.astype(str)), "data must hold numbers"),
    (lambda C: dict(data=C.data[:2]), ""), (lambda C: dict(format=["csc", "csr"]), "format must be csc or csr"), (lambda C: dict(indices=np.eye(2, dtype=int)), "indices must be a list"),
    (lambda C: dict(names=np.eye(3)), "names must be a list of names"), (lambda C: dict(names="abc"), "names must be a list of names"),
    (lambda C: dict(y=np.zeros(4, "c16")), "y must hold numbers or words"), (lambda C: dict(y=0), "one label for each of the 4 samples"),
])
def test_a_sparse_matrix_from_a_stranger(tmp_path, change, words):
    C = sp.csc_matrix(X0)
    np.savez(tmp_path/"d.npz", **dict(data=C.data, indices=C.indices, indptr=C.indptr, shape=C.shape, y=Y0) | change(C))
    message = said(read_data, tmp_path/"d.npz")
    assert message.startswith(f"{tmp_path/'d.npz'}: ") and words in message

def test_members_of_an_archive_that_are_no_arrays(tmp_path):
    f, whole = tmp_path/"d.npz", io.BytesIO()
    np.save(whole, X0)
    for name, content, words in (("X", b"text", "X is no array"), ("X.npy", b"text", "X"), ("X.npy", whole.getvalue()[:-9], "X cannot be read"), ("X.npy", b"", "X"),
                                 ("X.npy", whole.getvalue()[:20], "X cannot be read"), ("X.npy", whole.getvalue().replace(b"(4, 3)", b"(4.,3)"), "X cannot be read"),
                                 ("X.npy", whole.getvalue().replace(b"(4, 3)", b"(9, 9)"), "X cannot be read"), ("X.npy", whole.getvalue().replace(b"'<f8'", b"'<g8'"), "X cannot be read")):
        with zipfile.ZipFile(f, "w") as archive: archive.writestr(name, content)
        message = said(read_data, f, labels=Y0)
        assert message.startswith(f"{f}: ") and words in message

@pytest.mark.filterwarnings("error")
def test_one_byte_of_a_file_that_is_wrong(tmp_path):
    "Read as it should be or refused with the path in one line, and no file stays open"
    C, labels = sp.csc_matrix(X0), io.BytesIO()
    np.savez(tmp_path/"s.npz", data=C.data, indices=C.indices, indptr=C.indptr, shape=C.shape, y=Y0)
    save(tmp_path/"x.parquet", "parquet"); np.save(labels, Y0)
    refused = 0
    for name, seeds in (("s.npz", 60), ("x.parquet", 60), ("y.npy", 120)):
        whole = labels.getvalue() if name == "y.npy" else (tmp_path/name).read_bytes()
        for seed in range(seeds):
            rng = np.random.default_rng(seed)
            wrong = bytearray(whole); wrong[rng.integers(128 if name == "y.npy" else len(whole))] ^= 1 << rng.integers(8)
            (tmp_path/name).write_bytes(wrong)
            try: read_labels(tmp_path/name) if name == "y.npy" else read_data(tmp_path/name)
            except (OSError, ValueError) as e:
                refused += 1
                assert str(e).startswith(str(tmp_path/name)) and "\n" not in str(e), (name, seed, e)
    assert refused > 60

def test_values_that_are_not_finite_are_counted(tmp_path):
    X = X0.copy(); X[1, 2] = np.nan; X[3, 0] = np.inf; X[2, 2] = -np.inf
    for make in (np.asarray, sp.csc_matrix, sp.csr_matrix):
        write_data(tmp_path/"d.npz", make(X), Y0, ["a", "b", "c"])
        message = said(read_data, tmp_path/"d.npz")
        assert "values must be finite; 3 values are not, in 2 columns: a, c; impute or drop them" in message

def test_not_there(tmp_path):
    assert "No such file" in said(read_data, tmp_path/"no.svm")
    for f in (check_readable, lambda x: read_positions(x, 3)): assert said(f, tmp_path/"no.txt") == f"{tmp_path/'no.txt'}: No such file or directory"
    (tmp_path/"folder").mkdir()
    for f in (check_readable, lambda x: read_positions(x, 3)): assert said(f, tmp_path/"folder").startswith(f"{tmp_path/'folder'}: ")
    (tmp_path/"yes.txt").write_text("1"); check_readable(tmp_path/"yes.txt")
    (tmp_path/"f.csv").mkdir()
    assert "folder" in said(read_data, tmp_path/"f.csv")
    (tmp_path/"d.parquet").write_bytes(b"PAR1 and no more PAR1")
    assert said(read_data, tmp_path/"d.parquet").startswith(str(tmp_path/"d.parquet"))

@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_not_permitted(tmp_path):
    f = save(tmp_path/"d.csv", "csv"); f.chmod(0)
    if os.access(f, os.R_OK): pytest.skip("the superuser may read and write everything")
    assert "Permission denied" in said(read_data, f)
    f.chmod(0o400)
    assert "write-protected" in said(check_writable, f)

# ---- writing

def test_write_atomic(tmp_path):
    f = tmp_path/"a.txt"
    for content, bytes_ in (("Grüße", "Grüße".encode()), (b"\0\1", b"\0\1"), (lambda out: out.write(b"by hand"), b"by hand")):
        check_writable(f); write_atomic(f, content)
        assert f.read_bytes() == bytes_ and [p.name for p in tmp_path.iterdir()] == ["a.txt"]

def test_a_failed_write_leaves_the_old_file(tmp_path):
    f = tmp_path/"a.txt"; f.write_text("old")
    def breaks(error):
        def write(out): out.write(b"half"); raise error
        return write
    assert "No space left" in said(write_atomic, f, breaks(OSError(28, "No space left on device")))
    for error in (KeyboardInterrupt, RuntimeError):
        with pytest.raises(error): write_atomic(f, breaks(error))
    assert f.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["a.txt"]

@pytest.mark.skipif(os.name != "posix", reason="needs a limit on file sizes")
def test_a_disk_that_is_full(tmp_path):
    "With a true limit on the size of files, in a process of its own"
    (tmp_path/"a.txt").write_text("old")
    code = ("import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "from fsnb.data.writing import write_atomic\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
            f"try: write_atomic({str(tmp_path/'a.txt')!r}, b'x'*5000)\n"
            "except OSError as e: print(e)")
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert out.startswith("cannot write ") and (tmp_path/"a.txt").read_text() == "old" and len(list(tmp_path.iterdir())) == 1

@pytest.mark.skipif(os.name != "posix", reason="a limit on file sizes")
def test_a_full_disk_is_noticed_beforehand(tmp_path):
    code = ("import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
            "from fsnb.data.writing import check_writable\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
            f"try: check_writable({str(tmp_path/'a.txt')!r})\n"
            "except OSError as e: print(e)")
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert out.startswith("cannot write ") and list(tmp_path.iterdir()) == []

@pytest.mark.parametrize("unnamed", [True, False])
def test_parts_have_short_names_of_their_own(tmp_path, monkeypatch, unnamed):
    if not unnamed: monkeypatch.setattr(writing, "_open_unnamed", lambda folder: None)
    (tmp_path/f".a.txt.{os.getpid()}.part").write_text("left behind")
    for name in ("a.txt", "n"*250, "ü"*127):
        check_writable(tmp_path/name); write_atomic(tmp_path/name, "x"*10000)
        assert (tmp_path/name).read_text() == "x"*10000
    assert "File name too long" in said(check_writable, tmp_path/("n"*256))
    texts = [str(i)*200_000 for i in range(8)]
    threads = [threading.Thread(target=write_atomic, args=(tmp_path/"a.txt", text)) for text in texts*3]
    for t in threads: t.start()
    for t in threads: t.join()
    assert (tmp_path/"a.txt").read_text() in texts and len(list(tmp_path.iterdir())) == 4

def test_a_disk_that_gives_no_names_later(tmp_path, monkeypatch):
    def refuses(*args, **kwargs): raise OSError(1, "Operation not permitted")
    monkeypatch.setattr(os, "link", refuses)
    write_atomic(tmp_path/"a.txt", "x")
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"] and (tmp_path/"a.txt").read_text() == "x"

@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_a_killed_writer_leaves_nothing(tmp_path):
    "Killed outright in the middle of a write, where nothing can clean up"
    if (number := writing._open_unnamed(tmp_path)) is None: pytest.skip("no files without a name here")
    os.close(number)
    (tmp_path/"a.txt").write_text("old")
    code = ("import os, signal; from fsnb.data.writing import write_atomic\n"
            f"write_atomic({str(tmp_path/'a.txt')!r}, lambda f: (f.write(b'x'*10**6), f.flush(), os.kill(os.getpid(), signal.SIGKILL)))")
    assert subprocess.run([sys.executable, "-c", code]).returncode == -signal.SIGKILL
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"] and (tmp_path/"a.txt").read_text() == "old"

@pytest.mark.skipif(os.name != "posix", reason="links")
def test_two_names_of_one_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path/"a").write_text(""); (tmp_path/"sub").mkdir(); os.link("a", "hard"); os.symlink("a", "soft"); os.symlink(tmp_path/"b", "dangling")
    one = [("a", "a"), ("a", "./sub/../a"), ("a", tmp_path/"a"), ("a", "hard"), ("a", "soft"), ("hard", "soft"), ("b", "b"), ("b", "dangling"), ("b", "sub/../B")]
    two = [("a", "b"), ("a", "sub"), ("b", "c"), ("soft", "dangling"), (os.devnull, os.devnull), ("sub/a", "a")]
    for x, y in one+two:
        assert _is_same_file(x, y) == _is_same_file(y, x) == ((x, y) in one), (x, y)
    for x, y in one: assert f"--out {y} and FILE {x} are one file, which would be overwritten" in said(check_apart, {"--out": y}, {"FILE": x})
    for x, y in two: check_apart({"--out": y}, {"FILE": x})

def test_where_nothing_can_be_written(tmp_path):
    (tmp_path/"file").write_text("")
    for path, words in ((tmp_path/"no/a.txt", "there is no folder"), (tmp_path, "it is a folder"), (tmp_path/"file/a.txt", "Not a directory")):
        assert words in said(check_writable, path) and said(check_writable, path).startswith("cannot write ")
        assert said(write_atomic, path, "x").startswith("cannot write ")
    assert [p.name for p in tmp_path.iterdir()] == ["file"] and (tmp_path/"file").read_text() == ""

@pytest.mark.skipif(os.name != "posix", reason="links and modes")
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

def test_write_data_refuses(tmp_path):
    for name in ("d.csv", "d.parquet", "d.svm.gz", "d"): assert name in said(write_data, tmp_path/name, X0, Y0)
    assert list(tmp_path.iterdir()) == []


# ---- what a store is asked for

@pytest.mark.parametrize("wrong, said", [(dict(resume="x"), "resume must be one of True, False, got 'x'"), (dict(overwrite=2), "overwrite must be one of"),
                                         (dict(format="csv"), "format is for files, got 'csv'"), (dict(label="b"), "label is for tables and .h5ad, got 'b'"),
                                         (dict(labels=3), "labels must be a list, an array or a file, got 3"),
                                         (dict(labels=["a", 1, 2]), "labels must be all numbers or all words, got 'a' and 1")])
def test_convert_says_what_it_has_no_use_for(tmp_path, wrong, said):
    from fsnb import convert
    with pytest.raises(ValueError, match=re.escape(said)): convert(np.arange(6.).reshape(3, 2), tmp_path/"x.fsnb", verbose=0, **wrong)
    assert list(tmp_path.iterdir()) == []


def test_labels_with_more_digits_than_a_store_keeps(tmp_path):
    from fsnb import convert
    from fsnb.data.store import read_store_labels
    y = np.array([0, 1, 1], np.longdouble)
    assert read_store_labels(convert(np.arange(6.).reshape(3, 2), tmp_path/"x.fsnb", labels=y, verbose=0)).tolist() == [0., 1., 1.]


@pytest.mark.parametrize("name", ["x.svm", "x.svm.gz", "x.svm.bz2"])
def test_a_mark_of_the_byte_order_before_an_svmlight_file_is_nothing(tmp_path, name):
    import codecs
    from fsnb import convert
    from fsnb.data.store import open_store
    pack = {".gz": gzip.compress, ".bz2": bz2.compress}.get(os.path.splitext(name)[1], bytes)
    for text in (b"1 1:2 3:4\n-1 2:1\n", b"# a remark\n1 1:2 3:4\n-1 2:1\n"):
        (tmp_path/name).write_bytes(pack(codecs.BOM_UTF8+text))
        X, y, names = read_data(tmp_path/name)
        assert X.toarray().tolist() == [[2, 0, 4], [0, 1, 0]] and y.tolist() == [1, -1] and names == range(1, 4)
        store = open_store(convert(tmp_path/name, tmp_path/"x.fsnb", verbose=0, overwrite=True), check=True)
        assert np.array_equal(store.whole().toarray(), X.toarray())
    (tmp_path/name).write_bytes(pack(codecs.BOM_UTF8))
    with pytest.raises(ValueError, match=name): read_data(tmp_path/name)
    (tmp_path/name).write_bytes(pack(codecs.BOM_UTF8+b"1 1:2\n2 1:x\n"))
    with pytest.raises(ValueError, match=f"{name}: line 2"): read_data(tmp_path/name)

"The file of an AnnData without anndata: every way of writing one, every layer, and what is damaged"
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from fsnb import convert, from_anndata, read_data
from fsnb.data.store import open_store, read_store_labels, read_store_names

h5py = pytest.importorskip("h5py")
N, P = 30, 9
GENES = [f"g{j}" for j in range(P)]
KINDS = ["ann" if i % 3 else "bob" for i in range(N)]


def matrix(seed=0):
    rng = np.random.default_rng(seed)
    return np.where(rng.random((N, P)) < .4, rng.integers(1, 9, (N, P)), 0).astype(np.float32)


def put_matrix(file, name, X):
    if not sp.issparse(X): file[name] = X
    else:
        group = file.create_group(name)
        group.attrs["encoding-type"], group.attrs["shape"] = f"{X.format}_matrix", X.shape
        for part in ("data", "indices", "indptr"): group[part] = getattr(X, part)


def write(path, X):
    "As anndata 0.8 and later write it"
    with h5py.File(path, "w") as file:
        put_matrix(file, "X", X)
        put_matrix(file, "layers/counts", X*2)
        file["var/_index"], file["var"].attrs["_index"] = GENES, "_index"
        file["obs/_index"] = [f"c{i}" for i in range(N)]
        file["obs/kind/categories"], file["obs/kind/codes"] = ["ann", "bob"], np.array([k == "bob" for k in KINDS]).astype("i1")
        file["obs/number"], file["obs/words"] = np.arange(N) % 2, KINDS
        file["obs/holes"] = np.where(np.arange(N) < 4, np.nan, 1.)
        file["obs/text/values"], file["obs/text/mask"] = KINDS, np.zeros(N, bool)
        file["obs/part/values"], file["obs/part/mask"] = KINDS, np.arange(N) < 5
    return path


def write_old(path, X):
    "As anndata 0.6 wrote it: obs and var are tables, categories stand in uns"
    with h5py.File(path, "w") as file:
        group = file.create_group("X")
        group.attrs["h5sparse_format"], group.attrs["h5sparse_shape"] = X.format, X.shape
        for part in ("data", "indices", "indptr"): group[part] = getattr(X, part)
        file["var"] = np.array([(g.encode(),) for g in GENES], [("index", "S5")])
        file["obs"] = np.array([(f"c{i}".encode(), kind == "bob") for i, kind in enumerate(KINDS)], [("index", "S5"), ("kind", "i1")])
        file["uns/kind_categories"] = ["ann", "bob"]
    return path


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csc_matrix], ids=["dense", "csr", "csc"])
def test_all_that_is_in_it(tmp_path, form):
    path = write(tmp_path/"x.h5ad", form(matrix()))
    for label in ("kind", "words", "text"):
        X, y, names = read_data(path, label=label)
        assert y.tolist() == KINDS and names == GENES
        assert np.array_equal(X.toarray() if sp.issparse(X) else X, matrix())
    assert read_data(path, label="number").y.tolist() == (np.arange(N) % 2).tolist()
    counts = read_data(path, labels=KINDS, layer="counts").X
    assert np.array_equal(counts.toarray() if sp.issparse(counts) else counts, 2*matrix())
    store = convert(path, tmp_path/"x.fsnb", verbose=False, label="text", layer="counts")
    whole = open_store(store).whole()
    assert np.array_equal(whole.toarray() if sp.issparse(whole) else whole, 2*matrix())
    assert read_store_labels(store).tolist() == KINDS and read_store_names(store).tolist() == GENES


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_matrix], ids=["csr", "csc"])
def test_files_of_2018(tmp_path, form):
    X, y, names = read_data(write_old(tmp_path/"x.h5ad", form(matrix())), label="kind")
    assert np.array_equal(X.toarray(), matrix()) and y.tolist() == KINDS and names == GENES
    with pytest.raises(ValueError, match="/obs has no column cell; it has index, kind"): read_data(tmp_path/"x.h5ad", label="cell")


def test_files_of_2020(tmp_path):
    path = write(tmp_path/"x.h5ad", sp.csr_matrix(matrix()))
    with h5py.File(path, "a") as file:
        del file["obs/kind"]
        file["obs/kind"], file["obs/__categories/kind"] = np.array([k == "bob" for k in KINDS]).astype("i1"), ["ann", "bob"]
        file["obs/kind"].attrs["categories"] = file["obs/__categories/kind"].ref
    assert read_data(path, label="kind").y.tolist() == KINDS


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csc_matrix], ids=["dense", "csr", "csc"])
def test_what_anndata_writes(tmp_path, form):
    anndata = pytest.importorskip("anndata")
    anndata.settings.allow_write_nullable_strings = True
    obs = pd.DataFrame({"kind": pd.Categorical(KINDS), "words": KINDS, "flag": [k == "bob" for k in KINDS]}, index=[f"c{i}" for i in range(N)])
    adata = anndata.AnnData(form(matrix()), obs=obs, var=pd.DataFrame(index=GENES), layers={"counts": form(2*matrix())})
    adata.write_h5ad(tmp_path/"x.h5ad")
    for label in ("kind", "words", "flag"):
        X, y, names = read_data(tmp_path/"x.h5ad", label=label)
        assert y.tolist() == obs[label].tolist() and names == GENES
        assert np.array_equal(X.toarray() if sp.issparse(X) else X, matrix())
    store = convert(adata, tmp_path/"x.fsnb", verbose=False, label="kind", layer="counts")
    other = convert(from_anndata(adata, "counts"), tmp_path/"y.fsnb", verbose=False, label="kind")
    for path in (store, other):
        assert read_store_labels(path).tolist() == KINDS and read_store_names(path).tolist() == GENES
        whole = open_store(path).whole()
        assert np.array_equal(whole.toarray() if sp.issparse(whole) else whole, 2*matrix())


def test_what_is_wrong_is_named(tmp_path):
    path = write(tmp_path/"x.h5ad", sp.csr_matrix(matrix()))
    for said, given in ((r"x.h5ad: label must name a column of obs; it has holes, kind, number, part, text, words", {}),
                        ("/obs has no column cell_type; it has holes, kind", dict(label="cell_type")),
                        ("/obs: part misses values, 5 of 30", dict(label="part")), ("/obs: holes misses values, 4 of 30", dict(label="holes")),
                        ("layer must be one of the file's, got 'log'; it has counts", dict(label="kind", layer="log")),
                        (r"names is for svmlight, npz, and this is h5ad", dict(label="kind", names=GENES)),
                        ("there must be one label for each of the 30 samples, got 3", dict(labels=[1, 2, 3]))):
        with pytest.raises(ValueError, match=said): read_data(path, **given)
    with pytest.raises(ValueError, match="layer is for AnnData and .h5ad, got 'log'"): convert(matrix(), tmp_path/"x.fsnb", layer="log", verbose=False)
    with h5py.File(path, "a") as file: file["var/_index"][3] = "g1"
    with pytest.raises(ValueError, match="but g1 stand more than once: call adata.var_names_make_unique"): read_data(path, label="kind")
    with h5py.File(path, "a") as file: file["X/data"][7], file["var/_index"][3] = np.nan, "g3"
    with pytest.raises(ValueError, match="is nan; values must be finite; 1 value is not, in 1 column"): read_data(path, label="kind")
    with h5py.File(path, "a") as file: del file["X"]
    with pytest.raises(ValueError, match="there is no X in it; give one of its layers: counts"): read_data(path, label="kind")


def test_damaged_files(tmp_path):
    "Cut off or changed anywhere, a file is read as it stands or refused in one line"
    whole = write(tmp_path/"x.h5ad", sp.csr_matrix(matrix())).read_bytes()
    rng, path, n_refused = np.random.default_rng(0), tmp_path/"y.h5ad", 0
    for case in range(120):
        content = bytearray(whole)
        if case % 3 == 0: content = content[:rng.integers(len(whole))]
        else: content[rng.integers(len(whole))] = rng.integers(256)
        path.write_bytes(bytes(content))
        try: read_data(path, label="kind", layer=None if case % 2 else "counts")
        except (OSError, ValueError) as error:
            n_refused += 1
            assert str(error).startswith(str(path)) and "\n" not in str(error)
    assert n_refused >= 40


def test_without_h5py(tmp_path, monkeypatch):
    path = write(tmp_path/"x.h5ad", matrix())
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    with pytest.raises(ImportError, match=r'pip install "fsnb\[h5ad\]"'): read_data(path, label="kind")


# ---- names from a file
def test_vocabulary(tmp_path):
    X = sp.csr_matrix(matrix())
    np.savez(tmp_path/"x.npz", X=matrix(), y=np.arange(N) % 2, feature_names=GENES)
    sp.save_npz(tmp_path/"rows.npz", X)
    from sklearn.datasets import dump_svmlight_file
    dump_svmlight_file(X, np.arange(N) % 2, str(tmp_path/"x.svm"), zero_based=False)
    words = [f"word {j}" for j in range(P)]
    (tmp_path/"words.txt").write_text("\r\n".join(words)+"\r\n\n")
    np.save(tmp_path/"words.npy", np.array(words))
    for name in ("x.npz", "x.svm", "rows.npz"):
        for given in (words, np.array(words), tmp_path/"words.txt", str(tmp_path/"words.npy")):
            labels = np.arange(N) % 2 if name == "rows.npz" else None
            assert read_data(tmp_path/name, names=given, labels=labels).names == words
        store = convert(tmp_path/name, tmp_path/f"{name}.fsnb", names=tmp_path/"words.txt", verbose=False)
        assert read_store_names(store).tolist() == words
    assert read_data(tmp_path/"x.npz").names == GENES
    assert list(read_store_names(convert(matrix(), tmp_path/"m.fsnb", names=tmp_path/"words.txt", verbose=False))) == words


@pytest.mark.parametrize("content, said", [
    ("a\nb\n", "one name for each of the 9 features, got 2$"), ("\n".join("abcdefghij"), "of the 9 features, got 10 .for svmlight: --columns 10"),
    ("a\nb\n\nd", "line 3: the name is empty"), ("a\nb\nc\nb", "line 4: the name 'b' stands in line 2 already"), ("", "line 1: the name is empty")])
def test_vocabularies_that_are_wrong(tmp_path, content, said):
    from sklearn.datasets import dump_svmlight_file
    dump_svmlight_file(matrix(), np.arange(N) % 2, str(tmp_path/"x.svm"), zero_based=False)
    (tmp_path/"words.txt").write_text(content)
    with pytest.raises(ValueError, match=f"^{tmp_path}/words.txt: .*{said}"): read_data(tmp_path/"x.svm", names=tmp_path/"words.txt")
    with pytest.raises(ValueError, match=said): convert(tmp_path/"x.svm", tmp_path/"x.fsnb", names=tmp_path/"words.txt", verbose=False)
    assert not (tmp_path/"x.fsnb").exists()
    (tmp_path/"x.csv").write_text("a,label\n1,2\n")
    with pytest.raises(ValueError, match="names is for svmlight, npz, and this is csv"): read_data(tmp_path/"x.csv", names=tmp_path/"words.txt")


@pytest.mark.parametrize("gap", ["", "nan"])
def test_a_label_that_is_no_word_is_missing(tmp_path, gap):
    "Once: a class of its own"
    path = tmp_path/"x.h5ad"
    write(path, matrix())
    with h5py.File(path, "a") as file: file["obs/cell"] = ["ann", gap, "bob"]*10
    with pytest.raises(ValueError, match="x.h5ad: /obs: cell misses values, 10 of 30"): read_data(path, label="cell")
    with pytest.raises(ValueError, match="cell misses values, 10 of 30"): convert(path, tmp_path/"x.fsnb", label="cell", verbose=False)


@pytest.mark.parametrize("change", [lambda whole: whole[:len(whole)//2], lambda whole: b"words"], ids=["cut", "words"])
def test_what_is_no_hdf5_file_is_told_in_a_sentence(tmp_path, change):
    path = tmp_path/"x.h5ad"
    write(path, matrix())
    path.write_bytes(change(path.read_bytes()))
    for call in (lambda: read_data(path, label="kind"), lambda: convert(path, tmp_path/"x.fsnb", label="kind", verbose=False)):
        with pytest.raises(ValueError, match="^.*x.h5ad: an .h5ad is an HDF5 file, and this is none, or it was cut short"): call()
    with pytest.raises(FileNotFoundError, match="nowhere.h5ad: No such file"): read_data(tmp_path/"nowhere.h5ad", label="kind")

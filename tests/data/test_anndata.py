"AnnData at the door: what comes from one, what is written to one, and .h5ad files"
import warnings
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from sklearn.base import clone
from fsnb import (FCBF, GDM, Discretizer, FeatureGroups, OneClassGDM, as_columns, convert,
                  from_anndata, group_columns, group_p_values, read_data, stable_groups)
from fsnb.data.store import open_store, read_store_labels
from stores import dense

anndata = pytest.importorskip("anndata")
import h5py

anndata.settings.allow_write_nullable_strings = True
N, P = 60, 20
GENES = [f"gene{j}" for j in range(P)]
RNG = np.random.default_rng(0)
KIND = np.where(RNG.random(N) < .5, "B", "T")
X = RNG.poisson(1, (N, P)).astype(np.float32)         # counts
X[:, 3] += 4*(KIND == "B")
X[:, 4] = X[:, 3]+(RNG.random(N) < .1)
X[:, 7] += 3*(KIND == "T")
X.flags.writeable = False
OBS = pd.DataFrame(
    {"cell_type": pd.Categorical(KIND), "text": KIND, "number": 1*(KIND == "B"), "age": X[:, 0]},
    index=[f"cell{i}" for i in range(N)])

def make(X=X, obs=OBS, names=GENES, **more):
    return anndata.AnnData(X, obs=obs.copy(), var=pd.DataFrame(index=names), **more)

def members(groups): return [m.tolist() for m in groups]

@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=lambda f: f.__name__)
def test_an_anndata_gives_what_its_matrix_gives_and_another_is_refused(form):
    adata, plain = make(form(X)), GDM(3).fit(X, KIND)
    for key in ("cell_type", "text"):
        model = GDM(3).fit(adata, y=key)
        assert model.support_.tolist() == plain.support_.tolist()
        assert members(model.groups_) == members(plain.groups_)
        assert model.groups_.names == [[GENES[j] for j in m] for m in plain.groups_]
        assert list(model.feature_names_in_) == GENES
        with warnings.catch_warnings(action="error", category=UserWarning):     # scikit-learn's, of names that are missing
            assert (model.predict(adata) == plain.predict(X)).all()
        assert model.score(adata, key) == model.score(adata, y=KIND) == plain.score(X, KIND)
        assert np.array_equal(dense(model.transform(adata)), X[:, sorted(plain.support_)])
        for call in (model.predict, model.transform, lambda other: model.score(other, "cell_type")):
            with pytest.raises(ValueError, match="column 0 is called gene19, and was gene0"):
                call(adata[:, ::-1])
    assert GDM(3).fit(adata, y=OBS["number"]).support_.tolist() == plain.support_.tolist()

def test_layers_and_views():
    log = np.log1p(X)
    adata = make(sp.csr_matrix(X), layers={"log": sp.csr_matrix(log)})
    model = GDM(3).fit(from_anndata(adata, layer="log"), y="cell_type")
    assert model.groups_ == GDM(3).fit(as_columns(sp.csc_matrix(log), GENES), KIND).groups_
    part = GDM(3).fit(adata[:40], y="cell_type")
    assert part.support_.tolist() == GDM(3).fit(X[:40], KIND[:40]).support_.tolist()
    with pytest.raises(ValueError, match="'counts'; its layers: log"): from_anndata(adata, "counts")

@pytest.mark.parametrize("change, said", [
    (dict(y="celltype"), "got 'celltype'; it has cell_type, text, number, age"),
    (dict(missing=3), "cell_type misses values, 3 of 60"),
    (dict(names=["a", "b", "a", *GENES[3:]]), "but 2 are called 'a'"),
    (dict(holes=2), "2 missing values in 1 column: gene5; impute or drop them$")])
def test_what_is_wrong_is_named(change, said):
    spoilt, obs = X.copy(), OBS.copy()
    spoilt[:change.get("holes", 0), 5] = np.nan
    obs["cell_type"] = obs["cell_type"].where(np.arange(N) >= change.get("missing", 0))
    adata = make(spoilt, obs, change.get("names", GENES))
    with pytest.raises(ValueError, match=said): GDM(3).fit(adata, y=change.get("y", "cell_type"))
    with pytest.raises(ValueError, match="a word names a column of obs"): GDM(3).fit(X, "cell_type")

# ---- groups written to an AnnData
COLUMNS = ["fsnb_support", "fsnb_group", "fsnb_score", "fsnb_correlation", "fsnb_p_value", "fsnb_significant"]

def test_groups_go_to_the_anndata():
    adata = make(sp.csr_matrix(X))
    groups = GDM(3).fit(adata, y="cell_type").groups_
    assert groups.to_anndata(adata) is None
    var, frame = adata.var, groups.to_frame()
    assert list(var.columns) == COLUMNS and adata.shape == (N, P)
    assert [var[name].dtype.kind for name in COLUMNS] == ["b", "i", "f", "f", "f", "b"]
    assert var.fsnb_group.to_numpy().tolist() == groups.labels().tolist()
    assert np.flatnonzero(var.fsnb_support).tolist() == sorted(groups.support)
    inside = var.iloc[frame.feature]
    for name in ("score", "correlation", "p_value"):
        assert np.array_equal(inside[f"fsnb_{name}"], frame[name], equal_nan=True)
        assert var[f"fsnb_{name}"][var.fsnb_group < 0].isna().all()
    assert FeatureGroups.from_json(adata.uns["fsnb"]["record"]) == groups
    groups.to_anndata(adata)
    assert list(adata.var.columns) == COLUMNS
    for other, said in ((make(X[:, :5], names=GENES[:5]), "with 5 features, but they are of 20"),
                        (make(names=GENES[::-1]), "the groups are of other data: column")):
        with pytest.raises(ValueError, match=said): groups.to_anndata(other)
        assert not len(other.var.columns) and not other.uns

def test_a_file_and_back(tmp_path):
    adata, path = make(sp.csr_matrix(X)), tmp_path/"cells.h5ad"
    for groups in (GDM(3).fit(adata, y="cell_type").groups_, FeatureGroups([], n_features=P),
                   FeatureGroups([[2, 1]], parameters={"a": [1, None], "b": None}),
                   FeatureGroups([[2, 1]], significant=[True])):
        groups.to_anndata(adata)
        adata.write_h5ad(path)
        read = anndata.read_h5ad(path)
        pd.testing.assert_frame_equal(read.var, adata.var, check_index_type=False)
        assert FeatureGroups.from_json(read.uns["fsnb"]["record"]) == groups
        assert read.uns["fsnb"]["version"] == groups.version

# ---- .h5ad files

@pytest.fixture
def write(tmp_path):
    "Writes an .h5ad as anndata does"
    def write(*parts, **more):
        make(*parts, **more).write_h5ad(tmp_path/"x.h5ad")
        return tmp_path/"x.h5ad"
    return write

def ways(path):
    "Two ways into a file"
    yield lambda: read_data(path, "text")
    yield lambda: convert(path, path.with_suffix(".fsnb"), verbose=0)

@pytest.mark.parametrize("form", [np.asarray, sp.csc_matrix, sp.csr_matrix], ids=["dense", "csc", "csr"])
def test_a_file_is_read_and_converted(tmp_path, write, form):
    log = form(np.log1p(X))
    path = write(form(X), layers={"log": log})
    for label in ("cell_type", "text", "number"):
        read, y, names = read_data(path, label)
        assert np.array_equal(dense(read), X) and names == GENES and (y == (OBS[label].to_numpy())).all()
    for memory in ("1M", "1G"):
        target = convert(path, tmp_path/"x.fsnb", memory, label="text", layer="log", overwrite=True, verbose=0)
        store = open_store(target, check=True)
        assert np.array_equal(dense(store.whole()), dense(log)) and list(store.names) == GENES
        assert (read_store_labels(store.path) == KIND).all() and store.is_sparse == sp.issparse(log)
    assert (read_data(path, labels=np.arange(N)).y == np.arange(N)).all()

def test_a_backed_matrix_is_converted_first(tmp_path, write):
    path = write(sp.csr_matrix(X))
    adata = anndata.read_h5ad(path, backed="r")
    with pytest.raises(ValueError, match="X is backed by its .h5ad: make a store of the file first"): GDM(3).fit(adata, "cell_type")
    store = convert(path, tmp_path/"x.fsnb", label="cell_type", verbose=0)
    for given, y, rows in ((store, read_store_labels(store), slice(None)), (adata[:40], "cell_type", slice(40))):
        assert GDM(3).fit(given, y).support_.tolist() == GDM(3).fit(X[rows], KIND[rows]).support_.tolist()
    adata.file.close()

def test_bad_files_are_one_line(tmp_path, write):
    obs, spoilt = OBS.assign(gap=OBS.text.where(np.arange(N) > 2)), X.copy()
    path = write(sp.csr_matrix(X), obs)
    whole = path.read_bytes()
    for given, told in ((dict(), "label must name a column of obs, got None; it has cell_type"), (dict(label="x"), "got 'x'"),
                        (dict(label="gap"), "gap misses values, 3 of 60"), (dict(label="text", layer="log"), "got 'log'; it has none"),
                        (dict(label="text", n_features=3), "n_features is for svmlight"), (dict(labels=[1, 2]), "inconsistent numbers of samples: .60, 2")):
        with pytest.raises(ValueError, match=told): read_data(path, **given)
    for content in (whole[:len(whole)//2], b"words"):
        path.write_bytes(content)
        for read in ways(path):
            with pytest.raises((OSError, ValueError), match=r"x\.h5ad"): read()
    spoilt[3, 5] = np.nan
    for form in (np.asarray, sp.csc_matrix, sp.csr_matrix):
        with pytest.raises(ValueError, match="nan"): convert(write(form(spoilt)), tmp_path/"x.fsnb", verbose=0)
    with pytest.raises(ValueError, match="must be different"): read_data(write(X[:, :2], OBS, ["a", "a"]), "text")
    assert not list(tmp_path.glob("*.fsnb*"))

@pytest.mark.parametrize("form, part, value", [
    (sp.csc_matrix, "indices", 99), (sp.csr_matrix, "indices", -1),
    (sp.csc_matrix, "indptr", -5), (sp.csr_matrix, "indptr", -5)])
def test_entries_outside_of_the_matrix_are_refused(write, form, part, value):
    path = write(form(X))
    with h5py.File(path, "a") as file: file["X"][part][3] = value
    for read in ways(path):
        with pytest.raises(ValueError, match=r"x\.h5ad"): read()

@pytest.mark.parametrize("what", ["link", "external", "virtual", "link in obs"])
def test_no_other_file_is_read(tmp_path, write, what):
    path, secret = write(), tmp_path/"secret.h5"
    with h5py.File(secret, "w") as file: file["X"] = X
    with h5py.File(path, "a") as file:
        del file["X"]
        if what == "link": file["X"] = h5py.ExternalLink(str(secret), "X")
        elif what == "external": file.create_dataset("X", X.shape, X.dtype, external=[(str(secret), 0, X.nbytes)])
        elif what == "virtual":
            layout = h5py.VirtualLayout(X.shape, X.dtype)
            layout[:] = h5py.VirtualSource(str(secret), "X", X.shape)
            file.create_virtual_dataset("X", layout)
        else: file["X"], file["obs/age2"] = X, h5py.ExternalLink(str(secret), "X")
    for read in ways(path):
        with pytest.raises(ValueError, match="lies in another file, which is not read"): read()

# ---- functions, reports

def test_other_selectors_functions_and_reports_have_the_same_door():
    adata, groups, donor = make(sp.csr_matrix(X)), [[3, 4], [7]], np.arange(N) % 2
    for model in (FCBF(3), Discretizer(), OneClassGDM(3)):
        plain, named = clone(model).fit(X, KIND), clone(model).fit(adata, y="cell_type")
        assert list(named.feature_names_in_) == GENES
        assert np.array_equal(getattr(plain, "support_", 0), getattr(named, "support_", 0))
    assert members(group_columns(adata, tau=.3)) == members(group_columns(X, tau=.3))
    settings = dict(n_permutations=29, random_state=0)
    ours = group_p_values(adata, "cell_type", groups, **settings)
    assert np.array_equal(ours, group_p_values(X, KIND, groups, **settings))
    ours = group_p_values(adata, donor, groups, strata="number", **settings)
    assert np.array_equal(ours, group_p_values(X, donor, groups, strata=OBS["number"].to_numpy(), **settings))
    ours, plain = (stable_groups(*given, groups, n_pairs=4, random_state=0)
                   for given in ((adata, "cell_type"), (X, KIND)))
    assert ours.frequencies.tolist() == plain.frequencies.tolist()
    found = GDM(2).fit(make(), "cell_type").groups_
    assert found.report(X=make(), y="cell_type") == found.report(X=pd.DataFrame(X, columns=GENES), y=KIND)

# ---- types of cells, as scanpy has them
LOGS = np.log1p(X)

def written(adata, **more):
    GDM(3).fit(from_anndata(adata, **{k: v for k, v in more.items() if k != "key_added"}), "cell_type").groups_.to_anndata(
        adata, groupby="cell_type", **more)
    return adata.uns["rank_genes_groups"]

@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=lambda f: f.__name__)
def test_the_table_has_scanpys_form_and_numbers(form):
    "scanpy #1530, #2363, COSG #3: a table without logfoldchanges broke dotplots and rank_genes_groups_df"
    from scipy.stats import ttest_ind
    table = written(make(form(LOGS)))
    assert {"names", "scores", "pvals", "pvals_adj", "logfoldchanges", "params", "pts", "pts_rest"} == set(table)
    for field in ("names", "scores", "pvals", "pvals_adj", "logfoldchanges"): assert table[field].dtype.names == ("B", "T")
    for kind in "BT":
        assert (np.diff(table["scores"][kind]) <= 0).all()
        for i, name in enumerate(table["names"][kind]):
            own, rest = LOGS[KIND == kind, GENES.index(name)], LOGS[KIND != kind, GENES.index(name)]
            t = ttest_ind(own, rest, equal_var=False)
            assert table["scores"][kind][i] == pytest.approx(t.statistic, rel=1e-4)
            assert table["pvals"][kind][i] == pytest.approx(t.pvalue, rel=1e-3)
            assert table["pvals_adj"][kind][i] == pytest.approx(min(t.pvalue*P, 1), rel=1e-3)
            fold = np.log2((np.expm1(own.mean())+1e-9)/(np.expm1(rest.mean())+1e-9))
            assert table["logfoldchanges"][kind][i] == pytest.approx(fold, rel=1e-4, abs=1e-6)
            assert table["pts"].loc[name, kind] == (own > 0).mean() and table["pts_rest"].loc[name, kind] == (rest > 0).mean()

def test_fold_changes_of_counts_and_of_other_logs():
    "scanpy #967: counts were put through expm1; #2239: uns['log1p'] without a base was a KeyError"
    groups = FeatureGroups([[3, 4], [7]], n_features=P)
    want = groups.by_type(make(LOGS), "cell_type").logfoldchange
    own, rest = X[KIND == "B"][:, 3].mean(), X[KIND != "B"][:, 3].mean()
    of_counts = groups.by_type(make(LOGS, layers={"counts": sp.csr_matrix(X)}), "cell_type", layer="counts")
    assert of_counts.query("type == 'B' and feature == 3").logfoldchange.item() == pytest.approx(np.log2(own/rest), rel=1e-5)
    for uns, values in (({"log1p": {}}, LOGS), ({"log1p": {"base": None}}, LOGS), ({"log1p": {"base": 2}}, LOGS/np.log(2))):
        np.testing.assert_allclose(groups.by_type(make(values, uns=uns), "cell_type").logfoldchange, want, rtol=1e-4)

def test_raw_is_read_when_asked_for_only():
    "scanpy #817: genes that had been filtered out came back from adata.raw"
    whole = make(LOGS)
    few = whole[:, GENES[3:8]].copy()
    few.raw = whole
    assert set(written(few)["names"]["B"]) <= set(GENES[3:8])
    assert GDM(3).fit(few, "cell_type").n_features_in_ == 5 and from_anndata(few, use_raw=True).shape == (N, P)
    del few.var["fsnb_group"]
    table = written(few, use_raw=True)
    assert table["params"]["use_raw"] and (few.raw.var.fsnb_group >= 0).any() and "fsnb_group" not in few.var
    with pytest.raises(ValueError, match="adata.raw is None"): from_anndata(whole, use_raw=True)
    with pytest.raises(ValueError, match="adata.raw, got 'counts'"): from_anndata(few, "counts", use_raw=True)

def test_each_type_has_its_best_group_first():
    groups = FeatureGroups([[7], [3, 4], [0]], n_features=P)
    frame = groups.by_type(make(LOGS), "cell_type")
    lead = frame[frame.role == "support"]
    assert lead.groupby("type").feature.first().to_dict() == {"B": 3, "T": 7}
    assert all((np.diff(own.score) <= 0).all() for _, own in lead.groupby("type"))
    assert [len(own) for _, own in frame.groupby("type")] == [4, 4] and set(frame.name) == {"gene7", "gene3", "gene4", "gene0"}

def test_wrong_types_leave_the_anndata_as_it_was():
    adata = make(LOGS, OBS.assign(gap=OBS.text.where(np.arange(N) > 2)))
    for key, said in (("typ", "it has cell_type"), ("gap", "gap misses values")):
        with pytest.raises(ValueError, match=said): FeatureGroups([[3]], n_features=P).to_anndata(adata, groupby=key)
    assert not adata.uns and not len(adata.var.columns)

def test_the_table_goes_through_a_file(tmp_path):
    adata = make(sp.csr_matrix(LOGS))
    table = written(adata)
    adata.write_h5ad(tmp_path/"x.h5ad")
    read = anndata.read_h5ad(tmp_path/"x.h5ad").uns["rank_genes_groups"]
    assert read["names"]["B"].tolist() == table["names"]["B"].tolist() and read["params"]["groupby"] == "cell_type"

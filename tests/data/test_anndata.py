"AnnData at the door: a stand-in with its attributes everywhere, and the real one where it is installed"
import warnings
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from sklearn.base import clone
from fsnb import (FCBF, GDM, Discretizer, FeatureGroups, OneClassGDM, as_columns, from_anndata)
from fsnb import convert, read_data
from fsnb.data.store import open_store, read_store_labels

N, P = 60, 20
GENES = [f"gene{j}" for j in range(P)]


def make_parts(seed=0):
    "A matrix of counts, cell types, and a frame of observations"
    rng = np.random.default_rng(seed)
    kind = np.where(rng.random(N) < .5, "B", "T")
    X = rng.poisson(1, (N, P)).astype(np.float32)
    X[:, 3] += 4*(kind == "B")
    X[:, 4] = X[:, 3]+(rng.random(N) < .1)
    X[:, 7] += 3*(kind == "T")
    obs = pd.DataFrame({"cell_type": pd.Categorical(kind), "text": kind, "number": (kind == "B").astype(int),
                        "age": rng.random(N)}, index=[f"cell{i}" for i in range(N)])
    return X, kind, obs


class Standin:
    "What has the attributes of an AnnData; rows are taken as from one"
    def __init__(self, X, obs, names=GENES, layers=None):
        self.X, self.obs, self.uns = X, obs, {}
        self.var = pd.DataFrame(index=names)
        self.layers = layers or {}

    @property
    def var_names(self): return self.var.index
    @property
    def shape(self): return self.X.shape
    def __getitem__(self, key):
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        return Standin(self.X[rows][:, columns], self.obs.iloc[rows], self.var_names[columns])


def standin(X, obs, names=GENES, layers=None): return Standin(X, obs, names, layers)


def real(X, obs, names=GENES, layers=None):
    anndata = pytest.importorskip("anndata")
    return anndata.AnnData(X, obs=obs, var=pd.DataFrame(index=names), layers=layers)


@pytest.fixture(params=[standin, real], ids=["standin", "anndata"])
def make(request): return request.param


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix], ids=lambda f: f.__name__)
def test_an_anndata_gives_what_its_matrix_gives(make, form):
    X, y, obs = make_parts()
    adata, plain = make(form(X), obs), GDM(3).fit(X, y)
    for key in ("cell_type", "text"):
        model = GDM(3).fit(adata, y=key)
        assert model.support_.tolist() == plain.support_.tolist()
        assert [m.tolist() for m in model.groups_] == [m.tolist() for m in plain.groups_]
        assert model.groups_.names == [[GENES[j] for j in m] for m in plain.groups_]
        assert list(model.feature_names_in_) == GENES
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)     # scikit-learn's, of names that are missing
            assert (model.predict(adata) == plain.predict(X)).all()
        assert model.score(adata, key) == model.score(adata, y=key) == plain.score(X, y)
        chosen = model.transform(adata)
        assert np.array_equal(chosen.toarray() if sp.issparse(chosen) else chosen, X[:, sorted(plain.support_)])
    again = GDM(3).fit(adata, y=obs["number"])
    assert again.support_.tolist() == plain.support_.tolist()


def test_every_selector_has_the_same_door():
    X, y, obs = make_parts()
    adata = standin(sp.csr_matrix(X), obs)
    for model in (FCBF(3), Discretizer(), OneClassGDM(3)):
        plain, named = clone(model).fit(X, y), clone(model).fit(adata, y="cell_type")
        assert list(named.feature_names_in_) == GENES
        assert np.array_equal(getattr(plain, "support_", 0), getattr(named, "support_", 0))


def test_layers_and_views(make):
    X, y, obs = make_parts()
    adata = make(sp.csr_matrix(X), obs, layers={"log": sp.csr_matrix(np.log1p(X))})
    model = GDM(3).fit(from_anndata(adata, layer="log"), y="cell_type")
    assert model.groups_ == GDM(3).fit(as_columns(sp.csc_matrix(np.log1p(X)), GENES), y).groups_
    part = adata[:40]
    assert GDM(3).fit(part, y="cell_type").support_.tolist() == GDM(3).fit(X[:40], y[:40]).support_.tolist()
    with pytest.raises(ValueError, match="got 'counts'; its layers: log"):
        from_anndata(adata, layer="counts")


@pytest.mark.parametrize("change, said", [
    (dict(y="celltype"), "got 'celltype'; obs has cell_type, text, number, age"),
    (dict(y="cell_type", missing=3), r"3 of 60 in obs\['cell_type'\] are missing"),
    (dict(y="cell_type", names=["a", "b", "a", *GENES[3:]]), "but 2 are called 'a'"),
    (dict(y="cell_type", holes=2), "2 missing values in 1 column: gene5")])
def test_what_is_wrong_is_named(make, change, said):
    X, y, obs = make_parts()
    X[:change.get("holes", 0), 5] = np.nan
    if "missing" in change: obs[change["y"]] = obs[change["y"]].where(np.arange(N) >= change["missing"])
    adata = make(X, obs, change.get("names", GENES))
    with pytest.raises(ValueError, match=said): GDM(3).fit(adata, y=change["y"])


def test_other_variables_are_refused(make):
    X, y, obs = make_parts()
    model = GDM(3).fit(make(X, obs), y="cell_type")
    for call in (model.predict, model.transform, lambda other: model.score(other, "cell_type")):
        with pytest.raises(ValueError, match="column 0 is called gene19, and was gene0"): call(make(X, obs)[:, ::-1])
    with pytest.raises(ValueError, match="a word names a column of obs"): GDM(3).fit(X, "cell_type")


# ---- groups written to an AnnData
COLUMNS = ["fsnb_support", "fsnb_group", "fsnb_score", "fsnb_correlation", "fsnb_p_value", "fsnb_significant"]


def test_groups_go_to_the_anndata(make):
    X, y, obs = make_parts()
    adata = make(sp.csr_matrix(X), obs)
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


def test_other_anndata_is_left_alone(make):
    X, y, obs = make_parts()
    groups = GDM(3).fit(make(X, obs), y="cell_type").groups_
    for other, said in ((make(X[:, :5], obs, GENES[:5]), "with 5 features, but they are of 20"),
                        (make(X, obs, GENES[::-1]), "the groups are of other data: column")):
        with pytest.raises(ValueError, match=said): groups.to_anndata(other)
        assert not len(other.var.columns) and not other.uns


def test_a_file_and_back(tmp_path):
    anndata = pytest.importorskip("anndata")
    anndata.settings.allow_write_nullable_strings = True
    X, y, obs = make_parts()
    adata = anndata.AnnData(sp.csr_matrix(X), obs=obs, var=pd.DataFrame(index=GENES))
    for groups in (GDM(3).fit(adata, y="cell_type").groups_, FeatureGroups([[2, 1]], parameters={"a": [1, None], "b": None}),
                   FeatureGroups([], n_features=P), FeatureGroups([[2, 1]], significant=[True])):
        groups.to_anndata(adata)
        adata.write_h5ad(tmp_path/"cells.h5ad")
        read = anndata.read_h5ad(tmp_path/"cells.h5ad")
        assert list(read.var.columns) == list(adata.var.columns)
        pd.testing.assert_frame_equal(read.var, adata.var, check_index_type=False)
        assert FeatureGroups.from_json(read.uns["fsnb"]["record"]) == groups
        assert read.uns["fsnb"]["version"] == groups.version

# ---- .h5ad files

FORMS = pytest.mark.parametrize("form", [np.asarray, sp.csc_matrix, sp.csr_matrix], ids=["dense", "csc", "csr"])

@pytest.fixture
def write(tmp_path):
    "Writes an .h5ad as anndata does"
    anndata = pytest.importorskip("anndata")
    anndata.settings.allow_write_nullable_strings = True
    def write(X, obs, names=GENES, **more):
        anndata.AnnData(X, obs=obs, var=pd.DataFrame(index=names), **more).write_h5ad(tmp_path/"x.h5ad")
        return tmp_path/"x.h5ad"
    return write


@FORMS
def test_a_file_is_read_and_converted(tmp_path, write, form):
    X, kind, obs = make_parts()
    log = form(np.log1p(X))
    path = write(form(X), obs, layers={"log": log})
    for label in ("cell_type", "text", "number"):
        read, y, names = read_data(path, label)
        assert np.array_equal(read.toarray() if sp.issparse(read) else read, X) and names == GENES
        assert (y == (obs[label].to_numpy())).all()
    for memory in ("1M", "1G"):
        store = open_store(convert(path, tmp_path/"x.fsnb", memory, label="text", layer="log", overwrite=True, verbose=0), check=True)
        whole = store.whole()
        assert np.array_equal(whole.toarray() if sp.issparse(whole) else whole, log.toarray() if sp.issparse(log) else log)
        assert list(store.names) == GENES and (read_store_labels(store.path) == kind).all() and store.is_sparse == sp.issparse(log)
    assert (read_data(path, labels=np.arange(N)).y == np.arange(N)).all()


def test_a_backed_matrix_is_converted_first(tmp_path, write):
    import anndata
    X, y, obs = make_parts()
    path = write(sp.csr_matrix(X), obs)
    adata = anndata.read_h5ad(path, backed="r")
    with pytest.raises(ValueError, match="X is backed by its .h5ad: make a store of the file first"): GDM(3).fit(adata, "cell_type")
    store = convert(path, tmp_path/"x.fsnb", label="cell_type", verbose=0)
    assert GDM(3).fit(store, read_store_labels(store)).support_.tolist() == GDM(3).fit(X, y).support_.tolist()
    assert GDM(3).fit(adata[:40], y="cell_type").support_.tolist() == GDM(3).fit(X[:40], y[:40]).support_.tolist()
    adata.file.close()


def test_bad_files_are_one_line(tmp_path, write):
    X, _, obs = make_parts()
    obs["gap"] = obs.text.where(np.arange(N) > 2)
    path, whole = write(sp.csr_matrix(X), obs), None
    whole = path.read_bytes()
    for given, told in ((dict(), "label must name a column of obs, got None; it has cell_type"), (dict(label="x"), "got 'x'"),
                        (dict(label="gap"), "gap misses values, 3 of 60"), (dict(label="text", layer="log"), "got 'log'; it has none"),
                        (dict(label="text", n_features=3), "n_features is for svmlight"), (dict(labels=[1, 2]), "one label for each of the 60")):
        with pytest.raises(ValueError, match=told): read_data(path, **given)
    for content in (whole[:len(whole)//2], b"words"):
        path.write_bytes(content)
        for read in (lambda: read_data(path, "text"), lambda: convert(path, tmp_path/"x.fsnb", verbose=0)):
            with pytest.raises((OSError, ValueError), match=r"x\.h5ad"): read()
    X[3, 5] = np.nan
    for form in (np.asarray, sp.csc_matrix, sp.csr_matrix):
        with pytest.raises(ValueError, match="nan"): convert(write(form(X), obs), tmp_path/"x.fsnb", verbose=0)
    with pytest.raises(ValueError, match="must be different"): read_data(write(X[:, :2], obs, ["a", "a"]), "text")
    assert not list(tmp_path.glob("*.fsnb*"))


@pytest.mark.parametrize("form, part, value", [
    (sp.csc_matrix, "indices", 99), (sp.csr_matrix, "indices", -1),
    (sp.csc_matrix, "indptr", -5), (sp.csr_matrix, "indptr", -5)])
def test_entries_outside_of_the_matrix_are_refused(tmp_path, write, form, part, value):
    h5py = pytest.importorskip("h5py")
    X, _, obs = make_parts()
    path = write(form(X), obs)
    with h5py.File(path, "a") as file: file["X"][part][3] = value
    for read in (lambda: read_data(path, "text"), lambda: convert(path, tmp_path/"x.fsnb", verbose=0)):
        with pytest.raises(ValueError, match=r"x\.h5ad"): read()


@pytest.mark.parametrize("what", ["link", "external", "virtual", "link in obs"])
def test_no_other_file_is_read(tmp_path, write, what):
    h5py = pytest.importorskip("h5py")
    X, _, obs = make_parts()
    path, secret = write(X, obs), tmp_path/"secret.h5"
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
    for read in (lambda: read_data(path, "text"), lambda: convert(path, tmp_path/"x.fsnb", verbose=0)):
        with pytest.raises(ValueError, match="lies in another file, which is not read"): read()


# ---- genotypes, functions, reports
def test_phenotype_of_genotypes(tmp_path):
    from fsnb.data.genotypes import open_genotypes, write_bed
    rng = np.random.default_rng(0)
    calls = rng.integers(0, 3, (60, 12))
    sick = 1.+(calls[:, 3]+rng.random(60) > 1.5)
    write_bed(tmp_path/"calls.bed", calls, phenotype=sick.astype(int))
    write_bed(tmp_path/"nobody.bed", calls)
    plain = GDM(2).fit(open_genotypes(tmp_path/"calls.bed"), sick)
    for X in (open_genotypes(tmp_path/"calls.bed"), tmp_path/"calls.bed", str(tmp_path/"calls.bed")):
        model = GDM(2).fit(X, y="phenotype")
        assert model.groups_ == plain.groups_ and model.score(X, "phenotype") == plain.score(X, sick)
    with pytest.raises(ValueError, match="says nothing of a phenotype"):
        GDM(2).fit(tmp_path/"nobody.bed", "phenotype")
    with pytest.raises(ValueError, match="a VCF is not read as it is"): GDM().fit("x.vcf.gz", sick)


def test_functions_at_the_door():
    from fsnb import group_columns, group_p_values, stable_groups
    X, y, obs = make_parts()
    adata, groups = standin(sp.csr_matrix(X), obs), [[3, 4], [7]]
    assert [m.tolist() for m in group_columns(adata, tau=.3)] == [m.tolist() for m in group_columns(X, tau=.3)]
    settings = dict(n_permutations=29, random_state=0)
    donor = np.arange(N) % 2
    assert np.array_equal(group_p_values(adata, "cell_type", groups, **settings), group_p_values(X, y, groups, **settings))
    within = obs["number"].to_numpy()
    assert np.array_equal(group_p_values(adata, donor, groups, strata="number", **settings), group_p_values(X, donor, groups, strata=within, **settings))
    ours, plain = stable_groups(adata, "cell_type", groups, n_pairs=4, random_state=0), stable_groups(X, y, groups, n_pairs=4, random_state=0)
    assert ours.frequencies.tolist() == plain.frequencies.tolist()


def test_a_report_takes_what_a_selector_takes():
    X, kind, obs = make_parts()
    cells = standin(X, obs)
    groups = GDM(2).fit(cells, "cell_type").groups_
    assert groups.report(X=cells, y="cell_type") == groups.report(X=pd.DataFrame(X, columns=GENES), y=kind)

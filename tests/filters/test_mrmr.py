"mRMR: mutual information by the letter, the well-known package, storage, numbers."
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from sklearn.metrics import mutual_info_score
from fsnb import naive
from fsnb.data.genotypes import GenotypeColumns, pack_calls
from fsnb.filters import MRMR, Discretizer
from fsnb.filters.mrmr import _SCHEMES
from fsnb.groups.synthetic import make_groups

pytestmark = pytest.mark.filterwarnings("ignore:.*constant column")

CUTS = "states", "mdl", "frequency", Discretizer("width", n_bins=4), None

@pytest.mark.parametrize("scheme", _SCHEMES)
@pytest.mark.parametrize("cuts", CUTS, ids=str)
@pytest.mark.parametrize("seed", range(2))
def test_mutual_information_as_the_letter(seed, cuts, scheme):
    "MID and MIQ of whole columns, of sparse ones and with the label as words"
    rng = np.random.default_rng(seed)
    X = rng.poisson(.7, (40, 9))*rng.choice([-1, 1, 1], (40, 9)).astype(float)
    y = (X[:, 0]+X[:, 1]+rng.standard_normal(40) > 1).astype(int)
    X[:, 8] = 3
    coder = Discretizer(cuts) if isinstance(cuts, str) else cuts
    codes = X if cuts is None else coder.fit_transform(X, y)
    pairs = np.array([[mutual_info_score(a, b) for b in codes.T] for a in codes.T])/np.log(2)
    own = np.array([mutual_info_score(a, y) for a in codes.T])/np.log(2)
    some = np.flatnonzero(own > 1e-12)
    k = max(1, min(4, len(some)))
    model = MRMR(k, measure="mutual_info", scheme=scheme, discretizer=cuts)
    if not len(some):
        with pytest.raises(ValueError, match="every relevance is 0"): model.fit(X, y)
        return
    pairs = pairs[np.ix_(some, some)].round(10)+1e-9
    want = some[naive.mrmr(own[some].round(10), pairs, 4, scheme)]
    words = np.array(["no", "yes"])[y]
    for x, z in ((X, y), (sp.csc_matrix(X), y), (np.float32(X), y), (X, words)):
        np.testing.assert_array_equal(model.fit(x, z).support_, want)
        np.testing.assert_allclose(model.scores_, own, atol=1e-9)

def test_sparse_columns_are_never_made_dense(monkeypatch):
    X = sp.random(1000, 1000, 1e-3, "csc", random_state=0)
    y = np.asarray(X[:, :500].sum(axis=1)).ravel() > .01
    dense = sp.csc_matrix.toarray
    def refuse(self, *args, **kwargs):
        assert self.shape[1] <= 10, "made dense"
        return dense(self, *args, **kwargs)
    for kind in (sp.csc_matrix, sp.csr_matrix): monkeypatch.setattr(kind, "toarray", refuse)
    for measure in ("mutual_info", "correlation"):
        assert len(MRMR(3, measure=measure).fit(X, y).support_) == 3

def test_states_refuse_missing_values():
    X = np.random.default_rng(0).standard_normal((30, 3))
    X[0, 0] = np.nan
    cuts = Discretizer("states", missing="category")
    with pytest.raises(ValueError, match="missing='category' must not be used with"):
        MRMR(2, measure="mutual_info", discretizer=cuts).fit(X, X[:, 1] > 0)
    model = MRMR(2, measure="mutual_info", discretizer=Discretizer("width", missing="category"))
    assert model.fit(X, X[:, 1] > 0).support_[0] == 1

def test_as_the_package():
    "FCQ of mrmr-selection"
    package, data = pytest.importorskip("mrmr"), make_groups(100, 120, random_state=0)
    theirs = package.mrmr_classif(pd.DataFrame(data.X), pd.Series(data.y), K=9, n_jobs=1,
                                  show_progress=False)
    np.testing.assert_array_equal(MRMR(9).fit(data.X, data.y).support_, theirs)

def test_numbers_as_target():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 20))
    assert MRMR(2).fit(X, X[:, 7]+.1*X[:, 3]).support_[0] == 7

def test_one_that_settles_y_comes_first():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 40)
    X = np.c_[rng.standard_normal((40, 5)), y]
    fitted = MRMR(2).fit(X, y)
    assert np.isinf(fitted.scores_).tolist() == [False]*5+[True]
    assert fitted.support_[0] == 5 and np.isfinite(fitted.scores_[fitted.support_[1]])

def test_mutual_information_takes_genotypes():
    "Three states need moments, which columns of filled calls did not have"
    calls = np.random.default_rng(0).integers(0, 3, (90, 12)).astype(float)
    y, filled = (calls[:, 2]+calls[:, 5] > 2).astype(int), calls.copy()
    calls[:4, 1] = np.nan
    filled[:4, 1] = np.bincount(calls[4:, 1].astype(int)).argmax()
    for cuts in ("states", "frequency", None):
        ours = MRMR(4, measure="mutual_info", discretizer=cuts).fit(GenotypeColumns(pack_calls(calls), 90), y)
        theirs = MRMR(4, measure="mutual_info", discretizer=cuts).fit(filled, y)
        assert ours.support_.tolist() == theirs.support_.tolist() and (ours.scores_ == theirs.scores_).all()

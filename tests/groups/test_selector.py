"The selector: a mask from `support_`, storage and names kept; data in, groups out; warnings"
import warnings
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.feature_selection import RFECV, SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import validate_data

from fsnb import (FCBF, GDM, MMFS, MRMR, FilterBruteForce, FisherScore, GDMRegressor, group_columns, group_p_values, stable_groups,
                  _cache)
from fsnb.data.inputs import as_columns, open_input
from fsnb.groups.groups import FeatureGroups
from fsnb.groups.selector import GroupSelectorMixin, set_result

class Pick(GroupSelectorMixin, BaseEstimator):
    "Selects the columns it was told to"
    def __init__(self, support=(3, 0)): self.support = support
    def fit(self, X, y=None):
        validate_data(self, X, accept_sparse=True)
        self.support_ = np.array(self.support, dtype=int)
        self.groups_ = FeatureGroups([[j] for j in self.support], n_features=self.n_features_in_)
        return self

X = np.arange(20.).reshape(4, 5)**2 % 11
NAMES = list("abcde")

@pytest.mark.parametrize("make, kind", [(np.asarray, np.ndarray), (sp.csc_matrix, "csc"), (sp.csr_array, "csr")])
def test_transform_keeps_the_storage(make, kind):
    for dtype in (np.float64, np.float32, np.int32):
        D = make(X.astype(dtype))
        pick = Pick().fit(D)
        t = pick.transform(D)
        assert (t.format == kind if isinstance(kind, str) else type(t) is kind) and t.dtype == dtype
        for got, want in ((t, X[:, [0, 3]]), (pick.inverse_transform(t), X*[1, 0, 0, 1, 0])):
            np.testing.assert_array_equal(got.toarray() if sp.issparse(got) else got, want)
        assert pick.get_support(indices=True).tolist() == [0, 3]

class Least(GroupSelectorMixin, BaseEstimator):
    "Selects the first columns, by the two functions that every selector has"
    target_required = False
    def __init__(self, k=2, tau=None, measure=None): self.k, self.tau, self.measure = k, tau, measure
    def fit(self, X, y=None):
        task = open_input(X, y, self, target=None if y is None else "any")
        order = np.arange(task.columns.n_features)[::-1]
        return set_result(self, task, order[:self.k], [[j] for j in order[:self.k]], None, order=order, scores=np.ones(self.k))

def test_constants_are_named_at_the_callers_line():
    D = X.copy(); D[:, [1, 3]] = 4
    for given, names in ((D, "1, 3"), (pd.DataFrame(D, columns=NAMES), "b, d"), (as_columns(D, NAMES), "b, d")):
        with warnings.catch_warnings(record=True, action="always") as seen:
            Least().fit(given)
        assert [str(w.message) for w in seen] == [f"2 constant columns are never selected: {names}"] and seen[0].filename == __file__
        with warnings.catch_warnings(action="error"):
            open_input(given, selector=Least(), check_scales=False)

def test_a_grid_search_reports_constant_columns_once(monkeypatch):
    "The folds differ in which columns are constant"
    D = np.random.default_rng(0).standard_normal((60, 8))
    D[:, [2, 5]] = 0, 1
    D[0, 2] = 1
    search = GridSearchCV(make_pipeline(FisherScore(2), LogisticRegression()), {"fisherscore__n_features_to_select": [2, 3]}, cv=3)
    monkeypatch.setattr("fsnb.data.checks._WARNED", set())
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        search.fit(D, np.arange(60) % 2)
    assert len([w for w in told if "never selected" in str(w.message)]) == 1

@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_first_fit_says_that_it_compiles(monkeypatch, capsys):
    Least().fit(X)                                      # compiled, and kept
    monkeypatch.setattr(_cache, "_looked", False)
    Least().fit(X)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(_cache, "_looked", False)
    with monkeypatch.context() as patch:
        patch.setattr(_cache.os.path, "isdir", lambda folder: False)  # as where nothing is kept yet
        for told in ("fsnb: compiling, once after installation: about ten seconds\n", ""):
            Least().fit(X)
            assert capsys.readouterr().err == told

def test_the_result():
    s = Least(k=2, tau=.3, measure=Pick())
    t = s.fit(pd.DataFrame(X, columns=NAMES))
    assert t is s and s.support_.tolist() == [4, 3] and s.support_.dtype == np.int64 and s.ranking_.tolist() == [5, 4, 3, 2, 1]
    g = s.groups_
    assert g.support.tolist() == [4, 3] and g.names == [["e"], ["d"]] and g.n_features == 5 and g.scores.tolist() == [1, 1]
    assert g.parameters == {"k": 2, "tau": .3, "measure": "Pick", "measure__support": [3, 0]}
    assert s.get_feature_names_out().tolist() == ["d", "e"] and s.transform(pd.DataFrame(X, columns=NAMES)).shape == (4, 2)

# ---- what users of scikit-learn look for, on data of two causes
def two_causes(n=120, p=12):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(n, p)), np.arange(n) % 2
    X[:, 0] += 2*y
    X[:, 1] = X[:, 0]+.1*rng.normal(size=n)
    X[:, 2] -= 1.5*y
    return X, y

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", [GDM(2), MMFS(2), FCBF(), MRMR(2), FilterBruteForce(2)], ids=lambda m: type(m).__name__)
def test_ranking_and_importances(model):
    X, y = two_causes()
    own = clone(model).fit(X, y)
    k = len(own.support_)
    assert own.ranking_[own.support_].tolist() == list(range(1, k+1))
    assert sorted(own.ranking_) in (list(range(1, 13)), [*range(1, k+1)]+[k+1]*(12-k))
    sizes = own.feature_importances_
    assert np.argsort(-sizes, kind="stable")[:k].tolist() == own.support_.tolist() and sizes.sum() == pytest.approx(1)
    assert np.count_nonzero(sizes) == k and not hasattr(clone(model), "feature_importances_")
    chosen = SelectFromModel(clone(model), importance_getter="feature_importances_", threshold=1e-9).fit(X, y)
    assert chosen.get_support(indices=True).tolist() == sorted(own.support_)

@pytest.mark.filterwarnings("ignore")
def test_a_model_that_selects_is_judged_by_rfecv_in_the_shape_of_x():
    "py-earth #189: weights of a basis, and not of the features, broke RFECV"
    X, y = two_causes()
    found = RFECV(GDM(2), cv=3, importance_getter="feature_importances_").fit(X, y)
    assert found.n_features_in_ == 12 and found.get_support()[[0, 1]].any()

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("names", [pd.MultiIndex.from_product([list("ab"), range(6)]), range(2001, 2013), pd.date_range("2020", periods=12),
                                   [0, *"bcdefghijkl"]], ids=["tuples", "years", "dates", "mixed"])
def test_a_column_has_one_name(names):
    "scikit-learn #22399: names of a MultiIndex, tuples, are refused or forgotten"
    X, y = two_causes()
    frame = pd.DataFrame(X, columns=names)
    model = GDM(2).fit(frame, y)
    told = [own.names[0] for own in model.groups_]
    assert sorted(told) == sorted(model.get_feature_names_out()) and len(set(model.feature_names_in_)) == 12
    assert list(frame.columns) == list(names)             # the user's frame stays as it was
    assert (model.predict(frame) == GDM(2).fit(X, y).predict(X)).all()
    assert group_columns(frame).names[0][0] == model.feature_names_in_[0]
    with pytest.raises(ValueError, match="feature names"): model.predict(frame.iloc[:, ::-1])

def test_a_multiindex_name_is_joined():
    X, y = two_causes()
    model = GDM(1).fit(pd.DataFrame(X, columns=pd.MultiIndex.from_product([list("ab"), range(6)])), y)
    assert model.groups_[0].names[0] == "a_0"

@pytest.mark.parametrize("call, said", [
    (lambda X, y: GDM(2).fit(X, y, groups=y), "fit(X, y, blocks=donors)"),
    (lambda X, y: GDMRegressor(2).fit(X, y, groups=y), "fit(X, y, blocks=donors)"),
    (lambda X, y: stable_groups(GDM(2), X, y), "stable_groups(X, y, groups, selector=GDM(3))"),
    (lambda X, y: group_p_values(GDM(2), X, y), "group_p_values(X, y, groups)"),
    (lambda X, y: group_columns(X, group_columns(X)), "groups_around(X, groups.support)"),
    (lambda X, y: group_columns(X, y), "group_columns(X, tau=.3)")])
def test_one_sentence_with_the_call(call, said):
    with pytest.raises(TypeError) as error: call(*two_causes())
    assert said in str(error.value) and "\n" not in str(error.value)

def test_other_wrong_arguments_are_told_of_the_class():
    with pytest.raises(TypeError, match=r"GDM.fit\(\) got an unexpected keyword argument 'groop'"): GDM(2).fit(*two_causes(), groop=1)

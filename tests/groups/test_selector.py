"The selector: a mask from `support_`, storage kept, names handed on; data in, groups out"
import warnings
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from fsnb.data.inputs import as_columns
from fsnb.data.calls import pack_calls
from fsnb.data.genotypes import GenotypeColumns
from fsnb.groups.groups import FeatureGroups, Members
from fsnb.groups.selector import GroupSelectorMixin, check_n_select, check_new_data, set_result, validate_input


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


def test_support():
    t = Pick().fit(X)
    assert t.get_support().tolist() == [True, False, False, True, False] and t.get_support(indices=True).tolist() == [0, 3]
    assert t.get_feature_names_out().tolist() == ["x0", "x3"] and t.get_feature_names_out(NAMES).tolist() == ["a", "d"]
    assert Pick().fit(pd.DataFrame(X, columns=NAMES)).get_feature_names_out().tolist() == ["a", "d"]


@pytest.mark.parametrize("make, kind", [(np.asarray, np.ndarray), (np.asfortranarray, np.ndarray), (sp.csc_matrix, "csc"), (sp.csr_matrix, "csr"),
                                        (sp.csc_array, "csc"), (sp.csr_array, "csr")])
def test_transform_keeps_the_storage(make, kind):
    for dtype in (np.float64, np.float32, np.int32):
        D = make(X.astype(dtype))
        t = Pick().fit(D).transform(D)
        assert t.format == kind if isinstance(kind, str) else type(t) is kind
        assert t.dtype == dtype
        np.testing.assert_array_equal(t.toarray() if sp.issparse(t) else t, X[:, [0, 3]])
        back = Pick().fit(D).inverse_transform(t)
        np.testing.assert_array_equal(back.toarray() if sp.issparse(back) else back, X*[1, 0, 0, 1, 0])


def test_csc_is_not_turned_to_rows(monkeypatch):
    D = sp.csc_matrix(X)
    t = Pick().fit(D)
    for cls in (sp.csc_matrix, sp.csr_matrix):
        for method in ("tocsr", "toarray", "tocoo"): monkeypatch.setattr(cls, method, lambda *a, **k: pytest.fail("converted"))
    assert t.transform(D).shape == (4, 2)


def test_set_output():
    pl = pytest.importorskip("polars")
    frame = pd.DataFrame(X, columns=NAMES, index=list("wxyz"))
    assert type(Pick().fit(frame).transform(frame)) is np.ndarray
    t = Pick().set_output(transform="pandas").fit(frame).transform(frame)
    assert isinstance(t, pd.DataFrame) and t.columns.tolist() == ["a", "d"] and t.index.tolist() == list("wxyz")
    np.testing.assert_array_equal(t, X[:, [0, 3]])
    frame = pl.DataFrame(X, schema=NAMES)
    t = Pick().set_output(transform="polars").fit(frame).transform(frame)
    assert isinstance(t, pl.DataFrame) and t.columns == ["a", "d"]
    np.testing.assert_array_equal(t.to_numpy(), X[:, [0, 3]])
    t = Pick().set_output(transform="pandas").fit(X).transform(X)
    assert t.columns.tolist() == ["x0", "x3"]


@pytest.mark.parametrize("make", [np.asarray, sp.csc_matrix, sp.csr_matrix])
def test_unfitted_and_unfitting(make):
    for ask in (lambda t: t.transform(make(X)), lambda t: t.get_support(), lambda t: t.inverse_transform(make(X[:, :2]))):
        with pytest.raises(NotFittedError): ask(Pick())
    t = Pick().fit(make(X))
    with pytest.raises(ValueError, match="4 features.*expecting 5"): t.transform(make(X[:, :4]))
    with pytest.raises(ValueError): t.inverse_transform(make(X[:, :3]))
    assert Pick(()).fit(make(X)).transform(make(X)).shape == (4, 0)


# ---- data in, groups out

class Least(GroupSelectorMixin, BaseEstimator):
    "Selects the first columns, by the two functions that every selector has"
    target_required = False
    def __init__(self, k=2, tau=None, measure=None): self.k, self.tau, self.measure = k, tau, measure
    def fit(self, X, y=None):
        task = validate_input(self, X, y, target=None if y is None else "any")
        order = np.arange(task.columns.n_features)[::-1]
        return set_result(self, task, order[:self.k], [[j] for j in order[:self.k]], None, order=order, scores=np.ones(self.k))


def forms(X):
    "The same data in all forms that a selector takes"
    return [X, np.asfortranarray(X), X.astype(np.float32), X.tolist(), sp.csc_matrix(X), sp.csr_matrix(X), sp.csc_array(X),
            pd.DataFrame(X, columns=NAMES), as_columns(X), as_columns(sp.csc_matrix(X), NAMES)]


@pytest.mark.parametrize("target", [None, "classes", "any"])
def test_every_form_opens_alike(target):
    y = ["b", "a", "b", "a"]
    for form in forms(X):
        s = Least()
        task = validate_input(s, form, y, target=target)
        assert task.columns.shape == (4, 5) and s.n_features_in_ == 5
        mean, std = task.columns.moments()
        np.testing.assert_allclose(mean, X.mean(0)); np.testing.assert_allclose(std, X.std(0), rtol=1e-6)
        if target is None: assert task.y is None and task.classes is None
        elif target == "classes": assert task.y.tolist() == [1, 0, 1, 0] and task.classes.tolist() == ["a", "b"]
        else: assert list(task.y) == y and task.classes is None
        named = isinstance(form, pd.DataFrame) or getattr(form, "names", None) is not None
        assert (task.names is None) if not named else (list(task.names) == NAMES == list(s.feature_names_in_))


def test_a_fit_forgets_the_one_before():
    s = Least()
    validate_input(s, pd.DataFrame(X, columns=NAMES))
    validate_input(s, as_columns(X))
    assert not hasattr(s, "feature_names_in_") and s.n_features_in_ == 5
    s = Least().fit(X)
    with pytest.raises(ValueError, match="all 3 columns are constant"): s.fit(np.ones((4, 3)))
    with pytest.raises(NotFittedError): s.transform(X[:, :3])           # never an old support beside a new number of features
    assert not hasattr(s, "groups_") and s.fit(X[:, :3]).transform(X[:, :3]).shape == (4, 2)


def test_a_target_that_is_not_asked_for_is_not_read():
    assert validate_input(Least(), X, "no target at all").y is None


@pytest.mark.parametrize("given, target, message", [
    (np.where(X == X[0, 0], np.nan, X), None, "NaN"), (X[:1], None, "minimum of 2"), (X[0], None, "2D"), (X[:, :0], None, "0 feature"),
    (np.full((4, 5), "a"), None, "could not convert|not compatible|string"), (np.ones((4, 5)), None, "must have a column that varies, but all 5"),
    (X*1e200, None, "squares fit into float64, but those of column"), (X, "classes", "two classes or more, got one class: 7")])
def test_what_is_refused(given, target, message):
    with pytest.raises(ValueError, match=message): validate_input(Least(), given, [7]*4, target=target)


def test_a_target_of_another_length():
    for form in forms(X):
        for target in ("classes", "any"):
            with pytest.raises(ValueError): validate_input(Least(), form, [0, 1, 0], target=target)


def test_constants_are_named_at_the_callers_line():
    D = X.copy(); D[:, [1, 3]] = 4
    for given, names in ((D, "1, 3"), (pd.DataFrame(D, columns=NAMES), "b, d"), (as_columns(D, NAMES), "b, d")):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            Least().fit(given)
        assert [str(w.message) for w in seen] == [f"2 constant columns are never selected: {names}"] and seen[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            validate_input(Least(), given, tell_constants=False)
    wide = np.c_[X, np.zeros((4, 9))]
    with pytest.warns(UserWarning, match="9 constant columns are never selected: 5, 6, 7, 8, 9, ...$"): Least().fit(wide)


def test_holes_are_let_in_where_they_are_wanted():
    D = np.where(X == X[0, 0], np.nan, X)
    assert validate_input(Least(), D, allow_nan=True).columns.shape == (4, 5)


def test_how_many():
    assert [check_n_select(k, p) for k, p in ((10, 3), (10, 10), (10, 99), (2, 3), (np.int64(3), 3))] == [3, 10, 10, 2, 3]
    for bad in (0, 4, -1, 2.0, True, "3", None):
        with pytest.raises(ValueError, match=r"n_features_to_select must be a whole number in \[1, n_features=3\], got"): check_n_select(bad, 3)


def test_the_result():
    s = Least(k=2, tau=.3, measure=Pick())
    t = s.fit(pd.DataFrame(X, columns=NAMES))
    assert t is s and s.support_.tolist() == [4, 3] and s.support_.dtype == np.int64 and s.ranking_.tolist() == [5, 4, 3, 2, 1]
    g = s.groups_
    assert g.support.tolist() == [4, 3] and g.names == [["e"], ["d"]] and g.n_features == 5 and g.scores.tolist() == [1, 1]
    assert g.parameters == {"k": 2, "tau": .3, "measure": "Pick", "measure__support": [3, 0]}
    assert s.get_feature_names_out().tolist() == ["d", "e"] and s.transform(pd.DataFrame(X, columns=NAMES)).shape == (4, 2)


def test_tags():
    tags = Least().__sklearn_tags__()
    assert tags.input_tags.sparse and not tags.target_tags.required and Pick().__sklearn_tags__().target_tags.required


def test_set_result_takes_members_or_lists():
    task = validate_input(Pick(), X)
    told = Members([np.array([3, 1]), np.array([0])], [np.array([1, .9]), np.array([1.])], [np.array([np.nan, 1e-9]), np.array([np.nan])], np.array([2, 0]))
    a = set_result(Pick(), task, [3, 0], told, order=[3, 0, 1, 2, 4], scores=[2, 1], p_values=[.01, .5], significant=[True, False])
    assert [m.tolist() for m in a.groups_] == [[3, 1], [0]] and a.ranking_.tolist() == [2, 3, 4, 1, 5]
    assert a.groups_.member_p_values[0][1] == 1e-9 and a.groups_.refused.tolist() == [2, 0] and a.groups_.p_values.tolist() == [.01, .5]
    assert a.groups_.significant.tolist() == [True, False]
    b = set_result(Pick(), task, [3, 0], told.members, told.correlations)
    assert b.groups_.correlations[0][1] == .9 and (b.groups_.member_p_values, b.groups_.refused, b.groups_.p_values) == (None, None, None)
    assert b.groups_.significant is None
    assert np.isnan(set_result(Pick(), task, [3, 0], told.members).groups_.correlations[0][1])


# ---- new samples

def test_new_data_must_have_the_features_of_the_fit():
    "A store with its columns reversed once gave other predictions without a word"
    frame = pd.DataFrame(X, columns=NAMES)
    s = Least().fit(frame)
    for form in (frame, as_columns(frame), X.tolist()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.testing.assert_array_equal(np.asarray(check_new_data(s, form, used=[0, 3])[:, [0, 3]] if hasattr(form, "moments") else np.asarray(check_new_data(s, form))[:, [0, 3]]), X[:, [0, 3]])
    for other in (frame[NAMES[::-1]], as_columns(frame[NAMES[::-1]]), as_columns(X, list("abxde"))):
        with pytest.raises(ValueError, match="feature names|must have the features of the fit in their order"): s.transform(other)
    with pytest.raises(ValueError, match="X has 4 features, but Least is expecting 5"): check_new_data(s, as_columns(X[:, :4]))
    assert check_new_data(Least().fit(X), X[:1]).shape == (1, 5)


def test_missing_calls_and_alleles_of_new_people():
    calls = np.array([[2, 0, 1], [0, np.nan, 2], [1, 1, 0], [2, 1, 1]])
    known = GenotypeColumns(pack_calls(calls), 4, alleles=["AG", "CT", "AT"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        s = Least().fit(known)
    other = GenotypeColumns(pack_calls(calls), 4, alleles=["AG", "TC", "AT"])
    with pytest.raises(ValueError, match="C/T at the fit, T/C here"): s.transform(other)
    assert s.fill_values_in_[1] == pytest.approx(2/3)
    np.testing.assert_allclose(check_new_data(s, known, used=[1])[:, [1]].ravel(), [0, 2/3, 1, 1])
    plain = Least(k=3).fit(np.nan_to_num(calls))
    assert not hasattr(plain, "alleles_in_")
    with pytest.raises(ValueError, match="1 of the 3 variants it uses misses calls here"): plain.transform(GenotypeColumns(pack_calls(calls), 4))

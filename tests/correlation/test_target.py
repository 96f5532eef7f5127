"y is read once: what is said of a y that comes where classes are asked for, and of rows that are not exchangeable."
import warnings
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from scipy import stats
from sklearn.datasets import load_diabetes, load_digits, load_iris
from fsnb import GDM, FisherScore, GDMRegressor, ReliefF, group_p_values, make_groups
from fsnb.data.inputs import as_columns, read_classes, read_target
from fsnb.data.sparse import SparseColumns
from fsnb.correlation.target import _rank_test, _row_total_p_value, _total_rows, share_of_duplicate_rows

def told_of(call):
    "The texts of the warnings of a call, all at a line of this file"
    with warnings.catch_warnings(record=True, action="always") as told:
        call()
    assert {w.filename for w in told} <= {__file__}
    return [str(w.message) for w in told]

def test_a_measurement_taken_for_classes_is_told_at_the_line_of_the_user():
    X, y = load_diabetes(return_X_y=True)
    want = f"y holds {len(np.unique(y))} different numbers in {len(y)} samples"
    for call in (lambda: read_classes(y), lambda: FisherScore(3).fit(X, y), lambda: ReliefF(3, n_targets=5, random_state=0).fit(X, y)):
        assert {text.partition(", ")[0] for text in told_of(call)} == {want}
    X = np.random.default_rng(0).standard_normal((120, 10))
    told = told_of(lambda: GDM("auto").fit(X, np.arange(120) % 40))  # y is permuted there, too
    assert [text[:30] for text in told if "taken for a class" in text] == ["y holds 40 different numbers i"]

def test_a_measurement_is_no_class_and_the_remedy_is_told():
    for y in (np.arange(9)/7, np.arange(9.)+.5, [.5, 2, 3]):
        with pytest.raises(ValueError, match=r"^Unknown label type: continuous. y must be classes here, .* y > np.median\(y\)$"): read_classes(y)
        with pytest.raises(ValueError, match="GDMRegressor is for these"): GDM(1).fit(np.eye(len(y)), y)
    for y in ([[0, 1.5], [1, 1], [0, 2]], [["a", "b"], ["b", "a"], ["a", "a"]], np.zeros(3, [("event", "?"), ("time", "f8")])):
        told = "GDMSurvival .* MultiOutputRegressor .* OneVsRestClassifier or MultiOutputClassifier"
        for call in (lambda: read_classes(y), lambda: GDM(1).fit(np.eye(3), y), lambda: GDMRegressor(1).fit(np.eye(3), y)):
            with pytest.raises(ValueError, match=f"^y must be one column, got .* {told}"): call()

def test_more_than_twenty_whole_numbers_are_told_however_many_samples():
    ages = np.arange(4000) % 45+20
    for y in (ages, ages.astype(float), ages.astype(object)):
        [told] = told_of(lambda: read_classes(y))
        assert told.startswith("y holds 45 different numbers in 4000 samples") and "GDMRegressor" in told
    [told] = told_of(lambda: read_target(ages, 4000))
    assert read_target(ages[:100], 100)[1] == 0 and "GDMRegressor" in told
    for y in (np.arange(4000) % 20, ages.astype(str), ages > 40): assert not told_of(lambda: (read_classes(y), read_target(y, 4000)))

def test_numbers_in_a_column_of_objects_are_numbers():
    for y in ([0, 1, 1, 0], [False, True, True, False], [0., 1., 1., 0.]):
        classes, codes = read_classes(np.array(y, dtype=object))
        assert classes.dtype == np.array(y).dtype and codes.tolist() == [0, 1, 1, 0]
    assert read_classes(np.array(["a", "b"], dtype=object))[0].tolist() == ["a", "b"]

def words(seed, n=400, p=1500, copies=1, causal=0, by_length=0.):
    "Counts of words in texts of unequal length, and classes by length, by ten words or by a coin"
    r = np.random.default_rng(seed)
    length = r.lognormal(0, .5, n)
    X = sp.csr_matrix(r.poisson(np.outer(length, 60/np.arange(1, p+1)/np.log(p))).astype(float))
    follows = by_length*np.log(length)/.5
    if causal: follows += 3*(np.asarray(X[:, 20:20+causal].sum(1)).ravel() > 2)-1.5
    y = (r.random(n) < 1/(1+np.exp(-follows))).astype(int)
    return sp.vstack([X]*copies, "csc"), np.tile(y, copies)

def messages(X, y, **kwargs):
    told = told_of(lambda: group_p_values(X, y, [[0]], 19, random_state=0, **kwargs))
    return [word for word, text in (("length", "row totals differ"), ("copies", "exact or near copy")) for one in told if text in one]

def test_row_totals_that_differ_are_told_and_a_coin_is_not():
    for seed in range(2):
        assert messages(*words(seed)) == []
        assert messages(*words(seed, by_length=2)) == ["length"]
        assert messages(*words(seed, causal=10, by_length=2)) == ["length"]
        X, y = words(seed, by_length=2)
        totals = np.asarray(X.sum(1)).ravel()
        assert messages(X, y, strata=np.digitize(totals, np.quantile(totals, np.arange(.1, 1, .1)))) == []
        assert messages(sp.diags(1/totals)@X, y) == []
        assert messages(X, np.arange(len(y))/7) == []                   # numbers are no classes

def test_row_totals_are_the_same_in_all_sparse_formats_and_types():
    X, y = words(0, by_length=2)
    p_value = _row_total_p_value(X, y)
    assert 0 < p_value < 1e-10
    for Z in (X.tocsr(), X.astype(np.float32), X.astype(np.int16), as_columns(X), sp.csc_array(X)):
        assert _row_total_p_value(Z, y) == p_value
    assert _row_total_p_value(X, 1-y) == pytest.approx(p_value)
    assert _row_total_p_value(X, np.digitize(np.asarray(X.sum(1)).ravel(), [30, 60])) < 1e-10
    centred = X.copy()
    centred.data *= np.random.default_rng(0).choice([-1, 1], X.nnz)
    for Z in (X.toarray(), pd.DataFrame(X.toarray()), centred): assert _row_total_p_value(Z, y) == 1

def test_a_sample_of_the_columns_tells_row_totals_that_differ(monkeypatch):
    "As for rows of very many entries"
    monkeypatch.setattr("fsnb.correlation.target._SPARSE_SAMPLE", 8)
    monkeypatch.setattr("fsnb.correlation.target.BLOCK", 1)
    blocks = SparseColumns.blocks
    monkeypatch.setattr(SparseColumns, "blocks", lambda self, size=100: blocks(self, size))
    X, y = words(0, causal=10, by_length=2)
    assert 0 < _total_rows(as_columns(X)).sum() < X.sum()/4
    assert messages(X, y) == ["length"] and messages(*words(0)) == []

def test_the_rank_test_is_that_of_scipy():
    r = np.random.default_rng(0)
    for _ in range(10):
        codes = np.r_[0, 1, 2, r.integers(0, 3, 40)]
        values = r.integers(0, 12, 43)
        ours, mean = _rank_test(values, codes)
        assert ours == pytest.approx(stats.kruskal(*(values[codes == c] for c in range(3))).pvalue)
        ranks = stats.rankdata(values)-22
        np.testing.assert_allclose(mean, [ranks[codes == c].mean() for c in codes], atol=1e-12)
    assert _rank_test(np.ones(5), np.array([0, 1, 0, 1, 1]))[0] == 1

def test_equal_totals_and_a_class_of_one_sample_are_no_trap():
    r = np.random.default_rng(0)
    X = sp.csc_matrix(np.argsort(r.random((60, 300)), axis=1) < 20, dtype=float)
    assert _row_total_p_value(X, r.integers(0, 2, 60)) == 1
    assert _row_total_p_value(words(0)[0], np.r_[1, np.zeros(399, dtype=int)]) > .05/1500
    empty = sp.vstack([sp.csr_matrix((20, 300)), X]).tocsc()
    assert 0 <= _row_total_p_value(empty, r.integers(0, 2, 80)) <= 1

def test_planted_groups_and_sets_of_scikit_learn_are_no_trap():
    "Planted groups change row totals"
    for settings in (dict(sparse=True), dict(sparse=True, preset="icml2012"), dict(n_samples=300, n_features=500, group_sizes=[3]*5, sparse=.1)):
        data = make_groups(random_state=0, n_test=0, **settings)
        assert _row_total_p_value(data.X, (data.y > 0)*1) > .05/data.X.shape[1] and share_of_duplicate_rows(data.X) < .02
    for load in (load_iris, load_digits):
        X, y = load(return_X_y=True)
        assert messages(X, y) == [] and share_of_duplicate_rows(X) == 0

def test_copies_of_rows_are_told():
    assert messages(*words(0, copies=2)) == ["copies"]
    r = np.random.default_rng(0)
    X, y = r.standard_normal((100, 200)), np.tile(np.arange(100) % 2, 2)
    for noise in (0, .01, .05):
        near = np.vstack([X, X+noise*r.standard_normal(X.shape)])
        for Z in (near, near.astype(np.float32), pd.DataFrame(near), 1e6*near):
            assert messages(Z, y) == ["copies"] and share_of_duplicate_rows(Z) == 1
    assert share_of_duplicate_rows(np.vstack([X, X+.5*r.standard_normal(X.shape)])) == 0

def test_coincidences_are_no_copies():
    r = np.random.default_rng(0)
    for density, p in ((.5, 3), (.5, 10), (.5, 30), (.2, 20), (.01, 30), (.01, 200), (.02, 100)):
        X = r.random((1000, p)) < density
        assert share_of_duplicate_rows(X.astype(float)) < .1, (density, p)
        if p > 3: assert share_of_duplicate_rows(sp.csc_matrix(X, dtype=float)) < .1, (density, p)
    parents = r.binomial(2, r.uniform(.05, .5, 1000), (200, 1000)).astype(np.int8)
    child = np.where(r.random((100, 1000)) < .5, parents[:100], parents[100:])
    people = np.vstack([parents, child])
    assert share_of_duplicate_rows(people) == 0
    assert share_of_duplicate_rows(np.vstack([people, people[:100]])) > .3       # the same people again
    for X in (np.eye(4), np.ones((5, 2))+np.eye(5, 2), sp.eye(50, format="csc")): assert share_of_duplicate_rows(X) == 0

def test_it_is_told_once_for_the_same_columns_and_y():
    X, y = words(0, by_length=2, copies=2)
    columns = as_columns(X)
    assert [messages(columns, y) for _ in range(2)] == [["length", "copies"], []]
    assert messages(columns, 1-y) == ["length", "copies"]

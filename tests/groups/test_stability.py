"Stability selection: halves, the base selector, the transcription, bad input"
import itertools, warnings
import numpy as np, pytest, scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectFromModel, SelectKBest, VarianceThreshold
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from fsnb.groups.stability import (_weigh_jointly, draw_halves)
from fsnb import FeatureGroups, GDM, naive, stable_groups
from fsnb.data.inputs import as_columns
from fsnb.groups import stability as room

def test_every_sample_has_the_same_chance_of_either_half():
    codes, rng = np.array([0]*7+[1]*4), np.random.default_rng(0)
    times = np.zeros((2, 11))
    for _ in range(2000):
        for own, rows in zip(times, draw_halves(codes, rng)): own[rows] += 1
    assert np.abs(times/2000-np.r_[[3/7]*7, [.5]*4]).max() < .04

def grouped(n, n_groups, size, r, rng):
    u = rng.standard_normal((n, n_groups))
    return u, r*np.repeat(u, size, axis=1)+np.sqrt(1-r*r)*rng.standard_normal((n, n_groups*size))

def test_equal_columns_are_one_and_the_first_speaks_for_them():
    r = np.random.default_rng(0)
    design = r.standard_normal((60, 6))
    design[:, 3], design[:, 5] = design[:, 1], -2*design[:, 1]
    design = (design-design.mean(0))/design.std(0)
    codes = (design[:, 1]+.3*r.standard_normal(60) > 0)*1
    weights = _weigh_jointly(design, codes)
    assert weights[1] > 0 == weights[3] == weights[5]
    np.testing.assert_allclose(_weigh_jointly(sp.csc_matrix(design), codes), weights, rtol=1e-6, atol=1e-9)

SINGLE = [[j] for j in range(10)]
PAIRS = [[2*i, 2*i+1] for i in range(10)]

def least_mean(found):
    "Lower 99 % limit of the mean"
    return found.mean()-2.33*found.std()/np.sqrt(len(found))

def test_low_groups_beside_true_ones_in_blocks():
    "Latent columns of a block correlate; low groups by their frequency in fresh halves"
    def draw(n, rng):
        u = .8*np.repeat(rng.standard_normal((n, 5)), 4, axis=1)+.6*rng.standard_normal((n, 20))
        X = .9*np.repeat(u, 2, axis=1)+np.sqrt(.19)*rng.standard_normal((n, 40))
        return X, (u[:, 0]+u[:, 4]+.5*rng.standard_normal(n) > 0)*1
    groups, q = FeatureGroups([[2*i, 2*i+1] for i in range(20)]), 5
    chosen = np.zeros(20)
    for i in range(100):
        X, y = draw(50, np.random.default_rng([4, i]))
        run = room.prepare_stability(as_columns(X), y, groups, q, 1, None, "mean", 0)
        chosen[run.choose(np.argsort(y, kind="stable"))] += .01
    low = chosen <= q/20+2*np.sqrt(q/20*(1-q/20)/100)
    answers = [stable_groups(*draw(100, np.random.default_rng([5, i])), groups, q=q, n_pairs=10, threshold=.6,
                             random_state=i) for i in range(8)]
    reported = np.array([np.isin(np.arange(20), a.selected) for a in answers])
    assert 5 < low.sum() < 20 and not low[[0, 4]].any()
    assert least_mean(reported[:, low].sum(1)) <= answers[0].bound
    assert reported[:, [0, 4]].mean() > .8

@pytest.mark.parametrize("selector", [None, SelectKBest(k=3)])
@pytest.mark.parametrize("represent", ["mean", "first", "members"])
def test_frequencies_are_those_of_the_transcription(represent, selector):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 20))*(rng.random((60, 20)) < .7), rng.integers(0, 3, 60)
    for store in (np.asarray, sp.csc_matrix):
        answer = stable_groups(store(X), y, PAIRS, q=3, n_pairs=6, selector=selector, represent=represent, random_state=5)
        run = room.prepare_stability(as_columns(store(X)), y, FeatureGroups(PAIRS), 3, 6, selector, represent, 0)
        again = np.random.default_rng(5)
        pairs = [room.draw_halves(y, again) for _ in range(6)]
        share, reported = naive.stability_selection(run.choose, pairs, 10, .75)
        assert answer.frequencies.tolist() == share and sorted(answer.selected) == reported
        assert answer.frequencies.sum() == pytest.approx(answer.chosen_per_half) and answer.chosen_per_half <= 3

def test_what_comes_back():
    rng = np.random.default_rng(4)
    u, X = grouped(100, 10, 2, .9, rng)
    names = [f"g{j}" for j in range(20)]
    answer = stable_groups(as_columns(X, names), u[:, 3]+u[:, 7] > 0, PAIRS, n_pairs=10, random_state=0)
    assert set(answer.selected) == {3, 7} and answer.frequencies.shape == (10,)
    own = answer.frequencies[answer.selected]
    assert (np.diff(own) <= 0).all() and own.min() >= .75 > np.delete(answer.frequencies, answer.selected).max()
    assert answer.bound == room.bound_false_groups(answer.q, 10, .75) and answer.n_pairs == 10
    stable, frame = answer.stable, answer.to_frame()
    assert stable.names == [[f"g{j}" for j in own] for own in stable.members] and stable.n_features == 20
    assert stable.scores.tolist() == own.tolist() and FeatureGroups.from_json(stable.to_json()) == stable
    assert frame["support"].tolist() == names[::2] and frame["selected"].sum() == 2 and "2 of 10 groups" in repr(answer)

def test_a_threshold_that_is_just_reached_counts():
    "30 of 40 halves is .75, whatever float makes of .75 * 40; .7 * 40 is 28 and a bit less or more"
    class Half(BaseEstimator):
        calls = 0
        def fit(self, X, y):
            Half.calls += 1
            self.coef_ = np.array([Half.calls <= 28, Half.calls <= 27, 0])*1.
            return self
    answer = stable_groups(np.random.default_rng(0).standard_normal((20, 3)), np.arange(20) % 2, SINGLE[:3],
                           q=2, threshold=.7, n_pairs=20, selector=Half())
    assert answer.selected.tolist() == [0]

def test_any_selector():
    rng = np.random.default_rng(6)
    X = rng.standard_normal((100, 10))
    y = (X[:, 2]+X[:, 5] > 0)*1
    for selector in (SelectFromModel(LogisticRegression(), max_features=2), GDM(2), SVC(kernel="linear")):
        with warnings.catch_warnings(action="ignore"):
            assert {2, 5} == set(stable_groups(X, y, SINGLE, q=2, n_pairs=5, selector=selector, random_state=0).selected)

def test_small_sparse_columns_choose_what_the_same_array_does():
    for seed, n, copies in itertools.product(range(3), (4, 30), (True, False)):
        r = np.random.default_rng(seed)
        X = np.where(r.random((n, 12)) < .6, r.integers(0, 4, (n, 12)), 0).astype(float)
        if copies: X[:, 1:] = X[:, :1]
        X[0], X[1] = 5, 0
        one, two = (stable_groups(store(X), np.arange(n) % 2, [[0, 1], [2, 3], [4], [5, 6, 7], [8]], n_pairs=5, q=2, random_state=seed)
                    for store in (np.asarray, sp.csc_matrix))
        assert (one.frequencies == two.frequencies).all() and (one.selected == two.selected).all()

def test_what_breaks_the_bound_is_refused():
    X, good = np.random.default_rng(0).standard_normal((40, 20)), dict(y=np.arange(40) % 2, groups=PAIRS, n_pairs=2)
    for settings, sentence in (
            (dict(threshold=.5), "threshold"), (dict(q=11), "q must"), (dict(groups=FeatureGroups([[0, 3]], n_features=30)), "they are of 30"),
            (dict(y=np.r_[np.zeros(39, int), 1]), "two samples or more of each class"), (dict(y=np.arange(40)/7), "Unknown label type"),
            (dict(selector=VarianceThreshold(), q=3), "at most q=3 groups or give them weights, but it chose 10"),
            (dict(selector=SVC()), "selector must have get_support, coef_ or feature_importances_")):  # its support_ are samples
        with pytest.raises(ValueError, match=sentence): stable_groups(X, **good | settings)

"Groups made from X alone and around given features: the rules against loops, in any storage, by any measure"
import warnings
import numpy as np, pytest, scipy.sparse as sp

from fsnb import GDM, group_columns, groups_around
from fsnb.data.inputs import as_columns
from fsnb.groups.clusters import read_fixed_groups
from fsnb.groups.groups import FeatureGroups
from fsnb.correlation.pearson import Pearson

def grouped(n, n_groups, size, r, rng):
    "Columns in groups of one size, each with a latent variable, in a random order and with random signs"
    u = np.repeat(rng.standard_normal((n, n_groups)), size, axis=1)
    X = r*u+np.sqrt(1-r*r)*rng.standard_normal(u.shape)
    return X[:, rng.permutation(X.shape[1])]*rng.choice([-1, 1], X.shape[1])

def plain_leaders(R, free, threshold):
    "Each free column in order, with the free ones near it, by loops"
    free, out = free.copy(), []
    for j in range(len(free)):
        if not free[j]: continue
        near = [k for k in range(len(free)) if k != j and free[k] and R[j, k] >= threshold]
        out.append([j, *sorted(near, key=lambda k: (-R[j, k], k))])
        free[out[-1]] = False
    return out

@pytest.mark.parametrize("correlation", ["pearson", "positive"])
def test_group_columns_against_loops(correlation, monkeypatch):
    def one_by_one(self, columns):
        super(Pearson, self).fit(columns)
        self.batch = 1
        return self
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = grouped(40, 8, int(rng.integers(1, 6)), .85, rng)
        X[:, rng.random(X.shape[1]) < .1] = 3.
        tau = rng.uniform(.1, .6)
        with np.errstate(invalid="ignore"): R = np.nan_to_num(np.corrcoef(X.T))
        expected = plain_leaders(np.abs(R) if correlation == "pearson" else R, X.std(0) > 0, 1-tau)
        for stored in (X, sp.csc_matrix(X)):
            found = group_columns(stored, tau, correlation=correlation)
            assert [own.tolist() for own in found] == expected
            for own, r in zip(found.members, found.correlations):
                assert np.allclose(r, R[own[0], own] if len(own) > 1 else 1)
        with monkeypatch.context() as patch:  # leaders asked one by one lead the same groups
            patch.setattr(Pearson, "fit", one_by_one)
            if correlation == "pearson":
                assert [own.tolist() for own in group_columns(X, tau)] == expected

@pytest.mark.filterwarnings("ignore:.*symmetrical uncertainty")
def test_group_columns_of_copies_by_another_measure_and_of_nothing():
    x = np.random.default_rng(0).standard_normal(300)
    assert [own.tolist() for own in group_columns(np.c_[x, x*3, -x/7, x+5, np.float32(x)*1e3], .2)] == [[0, 1, 2, 3, 4]]
    X = np.random.default_rng(0).integers(0, 2, (60, 3))
    assert [own.tolist() for own in group_columns(np.c_[X, X[:, 0], 1-X[:, 1]], .2, correlation="su")] == [[0, 3], [1, 4], [2]]
    assert len(group_columns(np.ones((5, 3)), .2)) == 0
    for ask in (lambda: group_columns(X, 1), lambda: groups_around(X, [0], 0), lambda: groups_around(X, [1, 1]), lambda: groups_around(X*np.nan, [0])):
        with pytest.raises(ValueError): ask()
    with pytest.raises(IndexError, match="support"): groups_around(X, [-1])

@pytest.mark.filterwarnings("ignore:.*symmetrical uncertainty")
def test_groups_around_against_loops():
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = grouped(30, 6, 5, .9, rng)
        tau, support = rng.uniform(.2, .5), rng.permutation(30)[:5]
        R = np.abs(np.corrcoef(X.T))
        owner = {j: min(range(5), key=lambda i: (-round(R[support[i], j], 8), i)) for j in range(30)}
        want = [[z, *sorted((j for j in range(30) if owner[j] == i and j not in support and R[z, j] >= 1-tau), key=lambda j: -R[z, j])]
                for i, z in enumerate(support.tolist())]
        named = groups_around(as_columns(X, [f"g{j}" for j in range(30)]), support, tau, None)
        assert [m.tolist() for m in named] == want and named.names == [[f"g{j}" for j in own] for own in want]
        assert groups_around((X > 0)*1, support, .6, None, correlation="su").support.tolist() == support.tolist()

def test_groups_around_are_those_of_gdm():
    X = grouped(200, 10, 4, .95, np.random.default_rng(0))
    with warnings.catch_warnings(action="ignore"):
        model = GDM(5).fit(X, X[:, 0]+X[:, 7] > 0)
    around = groups_around(X, model.support_, model.tau, model.chance)
    assert [set(m.tolist()) for m in around] == [set(m.tolist()) for m in model.groups_]

def test_an_answer_holds_as_many_members_by_chance_as_was_asked_for():
    rng, counts = np.random.default_rng(7), []
    for _ in range(40): counts.append(len(groups_around(rng.standard_normal((40, 120)), range(4), .999, .9).all_members)-4)
    assert .4 < np.mean(counts) < .9+3*np.std(counts)/40**.5

def test_groups_that_a_user_brings():
    ten = as_columns(np.random.default_rng(1).standard_normal((50, 10)), [*"abcdefghij"])
    assert read_fixed_groups([[0, 1], [2]], ten).names == [["a", "b"], ["c"]]
    own = FeatureGroups([[3, 4]], n_features=10)
    assert read_fixed_groups(own, ten) is own
    for bad, told in ((FeatureGroups([[3]], n_features=11), "of data with 10 features, but they are of 11"), ([], "at least one group"), ([[0, 99]], "members must lie in"),
                      (FeatureGroups([[12]]), "but they are of 13"), (FeatureGroups([[1]], names=[*"ABCDEFGHIJ"], n_features=10), "other data: column 1 is called 'B'")):
        with pytest.raises(ValueError, match=told): read_fixed_groups(bad, ten)

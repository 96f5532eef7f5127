"Redundancy and halves: by numpy, in any storage, for groups of one and for none."
import numpy as np
import pytest
import scipy.sparse as sp
from fsnb import FeatureGroups, make_groups
from fsnb.data.inputs import as_columns
from fsnb.groups.stability import draw_halves, stable_groups
from fsnb.show.steadiness import _choose_halves, _measure_redundancy, _measure_steadiness


def random_answer(seed, n=60, p=25):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))@rng.standard_normal((4, p))+rng.standard_normal((n, p))
    parts = np.split(rng.permutation(p)[:18], np.sort(rng.choice(np.arange(1, 18), 4, replace=False)))
    return X, FeatureGroups(parts), (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize("seed", range(8))
def test_redundancy_is_that_of_numpy(seed):
    X, g, _ = random_answer(seed)
    table = np.abs(np.corrcoef(X, rowvar=False))
    for i, row in enumerate(_measure_redundancy(as_columns(X), g)):
        m = g[i]
        if len(m) > 1:
            np.testing.assert_allclose(row.inside, table[np.ix_(m, m)][np.triu_indices(len(m), 1)].mean())
            np.testing.assert_allclose(row.weakest, table[m[0], m[1:]].min())
        else: assert np.isnan(row.inside) and np.isnan(row.weakest)
        others = np.delete(g.support, i)
        np.testing.assert_allclose(row.outside, table[m[0], others].max())
        np.testing.assert_allclose(table[m[0], g.support[row.nearest]], row.outside)


@pytest.mark.parametrize("form", [np.asarray, sp.csc_matrix, sp.csr_matrix])
@pytest.mark.parametrize("seed", range(1))
def test_halves_are_those_of_numpy(seed, form):
    X, g, y = random_answer(seed)
    columns = as_columns(form(X))
    steady = _measure_steadiness(columns, g, y, n_pairs=3, random_state=seed)
    rng = np.random.default_rng(seed)
    used = stable_groups(X, y, g, q=len(g), n_pairs=3, random_state=rng).frequencies
    np.testing.assert_array_equal([row.used for row in steady], used)
    halves = _choose_halves(60, y, 3, rng)
    for i, row in enumerate(steady):
        m = g[i]
        if len(m) == 1: assert np.isnan(row.lowest); continue
        seen = [np.abs(np.corrcoef(X[np.ix_(rows, m)], rowvar=False))[0, 1:].min() for rows in halves]
        np.testing.assert_allclose(row.lowest, min(seen), atol=1e-9)


def test_without_labels_and_halves_are_disjoint():
    X, g, _ = random_answer(0)
    assert all(np.isnan(row.used) for row in _measure_steadiness(as_columns(X), g, n_pairs=1))
    halves = _choose_halves(61, None, 4, np.random.default_rng(0))
    for one, other in zip(halves[::2], halves[1::2]): assert len(one) == len(other) == 30 and not set(one) & set(other)


def test_nothing_and_too_little():
    X, g, y = random_answer(0)
    columns = as_columns(X)
    assert _measure_redundancy(columns, FeatureGroups([])) == [] and _measure_steadiness(columns, FeatureGroups([]), y) == []
    with pytest.raises(ValueError, match="class 5"): _measure_steadiness(columns, g, np.r_[[5], y[1:]])
    with pytest.raises(ValueError, match="n_pairs"): _measure_steadiness(columns, g, y, n_pairs=0)

"What y explains: sparse as dense, also far from zero, and never beyond the bound"
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb import naive
from fsnb.data.sparse import read_entries
from fsnb.groups import feature_p_values
from fsnb.groups.max_t import _centre, open_target, permute_target, _standardize_in_strata


def found_once(X, task):
    "Data as `_centre` leaves it, offset, scale and size of every column of a CSC matrix"
    p = X.shape[1]
    out = X.data.astype(float), np.empty((p, len(task.weights))), np.empty(p), np.empty(p)
    _centre(out[0], read_entries(X), task, 0, p, *out[1:])
    return out


def far_in_one_stratum(seed, far):
    "(X, y, strata): whole numbers, in the first stratum zeros only, in the second none; half of the columns mirror the others"
    r = np.random.default_rng(seed)
    X, strata = np.zeros((60, 8)), np.arange(60)//30
    X[30:, :4] = far+r.integers(0, 3, (30, 4))
    X[30:, 4:] = 3*far-3*(X[30:, :4]-far)
    return X, r.integers(0, 2, 60), strata


@pytest.mark.parametrize("far", [0, 1e4, 1e6, 1e8])
def test_a_stratum_far_from_zero_keeps_its_digits(far):
    "A column that has no zero in one of the strata is centred there, or its sums swallow what varies"
    for seed in range(10):
        X, y, strata = far_in_one_stratum(seed, far)
        near = feature_p_values(far_in_one_stratum(seed, 0)[0], y, 99, strata, 0)
        for store in (X, sp.csc_matrix(X)):
            found = feature_p_values(store, y, 99, strata, 0)
            assert np.abs(found.statistics**2-near.statistics**2).max() < 1e-12
            assert np.array_equal(found.p_values, near.p_values)


@pytest.mark.parametrize("seed", range(12))
def test_no_permutation_goes_beyond_the_bound(seed):
    r = np.random.default_rng(seed)
    y = (r.integers(0, 2, 25), r.integers(0, 4, 25), r.lognormal(size=25))[seed % 3]
    strata = r.integers(0, 1+seed % 4, 25)
    X = r.poisson(.4, (25, 30))*r.choice([1., -3., .1], 30)+(r.random(30) < .2)*7
    task = open_target(y, strata, 25)
    data, offset, scale, size = found_once(sp.csc_matrix(X), task)
    V, Z = permute_target(task, 50, np.random.RandomState(seed)), _standardize_in_strata(X, task)
    for b in range(50):
        T = (Z.T@(V[:, :, b]-task.means[task.strata]))**2@task.weights
        assert (T <= task.farthest*scale*size**2*(1+1e-9)).all()
    labels = task.vectors.argmax(1) if len(task.weights) > 1 else task.vectors[:, 0]
    plain = [naive.explained(x, labels, strata, len(task.weights) if len(task.weights) > 1 else 2) for x in X.T]
    entries = sp.csc_matrix((data, sp.csc_matrix(X).indices, sp.csc_matrix(X).indptr), X.shape)
    assert np.allclose(scale*((entries.T@task.vectors-offset)**2@task.weights), plain, atol=1e-12)

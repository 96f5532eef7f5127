"The model of a half: the best member speaks for its group, and of equal columns the first"
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb.groups.stability import _choose_groups, _weigh_jointly


@pytest.mark.parametrize("seed", range(10))
def test_a_group_is_as_good_as_its_best_member(seed):
    rng = np.random.default_rng(seed)
    owner = np.repeat(np.arange(6), rng.integers(1, 5, 6))
    weights = rng.random(len(owner))*(rng.random(len(owner)) < .7)
    best = [(-max(weights[owner == i]), i) for i in range(6) if max(weights[owner == i]) > 0]
    assert _choose_groups(weights, owner, 3).tolist() == [i for _, i in sorted(best)[:3]]


def test_equal_columns_are_one_and_the_first_speaks_for_them():
    r = np.random.default_rng(0)
    design = r.standard_normal((60, 6))
    design[:, 3], design[:, 5] = design[:, 1], -2*design[:, 1]
    design = (design-design.mean(0))/design.std(0)
    codes = (design[:, 1]+.3*r.standard_normal(60) > 0)*1
    weights = _weigh_jointly(design, codes)
    assert weights[1] > 0 == weights[3] == weights[5]
    np.testing.assert_allclose(_weigh_jointly(sp.csc_matrix(design), codes), weights, rtol=1e-6, atol=1e-9)

"The bounds on false groups agree with the paper and with each other; halves are disjoint and alike"
import numpy as np
import pytest

from fsnb.groups.stability import bound_false_groups, bound_if_unimodal, _default_q, draw_halves, _unimodal_factor


@pytest.mark.parametrize("seed", range(20))
def test_no_unimodal_law_beats_its_factor(seed):
    rng = np.random.default_rng(seed)
    n_pairs, threshold = int(rng.integers(2, 60)), rng.uniform(.51, 1)
    points = np.arange(n_pairs+1)/n_pairs
    tail = points >= 2*threshold-1-1e-9
    ends = rng.integers(0, n_pairs+1, 200)                     # uniform laws on 0..end, mixed with 0
    means, tails = np.array([(points[:e+1].mean(), tail[:e+1].mean()) for e in ends]).T
    factor = _unimodal_factor(threshold, n_pairs)
    assert (tails <= factor*means+1e-12).all()
    spike = points[tail][0]                                    # a law on 0 and one point is not unimodal
    assert 1/spike > factor or spike == points[1]


def test_bounds_agree_with_the_paper_and_each_other():
    assert bound_false_groups(10, 200, .75) == 1
    assert bound_if_unimodal(10, 200, .75, 50) == pytest.approx(.5*.5/(.5-.01)*2*.5*2/2)
    assert bound_if_unimodal(100, 200, .75, 50) == bound_false_groups(100, 200, .75)
    for k in (1, 3, 7, 50, 999):
        for threshold in (.51, .75, .9, 1):
            q = _default_q(k, threshold)
            assert 1 <= q <= k
            assert q == 1 or bound_false_groups(q, k, threshold) <= 1+1e-9
            assert q == k or bound_false_groups(q+1, k, threshold) > 1


@pytest.mark.parametrize("seed", range(20))
def test_halves_are_disjoint_and_of_the_same_classes(seed):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.r_[0, 0, 1, 1, 2, 2, rng.integers(0, 3, rng.integers(0, 40))])
    first, second = draw_halves(codes, rng)
    assert len(np.intersect1d(first, second)) == 0 and len(set(first)) == len(first)
    assert codes[first].tolist() == codes[second].tolist() == sorted(codes[first])
    assert np.bincount(codes[first], minlength=3).tolist() == (np.bincount(codes, minlength=3)//2).tolist()


def test_every_sample_has_the_same_chance_of_either_half():
    codes, rng = np.array([0]*7+[1]*4), np.random.default_rng(0)
    times = np.zeros((2, 11))
    for _ in range(4000):
        for own, rows in zip(times, draw_halves(codes, rng)): own[rows] += 1
    assert np.abs(times/4000-np.r_[[3/7]*7, [.5]*4]).max() < .04

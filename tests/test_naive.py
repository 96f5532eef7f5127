"The plain formulas against values known by hand and against numpy"
import numpy as np
import pytest

from fsnb import naive

def test_pearson_and_scores_by_hand_and_by_numpy():
    assert naive.pearson([0, 1], [5, 3]) == pytest.approx(-1)
    assert naive.pearson([1, 0, 0, 0], [0, 1, 0, 0]) == pytest.approx(-1/3)
    assert naive.pearson(np.array([0, 100, 200], np.uint8), np.array([0, 100, 200], np.uint8)) == pytest.approx(1)
    assert np.isnan(naive.pearson([2, 2, 2], [1, 2, 3]))
    assert naive.scores(np.array([[.1, 0], [.1, 2]]), [1, 2]).tolist() == [0, 1]
    for seed in range(20):
        r = np.random.default_rng(seed)
        X = r.standard_normal((int(r.integers(3, 20)), 5))*10.**r.integers(-5, 6)+1
        v = r.standard_normal(len(X))
        assert naive.pearson(X[:, 0], v) == pytest.approx(np.corrcoef(X[:, 0], v)[0, 1], abs=1e-9)
        np.testing.assert_allclose(naive.scores(X, v), ((X-X.mean(0))/X.std(0)).T@v, atol=1e-9)

def test_redundancy_and_stability_by_hand():
    F = np.array([[1., 1, 0], [-1, -1, 1], [0, 0, -1]])
    assert naive.redundancy_gdm(F) == pytest.approx((1+.5+.5)/6)
    assert naive.redundancy_fsir2(F) == pytest.approx(2*(1+.25+.25)/6)
    assert naive.stability_pairs([{0, 1}, {0, 2}], 4, "jaccard") == pytest.approx(1/3)
    assert naive.stability_pairs([{0, 1}, {0, 2}], 4, "kuncheva") == pytest.approx(0)
    assert naive.stability_nogueira([{0, 1}, {0, 1}], 4) == pytest.approx(1)
    assert naive.hits_by_pairs([{0, 1}, {2, 5}, {9}], [{0, 1, 2}, {5, 6}]) == (3, 1, 0)

def test_the_loop_stops_and_keeps_the_first_support():
    r = np.random.default_rng(0)
    X = r.standard_normal((30, 5))
    X = (X-X.mean(0))/X.std(0)
    y = np.where(X[:, 3] > 0, 1, -1)
    SF, AF, cuts = naive.gdm(X, y, 1, .1, 9, lambda cuts: (np.ones(30)/30, 1.))
    assert SF[0] == 3 and len(cuts) == 2                  # the objective did not move: two rounds
    assert len(naive.gdm(X, y, 1, .1, 3, lambda cuts: (np.ones(30)/30, 1/len(cuts)))[2]) == 3

@pytest.mark.parametrize("B", [2, 30])
def test_a_cut_of_the_icml_letter_is_as_long_as_the_print_makes_it(B):
    "Printed with <= for <, so B + 1 supports, however many; where the list ends first, what it had"
    r = np.random.default_rng(0)
    X = r.standard_normal((200, 60))
    X = (X-X.mean(0))/np.linalg.norm(X-X.mean(0), axis=0)
    y = np.where(X[:, 0] > 0, 1, -1)
    S, Q, cuts = naive.gdm_icml(X, y, B, 1e-8, 2, lambda cuts: (np.ones(200)/200, 1.))
    assert S == cuts and [len(cut) for cut in cuts] == [B+1, B+1]
    few, groups, looped = naive.icml_crm(X[:, :20], y, B, 1e-8, np.ones(200)/200)
    assert looped == (B == 30) and len(few) == len(groups) == len(set(few)) <= min(B+1, 20)

"The papers' loops: where they stop"
import numpy as np
import pytest

from fsnb import naive

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

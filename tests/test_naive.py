"The papers' loops: the length of a cut"
import numpy as np, pytest

from fsnb import naive

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

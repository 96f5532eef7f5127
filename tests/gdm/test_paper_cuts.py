"The letter of Algorithm 4 against the cut"
import numpy as np, pytest

from fsnb import naive
from fsnb.correlation.pearson import as_correlation
from fsnb.gdm.paper_cuts import _thesis_cut

@pytest.mark.filterwarnings("ignore")
def test_the_letter_of_algorithm_4_selects_what_the_cut_selects():
    shared = 0
    for seed in range(12):
        r = np.random.default_rng(seed)
        X = r.integers(0, 3, (40, 12)).astype(float)
        for j in range(1, 12, 2): X[:, j] = np.where(r.random(40) < .05, X[:, j], 2-X[:, j-1])
        y, alpha = r.choice([-1., 1.], 40), r.dirichlet(np.ones(40))
        SF, AF, new = naive.thesis_crm_su(X, y, 4, .3, alpha)
        fast, found = _thesis_cut(as_correlation(X, "su"), X.T@(alpha*y), 4, .3)
        assert SF == new == fast
        everyone = {int(k) for f in found for k in f.indices}
        assert set().union(*AF.values(), ()) == everyone
        shared += len(everyone)
    assert shared > 5

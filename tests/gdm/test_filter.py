"Filter brute force against the plain walk; numbers are no classes"
import numpy as np, pytest, scipy.sparse as sp

from fsnb import naive
from fsnb.correlation.target import correlation_with
from fsnb.gdm.filter import FilterBruteForce
from test_gdm_rounds import clusters, quiet, table, whole

@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix], ids=["dense", "sparse"])
def test_filter_equals_the_plain_walk(store):
    sizes = 0
    for seed in range(12):
        X, y, r = (clusters if seed % 2 else whole)(seed)
        if seed % 3 == 0: y = np.digitize(X[:, 0]+r.standard_normal(len(X)), [-.5, .5])
        R, tau, k = table(X), float(r.choice([.1, .3, .5])), int(r.integers(1, X.shape[1]+1))
        f = quiet(FilterBruteForce(k, tau=tau, chance=None), store(X), y)
        plain = naive.filter_brute_force(R, np.round(f.scores_, 9), k, tau)
        assert [m.tolist() for m in f.groups_] == [[j for j, _ in g] for g in plain]
        assert f.groups_.scores.tolist() == f.scores_[f.support_].tolist()
        sizes += len(f.groups_.all_members)-len(f.support_)
    assert sizes > 12

def test_numbers_are_not_classes():
    r = np.random.default_rng(0)
    X = r.standard_normal((300, 20))
    m = FilterBruteForce(3, correlation="su").fit(X, X[:, 3])
    assert m.support_[0] == 3 and m.scores_[3] > .9 and np.delete(m.scores_, 3).max() < .2
    t = r.integers(0, 400, 500)
    Z = r.standard_normal((500, 10)); Z[:, 4] += t/100
    for y in (t, t+.5, t.astype(np.int16)):
        s = FilterBruteForce(3).fit(Z, y).scores_
        assert s[4] > .7 and np.delete(s, 4).max() < .2
    assert correlation_with(X, X[:, 3]*1e200)[0][3] == pytest.approx(1) and correlation_with(X, X[:, 3]*1e-200)[0][3] == pytest.approx(1)
    few = quiet(FilterBruteForce(9, tau=.9), np.c_[X[:, :4], X[:, :5]], X[:, 3])
    assert len(few.support_) < 9 and few.stop_reason_ == "nothing_left"

"E-values: their mean under chance, the sums they need, the octaves, e-BH"
from fractions import Fraction
import numpy as np, pytest, scipy.sparse as sp
from scipy.integrate import quad

from doors import with_zeros
from fsnb.data.inputs import as_columns
from fsnb.gdm import e_values as room
from fsnb.gdm.e_values import (_PRIOR, _count_consistent, _e_value_bar, find_frequency_bins, _least_evidence, _log_e_values,
                               _permutation_spread, _visit_scores, _weigh_scores)

@pytest.mark.parametrize("S, W, V", [(-3., 1., 1.), (.1, .02, .3), (6., 2., 3.)])
def test_the_e_value_is_the_mixture_of_the_exponentials(S, W, V):
    # t from a normal distribution with mean 0 and variance 1/(V/30)
    deviation = 1/np.sqrt(_PRIOR*V)
    def at(t): return np.exp(t*S-t*t*W/2-t*t/2/deviation**2)/np.sqrt(2*np.pi)/deviation
    centre, width = S/(W+_PRIOR*V), 1/np.sqrt(W+_PRIOR*V)
    whole = quad(at, centre-12*width, centre+12*width, epsabs=0, epsrel=1e-10)[0]
    np.testing.assert_allclose(_log_e_values(np.array([S*S]), np.array([W]), V), np.log(whole), rtol=1e-8)

def heavy_weights(r, n, kind):
    v = {"even": lambda: r.choice([-1., 1.], n), "normal": lambda: r.standard_normal(n),
         "heavy": lambda: r.standard_normal(n)*r.gamma(.2, size=n), "one": lambda: np.r_[n/2, r.standard_normal(n-1)*.1],
         "unequal": lambda: np.where(np.arange(n) < n//20, 19., -1.)}[kind]()
    return v-v.mean()

def column(r, n, kind):
    if isinstance(kind, int): return np.r_[np.ones(kind), np.zeros(n-kind)]
    return {"normal": lambda: r.standard_normal(n), "heavy": lambda: r.standard_t(2, n), "counts": lambda: r.poisson(.05, n)*r.geometric(.3, n)+0.,
            "skewed": lambda: r.lognormal(0, 2, n)}[kind]()

def exact_spread(S2, Q, V, n):
    "W of the theorem"
    c_q, c_v, c_s = _permutation_spread(n)
    return c_q*Q+c_v*V+c_s*S2/n

def means_under_chance(put_back, times=800):
    "Mean e-value, and its error, for every kind of column and of weights"
    r, n, out = np.random.default_rng(0), 200, {}
    for weights in ("even", "normal", "heavy", "one", "unequal"):
        v = heavy_weights(r, n, weights)
        for kind in (1, 2, 3, 5, 10, 30, 100, "normal", "heavy", "counts", "skewed"):
            z = column(r, n, kind)
            z = (z-z.mean())/z.std()
            drawn = r.integers(n, size=(times, n)) if put_back else np.argsort(r.random((times, n)), 1)
            terms = z*v[drawn]
            S2, Q, V = terms.sum(1)**2, (terms**2).sum(1), (v**2).sum()
            E = np.exp(_log_e_values(S2, exact_spread(S2, Q, V, n), V))
            out[weights, kind] = E.mean(), E.std()/times**.5
    return out

@pytest.mark.parametrize("put_back", [True, False], ids=["draws", "permutations"])
def test_their_mean_is_at_most_1_by_chance(put_back):
    means = means_under_chance(put_back)
    assert [key for key, (mean, error) in means.items() if mean-4*error > 1] == []
    assert max(mean for mean, _ in means.values()) > .2        # and not for nothing: some use a good part of it

def test_consistent_supports_by_hand():
    for seed in range(80):
        r = np.random.default_rng(seed)
        log_e, number, level, have = r.normal(6, 4, int(r.integers(0, 12))), int(r.integers(1, 500)), r.uniform(.01, .5), int(r.integers(0, 4))
        passing = [k for k in range(1, len(log_e)+1) if log_e[:k].min() >= np.log(number/(level*(have+k)))]
        bar = _e_value_bar(number, level)
        assert _count_consistent(log_e, bar, have) == max(passing, default=0)
        best_first = np.sort(log_e)[::-1]                 # no support below the bar of features is ever kept
        k = _count_consistent(best_first, bar, have)
        if k: assert best_first[k-1] >= _least_evidence(log_e, bar, have)

STORES = {"C": np.ascontiguousarray, "F": np.asfortranarray, "float32": lambda X: X.astype(np.float32), "int8": lambda X: X.astype(np.int8),
          "csc": sp.csc_matrix, "csc32": lambda X: sp.csc_matrix(X.astype(np.float32)), "stored zeros": with_zeros}

def gathered(columns, v):
    "Scores and squares, (2, p, m); every place is given once"
    out = np.full((2, columns.n_features, v.shape[1]), np.nan)
    def keep(here, vectors, *own):
        assert np.isnan(out[:, here, vectors]).all()
        out[:, here, vectors] = own
    _visit_scores(columns, v, keep)
    return out

@pytest.mark.parametrize("n_jobs, block", [(1, None), (2, 60)])
@pytest.mark.parametrize("store", STORES)
def test_scores_squares_and_their_weight_in_any_storage(store, block, n_jobs, monkeypatch):
    if block: monkeypatch.setattr(room, "BLOCK", block)
    for seed in range(3):
        r = np.random.default_rng(seed)
        X = (r.poisson(r.choice([.1, 1., 5.], 30), (50, 30))*r.choice([-1, 1], 30)).astype(float)
        X[:, seed] = seed
        columns, v, std = as_columns(STORES[store](X), n_jobs=n_jobs), r.standard_normal((50, 6)), X.std(0)
        v[:, 0] = heavy_weights(r, 50, "heavy")
        v -= v.mean(0)
        varies, wanted = std > 0, (((X-X.mean(0))/np.where(std > 0, std, 1)).T@v, ((X-X.mean(0))**2).T@v**2)
        for m in (1, 3, 6):
            for got, want in zip(gathered(columns, v[:, :m]), wanted):
                np.testing.assert_allclose(got, want[:, :m], rtol=1e-9, atol=1e-9)
        scores, squares = (part[:, 0] for part in gathered(columns, v[:, :1]))
        V, Q = (v[:, 0]**2).sum(), wanted[1][varies, 0]/std[varies]**2
        worth, log_e = np.zeros(30), np.full(30, -np.inf)
        _weigh_scores(scores, squares, V, std, 50, _permutation_spread(50), worth, log_e, 1.)
        np.testing.assert_allclose(worth[varies], scores[varies]**2/(2*(Q+2*V)/3), rtol=1e-8, atol=1e-12)
        assert (worth[~varies] == 0).all() and (log_e[~varies] == -np.inf).all()
        S2 = scores[varies]**2
        np.testing.assert_allclose(log_e[varies], _log_e_values(S2, exact_spread(S2, Q, V, 50), V), rtol=1e-8, atol=1e-10)
        once, twice = worth.copy(), log_e.copy()
        _weigh_scores(scores, squares, V, std, 50, _permutation_spread(50), once, twice, .5)
        np.testing.assert_allclose(once, 1.5*worth)
        np.testing.assert_allclose(twice[varies], log_e[varies]+np.log(2))

def exact_squares(x, v):
    "Sum of v_i^2 (x_i - mean)^2, in fractions"
    x, v = [Fraction(float(a)) for a in x], [Fraction(float(w)) for w in v]
    mean = sum(x)/len(x)
    return float(sum(w*w*(a-mean)**2 for a, w in zip(x, v)))

@pytest.mark.parametrize("shift", [0, .5, 3.99, 4.01, 30, 1e3])
def test_the_spread_loses_nothing_where_columns_are_multiplied_out(shift):
    for weights in ("normal", "heavy", "one", "unequal"):
        r = np.random.default_rng(3)
        v = heavy_weights(r, 60, weights)
        X = np.c_[[column(r, 60, kind) for kind in ("normal", "heavy", "counts", "skewed")*3]].T
        X = (X-X.mean(0))/X.std(0)+shift
        columns = as_columns(sp.csc_matrix(X))
        squares, right = gathered(columns, v[:, None])[1][:, 0], np.array([exact_squares(x, v) for x in X.T])
        error = np.abs(squares-right)/(right+2*(v**2).sum()*columns.moments()[1]**2)
        assert error.max() < 5e-15*max(1, shift) and (squares >= 0).all()  # means and deviations are rounded too

def test_octaves_share_the_budget():
    for seed in range(20):
        r = np.random.default_rng(seed)
        counts = r.integers(0, 2**int(r.integers(1, 12)), int(r.integers(1, 80)))
        varies = (r.random(len(counts)) < .8) | (np.arange(len(counts)) == 0)
        bins, octave = find_frequency_bins(counts, varies), np.array([int(c).bit_length() for c in np.maximum(counts, 1)])
        weights = np.exp(bins.log_weights[bins.place])
        assert weights[varies].sum() == pytest.approx(varies.sum())
        shares = [weights[varies & (octave == o)].sum() for o in set(octave[varies].tolist())]
        np.testing.assert_allclose(shares, varies.sum()/bins.number)
        assert bins.number == len(shares)

def plain_least(e, number, level, have):
    "e-BH: the largest R of which the R-th e-value, those of before counted as passed, is at least p/(level R)"
    best = np.sort(e)[::-1]
    passed = [R for R in range(1, len(e)+1) if best[R-1] >= number/(level*(have+R))]
    return best[passed[-1]-1] if passed else np.inf

def test_how_many_pass_equals_the_plain_loop():
    some = 0
    for seed in range(120):
        r = np.random.default_rng(seed)
        m, level, have = int(r.integers(1, 30)), float(r.choice([.01, .05, .5])), int(r.integers(0, 4))
        number = m+int(r.integers(0, 20))
        e = np.exp(r.normal(0, 1, m))*np.where(r.random(m) < .3, number/level/r.integers(1, 6, m), 1)
        if seed % 7 == 0: e[:] = number/level/2                # ties, just below or at the bar
        with np.errstate(divide="ignore"): log_e = np.log(np.where(r.random(m) < .1, 0, e))
        bar = _e_value_bar(number, level)
        got, want = _least_evidence(log_e, bar, have), plain_least(np.exp(log_e), number, level, have)
        assert np.exp(got) == pytest.approx(want), seed
        some += np.isfinite(got)
        keep = r.random(m) < .7
        assert _least_evidence(log_e, bar, have, ~keep) == _least_evidence(log_e[keep], bar, have)
    assert 20 < some < 110
    assert _least_evidence(np.empty(0), _e_value_bar(5, .05), 1) == np.inf

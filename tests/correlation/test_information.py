"Symmetrical uncertainty: names of codes, any size, partners, memory, groups"
import warnings
import numpy as np
import pytest
import scipy.sparse as sp

from doors import peak_of
from fsnb import FeatureWarning, naive
from fsnb.correlation.information import SymmetricalUncertainty
from fsnb.gdm.cut import find_group, greedy_cut
from measures import mixed, su_matrix

pytestmark = pytest.mark.filterwarnings("ignore:.*biased upward")

def test_stored_zeros_are_zeros():
    X, _ = mixed(5)
    S = sp.csc_matrix(X)
    S.data[::3] = 0
    for how in ("width", "frequency", "none"):
        stored, plain = (SymmetricalUncertainty(4, how).fit(A).table(range(X.shape[1])) for A in (S, S.toarray()))
        np.testing.assert_array_equal(stored, plain)

def test_names_of_codes_mean_nothing():
    r = np.random.default_rng(0)
    X = r.integers(0, 7, (300, 5))
    Y = np.stack([r.permutation(50)[x] for x in X.T], 1)
    both = SymmetricalUncertainty(binning="none").fit(np.hstack([X, Y])).table(range(10))
    np.testing.assert_array_equal(np.diag(both[:5, 5:]), 1)
    np.testing.assert_array_equal(both[:5], both[5:])

def test_equal_frequency_parts_even_the_rarest_value():
    x = np.random.default_rng(0).standard_normal(500)
    for heavy in (np.r_[np.zeros(499), 1.], np.r_[np.ones(499), 0.], np.r_[np.zeros(300), np.ones(200)]):
        assert (SymmetricalUncertainty(binning="frequency").fit(np.c_[heavy, x]).entropies > 0).all()

def test_width_of_any_size():
    X, _ = mixed(1)
    for scale in (2.**-1000, 2.**1000, 2.**1019):
        far, near = (SymmetricalUncertainty(5).fit(Z).table(range(X.shape[1])) for Z in (X*scale, X))
        np.testing.assert_array_equal(far, near)
    wide = np.array([[-1.7e308, 0], [1.7e308, 1], [0, 0], [1e307, 1]])
    assert np.isfinite(SymmetricalUncertainty(4).fit(wide).table([0, 1])).all()

def test_the_prefilter_loses_no_partner():
    true = looked = pairs = 0
    for seed in range(6):
        r = np.random.default_rng(seed)
        X = np.repeat(r.random((120, 10)) < r.uniform(.05, .6, 10), 12, axis=1) & (r.random((120, 120)) < r.uniform(.85, 1, 120))
        X = X*r.integers(1, 5, (120, 120))
        su = SymmetricalUncertainty(8).fit(sp.csc_matrix(X) if seed % 2 else X)
        U = su.table(range(120))
        for t in (.3, .5, .7, float(U[0, 1])):
            for j in range(0, 120, 3):
                k, v = su.partners(j, t)
                want = [q for q in np.flatnonzero(U[j] >= t-1e-10) if q != j]
                assert k.tolist() == want and v.tolist() == U[j, want].tolist()
                true += len(want); looked += len(su.candidates(j, t)); pairs += 120
    assert true > 1000 and looked < .9*pairs

def test_memory_of_the_codes():
    X = np.random.default_rng(0).standard_normal((1000, 4000)).astype(np.float32)
    for how in ("width", "frequency"):
        SymmetricalUncertainty(binning=how).fit(X[:, :50])
        peak, _ = peak_of(lambda: SymmetricalUncertainty(binning=how).fit(X).partners([0, 1], .5))
        assert peak < X.nbytes+40_000_000*("frequency" == how)

def test_relevance_of_labels():
    X, r = mixed(4)
    y = r.choice(["a", "b", "c"], len(X))
    for store in (np.asarray, sp.csc_matrix):
        want = [naive.symmetrical_uncertainty(naive.bins(x, 4, "width"), y.tolist()) for x in X.T]
        np.testing.assert_allclose(SymmetricalUncertainty(4).fit(store(X)).relevance(y), want, atol=1e-12)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"): SymmetricalUncertainty(4).fit(X).relevance(y[:-1])

@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix], ids=["dense", "sparse"])
def test_groups_by_su_equal_brute_force(store):
    for seed in range(15):
        X, r = mixed(seed)
        how, tau, link = ["width", "frequency", "none"][seed % 3], float(r.choice([.3, .5, .7])), bool(seed % 2)
        R, su = su_matrix(X, 5, how), SymmetricalUncertainty(5, how).fit(store(X))
        for z in range(X.shape[1]):
            f = find_group(su, z, tau, link)
            assert [(int(k), bool(d)) for k, d in zip(f.indices, f.direct)] == [(k, d) for k, _, d in naive.find_group(R, z, tau, link)]
        s = r.standard_normal(X.shape[1])
        assert greedy_cut(su, s, 3, tau, link=link)[0] == naive.greedy_cut(R, s, 3, tau, link=link)[0]

def test_few_samples_are_told_once():
    with pytest.warns(FeatureWarning, match=r"biased upward with n_samples=50: .* with 10 bins score about 0.35"):
        SymmetricalUncertainty().fit(np.random.default_rng(0).random((50, 3)))
    with warnings.catch_warnings(action="error"):
        SymmetricalUncertainty().fit(np.random.default_rng(0).random((200, 3)))

"Symmetrical uncertainty: any size, memory, relevance, few samples"
import warnings
import numpy as np, pytest, scipy.sparse as sp

from doors import peak_of
from fsnb import FeatureWarning, naive
from fsnb.correlation.information import SymmetricalUncertainty
from measures import mixed

pytestmark = pytest.mark.filterwarnings("ignore:.*biased upward")

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

def test_memory_of_the_codes():
    X = np.random.default_rng(0).standard_normal((1000, 4000)).astype(np.float32)
    for how in ("width", "frequency"):
        peak, _ = peak_of(lambda: SymmetricalUncertainty(binning=how).fit(X).partners([0, 1], .5), warm=True)
        assert peak < X.nbytes+40_000_000*("frequency" == how)

def test_relevance_of_labels():
    X, r = mixed(4)
    y = r.choice(["a", "b", "c"], len(X))
    for store in (np.asarray, sp.csc_matrix):
        want = [naive.symmetrical_uncertainty(naive.bins(x, 4, "width"), y.tolist()) for x in X.T]
        np.testing.assert_allclose(SymmetricalUncertainty(4).fit(store(X)).relevance(y), want, atol=1e-12)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"): SymmetricalUncertainty(4).fit(X).relevance(y[:-1])

def test_few_samples_are_told_once():
    with pytest.warns(FeatureWarning, match=r"biased upward with n_samples=50: .* with 10 bins score about 0.35"):
        SymmetricalUncertainty().fit(np.random.default_rng(0).random((50, 3)))
    with warnings.catch_warnings(action="error"):
        SymmetricalUncertainty().fit(np.random.default_rng(0).random((200, 3)))

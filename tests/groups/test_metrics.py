"Redundancy and stability: largest values, blocks, constants, memory, bad input"
import numpy as np, pytest, scipy.sparse as sp, fsnb.groups.metrics as page

from doors import peak_of
from fsnb.groups.metrics import redundancy_rate, stability

KINDS = ("gdm", "pearson", "cosine2", "cosine2_centered")

@pytest.mark.parametrize("kind", KINDS)
def test_maximum_is_reached_by_copies_and_never_passed(kind):
    largest = .5 if kind == "gdm" else 1.0
    for m, seed in [(2, s) for s in range(12)] + [(3, 1), (7, 1)]:
        f = np.random.default_rng(seed).standard_normal(31)
        rate = redundancy_rate(np.outer(f, np.where(np.arange(m) % 2, -1, 1) * np.arange(1, m + 1)), kind=kind)
        assert rate == pytest.approx(largest, abs=1e-14) and rate <= largest

def test_blocks_do_not_change_the_value(monkeypatch):
    X = np.random.default_rng(2).standard_normal((30, 17)) + 1
    whole = [redundancy_rate(X, kind=k) for k in KINDS]
    for values in (1, 60, 90, 30 * 16, 30 * 17):
        monkeypatch.setattr(page, "BLOCK", values)
        for store in (np.asarray, sp.csc_matrix):
            assert np.allclose([redundancy_rate(store(X), kind=k) for k in KINDS], whole, rtol=1e-12)
    rates = [redundancy_rate(X, some, kind="gdm") for some in (np.isin(np.arange(17), [0, 2, 5]), [0, 2, 5])]
    assert rates == [redundancy_rate(X[:, [0, 2, 5]], kind="gdm")]*2
    with pytest.raises(IndexError, match="indices"): redundancy_rate(X, [-1], kind="gdm")

def test_constants_have_correlation_zero():
    X = np.random.default_rng(3).standard_normal((50, 3))
    X[:, 2] = X[:, 0]
    for value in (0.0, .1, 1e9, 1e300, 1e-310):
        with_constant = np.c_[X, np.full(50, value)]
        assert redundancy_rate(with_constant, [1, 3], kind="pearson") == 0
        assert np.isclose(redundancy_rate(with_constant, kind="gdm"), redundancy_rate(X, kind="gdm") * 6 / 12, rtol=1e-12)
        assert np.isfinite(redundancy_rate(with_constant, kind="cosine2"))
    assert redundancy_rate(np.zeros((5, 3)), kind="cosine2") == 0

def test_redundancy_of_many_columns_has_no_table_of_pairs():
    "Few samples: a block is bounded by its pairs too"
    X = np.random.default_rng(0).standard_normal((10, 6000))
    peak, rate = peak_of(lambda: redundancy_rate(X, kind="cosine2"), warm=True)
    Z = X/np.linalg.norm(X, axis=0)
    np.testing.assert_allclose(rate, (np.square(Z@Z.T).sum()-6000)/(6000*5999), rtol=1e-10)
    assert peak < 6000*6000*8/2

def test_stability_by_hand():
    assert stability([[0], [0, 1]], 4, kind="nogueira") == pytest.approx(7/15)
    assert stability([[0, 1], [2, 3]], 4, kind="nogueira") == pytest.approx(-1) and stability([[], []], 4, kind="jaccard") == 1
    for kind in ("nogueira", "kuncheva", "jaccard"): assert stability([[3, 1]] * 4, 9, kind=kind) == pytest.approx(1)
    for runs, kind in (([[0], [1, 2]], "kuncheva"), ([[0]], "jaccard"), ([[0], [-1]], "jaccard"), ([[0], [4]], "jaccard"), ([[], []], "nogueira")):
        with pytest.raises((ValueError, IndexError), match="selections"): stability(runs, 4, kind=kind)

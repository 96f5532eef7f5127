"Redundancy, stability and hits against the transcriptions"
from types import SimpleNamespace
import numpy as np
import pytest
import scipy.sparse as sp
import fsnb.groups.metrics as page

from doors import peak_of
from fsnb import naive
from fsnb.data.inputs import as_columns
from fsnb.groups.metrics import redundancy_rate, stability, strict_hits

KINDS = ("gdm", "pearson", "cosine2", "cosine2_centered")

@pytest.mark.parametrize("as_matrix", [np.asfortranarray, sp.csc_matrix, sp.csr_matrix, as_columns])
def test_redundancy_equals_naive(as_matrix):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        F = rng.poisson(1.5, (20, 5)) * rng.uniform(-3, 3, 5) + rng.integers(0, 2) * rng.uniform(0, 9)
        F[0], F[1] = np.arange(5), -1    # no zero or constant column
        for X in (F, rng.integers(0, 100, (300, 6)).astype(np.uint8)):  # bytes do not overflow
            plain, given = X.astype(float), as_matrix(X)
            assert np.isclose(redundancy_rate(given, kind="gdm"), naive.redundancy_gdm(plain), rtol=1e-10)
            assert np.isclose(redundancy_rate(given, kind="cosine2"), naive.redundancy_fsir2(plain), rtol=1e-10)
            assert np.isclose(redundancy_rate(given, kind="cosine2_centered"), naive.redundancy_fsir2(plain - plain.mean(0)), rtol=1e-10)
            assert redundancy_rate(given, kind="pearson") == 2 * redundancy_rate(given, kind="gdm")

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
    with pytest.raises(ValueError, match="indices"): redundancy_rate(X, [-1], kind="gdm")

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
    redundancy_rate(X[:, :50], kind="cosine2")      # compiles the kernels
    peak, rate = peak_of(lambda: redundancy_rate(X, kind="cosine2"))
    Z = X/np.linalg.norm(X, axis=0)
    np.testing.assert_allclose(rate, (np.square(Z@Z.T).sum()-6000)/(6000*5999), rtol=1e-10)
    assert peak < 6000*6000*8/2

def test_stability_by_hand():
    assert stability([[0], [0, 1]], 4, kind="nogueira") == pytest.approx(7/15)
    assert stability([[0, 1], [2, 3]], 4, kind="nogueira") == pytest.approx(-1) and stability([[], []], 4, kind="jaccard") == 1
    for kind in ("nogueira", "kuncheva", "jaccard"): assert stability([[3, 1]] * 4, 9, kind=kind) == pytest.approx(1)
    for runs, kind in (([[0], [1, 2]], "kuncheva"), ([[0]], "jaccard"), ([[0], [-1]], "jaccard"), ([[0], [4]], "jaccard"), ([[], []], "nogueira")):
        with pytest.raises(ValueError, match="selections"): stability(runs, 4, kind=kind)

def test_hand_value_and_tie_goes_to_the_earlier():
    assert strict_hits([[0, 1], [2, 5], [9]], [[0, 1, 2], [5, 6]])[:4] == (3, 5, .6, 1)
    # both found groups overlap the true one in one feature: the earlier one decides exactness
    assert strict_hits([[0, 8], [0]], [[0]]).exact_groups == 0
    assert strict_hits([[0], [0, 8]], [[0]]).exact_groups == 1
    assert strict_hits([[0, 1, 2]], [[0, 1], [1, 2]])[:2] == (4, 4) and strict_hits([], [[1, 2]])[:5] == (0, 2, 0.0, 0, 0)
    assert strict_hits(SimpleNamespace(members=[np.array([3, 1]), np.array([2])]), [[1, 3], [2]]).exact_groups == 2
    for truth in ([], [[1], []]):
        with pytest.raises(ValueError, match="truth must"): strict_hits([[1]], truth)

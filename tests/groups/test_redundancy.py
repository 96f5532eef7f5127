"The redundancy rate against `fsnb.naive` on random cases, and its contracts"
import numpy as np
import pytest
import scipy.sparse as sp
import fsnb.groups.metrics as page
from fsnb import naive
from fsnb.data.adapters import as_columns
from fsnb.groups.metrics import redundancy_rate

KINDS = ("gdm", "pearson", "cosine2", "cosine2_centered")


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("as_matrix", [np.asarray, np.asfortranarray, sp.csc_matrix, sp.csr_matrix, as_columns])
def test_redundancy_equals_naive(seed, as_matrix):
    rng = np.random.default_rng(seed)
    F = rng.poisson(1.5, (20, 5)) * rng.uniform(-3, 3, 5) + rng.integers(0, 2) * rng.uniform(0, 9)
    F[0] = np.arange(5)    # no zero or constant column
    F[1] = -1
    X = as_matrix(F)
    assert np.isclose(redundancy_rate(X, kind="gdm"), naive.redundancy_gdm(F), rtol=1e-10)
    assert np.isclose(redundancy_rate(X, kind="cosine2"), naive.redundancy_fsir2(F), rtol=1e-10)
    assert np.isclose(redundancy_rate(X, kind="cosine2_centered"), naive.redundancy_fsir2(F - F.mean(0)), rtol=1e-10)
    assert redundancy_rate(X, kind="pearson") == 2 * redundancy_rate(X, kind="gdm")


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.int64, np.float32, bool])
def test_small_dtypes_do_not_overflow(dtype):
    X = np.random.default_rng(0).integers(0, 2 if dtype is bool else 100, (300, 6)).astype(dtype)
    for kind in KINDS:
        expected = redundancy_rate(X.astype(float), kind=kind)
        assert np.isclose(redundancy_rate(X, kind=kind), expected)
        assert np.isclose(redundancy_rate(sp.csc_matrix(X), kind=kind), expected)


@pytest.mark.parametrize("kind", KINDS)
def test_maximum_is_reached_by_copies_and_never_passed(kind):
    largest = .5 if kind == "gdm" else 1.0
    for m, seed in [(2, s) for s in range(60)] + [(3, 1), (7, 1)]:
        f = np.random.default_rng(seed).standard_normal(31)
        signs = np.where(np.arange(m) % 2, -1, 1) * np.arange(1, m + 1)
        assert redundancy_rate(np.outer(f, signs), kind=kind) == pytest.approx(largest, abs=1e-14)
        assert redundancy_rate(np.outer(f, signs), kind=kind) <= largest


def test_blocks_do_not_change_the_value(monkeypatch):
    X = np.random.default_rng(2).standard_normal((30, 17)) + 1
    whole = [redundancy_rate(X, kind=k) for k in KINDS]
    for values in (1, 60, 90, 30 * 16, 30 * 17):
        monkeypatch.setattr(page, "BLOCK", values)
        assert np.allclose([redundancy_rate(X, kind=k) for k in KINDS], whole, rtol=1e-12)
        assert np.allclose([redundancy_rate(sp.csc_matrix(X), kind=k) for k in KINDS], whole, rtol=1e-12)


@pytest.mark.parametrize("value", [0.0, .1, -7.3, 1e9, 1e-300, 1e300, 1e-310])
def test_constants_have_correlation_zero(value):
    X = np.random.default_rng(3).standard_normal((50, 3))
    X[:, 2] = X[:, 0]
    with_constant = np.c_[X, np.full(50, value)]
    assert redundancy_rate(with_constant, [1, 3], kind="pearson") == 0
    expected = redundancy_rate(X, kind="gdm") * 6 / 12
    assert np.isclose(redundancy_rate(with_constant, kind="gdm"), expected, rtol=1e-12)
    assert np.isfinite(redundancy_rate(with_constant, kind="cosine2"))
    assert redundancy_rate(np.zeros((5, 3)), kind="cosine2") == 0


def test_scale_and_shift_invariance():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((60, 4))
    Y = X * np.array([1e-200, 1e200, -3, 1])
    for kind in KINDS: assert np.isclose(redundancy_rate(Y, kind=kind), redundancy_rate(X, kind=kind))
    for kind in ("gdm", "cosine2_centered"): assert np.isclose(redundancy_rate(X + 1e6, kind=kind), redundancy_rate(X, kind=kind), atol=1e-8)
    assert redundancy_rate(X + 10, kind="cosine2") > .9 > redundancy_rate(X, kind="cosine2")


def test_indices_select():
    X = np.random.default_rng(5).standard_normal((20, 6))
    mask = np.array([1, 0, 1, 0, 0, 1], bool)
    for kind in KINDS:
        value = redundancy_rate(X[:, [0, 2, 5]], kind=kind)
        assert redundancy_rate(X, [5, 0, 2], kind=kind) == pytest.approx(value, rel=1e-14)
        assert redundancy_rate(X, mask, kind=kind) == redundancy_rate(X, [0, 2, 5], kind=kind)
        assert redundancy_rate(X, [], kind=kind) == redundancy_rate(X, [3], kind=kind) == 0


def test_redundancy_refuses():
    X = np.eye(3)
    with pytest.raises(TypeError): redundancy_rate(X)
    with pytest.raises(ValueError, match="cosine2.*cosine2_centered.*gdm.*pearson.*got 'rho'"): redundancy_rate(X, kind="rho")
    for bad in ([0, 3], [-1], [.5], np.array([True]), [[0, 1]]):
        with pytest.raises(ValueError, match="indices"): redundancy_rate(X, bad, kind="gdm")
    with pytest.raises(ValueError): redundancy_rate(np.array([[1, np.nan], [2, 3]]), kind="gdm")


def test_redundancy_of_many_columns_has_no_table_of_pairs():
    "Few samples: a block is bounded by its pairs too"
    import tracemalloc
    X = np.random.default_rng(0).standard_normal((10, 6000))
    tracemalloc.start()
    rate = redundancy_rate(X, kind="cosine2")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    Z = X/np.linalg.norm(X, axis=0)
    np.testing.assert_allclose(rate, (np.square(Z@Z.T).sum()-6000)/(6000*5999), rtol=1e-10)
    assert peak < 6000*6000*8/2

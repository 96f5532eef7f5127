"Correlation near a place against fsnb.naive"
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from fsnb import naive
from fsnb.correlation.pearson import as_correlation, Pearson
from fsnb.correlation.positional import Positional

pytestmark = pytest.mark.filterwarnings("ignore:with n_samples")


def test_position_equals_naive():
    kept = cut = 0
    for seed in range(80):
        r = np.random.default_rng(seed)
        p = int(r.integers(3, 30))
        X = np.repeat(r.standard_normal((30, 3)), 10, axis=1)[:, :p]+.4*r.standard_normal((30, p))
        chromosomes = r.choice(["1", "2", "X"], p) if seed % 2 else None
        place = np.cumsum(r.integers(0, 4, p)).astype(float)
        beta, window = (float(r.choice([3, 20.])) if seed % 3 else None), (float(r.choice([2, 9.])) if seed % 5 or chromosomes is None and not seed % 3 else None)
        measure = ["pearson", "su", "positive"][seed//2 % 3]
        if measure == "positive": X *= r.choice([-1, 1], p)
        store = X if seed % 4 else sp.csc_matrix(X)
        c = Positional(place, chromosomes, beta=beta, window=window, correlation=measure).fit(store)
        R, t = as_correlation(store, measure).table(range(p)), float(r.choice([.2, .5]))
        want = np.array([[naive.positional(R[j, k], place[j], place[k], chromosomes is None or chromosomes[j] == chromosomes[k], beta, window)
                          for k in range(p)] for j in range(p)])
        np.testing.assert_allclose(c.table(range(p)), want, atol=1e-12)
        for j in range(p):
            k, v = c.partners(j, t)
            here = [q for q in np.flatnonzero(np.abs(want[j]) >= t-1e-10) if q != j]
            assert k.tolist() == here
            np.testing.assert_allclose(v, want[j, here], atol=1e-9)
            kept += len(here); cut += (np.abs(R[j]) >= t).sum()-1-len(here)
    assert kept > 300 and cut > 300


def test_the_window_that_beta_implies_is_tight():
    "A copy is a partner up to beta ln(1/t), and no further"
    x = np.random.default_rng(0).standard_normal(50)
    for beta, t in ((10., .6), (3., .9)):
        reach = beta*np.log(1/t)
        c = Positional([0, reach*(1-1e-9), reach*(1+1e-6)], beta=beta).fit(np.c_[x, x, x])
        assert c.partners(0, t)[0].tolist() == [1] and c.within(0, t).tolist() == [0, 1]


def test_index_positions_and_far_fewer_questions():
    X = np.random.default_rng(0).standard_normal((40, 500))
    c = Positional("index", window=3).fit(X)
    assert c.within(100, .5).tolist() == list(range(97, 104))
    asked = []
    class Spy(Pearson):
        def table(self, a, b=None): asked.append(len(b)); return super().table(a, b)
        def partners(self, j, threshold): raise AssertionError("all columns")
    Positional("index", window=3, correlation=Spy()).fit(X).partners([0, 250], .5)
    assert asked == [4, 7]


def test_positions_may_fall_between_chromosomes():
    X = np.random.default_rng(0).random((30, 4))
    assert Positional([5, 6, 1, 2], list("aabb")).fit(X).within(0, .5).tolist() == [0, 1]
    assert Positional([5, 1, 6, 2], list("abab")).fit(X).within(1, .5).tolist() == [1, 3]


P = dict(positions=[1, 2, 3, 4])
@pytest.mark.parametrize("bad,text", [
    (dict(beta=1.), "positions must be given with chromosomes, beta or window"), (dict(window=1.), "positions must be given"),
    (dict(chromosomes=list("abab")), "positions must be given"), (dict(positions=[1, 2, 3], beta=1.), r"positions must have one entry for each of the 4 features, got shape \(3,\)"),
    (dict(positions=[1, 2, np.nan, 4], beta=1.), "positions must be finite, got nan at column 2"), (dict(positions=[1, 3, 2, 4], beta=1.), "positions must not decrease .* got 2 at column 2 after 3 at column 1"),
    (dict(positions=[5, 1, 4, 2], chromosomes=list("abab")), "positions must not decrease .* got 4 at column 2 after 5 at column 0"),
    (dict(positions="bp", beta=1.), "positions must be .*'index', got 'bp'"), (dict(positions=list("abcd"), beta=1.), "positions must be"),
    (dict(**P, chromosomes=list("abc")), r"chromosomes must have one entry for each of the 4 features, got shape \(3,\)"),
    (dict(**P, beta=0), r"beta must be None or lie in \[1e-100, 1e.100\], got 0"), (dict(**P, beta="a"), "beta must be None or lie"), (dict(**P, window=-1.), r"window must be None or lie in \(0, inf\), got -1"),
    (dict(**P, window=np.nan), "window must be None or lie"), (P, "positions change nothing without beta, window or chromosomes")])
def test_what_is_refused(bad, text):
    with pytest.raises(ValueError, match=text): as_correlation(np.random.default_rng(0).random((30, 4)), Positional(**{"positions": None, **bad}))


def test_numbers_of_other_types_and_sizes():
    "Once: a longdouble recursed for ever, 1e-320 overflowed, and an int of 401 digits was an OverflowError"
    X = np.random.default_rng(0).standard_normal((20, 4))
    want = Positional("index", beta=.5, window=2.).fit(X).table([0, 1])
    for kind in (np.longdouble, np.float16, np.float32): np.testing.assert_array_equal(Positional("index", beta=kind(.5), window=kind(2)).fit(X).table([0, 1]), want)
    with pytest.raises(ValueError, match=r"beta must be None or lie in \[1e-100, 1e.100\], got 1e-320"): Positional("index", beta=1e-320).fit(X)
    with pytest.raises(ValueError, match=r"positions must be \(4,\) numbers or 'index', got "): Positional(10**400, beta=1.).fit(X)


def test_unplaced_features_are_near_to_nobody():
    "Once: all variants of chromosome 0 of PLINK were neighbours"
    X = np.repeat(np.random.default_rng(0).standard_normal((40, 2)), 3, axis=1)
    where = ["0", "0", "0", "1", "1", "1"]
    for positions in ([0]*3+[5, 6, 7], [9, 3, 1, 5, 6, 7]):                    # an unplaced one has no order either
        placed = Positional(positions, where, window=10., unplaced="0").fit(X)
        assert [placed.partners(j, .5)[0].tolist() for j in range(6)] == [[], [], [], [4, 5], [3, 5], [3, 4]]
        np.testing.assert_allclose(placed.table(np.arange(3)), np.eye(3))
    assert Positional([0]*3+[5, 6, 7], where, window=10.).fit(X).partners(0, .5)[0].tolist() == [1, 2]
    assert Positional([0]*3+[5, 6, 7], [0, 0, 0, 1, 1, 1], window=10., unplaced=0).fit(X).partners(0, .5)[0].tolist() == []


def test_a_feature_out_of_order_is_named():
    frame = pd.DataFrame(np.random.default_rng(0).random((9, 3)), columns=["rs1", "rs2", "rs3"])
    with pytest.raises(ValueError, match=r"got 402000 at column 2 \(rs3\) after 2200001 at column 1 \(rs2\): sort the features by position"):
        Positional([5, 2_200_001, 402_000], window=9.).fit(as_correlation(frame).columns)


@pytest.mark.parametrize("wrong", [True, 1.5, [0], b"0", {"0"}, np.nan])
def test_the_label_of_the_unplaced_is_a_label(wrong):
    from fsnb.correlation.positional import number_chromosomes
    with pytest.raises(ValueError, match="unplaced must be None, or a chromosome's label, a word or a whole number, got"): number_chromosomes(["0", "1"], 2, wrong)
    assert number_chromosomes(["0", "0", "1"], 3, 0).tolist() == number_chromosomes(["0", "0", "1"], 3, "0").tolist()

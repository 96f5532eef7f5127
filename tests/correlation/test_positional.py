"Correlation near a place against fsnb.naive"
import numpy as np, pytest, scipy.sparse as sp

from fsnb import naive
from fsnb.correlation.pearson import as_correlation, Pearson
from fsnb.correlation.positional import Positional
from fsnb.data.inputs import as_columns

pytestmark = pytest.mark.filterwarnings("ignore:.*biased upward")

def test_position_equals_naive():
    kept = cut = 0
    for seed in range(40):
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
    assert min(kept, cut) > 300, (kept, cut)

def test_the_window_that_beta_implies_is_tight():
    "A copy is a partner up to beta ln(1/t), and no further"
    x = np.random.default_rng(0).standard_normal(50)
    for beta, t in ((10., .6), (3., .9)):
        reach = beta*np.log(1/t)
        c = Positional([0, reach*(1-1e-9), reach*(1+1e-6)], beta=beta).fit(np.c_[x, x, x])
        assert c.partners(0, t)[0].tolist() == [1] and c.within(0, t).tolist() == [0, 1]

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

def test_windows_are_asked_alone_and_positions_may_fall_between_chromosomes():
    X = np.random.default_rng(0).standard_normal((40, 500))
    assert Positional("index", window=3).fit(X).within(100, .5).tolist() == list(range(97, 104))
    assert Positional([5, 6, 1, 2], list("aabb")).fit(X[:, :4]).within(0, .5).tolist() == [0, 1]
    assert Positional([5, 1, 6, 2], list("abab")).fit(X[:, :4]).within(1, .5).tolist() == [1, 3]
    asked = []
    class Spy(Pearson):
        def table(self, a, b=None): asked.append(len(b)); return super().table(a, b)
        def partners(self, j, threshold): raise AssertionError("all columns")
    Positional("index", window=3, correlation=Spy()).fit(X).partners([0, 250], .5)
    assert asked == [4, 7]

def test_positions_that_would_mean_something_else_are_refused():
    named = as_columns(np.eye(4), ["rs1", "rs2", "rs3", "rs4"])
    for settings, text in (
            (dict(positions=None, beta=1.), "positions must be given with chromosomes, beta or window"),
            (dict(positions=[1, 2, 3], beta=1.), r"one entry for each of the 4 features, got shape \(3,\)"),
            (dict(positions=[1, 2, np.nan, 4], beta=1.), "Input positions contains NaN"),
            (dict(positions=[5, 1, 4, 2], chromosomes=list("abab")), r"got 4 at column 2 \(rs3\) after 5 at column 0 \(rs1\): sort the features by position"),
            (dict(positions=[1, 2, 3, 4], beta=1e-320), r"beta must be None or lie in \[1e-100, 1e.100\]"),
            (dict(positions=[1, 2, 3, 4]), "positions change nothing without beta, window or chromosomes")):
        with pytest.raises(ValueError, match=text): as_correlation(named, Positional(**settings))

def test_lengths_have_units():
    "PLINK 2 takes 250kb; a number counts the units of the positions"
    place = np.array([0, 2e5, 2.6e5, 1.2e6])
    x = np.random.default_rng(0).normal(size=(40, 1))+np.zeros(4)
    for text, number in (("250kb", 250_000), ("1 Mb", 10**6), ("1.2mb", 1.2e6), ("90000bp", 90_000), ("6e4", 60_000), ("260KB", 2.6e5)):
        by_text, by_number = (Positional(place, window=some).fit(x) for some in (text, number))
        for j in range(4): assert by_text.within(j, .7).tolist() == by_number.within(j, .7).tolist()
    for wrong in ("250 km", "kb", "", "1kb2"):
        with pytest.raises(ValueError, match="window must be a number, or such as '250kb'"): Positional(place, window=wrong).fit(x)
    for wrong in ("-1kb", "0mb", "nan", "inf"):
        with pytest.raises(ValueError, match="window must be None or lie in"): Positional(place, window=wrong).fit(x)
    assert Positional(place, beta="100kb").fit(x).decay == (1e5, None)

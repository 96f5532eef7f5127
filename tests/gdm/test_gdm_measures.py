"GDM with other measures and with none, and what was found in review"
import itertools, warnings
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb import naive
from fsnb.correlation.choice import as_correlation
from fsnb.correlation.contract import Correlation
from fsnb.correlation.function import Measured
from fsnb.correlation.information import SymmetricalUncertainty
from fsnb.correlation.position import Positional
from fsnb.data.adapters import as_columns
from fsnb.gdm.gdm import GDM
from fsnb.gdm.one_class import OneClassGDM
from test_gdm import clusters, quiet, table, whole


def test_without_the_constraint_the_top_scores_are_taken():
    for seed in range(20):
        X, y, r = clusters(seed)
        k = int(r.integers(1, min(6, X.shape[1])+1))
        g = quiet(GDM(k, correlation_constraint=False, n_per_iter=k, rank_by=["support", "pair", "group"][seed % 3]), X, y)
        s = np.abs(naive.scores(X, np.where(y > 0, .5/(y > 0).sum(), -.5/(y < 0).sum())))
        top = [j for j in np.lexsort((np.arange(len(s)), -np.round(s, 10)))[:k] if s[j] > 0]
        assert g.support_.tolist() == top and (g.groups_.sizes == 1).all()
    for mode in ("cut", "icml2012", "thesis2015"): assert (quiet(GDM(3, mode=mode, correlation_constraint=False, tau=.3), X, y).groups_.sizes == 1).all()


@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix], ids=["dense", "sparse"])
def test_su_groups_equal_brute_force(store):
    large = 0
    for seed in range(40):
        X, y, r = (clusters if seed % 2 else whole)(seed)
        binning, tau, link = ["width", "frequency"][seed//2 % 2], float(r.choice([.4, .6, .7])), bool(seed % 3)
        codes = [naive.bins(x, 4, binning) for x in X.T]
        R = np.array([[naive.symmetrical_uncertainty(a, b) for b in codes] for a in codes])
        g = quiet(GDM(min(4, X.shape[1]), tau=tau, link=link, chance=None, correlation=SymmetricalUncertainty(4, binning)), store(X), y)
        plain = naive.assign_members(g.support_.tolist(), [naive.find_group(R, z, tau, link) for z in g.support_.tolist()])
        assert [m.tolist() for m in g.groups_] == [[j for j, _ in q] for q in plain]
        large += sum(len(q) > 1 for q in plain)
    assert large > 15


def test_a_function_and_a_class_measure_too():
    X, y, _ = clusters(7, n=40, p=15)
    one = quiet(GDM(3, tau=.4, chance=None), X, y)
    def rho(a, b): return abs(np.corrcoef(a, b)[0, 1])
    assert [m.tolist() for m in quiet(GDM(3, tau=.4, chance=None, correlation=rho), X, y).groups_] == [m.tolist() for m in one.groups_]
    su, same = (quiet(GDM(3, tau=.6, correlation=c), X, y) for c in ("su", SymmetricalUncertainty()))
    assert [m.tolist() for m in su.groups_] == [m.tolist() for m in same.groups_]
    with pytest.raises(ValueError, match=r"correlation must return values in \[0, 1\], but bad of columns"):
        def bad(a, b): return 1.5
        quiet(GDM(3, correlation=bad), X, y)


def test_groups_never_cross_a_chromosome_or_the_window():
    crossed = 0
    for seed in range(30):
        r = np.random.default_rng(seed)
        X = np.repeat(r.standard_normal((60, 8)), 5, axis=1)+.3*r.standard_normal((60, 40))
        y = np.where(X@r.standard_normal(40) > 0, 1, -1)
        chromosomes, place = r.permutation(np.repeat(["1", "X"], 20)), np.cumsum(r.integers(1, 50, 40))
        beta, link = 500. if seed % 2 else None, bool(seed % 3)
        at_home = Positional(place, chromosomes, window=120., beta=beta)
        g = quiet(GDM(5, tau=.4, link=link, correlation=at_home), X, y)
        R = table(X)
        for j, k in itertools.product(range(40), repeat=2):
            R[j, k] = naive.positional(R[j, k], place[j], place[k], chromosomes[j] == chromosomes[k], beta, 120.)
        plain = naive.assign_members(g.support_.tolist(), [naive.find_group(R, z, .4, link) for z in g.support_.tolist()])
        assert [m.tolist() for m in g.groups_] == [[j for j, _ in q] for q in plain]
        for m in g.groups_:
            assert len(set(chromosomes[m])) == 1 and np.abs(place[m]-place[m[0]]).max() <= 120
        crossed += any(len(set(chromosomes[m])) > 1 for m in quiet(GDM(5, tau=.4), X, y).groups_)
    assert crossed > 20


def test_sparse_columns_far_from_zero():
    for seed in range(8):
        r = np.random.default_rng(seed)
        Z = r.standard_normal((300, 8))+1e8
        t = np.argmax(Z[:, :3], 1)
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            a, b = GDM(3).fit(Z, t), GDM(3).fit(sp.csc_matrix(Z), t)
        assert np.array_equal(a.support_, b.support_) and (a.predict(Z) == b.predict(Z)).mean() > .99


def test_many_classes_do_not_outgrow_X():
    U = np.random.default_rng(0).integers(0, 3, (120, 3000)).astype(np.uint8)
    m = GDM(3).fit(U, np.arange(120) % 12)
    assert sp.issparse(m.coef_) and m.coef_.data.nbytes < U.nbytes and m.predict(U).shape == (120,)


@pytest.mark.parametrize("correlation, part", [
    (Positional(np.arange(20)), "positions has no effect"), (Positional(None, beta=2.), "beta has no effect"),
    ("foo", "correlation must be"), (SymmetricalUncertainty(1), "n_bins must be a whole number in [2, 256], got 1")])
def test_what_has_no_effect_is_refused(correlation, part):
    X = np.random.default_rng(0).standard_normal((60, 20))
    with pytest.raises(ValueError) as e: GDM(2, correlation_constraint=False, correlation=correlation).fit(X, X[:, 0] > 0)
    assert part in str(e.value)


@pytest.mark.parametrize("correlation, part", [
    (SymmetricalUncertainty(n_bins=1), "n_bins must be a whole number in [2, 256], got 1"), (SymmetricalUncertainty(binning="foo"), "binning"),
    (Positional("index", [1.]*10+[np.nan]*10), "column 10"), (Positional("index", [None]*20), "column 0"),
    (Positional(np.array(["2020-01-01"]*20, dtype="datetime64[s]"), beta=3.), "positions"), (Positional(np.arange(20)*1j, beta=3.), "positions")])
def test_what_has_no_meaning_is_refused(correlation, part):
    X = np.random.default_rng(0).standard_normal((60, 20))
    with pytest.raises(ValueError) as e: GDM(2, correlation=correlation).fit(X, X[:, 0] > 0)
    assert part in str(e.value)


def test_measures_that_need_more_than_columns_are_refused():
    X = np.random.default_rng(0).standard_normal((60, 5))
    for kind in (Correlation, Measured, Positional):
        with pytest.raises(ValueError, match=kind.__name__): as_correlation(X, kind)
    with pytest.raises(ValueError, match="read-only"): as_correlation(X, lambda a, b: a.sort()).table([0], [1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        a, b = (as_correlation(X, SymmetricalUncertainty(3)).table([0], [1]) for _ in range(2))
    assert a == b


def test_columns_that_do_not_exist():
    X = sp.random(300, 20, .3, format="csc", random_state=0)
    for x in (X, X.toarray()):
        s, c = SymmetricalUncertainty().fit(x), as_columns(x)
        for call in (lambda: s.table([-1]), lambda: s.partners(-1, .5), lambda: s.partners(20, .5), lambda: c.partners(-1, .5), lambda: c.partners([0, 20], .5)):
            with pytest.raises(IndexError, match="20"): call()


def test_scales_that_float64_cannot_hold():
    X = np.abs(np.random.default_rng(0).standard_normal((60, 5)))+.1
    y = X[:, 0] > np.median(X[:, 0])
    for m, args in ((GDM(2), (y,)), (OneClassGDM(2), ())):
        with pytest.raises(ValueError, match="column 0 do not: scale it"): m.fit(X*1e160, *args)
    with pytest.raises(ValueError, match="column 0 does not: scale it"): GDM(2).fit(X*1e-200, y)


def test_record_of_parameters_is_short():
    X = np.random.default_rng(0).standard_normal((60, 500))
    m = GDM(2, correlation=Positional(np.arange(500.), beta=3.)).fit(X, X[:, 0] > 0)
    assert len(m.groups_.to_json()) < 3000 and "from 0 to 499" in m.groups_.to_json()

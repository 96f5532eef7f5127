"GDM with other measures and with none, and what was found in review"
import itertools, warnings
import numpy as np
import pytest
import scipy.sparse as sp

from fsnb import naive
from fsnb.correlation.pearson import as_correlation, Measured
from fsnb.correlation.ranks import Correlation
from fsnb.correlation.information import SymmetricalUncertainty
from fsnb.correlation.position import Positional
from fsnb.data.inputs import as_columns
from fsnb.gdm.filter import FilterBruteForce
from fsnb.gdm.gdm_cv import GDMCV
from fsnb.gdm.gdm import GDM
from fsnb.gdm.one_class import OneClassGDM
from test_gdm import clusters, quiet, table, whole


def test_without_the_constraint_the_top_scores_are_taken():
    for seed in range(20):
        X, y, r = clusters(seed)
        k = int(r.integers(1, min(6, X.shape[1])+1))
        g = quiet(GDM(k, tau=None, n_per_iter=k, rank_by=["support", "pair", "group"][seed % 3]), X, y)
        s = np.abs(naive.scores(X, np.where(y > 0, .5/(y > 0).sum(), -.5/(y < 0).sum())))
        top = [j for j in np.lexsort((np.arange(len(s)), -np.round(s, 10)))[:k] if s[j] > 0]
        assert g.support_.tolist() == top and (g.groups_.sizes == 1).all()
    for mode in ("cut", "icml2012", "thesis2015"): assert (quiet(GDM(3, mode=mode, tau=None), X, y).groups_.sizes == 1).all()


@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix], ids=["dense", "sparse"])
def test_su_groups_equal_brute_force(store):
    large = 0
    for seed in range(40):
        X, y, r = (clusters if seed % 2 else whole)(seed)
        binning, tau = ["width", "frequency"][seed//2 % 2], float(r.choice([.4, .6, .7]))
        codes = [naive.bins(x, 4, binning) for x in X.T]
        R = np.array([[naive.symmetrical_uncertainty(a, b) for b in codes] for a in codes])
        g = quiet(GDM(min(4, X.shape[1]), tau=tau, chance=None, correlation=SymmetricalUncertainty(4, binning)), store(X), y)
        plain = naive.assign_members(g.support_.tolist(), [naive.find_group(R, z, tau, True) for z in g.support_.tolist()])
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
        beta = 500. if seed % 2 else None
        at_home = Positional(place, chromosomes, window=120., beta=beta)
        g = quiet(GDM(5, tau=.4, correlation=at_home), X, y)
        R = table(X)
        for j, k in itertools.product(range(40), repeat=2):
            R[j, k] = naive.positional(R[j, k], place[j], place[k], chromosomes[j] == chromosomes[k], beta, 120.)
        plain = naive.assign_members(g.support_.tolist(), [naive.find_group(R, z, .4, True) for z in g.support_.tolist()])
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
    (Positional(np.arange(20)), "positions change nothing without beta"), (Positional(None, beta=2.), "positions must be given"),
    ("foo", "correlation must be"), (SymmetricalUncertainty(1), "n_bins must be a whole number in [2, 256], got 1")])
def test_what_has_no_effect_is_refused(correlation, part):
    X = np.random.default_rng(0).standard_normal((60, 20))
    with pytest.raises(ValueError) as e: GDM(2, tau=None, correlation=correlation).fit(X, X[:, 0] > 0)
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


# ---- only positive correlations

def both_signs(seed, n=60, p=30):
    "Crowds of features of which about half are mirror images of the others, some to the bit; labels from a few of them"
    r = np.random.default_rng(seed)
    f = r.standard_normal((n, 6))
    X = f[:, r.integers(6, size=p)]*r.choice([-1, 1], p)+r.uniform(.1, .7, p)*r.standard_normal((n, p))
    X[:, 1], X[:, 5] = -X[:, 0], -2*X[:, 4]
    return X, np.where(f[:, 0]-f[:, 1]+.3*r.standard_normal(n) > 0, 1, -1)


def rare_ones(seed, n=80, p=30):
    "Counts with many zeros, and mirror images of some of them that store every other row"
    r = np.random.default_rng(seed)
    base = r.poisson(1, (n, 6))
    X = base[:, r.integers(6, size=p)]*(r.random((n, p)) < .9)
    X[:, ::5] = X[:, 1::5].max(0)-X[:, 1::5]
    return X.astype(float), np.where(base[:, 0]+.3*r.standard_normal(n) > .5, 1, -1)


FOUND_BY_SUPPORT = {     # each member is what the support attracts
    "global": lambda k, **own: GDM(k, **own), "by support": lambda k, **own: GDM(k, rank_by="support", **own),
    "by group": lambda k, **own: GDM(k, rank_by="group", **own), "supports": lambda k, **own: GDM(k, fit_on="supports", **own),
    "cut": lambda k, **own: GDM(k, mode="cut", max_iter=10, **own),
    "folds": lambda k, **own: GDMCV(k, cv=3, **own), "votes": lambda k, **own: GDMCV(k, cv=3, consensus="votes", **own),
    "one class": lambda k, **own: OneClassGDM(k, n_per_iter=k, scale="rms", **own), "one class cut": lambda k, **own: OneClassGDM(k, mode="cut", max_iter=10, **own)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FOUND_BY_SUPPORT)
def test_positive_groups_equal_brute_force(name):
    mirrored = members = 0
    for seed in range(6):
        X, y = (both_signs if seed % 2 else rare_ones)(seed)
        tau, R = [.3, .5, .6][seed//2], np.corrcoef(X.T)
        one, two = (quiet(FOUND_BY_SUPPORT[name](6, tau=tau, chance=None, correlation="positive"), store(X), y)
                    for store in (np.asarray, sp.csc_matrix))
        for g in (one, two):
            supports = g.support_.tolist()
            plain = naive.assign_members(supports, [naive.find_group(np.maximum(R, 0), z, tau, True) for z in supports])
            assert [m.tolist() for m in g.groups_] == [[j for j, _ in q] for q in plain]
            for z, own, r in zip(supports, g.groups_.members, g.groups_.correlations):
                assert (r > 0).all()
                np.testing.assert_allclose(r, R[z, own], atol=1e-9)
        assert one.support_.tolist() == two.support_.tolist()
        np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-4)
        near = R[np.ix_(one.support_, one.support_)]
        if "cut" not in name: assert not (near[np.triu_indices(len(near), 1)] >= 1-tau-1e-10).any()
        mirrored += (near <= -1+tau).any(); members += len(one.groups_.all_members)-len(supports)
    assert members >= 10 and (mirrored > 1 or name == "one class cut")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", [
    lambda: GDM(5, correlation="positive"), lambda: GDM("auto", correlation="positive"), lambda: GDM.thesis2015(5, correlation="positive"),
    lambda: GDM.icml2012(5, correlation="positive"), lambda: GDMCV.thesis2015(5, cv=8, correlation="positive", tau=.6),
    lambda: FilterBruteForce(5, correlation="positive"), lambda: GDM(5, correlation=Positional("index", window=20., correlation="positive")),
    lambda: GDMCV(5, cv=3, correlation=Positional("index", beta=60., correlation="positive"))],
    ids=["GDM", "auto", "thesis", "icml", "parts", "filter", "positions", "folds and positions"])
def test_no_member_has_a_negative_correlation(make):
    members = negative = 0
    for seed in range(8):
        X, y = (both_signs if seed % 2 else rare_ones)(seed)
        R = np.corrcoef(X.T)
        for store in (np.asarray, sp.csc_matrix):
            g = make().fit(store(X), y).groups_
            for own, r in zip(g.members, g.correlations): assert (r > 0).all() and (R[own[0], own] > 0).all()
            members += len(g.all_members)-len(g)
        other = make()
        measure = dict(correlation__correlation="pearson") if isinstance(other.correlation, Positional) else dict(correlation="pearson")
        negative += any((r < 0).any() for r in other.set_params(**measure).fit(X, y).groups_.correlations)
    assert members > 10 and negative > 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", ["global", "cut"])
def test_a_mirror_image_leads_a_group_of_its_own(mode):
    r = np.random.default_rng(0)
    z = r.standard_normal(200)
    X = np.c_[z, z+.3*r.standard_normal(200), -z, -z+.3*r.standard_normal(200), r.standard_normal((200, 20))]
    y = np.where(z+.2*r.standard_normal(200) > 0, 1, -1)
    one = GDM(1, mode=mode).fit(X, y).groups_
    assert sorted(one.members[0].tolist()) == [0, 1, 2, 3] and one.correlations[0].min() < -.9
    two = GDM(2, n_per_iter=2, mode=mode, correlation="positive", tol=1e-6).fit(X, y)
    assert sorted(map(sorted, [m.tolist() for m in two.groups_])) == [[0, 1], [2, 3]]
    assert all((own > .9).all() for own in two.groups_.correlations) and (two.predict(X) == y).mean() > .9


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", [lambda c: GDM(4, correlation=c), lambda c: GDM(4, mode="cut", correlation=c), lambda c: GDMCV(4, cv=3, correlation=c),
                                  lambda c: GDM.thesis2015(4, correlation=c), lambda c: OneClassGDM(4, correlation=c), lambda c: FilterBruteForce(4, correlation=c)],
                         ids=["GDM", "cut", "folds", "thesis", "one class", "filter"])
def test_positive_is_pearson_where_all_correlations_are_positive(make):
    for seed in range(5):
        r = np.random.default_rng(seed)
        f = r.standard_normal((150, 5))+2*r.standard_normal((150, 1))
        X = f[:, r.integers(5, size=20)]+.5*r.standard_normal((150, 20))
        assert np.corrcoef(X.T).min() > 0
        y = np.where(f[:, 0]-f[:, 1]+.3*r.standard_normal(150) > 0, 1, -1)
        one, two = (make(word).set_params(tau=.15).fit(X, y) for word in ("pearson", "positive"))
        assert one.support_.tolist() == two.support_.tolist()
        for a, b in zip(one.groups_.members, two.groups_.members, strict=True): assert a.tolist() == b.tolist()
        for a, b in zip(one.groups_.correlations, two.groups_.correlations): assert np.array_equal(a, b)
        if hasattr(one, "coef_"): assert np.array_equal(one.coef_, two.coef_)
        if one.groups_.refused is not None: assert one.groups_.refused.tolist() == two.groups_.refused.tolist()

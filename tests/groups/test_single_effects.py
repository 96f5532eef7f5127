"The sum of single effects: the transcription, another package, storages, what cannot be right, the rate of the groups"
import warnings
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsRestClassifier

from fsnb import FeatureWarning, SuSiE, naive
from fsnb.groups import single_effects as room

pytestmark = [pytest.mark.filterwarnings("ignore:no effect has a credible set"), pytest.mark.filterwarnings("ignore:.* samples are few"),
              pytest.mark.filterwarnings("ignore:.*never selected"), pytest.mark.filterwarnings("ignore:a class of")]

def linked(seed, n=200, p=40, link=.9, size=.5, k=3):
    "A chain of linked columns, and y of k of them"
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, p))
    for j in range(1, p): X[:, j] = link*X[:, j-1]+np.sqrt(1-link**2)*X[:, j]
    causes = r.choice(p, k, False)
    return X, X[:, causes]@(size*r.choice([-1, 1], k))+r.standard_normal(n), causes

def summarize(X, y):
    "(z, R, n) of columns tested one at a time"
    n, corr = len(y), np.corrcoef(X.T, y)
    r = corr[-1, :-1]
    return r*np.sqrt((n-2)/(1-r*r)), corr[:-1, :-1], n

def sets(groups): return {frozenset(own.tolist()) for own in groups}

# ---- the transcription

@pytest.mark.parametrize("seed", range(12))
def test_the_transcription_gives_the_same(seed):
    r = np.random.default_rng(seed)
    X, y, _ = linked(seed, n=int(r.integers(30, 90)), p=int(r.integers(3, 20)), k=int(r.integers(1, 3)), link=r.choice([0, .7, .95]))
    X = X*10.**r.integers(-3, 4, X.shape[1])+r.integers(-5, 6, X.shape[1])
    if seed % 3 == 0: X[:, 2] = -2*X[:, 0]          # a copy
    model = SuSiE(3).fit(X, y)
    _, pip, bounds, noise = naive.ibss(X, y, 3, model.n_iter_)
    np.testing.assert_allclose(model.elbo_, bounds, rtol=1e-7)
    np.testing.assert_allclose(model.pip_, pip, atol=1e-5)
    assert (np.diff(bounds) >= -1e-9).all()

def test_constants_have_no_part():
    X, y, _ = linked(0)
    want = SuSiE().fit(X, y)
    wide = np.insert(X, [0, 10, 40], [1., 0., 7.], axis=1)
    others = np.setdiff1d(np.arange(43), [0, 11, 42])
    for store in (np.asarray, sp.csc_matrix):
        got = SuSiE().fit(store(wide), y)
        np.testing.assert_allclose(got.pip_[others], want.pip_, atol=1e-10)
        assert (got.pip_[[0, 11, 42]] == 0).all() and (got.coef_[[0, 11, 42]] == 0).all()
        np.testing.assert_allclose(got.elbo_, want.elbo_, rtol=1e-10)

def test_the_evidence_of_an_effect_never_falls(monkeypatch):
    "A step of Newton that lowers it is taken back, and EM's in its place; from the top it ends no lower than a fine grid"
    weigh, seen, rescued = room._Single, [], 0
    def watched(*args):
        seen.append(weigh(*args))
        return seen[-1]
    monkeypatch.setattr(room, "_Single", watched)
    for seed in range(200):
        r = np.random.default_rng(seed)
        z = r.standard_normal(int(r.integers(2, 200)))*r.choice([.7, 1, 1.1])
        z[:2] += r.normal(0, r.choice([.1, 3, 6, 30]), 2)
        start = r.choice([1., 1.05, 3.])
        seen.clear()
        found = room._fit_single(z, start)
        current, steps = seen[0], iter(seen[1:])
        for one in steps:
            if one.evidence < current.evidence:
                rescued += current.evidence > one.evidence+1e-6
                one = next(steps)
                assert one.ratio == max(current.mean, 1)
            assert one.evidence >= current.evidence-1e-9
            current = one
        assert len(seen) < 60 and found.evidence == max(current.evidence, 0)
        high = (z*z).max()
        best = max(weigh(z, ratio, high).evidence for ratio in np.geomspace(1, high+2, 400))
        assert start > 1 or found.evidence >= max(best, 0)-1e-3
    assert rescued > 5

def test_no_effect_is_compared():
    "One column of a thousand: at z near 3.8 there is a maximum of the evidence below that of no effect"
    below = 0
    for height in np.linspace(3, 5, 41):
        z = np.r_[height, np.zeros(999)]
        found, top = room._fit_single(z), room._Single(z, height**2*.9, height**2)
        assert found.evidence >= 0 and (found.ratio > 1) == (found.evidence > 0)
        below += found.ratio == 1 and top.evidence < 0
    assert 0 < below < 41

@pytest.mark.parametrize("seed", range(6))
def test_the_bound_never_falls(seed):
    X, y, _ = linked(seed, n=60, k=5, size=[.2, 2][seed % 2])
    for target in (y, X[:, 3], X[:, 3]+X[:, 30], y > 0): assert np.diff(SuSiE().fit(X, target).elbo_).min() >= -1e-5

# ---- another package

def test_pysusie_gives_the_same_pips_and_sets():
    pysusie = pytest.importorskip("pysusie")
    apart, higher = [], 0
    for seed in range(30):
        X, y, _ = linked(seed, n=200, p=50, size=.6)
        model = SuSiE(5, tol=1e-8, max_iter=500).fit(X, y)
        other = pysusie.susie(X, y, L=5, tol=1e-8, max_iter=500)
        found = pysusie.susie_get_cs(other, X=X, coverage=.95, min_abs_corr=.5)["cs"] or []
        if model.elbo_[-1] > other.elbo[-1]+1e-4: higher += 1         # it stopped at a lower bound
        else: apart.append(np.abs(model.pip_-other.pip).max())
        assert {frozenset(map(int, own)) for own in found} == sets(model.groups_)
    assert max(apart) < 2e-5 and higher <= 3

def test_pysusie_gives_the_same_for_summaries():
    pysusie = pytest.importorskip("pysusie")
    for seed in range(3):
        z, R, n = summarize(*linked(seed, n=1000, p=30, size=.15)[:2])
        model, other = SuSiE.from_summary(z, R, n, n_effects=3, tol=1e-8), pysusie.susie_rss(z=z, R=R, n=n, L=3, tol=1e-8)
        np.testing.assert_allclose(model.pip_, other.pip, atol=2e-5)

def test_a_summary_of_weak_effects_gives_what_the_data_give():
    for seed in range(5):
        X, y, _ = linked(seed, n=3000, p=30, size=.2, link=.95)
        whole, short = SuSiE().fit(X, y), SuSiE.from_summary(*summarize(X, y))
        assert short.support_.tolist() == whole.support_.tolist() and len(short.support_)
        np.testing.assert_allclose(short.pip_, whole.pip_, atol=.05)
        np.testing.assert_allclose(short.coef_*y.std()/X.std(0), whole.coef_, atol=.02)
        for a, b in zip(short.groups_.correlations, whole.groups_.correlations): np.testing.assert_allclose(a[0], b[0])

# ---- storages, threads, forms

def test_threads_change_no_bit():
    r = np.random.default_rng(0)
    X = sp.csc_matrix((r.random(600_000), (r.integers(0, 3000, 600_000), r.integers(0, 20000, 600_000))), (3000, 20000))
    y = np.ravel(X[:, [5, 9]].sum(1))*3+.5*r.standard_normal(3000)
    one, two = (SuSiE(n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert (one.pip_ == two.pip_).all() and (one.elbo_ == two.elbo_).all() and set(one.support_) == {5, 9}

def test_names_and_fields():
    X, y, _ = linked(3)
    frame = pd.DataFrame(X, columns=[f"g{j}" for j in range(40)])
    model, plain = SuSiE().fit(frame, y), SuSiE().fit(X, y)
    groups = model.groups_
    assert groups.names == [[f"g{j}" for j in own] for own in plain.groups_.members] and groups.n_features == 40
    assert model.support_.tolist() == [own[0] for own in groups.members] and (np.diff(groups.scores) <= 0).all()
    for own, pips, correlations in zip(groups.members, groups.pips, groups.correlations):
        assert (pips == model.pip_[own]).all() and pips.sum() >= .949
        np.testing.assert_allclose(correlations, np.corrcoef(X[:, own].T)[0] if len(own) > 1 else [1.], atol=1e-9)
    assert (model.groups_at_fdr(.2).names or []) == [[f"g{j}" for j in own] for own in plain.groups_at_fdr(.2).members]
    assert model.get_feature_names_out().tolist() == [f"g{j}" for j in sorted(model.support_)]
    assert groups.parameters["coverage"] == .95 and model.noise_ == pytest.approx(plain.noise_)

# ---- what must not matter

@pytest.mark.parametrize("seed", range(3))
def test_units_order_and_signs_do_not_matter(seed):
    X, y, _ = linked(seed)
    r = np.random.default_rng(seed)
    want, order, factor = SuSiE().fit(X, y), r.permutation(40), r.choice([-1, 1], 40)*10.**r.integers(-3, 4, 40)
    for other, target, back in ((X*factor+r.integers(-9, 9, 40), y, np.arange(40)), (X, 1e6*y-3e7, np.arange(40)), (X, -1e-150*y, np.arange(40)),
                                (X[:, order], y, np.argsort(order))):
        got = SuSiE().fit(other, target)
        np.testing.assert_allclose(got.pip_[back], want.pip_, atol=1e-8)
        scale = target.std()/y.std()
        np.testing.assert_allclose(got.elbo_+len(y)*np.log(scale), want.elbo_, rtol=1e-7)
        np.testing.assert_allclose(np.corrcoef(got.predict(other), target)[0, 1], np.corrcoef(want.predict(X), y)[0, 1], rtol=1e-8)
        np.testing.assert_allclose(got.noise_, want.noise_*scale**2, rtol=1e-7)

def test_copies_share_the_probability_and_stand_by_number():
    X, y, _ = linked(2, link=0, k=1, size=1.)
    cause = int(SuSiE(1).fit(X, y).support_[0])
    X = np.c_[X, -3*X[:, cause], X[:, cause]]
    for store in (np.asarray, sp.csc_matrix):
        model = SuSiE(1).fit(store(X), y)
        assert model.groups_.members[0].tolist() == [cause, 40, 41] and model.groups_.correlations[0].tolist() == pytest.approx([1, -1, 1])
        np.testing.assert_allclose(model.pip_[[cause, 40, 41]], 1/3, atol=1e-6)

# ---- classes

def test_two_classes_and_more():
    X, y, _ = linked(1, size=1.)
    words, numbers = np.where(y > 0, "no", "a yes"), (y <= 0)*1
    model = SuSiE().fit(X, words)
    assert model.classes_.tolist() == ["a yes", "no"] and (model.predict(X) == words).mean() > .7
    assert (model.predict(X) == model.classes_[(model.decision_function(X) > 0)*1]).all()
    np.testing.assert_allclose(model.pip_, SuSiE().fit(X, numbers).pip_, atol=1e-10)
    for target in (np.digitize(y, [-1, 1]), np.digitize(y, [-1, 1])*1., np.array(list("abc"))[np.digitize(y, [-1, 1])]):
        with pytest.raises(ValueError, match=r"got 3 classes: take sklearn.multiclass.OneVsRestClassifier\(SuSiE"): SuSiE().fit(X, target)
    assert not hasattr(SuSiE().fit(X, y), "classes_")
    three = X[:, [0, 15, 30]].argmax(1)
    machines = OneVsRestClassifier(SuSiE()).fit(X, three)
    assert (machines.predict(X) == three).mean() > .7

# ---- what cannot be right

def test_bad_inputs_have_one_sentence_each():
    X, y, _ = linked(0)
    hole = X.copy()
    hole[3, 4] = np.nan
    for data, target, sentence in ((hole, y, "1 missing value in 1 column: 4"), (X, 0*y+3, "two classes or more"), (X, np.where(y > 2, np.nan, y), "NaN")):
        with pytest.raises(ValueError, match=sentence): SuSiE().fit(data, target)
    with pytest.raises(ValueError, match=r"n_effects must be a whole number in \[1, n_features=40\], got 41"): SuSiE(41).fit(X, y)
    with pytest.raises(ValueError, match=r"n_features=9\], got 11"): SuSiE(11).fit(X[:, :9], y)
    assert SuSiE().fit(X[:, :9], y).pip_.shape == (9,)            # the default takes what there is
    for settings in (dict(coverage=0.), dict(coverage=1.1), dict(min_purity=-.1), dict(max_iter=0), dict(tol=0.), dict(n_effects=0)):
        with pytest.raises(ValueError, match=next(iter(settings))): SuSiE(**settings).fit(X, y)
    with pytest.raises(ValueError, match="q must lie in"): SuSiE().fit(X, y).groups_at_fdr(1.)

def test_a_summary_that_cannot_be():
    X, y, _ = linked(0, n=100)
    z, R, n = summarize(X, y)
    SuSiE.from_summary(z, R, n), SuSiE.from_summary(z.tolist(), R.astype(np.float32), float(n))
    few = summarize(X[:30], y[:30])                                # rank 29 of 40
    SuSiE.from_summary(*few)
    gap, flipped, off = z.copy(), few[0].copy(), few[0].copy()
    gap[2] = np.nan
    flipped[20] *= -1
    off[3] += 1.                                                   # leaves the range of R
    uneven = R.copy()
    uneven[0, 1] += .1
    twice = R.copy()
    twice[1, 1] = 2.
    wrong = 2*R-np.eye(40)                                        # has a negative eigenvalue
    for given, matrix, size, sentence in (
            (gap, R, n, "Input z contains NaN"), (z, np.where(R == R[0, 5], np.nan, R), n, "Input R contains NaN"), (z[:-1], R, n, "R shape"),
            (z, R[:, :-1], n, "R shape"), (z[:, None], R, n, "z must have shape"), (z, uneven, n, "symmetric"), (z, twice, n, "1 on its diagonal"),
            (off, few[1], 30, "R must fit z"), (flipped, few[1], 30, "R must fit z"), (0*z, wrong, n, "R must fit z"), (10*z, R, n, "R must fit z"),
            (z, R, 2, "n must lie in"), (z, R, np.nan, "n must lie in")):
        with pytest.raises(ValueError, match=sentence): SuSiE.from_summary(given, matrix, size)
    with pytest.raises(ValueError, match="n_effects must be a whole number"): SuSiE.from_summary(z, R, n, n_effects=41)

def test_warnings():
    X, y, _ = linked(0)
    with pytest.warns(FeatureWarning, match="n=9 samples are few"): SuSiE().fit(X[:9], y[:9])
    with pytest.warns(ConvergenceWarning, match="max_iter=2"): SuSiE(max_iter=2).fit(X, y)
    with pytest.warns(FeatureWarning, match="nothing is selected"): SuSiE().fit(X, np.random.default_rng(1).standard_normal(200))
    for share, store, warned in ((.14, sp.csc_matrix, True), (.14, np.asarray, False), (.16, sp.csc_matrix, False), (.86, sp.csr_matrix, True)):
        with warnings.catch_warnings(record=True, action="always") as told:
            SuSiE().fit(store(np.maximum(X, 0)), y > np.quantile(y, share))
        assert any("14% of the samples is rare" in str(w.message) for w in told) == warned

# ---- the groups of a rate

def test_groups_at_a_rate():
    "Disjoint, the largest number whose mean of what is missed is at most q, and false ones are as rare"
    false, reported = 0, 0
    for seed in range(40):
        X, y, causes = linked(seed, n=150, p=60, link=.95, size=.3)
        model = SuSiE().fit(X, y)
        for q in (.02, .1, .4):
            offered = sorted(1-one.alpha.sum() for one in room._make_disjoint(sorted(model._candidates, key=lambda one: -one.alpha.sum())))
            count = max([k for k in range(1, len(offered)+1) if np.mean(offered[:k]) <= q], default=0)
            groups = model.groups_at_fdr(q)
            assert len(groups) == count and len(groups.all_members) == len(set(groups.all_members))
            for own, correlations in zip(groups.members, groups.correlations):
                assert (np.abs(correlations) >= .5-1e-9).all()
                np.testing.assert_allclose(correlations, np.corrcoef(X[:, own].T)[0] if len(own) > 1 else [1.], atol=1e-9)
        groups = model.groups_at_fdr(.2)
        reported += len(groups)
        false += sum(not np.isin(causes, own).any() for own in groups)
    assert reported > 30 and false <= .3*reported

def test_impure_sets_are_no_groups_but_their_pure_part_may_be_one():
    "Two candidates that no data can tell apart: a pair of copies, and one column of the same score"
    r = np.random.default_rng(0)
    X = np.linalg.qr(r.standard_normal((100, 3))-r.standard_normal((1, 3)))[0]
    X = X-X.mean(0)
    X = np.linalg.qr(X)[0]
    y = X[:, 0]+X[:, 1]+.05*X[:, 2]
    X = np.c_[X[:, :2], X[:, 0]]
    model = SuSiE(1).fit(X, y)
    assert model.pip_ == pytest.approx([1/3]*3) and len(model.groups_) == 0
    assert [own.tolist() for own in model.groups_at_fdr(.4).members] == [[0, 2]] and len(model.groups_at_fdr(.3)) == 0

# ---- cost

def test_many_columns_in_a_set(monkeypatch):
    "Beyond so many members a set is left out, and its PIPs stay"
    X, y, _ = linked(0, k=1, size=1.)
    want = SuSiE().fit(X, y)
    monkeypatch.setattr(room, "_MOST_MEMBERS", 0)
    got = SuSiE().fit(X, y)
    assert (got.pip_ == want.pip_).all() and set(got.support_) <= set(want.support_)

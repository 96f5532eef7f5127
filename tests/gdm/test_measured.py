"GDMRegressor and GDMSurvival: plain references, storage, designs, bad input"
import warnings
from types import SimpleNamespace
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from sklearn.linear_model import Ridge
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from fsnb import GDM, GDMRegressor, GDMSurvival, joint_groups
from fsnb.gdm.losses import Cox
from fsnb.gdm.measured import concordance
from fsnb.show import make_report

def survive(eta, r):
    "Times, a third of them censored, whose hazard is exp(eta)"
    times, ends = r.exponential(size=len(eta))*np.exp(-eta), 2*r.exponential(size=len(eta))
    return np.c_[np.minimum(times, ends), times <= ends]

def study(seed=0, n=150, p=60):
    "Three causes, a copy of the first; a measured y and survival"
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, p))
    X[:, 10] = X[:, 0]+.4*r.standard_normal(n)
    eta = X[:, 0]-X[:, 1]+.7*X[:, 2]
    return X, 5+20*(eta+.7*r.standard_normal(n)), survive(eta, r)

X, Y, T = study()
MODELS = {"squares": (GDMRegressor, Y), "ranks": (lambda *k, **given: GDMRegressor(*k, rank_target=True, **given), Y), "survival": (GDMSurvival, T)}
KINDS = pytest.mark.parametrize("kind", MODELS)

def fit(kind, X=X, k="auto", y=None, **given):
    "The model of that kind, quietly"
    make, own = MODELS[kind]
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        return make(k, **given).fit(X, own if y is None else y)

def same(a, b, close=1e-6):
    assert a.support_.tolist() == b.support_.tolist()
    assert [own.tolist() for own in a.groups_.members] == [own.tolist() for own in b.groups_.members]
    for name in ("coef_", "intercept_", "scores_", "alpha_"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=close, atol=close*np.abs(a.coef_).max())

# ---- what is fitted

@pytest.mark.parametrize("C", [.01, 1., 50.])
@pytest.mark.parametrize("weights", [None, np.arange(150) % 4], ids=["rows", "weights"])
def test_regression_is_ridge_on_the_members(C, weights):
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        model = GDMRegressor(4, C=C).fit(X, Y, sample_weight=weights)
    used = model.groups_.all_members
    assert np.flatnonzero(model.coef_[0]).tolist() == used.tolist() and {0, 1, 2, 10} <= set(used)
    Z, spread = (X-X.mean(0))/X.std(0), np.sqrt(np.cov(Y, aweights=weights, ddof=0))
    ridge = Ridge(alpha=1/C).fit(Z[:, used], Y/spread, sample_weight=weights)
    np.testing.assert_allclose(model.coef_[0, used], spread*ridge.coef_/X.std(0)[used], rtol=1e-5)
    np.testing.assert_allclose(model.predict(X), spread*ridge.predict(Z[:, used]), rtol=1e-5)
    assert model.coef_.shape == (1, 60) and model.intercept_.shape == (1,)
    with pytest.raises(AttributeError): model.classes_

@pytest.mark.parametrize("C", [.05, 1.])
def test_survival_is_cox_regression_with_a_ridge_on_the_members(C):
    model = fit("survival", k=4, C=C)
    used, Z = model.groups_.all_members, (X-X.mean(0))/X.std(0)
    w = model.coef_[0, used]*X.std(0)[used]
    pulls = Cox(T)(Z[:, used]@w)[1]
    np.testing.assert_allclose(w, C*Z[:, used].T@pulls, atol=1e-4)
    np.testing.assert_allclose(model.predict(X), Z[:, used]@w, atol=1e-10)       # 0 at the mean sample
    np.testing.assert_allclose(model.alpha_, pulls/np.abs(pulls).sum(), atol=1e-6)
    assert model.score(X, T) > .7 > .3 > concordance(T, -model.predict(X))

@KINDS
def test_causes_are_found_and_marked(kind):
    for seed in range(3):
        X, y, times = study(seed)
        if kind == "survival": y = times
        auto, ten = fit(kind, X, y=y), fit(kind, X, k=10, y=y)
        assert {0, 10} & set(auto.groups_.members[list(auto.support_).index(10) if 10 in auto.support_ else list(auto.support_).index(0)])
        assert {1} <= set(auto.support_) and len(set(auto.support_)-{0, 1, 2, 10}) <= 1
        assert set(auto.support_) <= set(ten.support_[ten.groups_.significant]) | {0, 10}
        assert auto.groups_.classes is None and auto.dropped_.shape[1] == 2 and len(auto.unexamined_) == 0

@KINDS
def test_e_values_decide_where_permutations_cost_too_much(kind, monkeypatch):
    from fsnb.gdm import auto
    monkeypatch.setattr(auto, "_MOST_WORK", 0)
    make, y = MODELS[kind]
    for given in ({}, dict(strata=np.arange(150) % 3), dict(covariates=X[:, 5])):
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            model, six = make("auto").fit(X, y, **given), make(6).fit(X, y, **given)
        assert {1} <= set(model.support_) <= {0, 1, 2, 10} and (six.groups_.significant == np.isin(six.support_, [0, 1, 2, 10])).all()

@pytest.mark.parametrize("unit", [1e-9, 1., 1e7])
def test_any_unit_gives_the_same_answer(unit):
    a, b = fit("squares"), fit("squares", y=unit*(Y+3))
    assert a.support_.tolist() == b.support_.tolist()
    np.testing.assert_allclose(b.predict(X), unit*(a.predict(X)+3), rtol=1e-6)
    np.testing.assert_allclose(b.coef_, unit*a.coef_, rtol=1e-6)
    assert b.score(X, unit*(Y+3)) == pytest.approx(a.score(X, Y), rel=1e-6)
    c, d = fit("survival"), fit("survival", y=T*[unit, 1])
    same(c, d)
    for far in (2.**-1000, 2.**1000): np.testing.assert_array_equal(fit("squares", y=far*Y).predict(X), far*a.predict(X))

def test_ranks_answer_alike_for_any_increasing_function_of_y():
    a, b = fit("ranks"), fit("ranks", y=np.exp(Y/10))
    same(a, b)
    found = b.predict(10*X)
    assert np.exp(Y/10).min() == found.min() and found.max() == np.exp(Y/10).max()        # never beyond
    np.testing.assert_allclose(np.interp(a.predict(X), np.sort(Y), np.exp(np.sort(Y)/10)), b.predict(X), rtol=1e-9)
    tied = fit("ranks", y=np.round(Y/40))
    assert tied.quantiles_.shape == (2, len(np.unique(np.round(Y/40)))) and tied.score(X, np.round(Y/40)) > .4

def test_concordance_by_every_pair():
    for seed in range(60):
        r = np.random.default_rng(seed)
        n = int(r.integers(3, 25))
        times = r.integers(1, 6, n).astype(float) if seed % 2 else r.exponential(size=n)
        events, risk = r.random(n) < r.uniform(.3, 1), r.integers(0, 4, n) if seed % 3 else r.standard_normal(n)
        wins = [(risk[i] > risk[j])+.5*(risk[i] == risk[j]) for i in range(n) for j in range(n)
                if events[i] and (times[i] < times[j] or times[i] == times[j] and not events[j])]
        if not wins: continue
        assert concordance(np.c_[times, events], risk) == pytest.approx(np.mean(wins), abs=1e-12)

# ---- forms of data

def test_any_form_of_survival():
    want = fit("survival")
    structured = np.array([(bool(e), t) for t, e in T], dtype=[("event", "?"), ("time", "f8")])
    backwards = np.array([(t, bool(e)) for t, e in T], dtype=[("days", "f4"), ("died", "?")])
    frame = pd.DataFrame({"time": T[:, 0], "died": T[:, 1] == 1})
    cells = SimpleNamespace(X=X, obs=frame.assign(height=Y), var=None, var_names=[f"g{j}" for j in range(60)])
    for y in (structured, frame, T.tolist(), frame.to_records(index=False)): same(want, GDMSurvival("auto").fit(X, y))
    named = GDMSurvival("auto").fit(cells, ["time", "died"])
    same(want, named)
    assert named.score(cells, ("time", "died")) == pytest.approx(want.score(X, T)) and named.feature_names_in_[0] == "g0"
    assert fit("survival", y=backwards).support_.tolist() == want.support_.tolist()
    heights = GDMRegressor("auto").fit(cells, "height")
    same(fit("squares"), heights)
    assert heights.score(cells, "height") == pytest.approx(heights.score(X, Y))

# ---- designs

def test_covariates_count_in_the_model_and_at_their_means():
    age = np.random.default_rng(5).standard_normal(150)
    for make, y in ((GDMRegressor, Y+30*age), (GDMSurvival, np.c_[T[:, 0]*np.exp(-age), T[:, 1]])):
        model = make("auto").fit(X, y, covariates=age)
        plain = make("auto").fit(X, y)
        assert {1} <= set(model.support_) and len(set(model.support_)-{0, 1, 2, 10}) == 0
        assert model.score(X, y, covariates=age) > max(model.score(X, y), plain.score(X, y))
        added = model.predict(X, covariates=age)-model.predict(X)           # of age and its square, at their means 0
        assert abs(added.mean()) < 1e-9*np.abs(added).max()
        with pytest.raises(ValueError, match="the model was fitted without"): plain.predict(X, covariates=age)
        with pytest.raises(ValueError, match="covariates must have 150 rows"): model.predict(X, covariates=age[:1])
        with pytest.raises(ValueError, match="covariates determine y|separate"):
            make("auto").fit(X, y if make is GDMRegressor else T, covariates=y if make is GDMRegressor else Cox(T)(np.zeros(150))[1])

def test_blocks_are_the_samples_where_y_belongs_to_them():
    r = np.random.default_rng(3)
    donor = np.repeat(np.arange(30), 5)
    wide = r.standard_normal((30, 60))[donor]+.3*r.standard_normal((150, 60))
    means = np.stack([wide[donor == d].mean(0) for d in range(30)])
    for make, y in ((GDMRegressor, r.standard_normal(30)), (GDMSurvival, survive(np.zeros(30), r))):
        by_block, by_mean = make(3).fit(wide, y[donor], blocks=donor), make(3).fit(means, y)
        same(by_block, by_mean)
        assert not len(make("auto").fit(wide, y[donor], blocks=donor).support_) and len(make("auto").fit(wide, y[donor]).support_) > 2
    inside = r.standard_normal(30)[donor]+r.standard_normal(150)
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        within = GDMRegressor("auto").fit(wide, inside, blocks=donor)
    assert len(within.support_) == 0

def test_whole_weights_are_repeated_rows_in_the_loss():
    weights = np.arange(150) % 3
    rows, all_in = np.repeat(np.arange(150), weights), dict(tau=None, n_per_iter=3, C=1e6)
    found = GDMRegressor(3, **all_in).fit(X[:, :3], Y, sample_weight=weights).predict(X[:, :3])
    np.testing.assert_allclose(found, GDMRegressor(3, **all_in).fit(X[rows, :3], Y[rows]).predict(X[:, :3]), rtol=1e-4)

def test_in_pipelines_and_for_several_outcomes():
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        noise = np.random.default_rng(0).standard_normal(150)
        assert make_pipeline(GDMRegressor("auto", at_least=2), Ridge()).fit(X, noise)[0].support_.shape == (2,)
        both = MultiOutputRegressor(GDMRegressor(2)).fit(X, np.c_[Y, X[:, 5]+.1*noise])
    assert [5 in model.support_ for model in both.estimators_] == [False, True]

# ---- further questions

def test_refined_and_reported():
    counts = np.clip(np.round(Y/20), -2, 2)                      # five whole numbers, and no classes
    for kind, y in (("squares", Y), ("squares", counts), ("ranks", counts), ("survival", T)):
        model = fit(kind, y=y)
        found = model.refine(X, y, n_permutations=19)
        assert {1} <= set(found.support) and len(set(found.support)-{0, 1, 2, 10}) <= 1
    assert fit("squares").refine(X, Y).support.tolist() == joint_groups(X, Y, start=fit("squares").support_).support.tolist()
    for kind, measure in (("squares", "R squared"), ("survival", "concordance")):
        page = make_report(fit(kind).groups_, X, MODELS[kind][1])
        assert measure in page and "Stability" not in page

BAD = {"constant": np.ones(150), "NaN": np.where(np.arange(150) == 3, np.nan, Y), "infinite": np.where(np.arange(150) == 3, np.inf, Y),
       "short": Y[:-1], "words": np.full(150, "a"), "two columns": np.c_[Y, Y], "structured": T.view([("a", "f8"), ("b", "f8")])[:, 0],
       "complex": Y+1j, "nothing": None, "missing": np.array([None, *Y[1:]], dtype=object)}
BAD_TIMES = {"negative": T*[-1, 1], "no events": T*[1, 0], "three columns": np.c_[T, T[:, 0]], "one column": T[:, 0], "short": T[:-1],
             "NaN": np.where(np.arange(150)[:, None] == 3, np.nan, T), "events of 2": T*[1, 2], "nothing": None, "infinite": T+[np.inf, 0]}

@pytest.mark.parametrize("form", BAD)
def test_bad_y_is_refused(form):
    with pytest.raises(ValueError, match="y|string|samples"): GDMRegressor(2).fit(X, BAD[form])

@pytest.mark.parametrize("form", BAD_TIMES)
def test_bad_times_are_refused(form):
    with pytest.raises(ValueError, match="y|times|events|samples"): GDMSurvival(2).fit(X, BAD_TIMES[form])

def test_messages_name_the_class_of_the_user():
    for model, y in ((GDM(), Y > 5), (GDMRegressor(), Y), (GDMSurvival(), T)):
        with pytest.raises(TypeError, match=rf"^{type(model).__name__}.fit\(\) got an unexpected"): model.fit(X, y, foo=1)
        with pytest.raises(TypeError, match="takes 3 positional"): model.fit(X, y, None)
    with pytest.raises(TypeError, match=r"^GDM.predict\(\) got"): GDM().fit(X, Y > 5).predict(X, foo=1)

def test_row_totals_that_follow_y_are_told():
    r = np.random.default_rng(0)
    length = r.lognormal(4, 1, 200)
    counts = sp.csc_matrix(r.poisson(length[:, None]*r.dirichlet(np.full(300, 20))))
    with pytest.warns(UserWarning, match="row totals differ between samples of low and high y"): GDMRegressor(2).fit(counts, np.log(length))
    with warnings.catch_warnings(action="error"):
        warnings.filterwarnings("ignore", "no feature is significantly")
        assert not len(GDMRegressor("auto").fit(counts, np.log(length)+r.standard_normal(200), covariates="row_sums").support_)

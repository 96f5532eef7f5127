"Covariates, strata and blocks: strata by plain loops, what is the same problem in other words, what is refused, and designs that break plain evidence"
import itertools, warnings
import numpy as np, pandas as pd, pytest, scipy.sparse as sp, sklearn
from scipy import stats
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score

from fsnb import GDM, GDMCV, GDMRegressor, GDMSurvival, FilterBruteForce, convert
from fsnb.groups import feature_p_values, group_p_values, joint_groups, stable_groups
from fsnb.data.inputs import as_columns
from fsnb.gdm.e_values import _permutation_spread, centre_within, squares_within, visit_within
from fsnb.gdm.losses import Cox
from fsnb.groups.design import _predict_target, read_covariates, read_design, split_by_predictor
from fsnb.show.manhattan import association_p_values
from fsnb.groups.max_t import describe_target, draw_order, permute_target

def batches(seed, n=200, p=60, effect=1.):
    "X, y, batch: columns 0 to 4 go with y, the last twenty with the batch alone"
    r = np.random.default_rng(seed)
    batch = np.arange(n) % 2
    y = (r.random(n) < np.where(batch, .8, .2)).astype(int)
    X = r.standard_normal((n, p))
    X[:, :5] += effect*y[:, None]
    X[:, -20:] += batch[:, None]
    return X, y, batch

def told(model): return model.support_.tolist(), [own.tolist() for own in model.groups_.members]

def visited(X, v, strata, within=None):
    out = np.zeros((3, X.shape[1], v.shape[1]))
    def note(here, *found): out[:, here] = found
    visit_within(as_columns(X), centre_within(v, strata), strata, note, within)
    return out

def by_loops(X, v, strata):
    "S, W and V, a stratum at a time"
    S, W, V = np.zeros((3, X.shape[1], v.shape[1]))
    for g in np.unique(strata):
        own = strata == g
        n, x, u = own.sum(), X[own]-X[own].mean(0), v[own]-v[own].mean(0)
        c_q, c_v, c_s = _permutation_spread(int(n))
        s, equal = x.T@u, np.outer((x*x).sum(0), (u*u).sum(0))/n
        S, V = S+s, V+equal
        W += c_q*(x*x).T@(u*u)+c_v*equal+c_s*s*s/n
    return S, W, V

def test_evidence_within_strata_by_plain_loops():
    "Dense and sparse, one vector and three, a column far from zero and one that is constant in each stratum"
    r = np.random.default_rng(0)
    X = np.where(r.random((70, 12)) < .4, r.poisson(3, (70, 12))+1., 0)
    strata = r.integers(0, 5, 70)
    X[:, 0] += 1e7
    X[:, 1] = strata
    for m, stored in itertools.product((1, 3), (np.asarray, sp.csc_matrix)):
        v = r.standard_normal((70, m))
        for found, right in zip(visited(stored(X), v, strata), by_loops(X, v, strata)):
            np.testing.assert_allclose(found[2:], right[2:], rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(found[:1], right[:1], rtol=1e-6)
            assert abs(found[1]).max() < 1e-9
        for own in (X, np.asfortranarray(X), X.astype(np.float32)):
            S, W, V = visited(own, v, strata, squares_within(as_columns(own), strata))
            right = np.array(by_loops(own.astype(float), v, strata))[:, 2:]
            for found, exact in zip((S[2:], V[2:]), right[[0, 2]]): np.testing.assert_allclose(found, exact, rtol=1e-6, atol=1e-6)
            assert (W[2:] <= right[1]+1e-9).all() and (W[2:] > .5*right[1]).all() and abs(W[1]).max() == 0

def test_bounds_change_no_answer():
    "Dense columns are ranked by bounds within strata, sparse ones by evidence"
    X, y, batch = batches(1)
    three = y+(X[:, 1] > 1)
    designs = dict(covariates=np.c_[batch, X[:, 30]]), dict(strata=batch)
    for k, told_of, labels in itertools.product((6, "auto"), designs, (y, three)):
        dense, stored = (GDM(k, n_per_iter=1).fit(own, labels, **told_of) for own in (X, sp.csc_matrix(X)))
        assert told(dense) == told(stored)
        assert dense.groups_.rounds.tolist() == stored.groups_.rounds.tolist()
        np.testing.assert_allclose(dense.groups_.scores, stored.groups_.scores, atol=1e-6)

def test_the_same_in_other_words():
    "A batch as a covariate of numbers, of words, as a frame, as a stratum; a stratum of all samples is none; a block a sample is none"
    X, y, batch = batches(1)
    plain = GDM("auto").fit(X, y)
    assert told(plain) == told(GDM("auto").fit(X, y, strata=np.zeros(200))) == told(GDM("auto").fit(X, y, blocks=np.arange(200)))
    with_it = GDM("auto").fit(X, y, covariates=batch)
    words = np.array(["first", "second"])[batch]
    for other in (words, batch[:, None]*7.-3, pd.DataFrame({"batch": words}), pd.Series(batch), pd.DataFrame({"batch": batch == 1})):
        assert told(GDM("auto").fit(X, y, covariates=other)) == told(with_it)
    assert set(with_it.support_) <= set(range(5)) and (plain.support_ >= 40).any()
    assert set(GDM("auto").fit(X, y, strata=words).support_) <= set(range(5))

@pytest.mark.parametrize("given", ["covariates", "strata", "blocks"])
def test_dense_is_sparse_is_a_store_on_any_number_of_threads(given, tmp_path):
    X, y, batch = batches(2)
    X = np.where(np.abs(X) > .8, X, 0)
    kept = dict(covariates=batch, strata=batch, blocks=np.arange(200)//4)[given]
    if given == "blocks": y = y[np.arange(200)//4*4]
    convert(sp.csc_matrix(X), tmp_path/"x.fsnb", verbose=0)
    dense = told(GDM(8).fit(X, y, **{given: kept}))
    for other in (sp.csc_matrix(X), sp.csr_matrix(X), tmp_path/"x.fsnb"):
        for n_jobs in (1, 2): assert told(GDM(8, n_jobs=n_jobs).fit(other, y, **{given: kept})) == dense

def test_means_of_blocks_are_the_samples():
    X, y, _ = batches(3)
    blocks, Z = np.repeat(np.arange(50), 4), np.random.default_rng(0).standard_normal(200)
    y = y[blocks*4]
    means, labels, covariate = X.reshape(50, 4, -1).mean(1), y[::4], Z.reshape(50, 4).mean(1)
    assert told(GDM(4).fit(X, y, blocks=blocks)) == told(GDM(4).fit(means, labels))
    names = np.array([f"donor {b}" for b in blocks])
    assert np.array_equal(feature_p_values(X, y, 99, random_state=0, blocks=blocks).p_values,
                          feature_p_values(means, labels, 99, random_state=0).p_values)
    order = np.random.default_rng(1).permutation(200)
    shuffled = GDM(4).fit(X[order], y[order], blocks=names[order], covariates=Z[order])
    assert shuffled.support_.tolist() == GDM(4).fit(means, labels, covariates=covariate).support_.tolist()

def test_whole_blocks_change_places_and_samples_within_them():
    "Every arrangement is met, equally often: two families of two and one of three"
    blocks = np.array([0, 1, 0, 1, 2, 2, 2])
    drawn = [tuple(draw_order(7, r, blocks=blocks)) for r in [np.random.RandomState(0)] for _ in range(9600)]
    ways, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(ways) == 2*2*2*6 and abs(counts-200).max() < 75
    task = describe_target(np.arange(7.)[:, None], None, blocks)
    permuted = {tuple(v) for v in permute_target(task, 2000, np.random.RandomState(1))[:, 0].T}
    assert permuted == {tuple(np.arange(7.)[list(way)]) for way in ways}

def test_cells_of_a_predictor():
    t = np.random.default_rng(0).standard_normal((300, 1))
    cells = split_by_predictor(t)
    assert len(np.unique(cells)) == 20 and np.bincount(cells).tolist() == [15]*20
    edges = [(t[cells == c].min(), t[cells == c].max()) for c in range(20)]
    assert all(high < low for (_, high), (low, _) in zip(sorted(edges), sorted(edges)[1:]))
    assert len(np.unique(split_by_predictor(np.round(t)))) == len(np.unique(np.round(t)))      # few values: a cell each
    assert len(np.unique(split_by_predictor(t[:30]))) == 3
    Z = np.random.default_rng(1).standard_normal((300, 2))
    strata = np.repeat([0, 1, 2], [200, 80, 20])
    cells = split_by_predictor(t, strata)
    assert [len(np.unique(cells[strata == g])) for g in range(3)] == [13, 5, 1] and len(np.unique(cells)) == 19
    Y = np.random.default_rng(2).standard_normal((300, 2))
    A = np.c_[np.ones(300), Z]
    np.testing.assert_allclose(_predict_target(Z, Y), A@np.linalg.pinv(A)@Y, atol=1e-9)

def test_squares_of_covariates():
    "Where there are 20 samples for each; those of two values are the values themselves, without a word"
    r = np.random.default_rng(0)
    frame = pd.DataFrame(dict(age=r.normal(1e4, 1, 60), batch=np.arange(60) % 2))
    with warnings.catch_warnings(action="error"):
        (code, Z), (few, _) = read_covariates(None, frame, 60), read_covariates(None, frame[:39], 39)
    assert code.names == ("age", "batch", "age^2") and few.names == ("age", "batch")
    np.testing.assert_allclose(Z, code.transform(None, frame))
    z = (frame.age-frame.age.mean())/frame.age.std(ddof=0)
    np.testing.assert_allclose(Z[:, 2], (z*z-1)/np.std(z*z), atol=1e-6)
    np.testing.assert_allclose(Z.std(0), 1)

def test_new_samples_with_and_without_their_covariates():
    X, y, batch = batches(4)
    frame = pd.DataFrame({"age": np.random.default_rng(0).integers(20, 80, 200), "site": np.array(["a", "b"])[batch]})
    model = GDM("auto").fit(X, y, covariates=frame)
    assert model.covariates_.names == ("site_b", "age", "age^2") and model.covariate_coef_.shape == (1, 3)
    Z = model.covariates_.transform(None, frame)
    np.testing.assert_allclose(model.decision_function(X, frame), model.decision_function(X)+Z@model.covariate_coef_[0])
    assert model.score(X, y, covariates=frame) > model.score(X, y)
    with pytest.raises(ValueError, match="fitted without"): GDM(3).fit(X, y).predict(X, batch)
    three = y+(X[:, 5] > 1)
    model = GDM(3, loss="logistic").fit(X, three, covariates=batch)
    P = model.predict_proba(X, batch)
    np.testing.assert_allclose(P.sum(1), 1)
    assert (P.argmax(1) == model.predict(X, batch)).mean() > .95
    assert not hasattr(GDM(), "predict_proba")

def test_columns_of_obs(tmp_path):
    anndata = pytest.importorskip("anndata")
    X, y, batch = batches(5)
    obs = pd.DataFrame({"type": y, "batch": pd.Categorical(np.array(["a", "b"])[batch])}, index=[f"c{i}" for i in range(200)])
    cells = anndata.AnnData(X, obs=obs)
    assert told(GDM("auto").fit(cells, "type", covariates="batch")) == told(GDM("auto").fit(X, y, covariates=batch))
    assert told(GDM("auto").fit(cells, "type", strata="batch")) == told(GDM("auto").fit(X, y, strata=batch))

def test_metadata_routing():
    "cross_val_score and GridSearchCV split the covariates with the samples"
    X, y, batch = batches(6)
    with sklearn.config_context(enable_metadata_routing=True):
        model = GDM(5).set_fit_request(covariates=True).set_score_request(covariates=True)
        with_it = cross_val_score(model, X, y, params=dict(covariates=batch))
        search = GridSearchCV(model, dict(C=[.1, 1.])).fit(X, y, covariates=batch)
        for other, target in ((GDMRegressor(3), y*1.), (GDMSurvival(3), np.c_[1.+np.arange(200), y])):
            own = GridSearchCV(other.set_fit_request(strata=True), {"C": [.1, 1.]}, cv=3).fit(X, target, strata=batch)
            assert np.isfinite(own.best_score_)
    assert with_it.mean() > cross_val_score(GDM(5), X, y).mean() and search.best_estimator_.covariates_ is not None

def test_weights_and_classes():
    "All ones are none; a sample of weight 0 has no pull; balanced classes pull alike without an intercept's help"
    X, y, _ = batches(7)
    assert told(GDM(4).fit(X, y, sample_weight=np.ones(200))) == told(GDM(4).fit(X, y))
    weights = np.r_[np.zeros(40), np.ones(160)]
    y[:40] = 1-y[:40]
    model = GDM(4).fit(X, y, sample_weight=weights)
    assert not model.alpha_[:40].any() and model.alpha_[40:].any()
    rare = (np.random.default_rng(0).random(200) < .15) & (X[:, 0] > 0)
    assert GDM(2, class_weight="balanced").fit(X, rare).predict(X).mean() > GDM(2).fit(X, rare).predict(X).mean()
    for labels in (["a", "b"], [1, 2], [-1, 1]):       # the keys are labels, not their numbers
        own, given = np.array(labels)[rare*1], {labels[1]: 5.}
        by_hand = GDM(2).fit(X, own, sample_weight=np.where(rare, 5., 1))
        np.testing.assert_array_equal(GDM(2, class_weight=given).fit(X, own).coef_, by_hand.coef_)

def test_weights_of_the_others():
    "Ones are none; where half of the labels are turned round, weights of 0 on these find the feature again"
    X, y, _ = batches(12)
    groups = np.arange(40)[:, None].tolist()
    wrong = np.arange(200) < 100
    turned, kept = np.where(wrong, 1-y, y), dict(sample_weight=~wrong*1.)
    for selector in (None, LogisticRegression()):
        given = dict(n_pairs=10, q=5, random_state=0, selector=selector)
        plain, ones = stable_groups(X, y, groups, **given), stable_groups(X, y, groups, sample_weight=np.ones(200), **given)
        np.testing.assert_array_equal(plain.frequencies, ones.frequencies)
        lost, found = stable_groups(X, turned, groups, **given), stable_groups(X, turned, groups, **kept, **given)
        assert found.frequencies[:5].mean() > lost.frequencies[:5].mean()+.2
    assert joint_groups(X, y, sample_weight=np.ones(200)) == joint_groups(X, y)
    found = joint_groups(X, turned, **kept)
    assert set(joint_groups(X, turned).support) & set(range(5)) == set() < set(found.support) <= set(range(5))
    model = GDM(5).fit(X, turned, **kept)
    assert set(model.refine(X, turned, **kept).support) == set(found.support)
    numbers = GDMRegressor(5).fit(X, turned, **kept).refine(X, turned, **kept)
    assert set(numbers.support) == set(found.support)
    for call in (lambda w: stable_groups(X, y, groups, sample_weight=w), lambda w: joint_groups(X, y, sample_weight=w),
                 lambda w: group_p_values(X, y, groups, 99, sample_weight=w), lambda w: GDM(2).fit(X, y, sample_weight=w)):
        with pytest.raises(ValueError, match="sample_weight|of weight above 0"): call(y*1.)
        with pytest.raises(ValueError, match="sample_weight must hold 200 finite"): call(-1.*wrong)

def test_joint_groups_of_weighted_null_data():
    "Weights that go with the label or with a column: something passes in no more runs than chance=.05 allows"
    r, passed = np.random.default_rng(3), []
    for _ in range(30):
        X, y = r.standard_normal((60, 30)), r.integers(0, 2, 60)
        for weights in (np.where(y, .3, 1.7), np.exp(X[:, 0])): passed.append(len(joint_groups(X, y, sample_weight=weights*r.random(60))) > 0)
    assert np.mean(passed) <= .05+2*np.sqrt(.05*.95/60)

def test_at_least(recwarn):
    X, y = np.random.default_rng(0).standard_normal((60, 20)), np.arange(60) % 2
    assert len(GDM("auto").fit(X, y).support_) == 0
    recwarn.clear()
    model = GDM("auto", at_least=2).fit(X, y)
    told = [str(one.message) for one in recwarn]
    assert len(told) == 1 and told[0].startswith("2 of the 2 supports are not significant"), told    # and not: nothing was selected
    assert len(model.support_) == 2 and not model.groups_.significant.any()

def test_the_others_take_them():
    X, y, batch = batches(8)
    Z = dict(covariates=batch)
    assert (feature_p_values(X, y, 199, random_state=0, **Z).p_values[5:] > .05).all()
    assert (feature_p_values(X, y, 199, random_state=0).p_values[40:] <= .05).any()
    assert (group_p_values(X, y, [[0], [45, 46]], 199, random_state=0, **Z) <= .05).tolist() == [True, False]
    assert set(joint_groups(X, y, **Z).support) <= set(range(5)) and set(joint_groups(X, y, strata=batch).support) <= set(range(5))
    assert set(GDM(5).fit(X, y, **Z).refine(X, y, **Z).support) <= set(range(5))
    assert set(FilterBruteForce(3).fit(X, y, **Z).support_) <= set(range(5))
    assert set(GDMCV(3).fit(X, y, **Z).support_) <= set(range(5))
    blocks = np.arange(200)//2
    stable = stable_groups(X, y[blocks*2], [[0, 1], [2, 3], [50]], blocks=blocks, n_pairs=2, random_state=0)
    assert stable.frequencies.shape == (3,)

X, Y, BATCH = batches(10, 40, 8)
REFUSED = [
    (dict(covariates=Y), "covariates determine y"), (dict(covariates=Y+.1*np.sin(np.arange(40))), "covariates separate the classes"), (dict(covariates=np.eye(40)), "fewer than samples"),
    (dict(covariates=np.where(BATCH, np.nan, 1.)), "no missing values, but sample 1"), (dict(covariates=BATCH[:30]), "must have 40 rows"),
    (dict(covariates="age"), "column of obs"), (dict(strata=Y), "same throughout each of the 2 strata"), (dict(strata=BATCH[:9]), r"strata must have shape \(40,\)"),
    (dict(blocks=np.zeros(40)), "two labels or more"), (dict(blocks=[None]*40), "blocks must have a label"),
    (dict(sample_weight=-np.ones(40)), "sample_weight"), (dict(sample_weight=np.zeros(40)), "not all of them zero"),
    (dict(sample_weight=np.full(40, 1e300)), r"largest in \[1e-12, 1e12\]")]

@pytest.mark.parametrize("given, words", REFUSED)
def test_refused(given, words):
    with pytest.raises(ValueError, match=words): GDM("auto").fit(X, Y, **given)

def test_strata_that_split_a_donor_whose_mean_is_a_sample():
    "A donor's first sample decided its stratum; covariates are means, strata of whole donors stay"
    donor = np.arange(40)//2
    y, inside, whole = donor % 2, np.arange(40) % 2, donor//10
    with pytest.raises(ValueError, match="strata must not differ within a block"): GDM(2).fit(X, y, blocks=donor, strata=inside)
    GDM(2).fit(X, y, blocks=donor, strata=whole)
    GDM(2).fit(X, y, blocks=donor, covariates=np.arange(40) % 3 == 0)
    GDM(2).fit(X, Y, blocks=np.arange(40)//4, strata=inside)       # y varies in these: no means

@pytest.mark.parametrize("name", ["covariates", "strata", "blocks", "sample_weight"])
def test_a_frame_in_another_order_is_refused(name):
    "Row by row it would be a silent mistake: y is refused so too"
    frame, own = pd.DataFrame(X), pd.Series(np.arange(40) % 4+1)
    fit = GDM(2).fit(frame, Y, **{name: own})
    with pytest.raises(ValueError, match=f"{name} has the index of X in another order"): GDM(2).fit(frame, Y, **{name: own[::-1]})
    if name == "sample_weight":
        groups = [[j] for j in range(8)]
        with pytest.raises(ValueError, match=f"{name} has the index of X"): stable_groups(frame, Y, groups, q=2, **{name: own[::-1]})
    row_by_row = GDM(2).fit(frame, Y, **{name: own[::-1].to_numpy()[::-1]})
    np.testing.assert_array_equal(fit.coef_, row_by_row.coef_)

def test_modes_without_a_design():
    with pytest.raises(ValueError, match="covariates can be given with mode='global' only"): GDM(2, mode="cut").fit(X, Y, covariates=BATCH)
    for own in (dict(loss="logistic"), dict(class_weight="balanced")):
        for model in (GDM(2, mode="cut", **own), GDM.thesis2015(2, **own), GDMCV.thesis2015(2, **own)):
            with pytest.raises(ValueError, match=f"{[*own][0]} can be given with mode='global'"): model.fit(X, Y)
    with pytest.warns(UserWarning, match="left out: 1, 2"): read_covariates(None, np.c_[BATCH, np.ones(40), 1-BATCH], 40)

@pytest.mark.parametrize("model", [GDM("auto"), GDM(3, loss="logistic"), GDMRegressor("auto")])
@pytest.mark.parametrize("make", [np.asarray, sp.csc_matrix])
@pytest.mark.parametrize("first", [0, 5])
def test_covariates_that_are_all_constant_are_none(model, make, first):
    "As in a fold that holds one batch: the warning names them, and `predict` still takes them; nothing may be selected"
    X, y, _ = batches(3)
    X, same = make(X[:, first:40]), np.ones((len(y), 2))
    with warnings.catch_warnings(action="ignore"):
        plain = clone(model).fit(X, y)
        with pytest.warns(UserWarning, match="left out: 0, 1"): own = clone(model).fit(X, y, covariates=same)
    np.testing.assert_array_equal(own.support_, plain.support_)
    assert own.covariate_coef_.shape == (1, 0)
    np.testing.assert_allclose(own.predict(X, covariates=same), plain.predict(X), atol=1e-6)

@pytest.mark.parametrize("setting", [dict(loss="logistic"), dict(class_weight="balanced")])
def test_ten_classes_have_their_power_with_every_loss(setting):
    "45 pairs of classes are correlated: a statistic of all of them is scaled to their degrees of freedom"
    X, y = load_digits(return_X_y=True)
    X, y = X[::2], y[::2]
    with warnings.catch_warnings(action="ignore"):
        plain, own = GDM("auto").fit(X, y), GDM("auto", **setting).fit(X, y)
    assert len(own.support_) >= .9*len(plain.support_) > 30
    assert len(GDM(5, class_weight="balanced").fit(X[:, :60:3]+1., y).support_) == 5   # b is 0 before any feature is in

@pytest.mark.parametrize("kind", ["covariates", "strata", "donors", "families"])
def test_noise_is_not_reported(kind):
    "30 data sets in which no column is associated with y but through the design: 'auto' reports something in few, or it breaks without"
    hits, plain = 0, 0
    for seed in range(30):
        r = np.random.default_rng(seed)
        X, y, batch = batches(seed, 120, 60, effect=0.)
        given = {kind: batch}
        if kind in ("donors", "families"):
            blocks = np.repeat(np.arange(30), 4)
            X, given = r.standard_normal((120, 60))+r.standard_normal((30, 60))[blocks], dict(blocks=blocks)
            y = r.permutation(np.arange(30) % 2)[blocks] if kind == "donors" else (r.standard_normal(30)[blocks]+.7*r.standard_normal(120) > 0)*1
        with warnings.catch_warnings(action="ignore"):
            hits += len(GDM("auto").fit(X, y, **given).support_) > 0
            plain += len(GDM("auto").fit(X, y).support_) > 0
    assert hits <= 5 and plain >= 7

def test_stable_groups_beside_covariates_and_strata():
    "A column that only follows the batch is chosen in most halves without it, and in few with it"
    X, y, batch = batches(11, 300)
    groups = [[0], [1], [45], [50], *[[j] for j in range(10, 30)]]
    same = dict(q=3, n_pairs=10, random_state=0)
    plain, *others = [stable_groups(X, y, groups, **same, **given).frequencies[2:4]
                      for given in ({}, dict(covariates=batch), dict(strata=batch))]
    for own in others: assert own.max() <= .3 < plain.max()
    own = stable_groups(X, y, groups, selector=FilterBruteForce(3, chance=None), covariates=batch, **same).frequencies
    assert own[2:4].max() <= .3

def test_a_list_of_words_is_a_covariate_where_there_is_no_obs():
    X, y, batch = batches(12)
    words = np.array(["first", "second"])[batch].tolist()
    assert told(GDM("auto").fit(X, y, covariates=words)) == told(GDM("auto").fit(X, y, covariates=batch))
    with pytest.raises(ValueError, match="must have 200 rows, one for each sample, got 2"): GDM(2).fit(X, y, covariates=["age", "sex"])

def test_no_fold_splits_a_block_beside_strata():
    from fsnb.gdm.gdm_cv import _split_samples
    X, y, batch = batches(13)
    blocks = np.arange(200)//4
    for given in (dict(strata=batch), dict(covariates=X[:, 9])):
        design = read_design(X, as_columns(X), y, lambda y: y[:, None], blocks=blocks, **given)[2]
        assert np.array_equal(design.blocks, blocks) and (np.bincount(design.strata, blocks) == np.bincount(design.strata)*[blocks[design.strata == g][0] for g in range(design.strata.max()+1)]).all()
        order = draw_order(200, np.random.RandomState(0), design.strata, design.blocks)
        assert np.array_equal(design.strata[order], design.strata)
        for fold in _split_samples(y, 5, 0, design.blocks): assert len(set(blocks[fold]) & set(blocks[~fold])) == 0
        assert GDMCV(3).fit(X, y, blocks=blocks, **given).n_folds_ == 5

def test_p_values_of_single_columns_within_a_design():
    "Those of a regression with the strata as columns of 0 and 1; block means where y is constant in each"
    X, y, batch = batches(14)
    Z = np.c_[np.ones(200), batch]
    left = lambda x: x-Z@np.linalg.lstsq(Z, x, rcond=None)[0]
    r = np.array([np.corrcoef(left(x), left(1.*y))[0, 1] for x in X.T])
    np.testing.assert_allclose(association_p_values(X, y, strata=batch), 2*stats.t.sf(np.abs(r)*np.sqrt(197/(1-r*r)), 197), rtol=1e-8)
    np.testing.assert_allclose(association_p_values(X, y), stats.f_oneway(X[y == 0], X[y == 1]).pvalue, rtol=1e-8)
    assert association_p_values(X, y)[40:].min() < 1e-3 < association_p_values(X, y, covariates=batch)[40:].min()
    whole = np.arange(200) % 5
    times = np.c_[1+whole, y]
    np.testing.assert_array_equal(association_p_values(X, times, target="survival"), association_p_values(X, Cox(times)(np.zeros(len(y)))[1]))
    np.testing.assert_allclose(association_p_values(X, whole, target="numbers"), [stats.pearsonr(x, whole).pvalue for x in X.T], rtol=1e-7)
    means = X.reshape(50, 4, -1).mean(1)
    np.testing.assert_allclose(association_p_values(X, np.repeat(y[:50], 4), blocks=np.repeat(np.arange(50), 4)), association_p_values(means, y[:50]))

def test_a_constant_measurement_is_refused():
    with pytest.raises(ValueError, match="y must vary, but all 40 values are 3"):
        feature_p_values(X, np.full(40, 3.), 19, target="numbers")

"Groups of one study in another: names and places, directions, members kept, any storage"
import warnings
import numpy as np, pandas as pd, pytest, scipy.sparse as sp

from fsnb import FeatureGroups, FilterBruteForce, GDM, convert, group_p_values, joint_groups, replicate
from fsnb.data.genotypes import write_bed

pytestmark = [pytest.mark.filterwarnings("error::RuntimeWarning"), pytest.mark.filterwarnings("ignore:symmetrical uncertainty is biased")]

NAMES = [f"g{j}" for j in range(12)]

def study(seed, effects=(1, -1, 0), n=80, noise=.5):
    "Three blocks of four columns; y by the effects of the blocks"
    r = np.random.default_rng(seed)
    factors = r.standard_normal((n, 3))
    X = np.repeat(factors, 4, axis=1)+.4*r.standard_normal((n, 12))
    output = factors@effects+noise*r.standard_normal(n)
    return pd.DataFrame(X, columns=NAMES), np.where(output > 0, "sick", "well")

BLOCKS = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
CLASSES = [[("sick",)]*4, [("well",)]*4, [("sick", )]*4]
GROUPS = FeatureGroups(BLOCKS, [[1, .9, .9, .9]]*3, names=NAMES, classes=CLASSES, p_values=[.01, .02, .9],
                       parameters=dict(tau=.3, correlation="pearson"))

def test_other_order_and_missing_columns_change_nothing_else():
    X, y = study(0)
    whole = replicate(GROUPS, X, y)
    assert whole.present.tolist() == whole["size"].tolist() == [4, 4, 4] and (whole.missing == "").all()
    turned = replicate(GROUPS, X[NAMES[::-1]].assign(more=1.), y)
    pd.testing.assert_frame_equal(turned, whole)
    part = replicate(GROUPS, X.drop(columns=["g0", "g6", *NAMES[8:]]), y)
    assert part.present.tolist() == [3, 3, 0] and part.tested_as.tolist()[:2] == ["g1", "g4"] and pd.isna(part.tested_as[2])
    assert part.missing.tolist() == ["g0", "g6", "g8, g9, g10, g11"]
    assert part.kept.isna().tolist() == [True, False, True] and part.kept[1] == 3
    assert np.isnan(part.p_value[2]) and pd.isna(part.agrees[2]) and part.agrees[:2].all()
    assert part.p_value[:2].tolist() == replicate(GROUPS, X[NAMES[1:8]].drop(columns="g6"), y).p_value[:2].tolist()

def test_names_or_places():
    X, y = study(0)
    unnamed = FeatureGroups(BLOCKS, n_features=12)
    by_place = replicate(unnamed, X.to_numpy(), y)
    np.testing.assert_array_equal(by_place.p_value, replicate(GROUPS, X, y).p_value)
    assert by_place.support.tolist() == ["0", "4", "8"]
    for groups, other, words in ((unnamed, X.to_numpy()[:, 1:], "data with 11 features"), (unnamed, X, "must both have names"),
                                 (GROUPS, X.to_numpy(), "must both have names"), (GROUPS, X.add_prefix("z"), "such as 'g0'"),
                                 (GROUPS, X.set_axis([*NAMES[:-1], "g0"], axis=1), "different names")):
        with pytest.raises(ValueError, match=words): replicate(groups, other, y)
    with pytest.raises(ValueError, match="two classes or more, got one class"): replicate(GROUPS, X, y[:1].repeat(80))
    with pytest.raises(ValueError, match="signs must have one entry"): replicate(GROUPS, X, y, signs=[1])
    with pytest.raises(ValueError, match="tau must be None or lie"): replicate(GROUPS, X, y, tau=0)
    assert len(replicate(FeatureGroups([], names=[]), X, y)) == 0

def test_directions():
    X, y = study(0)
    found = replicate(GROUPS, X, y)
    for i, label in enumerate(("sick", "well", "sick")):
        assert np.isclose(found.effect[i], np.corrcoef(X.iloc[:, 4*i], y == label)[0, 1])
    assert found.agrees[:2].all() and found.direction.tolist() == ["sick", "well", "sick"]
    other = replicate(GROUPS, X, np.where(y == "sick", "well", "sick"))
    assert not other.agrees[:2].any() and (other.p_value == found.p_value).all()
    unknown = replicate(GROUPS, X, (y == "sick")*1)                     # other words: a p-value without a direction
    assert unknown.agrees.isna().all() and unknown.effect.isna().all() and (unknown.p_value == found.p_value).all()
    three = np.where(X.g1 > 1, "very sick", y)                          # sick, very sick, well: the classes of the first study against all others
    assert np.isclose(replicate(GROUPS, X, three).effect[0], np.corrcoef(X.g0, three == "sick")[0, 1])

def test_signs_of_numbers_and_of_a_member_in_the_place_of_its_support():
    X, _ = study(0)
    number = X.g0-X.g4
    groups = FeatureGroups(BLOCKS, [[1, -.9, .9, .9], [1, -.9, .9, .9], [1, .9, .9, .9]], names=NAMES, parameters=dict(tau=.3))
    told = replicate(groups, X, number, signs=[1, -1, 1])
    assert told.direction.tolist() == ["+", "-", "+"] and told.agrees[:2].all() and told.kept.tolist() == [3, 3, 4]
    turned = X.assign(g1=-X.g1, g5=-X.g5)                               # as the groups say
    assert replicate(groups, turned, number).kept.tolist() == [4, 4, 4]
    instead = replicate(groups, turned.drop(columns=["g0", "g4"]), number, signs=[1, -1, 1])
    assert instead.tested_as.tolist()[:2] == ["g1", "g5"] and instead.direction.tolist()[:2] == ["-", "+"] and instead.agrees[:2].all()
    assert replicate(groups, X, number).agrees.isna().all()             # nothing is known of the first study
    X.g0 = 3.
    assert np.isnan(replicate(groups, X, number, signs=[1, 1, 1]).effect[0])

def test_whole_numbers_are_read_as_asked():
    X, _ = study(0)
    whole = np.round(3*X.g0).astype(int)
    given = dict(signs=[1, 1, 1], n_permutations=99)
    told, classes = (replicate(GROUPS, X, whole, target=target, **given) for target in ("numbers", "classes"))
    pd.testing.assert_frame_equal(told, replicate(GROUPS, X, whole/np.pi, **given))
    assert np.isclose(told.effect[0], np.corrcoef(X.g0, whole)[0, 1]) and classes.effect.isna().all()
    with pytest.raises(ValueError, match="target must be"): replicate(GROUPS, X, whole, target="survival")

def test_the_effect_beside_covariates_and_strata():
    "A batch turns the direction of a correlation round; means of blocks are the samples"
    r = np.random.default_rng(0)
    X, _ = study(0, n=200)
    batch, noise = np.arange(200) % 2, .3*r.standard_normal(200)
    y = X.g0+noise
    X["g0"] -= 8*batch
    y += 8*batch
    given = dict(signs=[1, 1, 1], n_permutations=99)
    assert replicate(GROUPS, X, y, **given).agrees[0] is np.False_
    within = [own-np.where(batch, own[batch == 1].mean(), own[batch == 0].mean()) for own in (X.g0.to_numpy(), y.to_numpy())]
    for design in (dict(strata=batch), dict(covariates=batch), dict(covariates=pd.DataFrame(dict(batch=batch)))):
        told = replicate(GROUPS, X, y, **given, **design)
        assert told.agrees[0] and told.p_value[0] == .01
        assert np.isclose(told.effect[0], np.corrcoef(*within)[0, 1])
    donor = np.arange(200)//2
    means, labels = X.groupby(donor).mean(), np.where(X.g4.groupby(donor).mean() > 0, "sick", "well")
    pd.testing.assert_frame_equal(replicate(GROUPS, X, labels[donor], blocks=donor), replicate(GROUPS, means, labels))
    with pytest.raises(ValueError, match="covariates must have 200 rows"): replicate(GROUPS, X, y, covariates=batch[:9])

def test_kept_on_the_same_data_is_everybody():
    "Linked members too, and every measure that has a name"
    linked = 0
    for seed, settings in ((0, {}), (1, dict(tau=.15)), (2, dict(correlation="positive")), (3, dict(correlation="su", tau=.6))):
        X, y = study(seed)
        with warnings.catch_warnings(action="ignore"):
            model = GDM(3, **settings).fit(X, y)
        found = replicate(model, X, y)
        assert found.kept.tolist() == found["size"].tolist()
        linked += sum((np.abs(r) < 1-model.tau-1e-9).sum() for r in model.groups_.correlations)
        strict = replicate(model, X, y, tau=.001)
        assert (strict.kept <= found.kept).all()
        pd.testing.assert_frame_equal(replicate(FeatureGroups.from_json(model.groups_.to_json()), X, y), found)
    assert linked
    groups = FeatureGroups(BLOCKS, names=NAMES, parameters=dict(correlation="mine.function"))
    assert replicate(groups, X, y).kept.isna().all()

@pytest.mark.filterwarnings("ignore")
def test_any_storage_and_any_number_of_threads(tmp_path):
    r = np.random.default_rng(0)
    calls = r.binomial(2, .3, (60, 12))
    calls[:, 1::4] = calls[:, ::4]
    y = np.where(calls[:, 0]+r.standard_normal(60) > .6, "sick", "well")
    frame = pd.DataFrame(calls.astype(float), columns=NAMES)
    expected = replicate(GROUPS, frame, y)
    write_bed(tmp_path/"calls.bed", calls, NAMES, phenotype=(y == "well")+1)
    np.savez(tmp_path/"x.npz", X=calls, y=y, names=NAMES)
    convert(tmp_path/"x.npz", tmp_path/"x.fsnb", verbose=0)
    forms = (frame.astype(np.float32), frame.astype(pd.SparseDtype(float, 0)), str(tmp_path/"x.fsnb"), str(tmp_path/"calls.bed"))
    for form in forms: pd.testing.assert_frame_equal(replicate(GROUPS, form, y, n_jobs=2), expected, check_exact=False, rtol=1e-5)
    plain = FeatureGroups(BLOCKS, [[1, .9, .9, .9]]*3, classes=CLASSES, n_features=12)
    for X in (sp.csc_matrix(calls), sp.csr_matrix(calls.astype(float))):
        found = replicate(plain, X, y, n_jobs=2)
        for name in ("p_value", "effect", "kept"): np.testing.assert_allclose(found[name].astype(float), expected[name].astype(float))

def test_an_anndata_names_its_target_and_strata():
    anndata = pytest.importorskip("anndata")
    X, y = study(0)
    cells = anndata.AnnData(X.to_numpy(), obs=pd.DataFrame(dict(state=y, site=np.arange(80) % 2), index=[str(i) for i in range(80)]),
                            var=pd.DataFrame(index=NAMES))
    pd.testing.assert_frame_equal(replicate(GROUPS, cells, "state", strata="site"), replicate(GROUPS, X, y, strata=np.arange(80) % 2))

def test_a_selector_and_groups_of_joint_selection():
    X, y = study(0)
    found = replicate(joint_groups(X, y), *study(1))
    assert found.agrees.isna().all() and (found.p_value <= .05).any()
    assert (replicate(FilterBruteForce(2).fit(X, y), *study(1)).p_value <= .05).all()

def test_fixed_groups_are_compared_with_each_other_alone():
    "A thousand columns of noise change no p-value here, and do where groups may be any"
    X, y = study(3, n=40, noise=3.)
    noise = pd.DataFrame(np.random.default_rng(0).standard_normal((40, 1000))).add_prefix("x")
    wide = pd.concat([X, noise], axis=1)
    np.testing.assert_array_equal(replicate(GROUPS, wide, y).p_value, replicate(GROUPS, X, y).p_value)
    assert (group_p_values(wide, y, BLOCKS, random_state=0) > replicate(GROUPS, wide, y).p_value).any()

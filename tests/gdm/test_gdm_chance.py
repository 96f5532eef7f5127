"GDM and chance: nothing on noise, planted groups and nothing else, refused partners, whole groups, bad input"
import warnings
import numpy as np, pytest, scipy.sparse as sp
from scipy.stats import binom

from fsnb.correlation.pearson import as_correlation
from fsnb.correlation.information import SymmetricalUncertainty
from fsnb.correlation.positional import Positional
from fsnb.data.inputs import as_columns
from fsnb.gdm import auto
from fsnb.gdm.filter import FilterBruteForce
from fsnb.gdm.gdm import GDM
from test_gdm_rounds import heard, quiet

@pytest.fixture(params=["permutations", "e-values"])
def rule(request, monkeypatch):
    "What decides the first round: permutations (as few as the level needs: any number controls it), and e-values"
    monkeypatch.setattr(auto, "_PERMUTATIONS", 1)
    if request.param == "e-values": monkeypatch.setattr(auto, "_MOST_WORK", 0)
    return request.param

def noise(seed, kind, n=60):
    "Columns that have nothing to do with y"
    r = np.random.default_rng(seed)
    y = r.permutation(np.arange(n) % 2) if kind != "few ones" else r.permutation(np.arange(n) < 6).astype(int)
    if kind == "dense": return r.standard_normal((n, 500)), y
    if kind == "crowds": return np.repeat(r.standard_normal((n, 15)), 4, 1)+.2*r.standard_normal((n, 60)), y
    if kind == "heavy": return r.standard_t(1.5, (n, 60)), y
    return sp.csc_matrix(r.poisson(r.gamma(.5, 1, 1500), (n, 1500)).astype(float)), y

def discoveries(kind, repeats=30, chance=.05):
    "Data sets of noise in which something was selected"
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        return sum(len(GDM("auto", chance=chance).fit(*noise(seed, kind)).support_) > 0 for seed in range(repeats))

def test_auto_selects_nothing_on_noise(rule):
    "Binomial limits of .999: 6 of 30 sets of a kind, 16 of 150 together"
    found = [discoveries(kind) for kind in ("dense", "crowds", "heavy", "sparse", "few ones")]
    assert max(found) <= binom.isf(.001, 30, .05) and sum(found) <= binom.isf(.001, 150, .05)

def planted(seed, sparse=False, n=400):
    "Three groups of four that go with y, three that do not, and noise: (X, y, home of each column)"
    r = np.random.default_rng(seed)
    y = np.arange(n) % 2
    home = np.r_[np.repeat(np.arange(6), 4), np.full(176, -1)]
    if not sparse:
        f = r.standard_normal((n, 6))
        f[:, :3] += .9*(2*y[:, None]-1)
        X = np.c_[np.repeat(f, 4, 1)+.3*r.standard_normal((n, 24)), r.standard_normal((n, 176))]
    else:
        f = r.random((n, 6)) < .15
        f[:, :3] = r.random((n, 3)) < np.where(y[:, None], .35, .02)
        X = np.c_[np.repeat(f, 4, 1) ^ (r.random((n, 24)) < .01), r.random((n, 176)) < r.choice([.003, .03, .2], 176)].astype(float)
    where = r.permutation(200)
    return X[:, where], y, home[where]

@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_auto_finds_the_planted_groups_and_nothing_else(sparse):
    wrong = 0
    for seed in range(3):
        X, y, home = planted(seed, sparse)
        g, *others = (quiet(GDM("auto"), store(X), y) for store in (np.asarray, sp.csc_matrix, np.float32))
        assert {home[z] for z in g.support_} >= {0, 1, 2}
        for z, own in zip(g.support_, g.groups_.members):
            if home[z] < 0 or home[z] > 2: wrong += 1
            else: assert set(own) <= set(np.flatnonzero(home == home[z]))
            if sum(home[s] == home[z] for s in g.support_) == 1 and home[z] >= 0: assert len(own) == 4
        for other in others:
            assert [m.tolist() for m in other.groups_.members] == [m.tolist() for m in g.groups_.members]
            assert other.groups_.refused.tolist() == g.groups_.refused.tolist()
    assert wrong <= 1                           # of nine, at .05: the level and 3 standard errors are 2.4

def hidden(seed, n=600):
    "Two causes of which one outweighs the other, in noise: the second shows once the first is in"
    r = np.random.default_rng(seed)
    a, b = r.standard_normal((2, n))
    y = (3*a+.6*b+.2*r.standard_normal(n) > 0).astype(int)
    return np.c_[a, b, r.standard_normal((n, 400))], y

def test_later_rounds_find_what_the_machine_lacks_and_say_so():
    later, false = 0, 0
    for seed in range(6):
        g = quiet(GDM("auto"), *hidden(seed))
        assert g.support_[0] == 0 and g.stop_reason_ in ("chance", "separated")
        false += len(set(g.support_)-{0, 1})
        if 1 in g.support_: later += g.groups_.rounds[list(g.support_).index(1)] > 0
    assert later >= 2 and false <= 2, (later, false)
    g = GDM("auto", max_iter=1)
    told = heard(g, *hidden(next(s for s in range(6) if quiet(GDM("auto"), *hidden(s)).n_iter_ > 1)))
    assert told == ["max_iter=1 ended the run with 1 of auto supports"]

def wide_block(seed, n=300, block=300, nulls=500):
    "A block of true features that answer as one support, beside nulls"
    r = np.random.default_rng(seed)
    y = np.arange(n) % 2
    true = .95*(r.standard_normal(n)+y)[:, None]+.3*r.standard_normal((n, block))
    return np.c_[true, r.standard_normal((n, nulls))], y

def false_shares(times=10, block=300):
    "The share of false supports of each fit, and how many find the block"
    fits = [quiet(GDM("auto", chance=.3), *wide_block(seed)).support_ for seed in range(times)]
    return [np.mean(own >= block) if len(own) else 0. for own in fits], sum((own < block).any() for own in fits)

def test_auto_controls_the_share_of_false_supports_beside_a_wide_block(rule):
    "Once features were counted, and the block let nulls in"
    shares, found = false_shares()
    assert np.mean(shares) <= .12 and found == 10               # the level is .3; both rules are careful

def test_few_samples_are_judged_by_permutations_too(monkeypatch):
    r, more = np.random.default_rng(0), 0
    for _ in range(10):
        X, y = r.standard_normal((40, 200)), np.arange(40) % 2
        X[:, :2] += 2*y[:, None]
        both = quiet(GDM("auto"), X, y).support_
        with monkeypatch.context() as patch:
            patch.setattr(auto, "_MOST_WORK", 0)
            alone = quiet(GDM("auto"), X, y).support_
        assert set(alone) <= set(both) | {0, 1}
        more += len(both)-len(alone)
    assert more > 0

def test_supports_that_are_not_significant_are_marked_and_counted():
    X, y, home = planted(3)
    g = GDM(12)
    told = heard(g, X, y)
    marks = g.groups_.significant
    assert marks.dtype == bool and 3 <= marks.sum() < 12 and {home[z] for z in g.support_[marks]} <= {0, 1, 2}
    assert told == [f"{12-marks.sum()} of the 12 supports are not significant at chance=0.05 (groups_.significant): "
                    "they add to the model but are not shown to be associated with y; "
                    "n_features_to_select='auto' takes significant ones only"]
    assert quiet(GDM(4, chance=None), X, y).groups_.significant is None

def test_each_class_gets_a_group_where_there_are_places():
    "Four classes; the first has thirty strong markers, each other one weaker marker"
    r, y = np.random.default_rng(0), np.repeat(np.arange(4), [120, 60, 60, 60])
    X = r.standard_normal((300, 100))
    X[:, :30] += 3*(y == 0)[:, None]
    for c in (1, 2, 3): X[:, 30*c+5] += 1.5*(y == c)
    for k in (4, 6):
        assert {35, 65, 95} <= set(quiet(GDM(k), X, y).support_[:4])
        assert {35, 65, 95} <= set(quiet(GDM(k, n_per_iter=2), sp.csc_matrix(X), y).support_)

def test_weights_of_machines_that_separate_do_not_vanish(monkeypatch):
    r, y, seen = np.random.default_rng(0), np.arange(60) % 2, []
    X = r.standard_normal((60, 300))
    X[:, :3] += 2.5*y[:, None]
    store = GDM._store
    monkeypatch.setattr(GDM, "_store", lambda self, *args: seen.append(args[2].machines[0]) or store(self, *args))
    g = quiet(GDM(6), X, y)
    distance = (2*y-1)*g.decision_function(X)
    pull = 1/(1+np.exp(distance))
    assert (distance > 0).all()
    for own in (y == 0, y == 1):
        np.testing.assert_allclose(seen[0].alpha[own], pull[own]/(2*pull[own].sum()), rtol=1e-6)
    np.testing.assert_allclose(g.alpha_, seen[0].solution.alpha)  # the dual's own weights are told
    assert quiet(GDM("auto"), X, y).stop_reason_ == "separated"

@pytest.mark.filterwarnings("ignore:No features were selected")     # scikit-learn's own words in transform
@pytest.mark.parametrize("store, n_classes", [(np.asarray, 2), (sp.csr_matrix, 3)])
def test_nothing_selected_is_an_answer(store, n_classes):
    r = np.random.default_rng(0)
    X, y = r.standard_normal((60, 30)), np.array(["a", "b", "c"])[np.minimum(np.arange(60) % 5, n_classes-1)]
    g = GDM("auto")
    assert heard(g, store(X), y) == ["no feature is significantly associated with y (chance=0.05): nothing was selected; at_least=1 keeps the best feature"]
    most = max(set(y.tolist()), key=y.tolist().count)
    assert g.support_.shape == (0,) and g.predict(store(X)).tolist() == [most]*60 and g.transform(store(X)).shape == (60, 0)
    assert len(g.groups_) == 0 and g.groups_.n_features == 30 and g.n_iter_ == 0 and g.gap_ == 0 and g.scores_.shape == (30,)
    assert g.coef_.shape == ((1, 30) if n_classes == 2 else (3, 30)) and not np.asarray(g.coef_.sum(0)).any()
    if n_classes == 2: assert len(quiet(GDM("auto"), X[:8], y[:8]).support_) == 0

def related_columns(seed, sparse):
    r = np.random.default_rng(seed)
    f = r.standard_normal((60, 5))
    X = f[:, r.integers(5, size=25)]+r.uniform(.2, 1.5, 25)*r.standard_normal((60, 25))
    if sparse: X = np.where(X > r.uniform(0, 2.5, 25), np.round(X, 1)+.1, 0)
    X[3, (X == 0).all(0)] = 1
    return X, (f[:, 0]+.5*r.standard_normal(60) > 0).astype(int)

MEASURES = {"su": lambda: SymmetricalUncertainty(4), "positional": lambda: Positional(np.arange(25.), window=12.),
            "function": lambda: lambda a, b: abs(np.corrcoef(a, b)[0, 1])}

@pytest.mark.parametrize("measure, sparse", [("su", False), ("su", True), ("positional", False), ("positional", True), ("function", False)])
def test_members_pass_and_partners_that_chance_explains_are_counted(measure, sparse):
    refused = members = 0
    for seed in range(1 if measure == "function" else 2):
        X, y = related_columns(seed, sparse)
        X, level = (sp.csc_matrix if sparse else np.asarray)(X), .05/(50*(X.max(0) > X.min(0)).sum())
        k, tau = 2 if measure == "function" else 4, .75 if measure == "su" else .5
        g, untested = (quiet(GDM(k, tau=tau, correlation=MEASURES[measure](), chance=chance), X, y).groups_ for chance in (.05, None))
        assert untested.member_p_values is None and untested.refused is None
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            related = as_correlation(as_columns(X), MEASURES[measure]())
        R = np.abs(related.table(np.arange(25)))
        np.fill_diagonal(R, 0)
        for z, own, p, count in zip(g.support, g.members, g.member_p_values, g.refused):
            near = np.flatnonzero(R[z] >= 1-tau-1e-10)
            chances = related.p_values(int(z), near, related.table([z], near)[0])
            assert set(own[1:]) <= set(near[chances <= level]) and (p[1:] <= level).all() and np.isnan(p[0])
            assert count == len(set(near[chances > level])-set(g.all_members.tolist()))
            refused += count; members += len(own)-1
    assert refused+members > 5, (refused, members)

@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("selector", [GDM, FilterBruteForce])
def test_twins_of_one_entry_are_chance(selector, store):
    "Columns 0..9 have their one entry in the same row; 10..12 share sixty"
    r = np.random.default_rng(0)
    X = (r.random((200, 40)) < .3).astype(float)
    X[:, :10] = np.arange(200)[:, None] == 7
    y = (r.random(200) < .1+.8*X[:, 10]).astype(int)
    X[:, 11:13] = X[:, 10:11]
    X[:, 5] *= 3
    y[7] = 1
    members = quiet(selector(2), store(X), y).groups_.members
    assert [m.tolist() for m in members if m[0] == 10] == [[10, 11, 12]] and all(len(m) == 1 for m in members if m[0] < 10)
    rare = quiet(selector(10), store(np.delete(X, [10, 11, 12], 1)), y).groups_
    twins = [(len(m), left) for m, left in zip(rare.members, rare.refused) if m[0] < 10]
    assert all(pair == (1, 9) for pair in twins) and len(twins) <= 1

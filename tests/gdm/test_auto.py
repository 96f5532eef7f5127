"GDM('auto'): later rounds that know the first, marks of GDM(K), who decides the first round, supports that others explain"
import io, itertools, math
from contextlib import redirect_stderr
import numpy as np, pytest, scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_wine

from benchmarks import designs
from fsnb.correlation.pearson import as_correlation
from fsnb.data.inputs import as_columns
from fsnb.gdm import auto, modes, scores
from fsnb.gdm.auto import AutoMode, _NOTHING_DROPPED, _find_agreement, _stay_consistent
from fsnb.gdm.e_values import _e_value_bar, _log_e_values, _permutation_spread, max_log_e_value
from fsnb.gdm.gdm import GDM
from fsnb.groups import few_samples
from test_gdm_rounds import heard, quiet

def with_e_values(monkeypatch): monkeypatch.setattr(auto, "_MOST_WORK", 0)

def keep_all(monkeypatch): monkeypatch.setattr(AutoMode, "conclude", lambda self, problem, state: state)

# ---- later rounds

DESIGNS = {"some": lambda seed: designs.shared_factor("some", 400, seed, 300),
           "batch": lambda seed: designs.shared_factor("batch", 400, seed, 300),
           "collider": lambda seed: designs.collider(1000, seed, 200)}

def false_shares(kind, times=6):
    "The share of false supports of each fit, and how many true ones all fits have"
    shares, true = [], 0
    for seed in range(times):
        design = DESIGNS[kind](seed)
        own = quiet(GDM("auto", random_state=seed), design.X, design.y).support_
        shares.append((own >= design.n_true).mean())
        true += (own < design.n_true).sum()
    return np.array(shares), true/times

@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize("rule", ["permutations", "e-values"])
def test_nulls_that_share_a_factor_with_true_columns_stay_out(kind, rule, monkeypatch):
    keep_all(monkeypatch)
    if rule == "e-values": with_e_values(monkeypatch)
    shares, true = false_shares(kind)
    assert shares.mean() <= .05+3*shares.std()/6**.5 and shares.max() < .2 and true >= 5

def test_nulls_need_the_score_that_has_the_evidence(monkeypatch):
    "Of W = V, as where entries are not rare; each octave of sparse columns has its share of the budget"
    from test_gdm_chance import hidden
    seen, lasting = [], auto._lasting_evidence
    def watch(problem, state, features, least, *rest):
        seen.append((problem.bins.log_weights[problem.bins.place], least))
        return lasting(problem, state, features, least, *rest)
    monkeypatch.setattr(auto, "_lasting_evidence", watch)
    monkeypatch.setattr(auto, "_find_agreement", lambda read, *rest: seen.append(read(slice(None))[2]) or np.inf)
    for seed in range(4):
        X, y = hidden(seed)
        X[:, 2:] = np.where(X[:, 2:] > np.random.default_rng(seed).uniform(0, 2, 400), X[:, 2:], 0)
        quiet(GDM("auto"), sp.csc_matrix(X), y)
    for (weights, least), bar in zip(seen[::2], seen[1::2]):
        np.testing.assert_allclose(_log_e_values(bar**2, np.ones(len(bar)), 1.)+weights, least)
        assert len(set(weights.tolist())) > 2
    assert len(seen) >= 2

def plain_agreement(now, first, c, bar, features, level, have):
    for step in range(10):
        a, expected = step/10, 0.
        for x, f, least in zip(now, first, bar):
            for sign in (1, -1):        # first*sign > 0: normal beyond what lets it pass, and beyond its share of now
                other = sign*(x-c*f)
                expected += math.erfc(max(0, (least-other)/c, a*other/(1-a*c))/math.sqrt(2))/2
        have_now = have+sum(now[j]*first[j] > 0 and abs(first[j]) >= a*abs(now[j]) for j in features)
        if expected <= level*have_now: return a
    return np.inf

def test_the_agreement_is_the_least_that_keeps_the_level():
    found = []
    for seed in range(40):
        r = np.random.default_rng(seed)
        p, c = 300, float(r.uniform(.3, .9))
        first = r.standard_normal(p)
        factor = np.where(np.arange(p) < 100, r.uniform(0, 8), 0)*r.choice([-1, 1], p)
        first[:8] += r.choice([-1, 1], 8)*r.uniform(2, 9)
        now = c*first+np.sqrt(1-c*c)*r.standard_normal(p)+factor
        bar = r.uniform(2.5, 4.5)+r.uniform(0, 1, p) if seed % 6 else np.full(p, 1.)
        features = np.flatnonzero(np.abs(now) >= bar)
        given = features, float(r.choice([.025, .2])), int(r.integers(1, 12))
        for signs in (1, r.choice([-1, 1], p)):
            table = np.stack([signs*now, signs*first, bar])
            found.append(_find_agreement(lambda where: table[:, where], p, c, *given))
            assert found[-1] == plain_agreement(now, first, c, bar, *given), seed
    assert {0., np.inf} <= set(found) and len(set(found)) > 4, set(found)

def three_classes(seed, n=300, p=80):
    r = np.random.default_rng(seed)
    y, X = np.arange(n) % 3, r.standard_normal((n, p))
    X[:, :3] += 1.3*np.eye(3)[y]
    X[:, 3:12] += .6*np.eye(3)[y][:, np.arange(9) % 3]
    return X, y

def hidden_classes(seed, n=600):
    "Three classes by two causes of which one outweighs the other"
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, 80))
    effect = 3*X[:, 0]+.3*X[:, 1]+.2*r.standard_normal(n)
    return X, np.digitize(effect, np.quantile(effect, [1/3, 2/3]))

def test_each_pair_of_classes_has_an_agreement_of_its_own(monkeypatch):
    "The evidence is the mean e-value of the pairs, 0 where the pair's first score does not agree"
    X, y = hidden_classes(0)
    seen, lasting, agreements, given = [], auto._lasting_evidence, [.4, .1, np.inf], []
    def watch(problem, state, features, *rest):
        del given[:]
        seen.append((state, *rest, lasting(problem, state, np.arange(problem.columns.n_features), *rest)))
        return lasting(problem, state, features, *rest)
    def chosen(read, p, c, features, level, have):
        given.append((level, have, c))
        return agreements[(len(given)-1) % 3]
    monkeypatch.setattr(auto, "_lasting_evidence", watch)
    monkeypatch.setattr(auto, "_find_agreement", chosen)
    monkeypatch.setattr(AutoMode, "level", lambda self, problem, number: .2)
    quiet(GDM("auto"), X, y)
    state, least, level, have, _, got = seen[0]
    n, Z = len(y), (X-X.mean(0))/X.std(0)
    worth, lost = np.zeros(X.shape[1]), 0
    for machine, fresh, agreement in zip(state.machines, fresh_pairs(y), agreements):
        v = np.zeros(n)
        v[machine.rows] = machine.alpha*machine.y
        v, u = v-v.mean(), fresh-fresh.mean()
        S, W = Z.T@v, np.array([sum(np.array(_permutation_spread(n))*[own@v**2, v@v, (z@v)**2/n]) for z, own in zip(Z.T, Z.T**2)])
        now, first = S/np.linalg.norm(v), Z.T@u/np.linalg.norm(u)
        lasts = (now*first > 0) & (abs(first) >= agreement*abs(now))
        worth += np.where(lasts, np.exp(_log_e_values(S**2, W, v@v)), 0)/3
        lost += (~lasts).sum()
    with np.errstate(divide="ignore"): np.testing.assert_allclose(got, np.log(worth), rtol=1e-7, atol=1e-9)
    assert have == len(state.supports) and all(own[:2] == (level/3, have) for own in given) and len(given) == 6 and 0 < lost

def fresh_pairs(y):
    "v of each pair of classes before anything is in"
    for i, j in itertools.combinations(range(y.max()+1), 2):
        yield np.where(y == j, 1/(2*(y == j).sum()), np.where(y == i, -1/(2*(y == i).sum()), 0))

# ---- marks of GDM(K)

def sparse_words(seed=0, n=300, p=400):
    r = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = (r.random((n, p)) < r.choice([.02, .1, .3], p)).astype(float)
    X[:, :12] = r.random((n, 12)) < np.where(y[:, None], np.linspace(.1, .4, 12), .05)
    return sp.csc_matrix(X), y

def graded(n=150, p=200):
    "Forty columns of falling effect: many are significant beside the others, and would not be alone"
    r = np.random.default_rng(0)
    y, X = np.arange(n) % 2, r.standard_normal((n, p))
    X[:, :40] += np.linspace(1.2, 0, 40)*y[:, None]
    return X, y

SETS = {"graded": graded, "wine": lambda: load_wine(return_X_y=True), "breast cancer": lambda: load_breast_cancer(return_X_y=True),
        "sparse": sparse_words, "three classes": lambda: three_classes(1)}

def plain_consistent(evidence, bar):
    "Mask of the most whose least evidence is enough for so many"
    out = np.zeros(len(evidence), dtype=bool)
    for least in sorted(evidence):
        if least >= bar(sum(evidence >= least)): return evidence >= least
    return out

@pytest.mark.parametrize("rule", ["permutations", "e-values"])
@pytest.mark.parametrize("name", SETS)
def test_marks_are_those_of_auto(name, rule, monkeypatch):
    "A support is marked where its e-value, or its evidence at the threshold of auto's whole first list, is enough"
    X, y = SETS[name]()
    if rule == "e-values": with_e_values(monkeypatch)
    modes, begin = [], AutoMode.__init__
    monkeypatch.setattr(AutoMode, "__init__", lambda self, *given, **named: (begin(self, *given, **named), modes.append(self))[0])
    with monkeypatch.context() as patch:
        keep_all(patch)
        g = quiet(GDM("auto", max_iter=1), X, y)
    mode, whole, unmarked, carried = modes[-1], g.support_, 0, 0
    evidence, bar = mode.first.evidence, mode.first_bar
    assert len(whole) > 1 and (evidence[whole] >= bar(len(whole))).all()
    monkeypatch.setattr(auto, "_lasting_evidence", lambda problem, state, features, *rest: np.full(len(features), -np.inf))
    for K in (1, 6, min(25, X.shape[1])):
        marked = quiet(GDM(K), X, y)
        own, marks = marked.support_, marked.groups_.significant
        assert marks.dtype == bool and marks[np.isin(own, whole)].all()
        again = modes[-1].first or mode.first
        np.testing.assert_array_equal(again.evidence, evidence)
        log_e = plain_log_e(X, y, own)
        level = .05*(.5 if rule == "e-values" else .9)
        plain = plain_consistent(log_e, _e_value_bar(int((X.max(0) > X.min(0)).sum()) if sp.issparse(X) else (X.std(0) > 0).sum(), level))
        assert (marks == plain | (evidence[own] >= bar(len(whole)))).all()
        unmarked += (~marks).sum()
        carried += (marks & (evidence[own] < bar(1))).sum()
    assert unmarked or name in ("wine", "breast cancer")
    assert carried or name != "graded"

def plain_log_e(X, y, features):
    "Weighted log e-values of a few features before anything is in"
    columns = as_columns(X)
    machines = [scores._first_machine(np.where(v[v != 0] > 0, 1, -1), None if (v != 0).all() else np.flatnonzero(v)) for v in fresh_pairs(y)]
    bins = modes.find_frequency_bins(as_correlation(columns, "pearson").evidence.sizes.counts, ~columns.constant)
    return scores._joint_evidence(columns, machines, bins).evidence[features]

def test_permutations_run_only_where_e_values_leave_a_support_unmarked(monkeypatch):
    r, calls, find = np.random.default_rng(0), [], auto.find_support_rule
    monkeypatch.setattr(auto, "find_support_rule", lambda *given: calls.append(given) or find(*given))
    y, X = np.arange(200) % 2, r.standard_normal((200, 60))
    X[:, :4] += 1.5*y[:, None]
    for K, times in ((3, 0), (4, 0), (5, 1), (20, 1)):
        g = quiet(GDM(K, rank_by="support"), X, y)
        assert len(calls) == times and g.groups_.significant.tolist() == [z < 4 for z in g.support_]
        calls.clear()
    with_e_values(monkeypatch)
    assert quiet(GDM(20), X, y).groups_.significant.sum() == 4 and not calls
    assert quiet(GDM(5, chance=None), X, y).groups_.significant is None and not calls
    assert GDM.thesis2015(4).fit(X, y).groups_.significant is None

def test_nothing_is_marked_on_noise():
    r = np.random.default_rng(0)
    for store in (np.asarray, sp.csc_matrix):
        marks = quiet(GDM(6), store(r.standard_normal((80, 60))), np.arange(80) % 2).groups_.significant
        assert marks.dtype == bool and marks.tolist() == [False]*6

def test_a_support_of_a_later_round_is_marked_by_its_own_round(monkeypatch):
    from test_gdm_chance import hidden
    later, refused, have, lasting = 0, 0, [], auto._lasting_evidence
    monkeypatch.setattr(auto, "_lasting_evidence", lambda problem, state, features, least, level, *rest: have.append(rest[0]) or lasting(problem, state, features, least, level, *rest))
    for seed in range(6):
        data = hidden(seed)
        g = quiet(GDM(2, n_per_iter=1), *data)
        assert set(have) <= {0}                 # supports that are not marked carry no nulls
        first = quiet(GDM("auto", max_iter=1), *data).support_
        if g.support_.tolist() != [0, 1] or 1 in first or not g.groups_.significant[1]: continue
        assert 1 in quiet(GDM("auto"), *data).support_
        have.clear()
        later += 1
        with monkeypatch.context() as patch:
            patch.setattr(auto, "_find_agreement", lambda *given: np.inf)
            refused += quiet(GDM(2, n_per_iter=1), *data).groups_.significant.tolist() == [True, False]
    assert later == refused >= 2, (later, refused)

# ---- the first round

class Shape:
    def __init__(self, *shape): self.shape = shape

def test_work_and_reach_say_which_rule_decides(monkeypatch):
    for n, p in ((100, 1000), (40, 500)):
        mode = AutoMode(.05)
        assert max_log_e_value(n) > np.log(p/.025)
        for most, wanted in ((n*p*499, 499), (n*p*499-1, 0)):
            monkeypatch.setattr(auto, "_MOST_WORK", most)
            assert mode.n_permutations(Shape(n, p)) == wanted
    with_e_values(monkeypatch)
    assert max_log_e_value(20) < np.log(1000/.025) and AutoMode(.05).n_permutations(Shape(20, 1000)) == 499   # no e-value would do
    assert AutoMode(.005).n_permutations(Shape(20, 1000)) == int(10/.0045)
    monkeypatch.setattr(auto, "_MOST_WORK", 10**12)
    assert AutoMode(2e-4).n_permutations(Shape(100, 100)) == 9999       # the most; where they are too few, e-values decide if they can
    assert AutoMode(1e-4).n_permutations(Shape(100, 100)) == 0 and AutoMode(1e-9).n_permutations(Shape(20, 100)) == 9999

@pytest.mark.parametrize("n", [20, 40])
def test_impossible_levels_are_told_at_once(n, monkeypatch):
    "20 samples have too few orders for the level, 40 too few permutations that are tried"
    monkeypatch.setattr(few_samples, "_collect_tail", None)         # no column is permuted
    r = np.random.default_rng(0)
    X, y = r.standard_normal((n, 50)), np.arange(n) % 2
    X[:, :3] += 5*y[:, None]
    for model in (GDM("auto", chance=1e-9), GDM(2, chance=1e-9)):
        told = heard(model, X, y)
        assert (model.n_features_to_select == 2) == (len(model.support_) == 2) and not model.groups_.significant.any()
        first = f"of {n} samples or blocks 9,999 orders of y can be tried, too few for any feature among 50 to be significant at chance=1e-09: "
        if model.n_features_to_select == "auto": assert told == [first+"nothing was selected; at_least=1 keeps the best feature"]

def test_rounds_share_the_level(monkeypatch):
    X, y = sparse_words()
    for work, first in ((10**12, .9), (0, .5)):
        monkeypatch.setattr(auto, "_MOST_WORK", work)
        mode, levels = AutoMode(.08), []
        for number in range(500): levels.append(mode.level(modes.Problem(as_columns(X), None, None, None), number))
        assert levels[0] == pytest.approx(.08*first) and .0797 < sum(levels) <= .08 and levels == sorted(levels, reverse=True)

def test_the_rule_gets_the_level_and_the_seed(monkeypatch):
    X, y, seen = *sparse_words(), []
    find = auto.find_support_rule
    monkeypatch.setattr(auto, "find_support_rule", lambda *given: seen.append((*given, given[-2].random_sample())) or find(*given))
    quiet(GDM("auto", chance=.002, random_state=7, tau=.25, n_jobs=2), X[:, :40], y)
    (columns, related, task, level, tau, most, count, _, n_jobs, draw), = seen
    assert (level, tau, most, count) == (pytest.approx(.0018), .25, 40, int(10/.0018)) and n_jobs == columns.n_jobs
    assert draw == np.random.RandomState(7).random_sample() and task.vectors[:, 0].tolist() == y.tolist()

@pytest.mark.parametrize("sizes, told", [((3, 3), 20), ((4, 4), 0), ((1, 18), 19), ((1, 30), 0), ((2, 2, 2), 0), ((1, 1, 3), 20)])
def test_too_few_samples_are_told(sizes, told):
    "1/20, 1/70, 1/19, 1/31, 1/90 and 1/20 of the orders of y, and a level of .045"
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = np.random.default_rng(3).standard_normal((len(y), 12))
    g = GDM("auto")
    assert heard(g, X, y) == [f"of {len(y)} samples or blocks {told} orders of y can be tried, too few for any feature among 12 to be significant at chance=0.05: nothing was selected; at_least=1 keeps the best feature" if told
                              else "no feature is significantly associated with y (chance=0.05): nothing was selected; at_least=1 keeps the best feature"]
    assert not len(g.support_) and g.dropped_.shape == (0, 2) and g.unexamined_.shape == (0,)

# ---- supports that others explain

def plain_beside(Z, y, i):
    "t^2 of y on support i beside the others; standard errors by which they lower x_i on y, by least squares"
    n, k = Z.shape
    def fit(A, target):
        A = np.c_[np.ones(n), A]
        coef = np.linalg.lstsq(A, target, rcond=None)[0]
        return coef, ((target-A@coef)**2).sum(), np.linalg.inv(A.T@A)
    coef, left, inverse = fit(Z, y)
    t2 = coef[i+1]**2/(left/(n-k-1)*inverse[i+1, i+1])
    alone, _, before = fit(y[:, None], Z[:, i])
    beside, rest, after = fit(np.c_[y, np.delete(Z, i, 1)], Z[:, i])
    change = rest/(n-k-1)*(after[1, 1]-before[1, 1])
    return t2, np.sign(alone[1])*(alone[1]-beside[1])/np.sqrt(change), coef[1:]

def stand_in(seed, n=400, classes=2):
    "Columns 0 and 2 cause y; 1 is correlated .6 with column 0 and has no effect of its own"
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, 60))
    X[:, 1] = .6*X[:, 0]+.8*X[:, 1]
    effect = 2*X[:, 0]+1.2*X[:, 2]+r.logistic(size=n)
    return X, np.digitize(effect, np.quantile(effect, np.arange(1, classes)/classes))

@pytest.mark.parametrize("classes", [2, 3])
def test_a_stand_in_is_dropped_and_its_cause_is_named(classes, monkeypatch):
    for seed in range(4):
        X, y = stand_in(seed, classes=classes)
        g = quiet(GDM("auto"), X, y)
        assert set(g.support_) == {0, 2} and g.dropped_.tolist() == [[1, 0]] and len(g.unexamined_) == 0
        assert g.groups_.significant.all() and len(g.groups_) == 2
        with monkeypatch.context() as patch:
            keep_all(patch)
            whole = quiet(GDM("auto"), X, y)
        assert set(whole.support_) == {0, 1, 2} and len(whole.dropped_) == 0
        if classes > 2: continue        # there, each class takes its group in turn
        marked = quiet(GDM(6, rank_by="support", n_per_iter=6), X, y)
        assert marked.dropped_.shape == (0, 2) and marked.groups_.significant[marked.support_.tolist().index(1)]   # it is associated with y

@pytest.mark.parametrize("classes", [2, 3])
def test_the_classifier_knows_nothing_of_what_was_dropped(classes):
    X, y = stand_in(1, classes=classes)
    g = quiet(GDM("auto", tol=1e-8), X, y)
    used = np.flatnonzero(np.abs(np.asarray(g.coef_.todense() if sp.issparse(g.coef_) else g.coef_)).sum(0))
    assert used.tolist() == sorted(g.groups_.all_members) and 1 not in used
    alone = quiet(GDM(2, tol=1e-8), X[:, used], y)             # the same members, asked for by number
    np.testing.assert_allclose(g.decision_function(X), alone.decision_function(X[:, used]), atol=1e-4)
    assert g.transform(X).shape[1] == len(used)

def test_what_y_causes_is_not_dropped():
    "Thirty columns that y moves, independent given y: one is never beside the others what it is alone"
    kept = dropped = 0
    for seed in range(5):
        r = np.random.default_rng(seed)
        y, X = r.permutation(np.arange(100) % 2), r.standard_normal((100, 300))
        X[:, :30] += 1.1*y[:, None]*r.choice([-1, 1], 30)
        g = quiet(GDM("auto"), X, y)
        kept += len(g.support_)
        dropped += len(g.dropped_)
    assert dropped <= .06*kept and kept > 80, (dropped, kept)

def test_supports_beyond_half_the_samples_are_unexamined(monkeypatch):
    r = np.random.default_rng(0)
    y, X = np.arange(60) % 2, r.standard_normal((60, 50))
    X[:, :44] += np.linspace(3, 1.8, 44)*y[:, None]
    examined, needed = [], auto._keep_needed
    monkeypatch.setattr(auto, "_keep_needed", lambda columns, supports, *rest: examined.append(supports) or needed(columns, supports, *rest))
    g, told = GDM("auto", tau=.1, verbose=2), io.StringIO()
    with redirect_stderr(told): quiet(g, X, y)
    (some,), whole = examined, np.r_[g.support_, g.dropped_[:, 0]]
    assert len(some) == 29 < len(whole) and set(g.unexamined_) == set(whole)-set(some) <= set(g.support_)
    strength = np.abs(np.corrcoef(y, X.T)[0, 1:])
    assert strength[g.unexamined_].max() < strength[some].min() and (g.groups_.rounds == 0).all()
    assert f"; {len(g.unexamined_)} not examined" in told.getvalue()

def test_what_was_dropped_is_told():
    X, y = stand_in(0)
    for verbose, words in ((0, ""), (2, "1 support dropped, explained by others: 1 by 0; 0 not examined")):
        told = io.StringIO()
        with redirect_stderr(told): quiet(GDM("auto", verbose=verbose), X, y)
        assert words in told.getvalue() and (verbose or not told.getvalue())
    pd = pytest.importorskip("pandas")
    told = io.StringIO()
    with redirect_stderr(told): quiet(GDM("auto", verbose=2), pd.DataFrame(X, columns=[f"gene {j}" for j in range(X.shape[1])]), y)
    assert "1 support dropped, explained by others: gene 1 by gene 0; 0 not examined" in told.getvalue()

def plain_needed(Z, Y, bar):
    "Places that stay: as long as one is weak and explained, the one of least correlation leaves; bars are drawn anew after each sweep"
    strongest, strength, places = np.abs(Z.T@Y/len(Z)).argmax(1), np.abs(Z.T@Y).max(1), list(range(Z.shape[1]))
    while True:
        before, limits = list(places), bar(places)
        while len(places) > 1:
            found = [[plain_beside(Z[:, places], own, i)[:2] for own in Y.T] for i in range(len(places))]
            weak = [i for i, own in enumerate(found) if own[strongest[places[i]]][1] >= 2 and all(t2 < least for (t2, _), least in zip(own, limits))]
            if not weak: break
            places.pop(min(weak, key=lambda i: strength[places[i]]))
        if places == before: return places

@pytest.mark.parametrize("K, seeds", [(1, (3, 20, 23, 41)), (3, (0, 2, 6, 12, 19))])
def test_the_needed_ones_equal_a_plain_loop(K, seeds):
    "Twelve supports that lean on one another; among the seeds are those that need a second sweep, or a new inverse after each that leaves"
    n, sizes = 90, []
    for seed in seeds:
        r = np.random.default_rng(seed)
        X = r.standard_normal((n, 40))
        X[:, 4:12] = X[:, :4]@r.uniform(.2, .8, (4, 8))+.7*X[:, 4:12]
        Y = X[:, :12]@(r.uniform(.3, 1.5, (12, K))*(r.random((12, K)) < .35))+1.5*r.standard_normal((n, K))
        supports = r.permutation(12)
        Z, Y0 = (X-X.mean(0))/X.std(0), (Y-Y.mean(0))/Y.std(0)
        def bar(places):
            random, own = np.random.RandomState(seed), Z[:, supports[places]]
            orders, out = [random.permutation(n) for _ in range(99)], []
            for y in Y0.T:
                left = y-own@np.linalg.lstsq(own, y, rcond=None)[0]
                shares = [((left[order]@Z/n/left.std())**2).max() for order in orders]
                out.append(sorted(share/(1-share)*(n-2) for share in shares)[94])
            return out
        got = auto._keep_needed(as_columns(X), supports, Y, seed)
        assert got.tolist() == plain_needed(Z[:, supports], Y0, bar)
        sizes.append(len(got))
    assert 1 < min(sizes) and max(sizes) < 12, sizes

def test_a_shortened_list_is_the_largest_that_its_own_number_carries():
    "All subsets: first-round supports are counted among themselves, later ones among all"
    shed = 0
    for seed in range(60):
        r = np.random.default_rng(seed)
        m = int(r.integers(1, 9))
        evidence, came = r.uniform(2, 6, m), np.sort(r.integers(0, 3, m))
        bars = [_e_value_bar(50, level) for level in (.9, .7, .5)]
        def carried(own):
            first = [i for i in own if came[i] == 0]
            return (all(evidence[i] >= bars[0](len(first)) for i in first)
                    and all(evidence[i] >= bars[came[i]](len(own)) for i in own if came[i]))
        best = max((own for k in range(m+1) for own in itertools.combinations(range(m), k) if carried(own)), key=len)
        got = _stay_consistent(evidence, came, lambda number: bars[number])
        assert np.flatnonzero(got).tolist() == list(best), seed
        shed += 0 < len(best) < m
    assert shed > 10

def test_a_list_whose_strong_supports_leave_sheds_those_that_only_they_carried(monkeypatch):
    "Supports of weak evidence pass beside many; where most of these are dropped they go, too, and nobody explains them"
    r = np.random.default_rng(0)
    y, X = np.arange(200) % 2, r.standard_normal((200, 60))
    X[:, :20] += .9*y[:, None]
    X[:, 20:40] += np.linspace(.3, .6, 20)*y[:, None]
    def fit(left):
        with monkeypatch.context() as patch:
            patch.setattr(auto, "_keep_needed", lambda columns, supports, *rest: np.flatnonzero((supports <= left) | (supports >= 20)))
            return quiet(GDM("auto", tau=.5), X, y)
    whole, g = fit(19), fit(0)
    assert set(range(20)) < set(whole.support_) and len(whole.dropped_) == 0
    lost = dict(g.dropped_.tolist())
    assert set(lost) | set(g.support_) == set(whole.support_) and all(lost[z] in g.support_ for z in range(1, 20))
    shed = [z for z in lost if z >= 20]
    assert shed and all(lost[z] == -1 for z in shed) and 0 in g.support_ and max(g.support_) >= 20
    R = np.abs(np.corrcoef(X.T))
    assert all(lost[z] == g.support_[R[z, g.support_].argmax()] for z in range(1, 20))

def test_nothing_is_dropped_from_lists_of_one_or_none(monkeypatch):
    assert [part.shape for part in _NOTHING_DROPPED] == [(0, 2), (0,)]
    monkeypatch.setattr(auto, "_keep_needed", None)        # is not asked
    r = np.random.default_rng(0)
    X, y = r.standard_normal((100, 30)), np.arange(100) % 2
    X[:, 0] += 2*y
    for data, count in ((X, 1), (X[:, 1:], 0)):
        g = quiet(GDM("auto"), data, y)
        assert len(g.support_) == count and g.dropped_.shape == (0, 2) and g.unexamined_.shape == (0,)

@pytest.mark.parametrize("n_select", [5, "auto"])
def test_bounds_of_dense_data_change_no_answer(n_select, monkeypatch):
    for seed in range(4):
        r = np.random.default_rng(seed)
        factors = r.standard_normal((160, 8))
        X = np.c_[factors[:, r.integers(0, 8, 60)]+.5*r.standard_normal((160, 60)), r.standard_normal((160, 900))]
        X[:, 100:130] *= r.random((160, 30)) < .1
        y = np.digitize(factors[:, :3].sum(1)+r.standard_normal(160), [0] if seed % 2 else [-1, 1])
        rank_by = ["pair", "group", "support", "pair"][seed]
        answers = []
        for bounds in (True, False):
            with monkeypatch.context() as patch:
                if not bounds: patch.setattr(modes, "_can_bound", lambda columns, strata: False)
                if seed % 2: with_e_values(patch)
                answers.append(quiet(GDM(n_select, rank_by=rank_by, n_per_iter=1+seed), X, y).groups_)
        with_bounds, without = answers
        assert [m.tolist() for m in with_bounds.members] == [m.tolist() for m in without.members]
        assert np.array_equal(with_bounds.significant, without.significant)

# ---- a short list
@pytest.mark.filterwarnings("ignore")
def test_max_features_keeps_the_best_by_evidence():
    rng = np.random.default_rng(3)
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 60))
    X[:, :6] += y[:, None]*np.linspace(2, 1, 6)
    whole = GDM("auto").fit(X, y)
    assert set(whole.support_) == set(range(6))
    for most in (1, 3, 6, 50):
        short = GDM("auto", max_features=most).fit(X, y)
        assert len(short.support_) == min(most, 6) and set(short.support_) <= set(range(6)) and short.groups_.significant.all()
        assert len(short.coef_[0].nonzero()[0]) == short.groups_.sizes.sum()
    assert set(short.support_) == set(whole.support_) and GDM("auto", max_features=1).fit(X, y).support_[0] == whole.support_[0]
    with pytest.raises(ValueError, match="max_features"): GDM("auto", max_features=0).fit(X, y)
    with pytest.raises(ValueError, match="at_least=3 must not exceed max_features=1"): GDM("auto", max_features=1, at_least=3).fit(X, y)

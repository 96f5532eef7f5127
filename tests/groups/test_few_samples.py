"Few samples: the step equals plain loops for every measure and storage, the level holds exactly"
from functools import lru_cache
from itertools import combinations, permutations
import numpy as np, pytest, scipy.sparse as sp
from scipy.stats import f

from fsnb import naive
from fsnb.correlation import SymmetricalUncertainty
from fsnb.correlation.pearson import as_correlation
from fsnb.data.inputs import as_columns
from fsnb.groups import few_samples, max_t
from fsnb.groups.few_samples import find_support_rule
from fsnb.groups.max_t import open_target, permute_target
from doors import OnlyTheFace

def nearness(x, z): return abs(np.corrcoef(x, z)[0, 1])**.5

MEASURES = "pearson", "positive", SymmetricalUncertainty(n_bins=3), nearness

def random_case(seed):
    "(X, y, strata, n_classes, measure): blocks, independent columns or a chain, often rounded or sparse, a constant and copies"
    r = np.random.default_rng(seed)
    n, n_classes, kind = int(r.integers(10, 17)), (2, 3, 0)[seed % 3], ("blocks", "blocks", "alone", "chain", "chain")[seed//12]
    p = int(r.integers(6, 13)) if kind == "blocks" else 18
    X = r.standard_normal((n, p))
    if kind == "blocks": X = .8*r.standard_normal((n, 6))[:, r.integers(0, 6, p)]+r.choice([.2, .8])*X
    if kind == "chain": X[:, 1:-1:3] += 2*(X[:, :-2:3]+X[:, 2::3])       # the middle of three is correlated with both others
    y = r.permutation(np.arange(n) % n_classes) if n_classes else np.round(r.lognormal(size=n), 1)
    X[:, :p//3] += y[:, None]
    if seed % 2: X = np.round(X)
    if seed % 5 == 0: X = np.maximum(X, 0)
    X[:, 0] = 2.
    X[:, -1] = 1-3*X[:, p//2]
    strata = r.permutation(n) % 2 if seed % 7 == 3 and n_classes == 2 else None
    return X, y, strata, n_classes, MEASURES[seed//3 % 4]

def plain_p_values(X, y, strata, n_classes):
    "F-test of each column, for a statistic that is larger by what counts as a tie"
    n, groups = len(y), np.zeros(len(y), dtype=int) if strata is None else strata
    between = max(n_classes-1, 1)
    within = n-len(set(groups))-between
    share = np.array([naive.r_squared_within(x, y, groups, n_classes) for x in X.T])+1e-10
    odds = share/np.maximum(1-share, 1e-300)
    return np.array([float(f"{value:.10e}") for value in f.sf(odds*within/between, between, within)])

B, TAU, MOST = 19, .5, 4

@lru_cache(None)
def case_and_step(seed):
    "The arguments of a random case, and its p-values and step by plain loops"
    X, y, strata, n_classes, measure = random_case(seed)
    level = (.05, .1, .1, .15)[seed % 4] if seed < 24 else (.2, .25, .3, .35)[seed % 4]
    task = open_target(y, strata, len(y), "classes" if n_classes else "any")
    ways = permute_target(task, B, np.random.RandomState(seed))
    ways = (ways.argmax(1) if n_classes == 3 else ways[:, 0]).T
    R = as_correlation(as_columns(X), measure).table(np.arange(X.shape[1]))
    P = [plain_p_values(X, own, strata, n_classes) for own in ways]
    plain = naive.permutation_step(P, R, TAU, level, MOST)
    return X, measure, task, level, plain_p_values(X, y, strata, n_classes), plain

def both_steps(seed, store=np.asarray):
    "The step by plain loops and the package's"
    X, measure, task, level, p_values, plain = case_and_step(seed)
    columns = as_columns(store(X))
    rule = find_support_rule(columns, as_correlation(columns, measure), task, level, TAU, MOST, B, np.random.RandomState(seed))
    assert np.allclose(rule.p_values, p_values, rtol=1e-6, atol=1e-4)      # a constant has a tie's worth of difference
    return plain, rule.step

SEEDS = range(60)
unreliable = pytest.mark.filterwarnings("ignore:symmetrical uncertainty is biased")

@unreliable
def test_step_equals_plain_loops():
    steps = np.array([both_steps(seed, sp.csc_matrix if seed % 2 else np.asarray) for seed in SEEDS])
    assert np.allclose(*steps.T, rtol=1e-7, atol=0)
    assert ((steps[:, 0] > 0) & (steps[:, 0] < .0124)).sum() > 40, "most steps are neither none nor the largest"

class Fixed:
    "A table of correlations that was computed beforehand"
    def __init__(self, R): self.R = R
    def table(self, a, b): return self.R[np.ix_(a, b)]

def covers(seed):
    "Openings of the cliques of a random graph, in a random order: by plain loops and the package's"
    r = np.random.default_rng(seed)
    p, most = int(r.integers(1, 40)), int(r.integers(1, 12))
    R = r.random((p, p))**r.choice([.3, 1, 3])*r.choice([-1, 1], (p, p))
    R = np.triu(R, 1)+np.triu(R, 1).T+np.eye(p)
    order = r.permutation(p)[:r.integers(1, p+1)]
    plain = [own[0] for own in naive.clique_cover(R, order, TAU)][:most+1]
    return plain, order[few_samples._open_cliques(Fixed(R), order, TAU, most)].tolist()

def test_cliques_equal_plain_loops(monkeypatch):
    for together in (256, 5):
        monkeypatch.setattr(few_samples, "_TOGETHER", together)
        for seed in SEEDS:
            plain, own = covers(seed)
            assert plain == own

def most_uncorrelated(R, features):
    "The most of the features that are mutually uncorrelated"
    for size in range(len(features), 0, -1):
        for some in combinations(features, size):
            if all(abs(R[i, j]) < 1-TAU for i, j in combinations(some, 2)): return size
    return 0

@pytest.mark.parametrize("noise", [.3, 1.])
@pytest.mark.parametrize("level", [.1, .2, .5])
def test_level_holds_over_all_orders_of_the_rows(noise, level):
    "Six samples: the rows of the null columns take all 720 places beside y and two columns that follow y"
    r = np.random.default_rng(3)
    ways = np.array([[i in ones for i in range(6)] for ones in combinations(range(6), 3)])*1
    place = {tuple(own): b for b, own in enumerate(ways)}
    null = np.repeat(r.standard_normal((6, 3)), 2, axis=1)+noise*r.standard_normal((6, 6))
    true = 4*ways[0][:, None]+r.standard_normal((6, 2))
    P_null, P_true = (np.array([plain_p_values(X, own, None, 2) for own in ways]) for X in (null, true))
    largest, claims = [], 0
    for order in permutations(range(6)):
        rows = [place[tuple(own)] for own in ways[:, np.argsort(order)]]     # the labels that null row i meets
        P = np.c_[P_true, P_null[rows]]
        R = np.corrcoef(np.c_[true, null[list(order)]], rowvar=False)
        openings = np.full((19, MOST+1), np.inf)
        for b, own in enumerate(P[1:]):
            small = np.argsort(own, kind="stable")[:np.count_nonzero(own <= .05)]
            opened = few_samples._open_cliques(Fixed(R), small, TAU, MOST)
            openings[b, :len(opened)] = own[small[opened]]
        rule = few_samples.SupportRule(None, P[0], few_samples._largest_step(openings, level, MOST))
        counts = [most_uncorrelated(R, 2+np.flatnonzero(P[0, 2:] <= rule.limit(k))) for k in range(1, MOST+1)]
        largest.append(max(min(1, count/k) for k, count in enumerate(counts, 1)))
        claims += (P[0, :2] <= rule.limit(1)).any()
    assert len(largest) == 720 and claims > 100 and np.mean(largest) > 0
    assert np.mean(largest) <= level+1e-12

def larger(seed=0, n=60, p=300):
    "Blocks of ten, four of them associated, half of the entries zero"
    r = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = .9*np.repeat(r.standard_normal((n, p//10)), 10, axis=1)+.4*r.standard_normal((n, p))
    X[:, :40] += y[:, None]
    return np.where(X > 0, X, 0), y

def rule_of(X, y, n_jobs=1):
    columns = X if hasattr(X, "take_columns") else as_columns(X)
    return find_support_rule(columns, as_correlation(columns), open_target(y, None, len(y), "classes"),
                             .05, TAU, 30, 99, np.random.RandomState(0), n_jobs)

def test_order_storage_threads_and_blocks_change_nothing(monkeypatch):
    X, y = larger()
    first = rule_of(X, y)
    assert 1e-6 < first.step < .01
    def check(rule, order=slice(None)):
        assert np.isclose(rule.step, first.step, rtol=1e-8, atol=0)
        assert np.allclose(rule.p_values, first.p_values[order], rtol=1e-6, atol=0)
    for store in (np.asfortranarray, sp.csc_matrix, sp.csr_matrix, OnlyTheFace):
        for n_jobs in (1, 2): check(rule_of(store(X), y, n_jobs))
    order = np.random.default_rng(1).permutation(X.shape[1])
    check(rule_of(X[:, order], y), order)
    check(rule_of(-3*X, np.array(list("bca"))[y]))
    for module, name, size in ((few_samples, "BLOCK", 700), (few_samples, "_TOGETHER", 3), (max_t, "_PANEL", 30*180),
                               (max_t, "_STRIPE", 7), (max_t, "BLOCK", 5000)):
        monkeypatch.setattr(module, name, size)
        check(rule_of(X, y))
    check(rule_of(sp.csc_matrix(X), y))

def test_ties_are_broken_by_index_however_columns_are_stored():
    "Columns of ones: many have equal statistics, whose last bits depend on the storage"
    for seed in range(10):
        r = np.random.default_rng(seed)
        X, y = (r.random((30, 200)) < .2)*1., r.permutation(np.arange(30) % 2)
        dense, sparse = rule_of(X, y), rule_of(sp.csc_matrix(X), y)
        assert np.isclose(dense.step, sparse.step, rtol=1e-8, atol=0)

def test_constants_and_perfect_columns():
    "A constant has p-value 1; where permuted columns separate the classes too often, no step is small enough"
    r = np.random.default_rng(0)
    y = np.arange(4) % 2
    X = np.c_[np.full(4, .1), np.eye(4)[:, [0, 1]]+np.eye(4)[:, [2, 3]], r.standard_normal((4, 3))]
    columns = as_columns(X)
    rule = find_support_rule(columns, as_correlation(columns), open_target(y, None, 4), .2, TAU, 3, 99, np.random.RandomState(0))
    assert rule.p_values[0] == 1 and rule.statistics[0] == 0 and rule.step == 0
    flat = as_columns(np.ones((20, 3)))
    rule = find_support_rule(flat, as_correlation(flat), open_target(np.arange(20) % 2, None, 20), .05, TAU, 3, 99, np.random.RandomState(0))
    assert (rule.p_values == 1).all()

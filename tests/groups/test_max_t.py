"Max-T: p-values equal to the transcription for every storage, fixed groups, the level, one pass over X"
from contextlib import nullcontext
import numpy as np, pytest, scipy.sparse as sp

from fsnb.groups import feature_p_values, max_t
from fsnb.groups.max_t import _cut_draws, open_target, permute_target
from fsnb import FeatureGroups, group_p_values, naive, stable_groups
from benchmarks import significance as measured
from fsnb.data.inputs import as_columns
from doors import OnlyTheFace

@pytest.mark.parametrize("far", [1e4, 1e8])
def test_a_stratum_far_from_zero_keeps_its_digits(far):
    "A column that has no zero in one of the strata is centred there, or its sums swallow what varies"
    r = np.random.default_rng(0)
    counts, y, strata = r.integers(0, 3, (30, 4)), r.integers(0, 2, 60), np.arange(60)//30
    def table(far): return np.r_[np.zeros((30, 8)), np.c_[far+counts, 3*far-3*counts]]  # half of the columns mirror the others
    near = feature_p_values(table(0), y, 99, strata, 0)
    for store in (np.asarray, sp.csc_matrix):
        found = feature_p_values(store(table(far)), y, 99, strata, 0)
        assert np.abs(found.statistics**2-near.statistics**2).max() < 1e-12
        assert np.array_equal(found.p_values, near.p_values)

def text(seed=0, n=300, p=3000):
    "Sparse columns of one to a hundred entries, two that go with y"
    r = np.random.default_rng(seed)
    X = sp.csc_matrix(sp.hstack([sp.random(n, p//3, density, format="csc", random_state=seed) for density in (.004, .02, .3)]))
    y = (np.asarray(X[:, [p-1, p-2]].sum(1)).ravel()+.3*r.standard_normal(n) > .5).astype(int)
    return X, y

def test_threads_panels_and_stripes_change_nothing(monkeypatch):
    X, y = text()
    whole = feature_p_values(X, y, 99, random_state=0)
    assert 1 < (whole.p_values <= .05).sum() < 100
    assert np.array_equal(whole.p_values, feature_p_values(X.toarray(), y, 99, random_state=0).p_values)
    def check(n_jobs=None):
        again = feature_p_values(X, y, 99, random_state=0, n_jobs=n_jobs)
        assert all(np.array_equal(a, b) for a, b in zip(whole, again))
    for n_jobs in (2, 3): check(n_jobs)
    for name, size in (("_STRIPE", 7), ("BLOCK", 5000), ("_PANEL", 30*300)):
        monkeypatch.setattr(max_t, name, size)
    check()  # stripes, blocks and portions are small
    monkeypatch.setattr(max_t, "_STRIPE_BYTES", 0)
    assert len(list(_cut_draws(open_target(y, None, 300), 99, np.random.RandomState(0)))) == 4
    check()

METHODS = "single-step", "step-down"
STORES = {"dense": np.asarray, "csc": sp.csc_matrix, "csr": sp.csr_matrix, "face": OnlyTheFace,
          "sparse face": lambda X: OnlyTheFace(sp.csc_matrix(X)), "columns": lambda X: as_columns(sp.csc_matrix(X), n_jobs=2)}

def random_case(seed):
    "(X, y, strata, n_classes): small counts with constants and twins, classes or numbers, often with strata"
    r = np.random.default_rng(seed)
    n, p, n_classes = int(r.integers(10, 20)), int(r.integers(2, 9)), (2, 0, 3, 4)[seed % 4]
    X = r.poisson(.8, (n, p))*r.choice([1., .1, 1/3, -7.])
    X[:, 0] = X[0, 0]
    X[:, -1] = 2-3*X[:, p//2]
    if seed % 3 == 0: X = X+r.choice([0., 5., 1e5])
    y = r.integers(0, n_classes, n) if n_classes else np.round(r.lognormal(size=n), 1)
    y[:max(n_classes, 2)] = np.arange(max(n_classes, 2))
    strata = r.integers(0, 3, n)*(seed % 2)
    strata[:2] = 0
    return X, y, strata, n_classes

def arrangements(task, count, n_classes, seed):
    "y as it came and the permuted ones, as the transcription wants them"
    permuted = permute_target(task, count, np.random.RandomState(seed))
    vectors = np.concatenate([task.vectors[:, :, None], permuted], axis=2)
    return (vectors.argmax(1) if n_classes >= 3 else vectors[:, 0]).T

@pytest.mark.parametrize("seed", range(8))
def test_features_equal_naive_for_every_storage(seed):
    X, y, strata, n_classes = random_case(seed)
    target = "classes" if n_classes else "any"
    ways = arrangements(open_target(y, strata, len(y), target), 39, n_classes, seed)
    for method in METHODS:
        plain = naive.max_t(X, ways, strata, n_classes, method == "step-down")
        for name, store in STORES.items():
            found = feature_p_values(store(X), y, 39, strata, seed, method=method, target=target)
            assert np.allclose(found.p_values, plain, atol=1e-12), (name, method)
            share = [naive.r_squared_within(x, ways[0], strata, n_classes) for x in X.T]
            assert np.allclose(found.statistics**2, share, atol=1e-9)

def plain_groups(T, groups, step_down):
    "p-values of groups as units, brute force: T is (B+1, p), its first row y as it came"
    unit = np.array([T[:, own].max(1) for own in groups]).T
    first, raw = unit[0], []
    for t in first:
        behind = first <= t+1e-10 if step_down else first >= 0
        raw.append((1+(unit[1:, behind].max(1) >= t-1e-10).sum())/len(T))
    return [max(q for s, q in zip(first, raw) if s >= t-1e-10) for t in first] if step_down else raw

@pytest.mark.parametrize("seed", range(4))
def test_fixed_groups_are_units(seed):
    X, y, strata, n_classes = random_case(seed+100)
    X, target = np.c_[X, X**2, X[::-1]], "classes" if n_classes else "any"
    groups = np.array_split(np.random.default_rng(seed).permutation(X.shape[1])[1:], 4)
    groups = [own for own in groups if len(own)]
    ways = arrangements(open_target(y, strata, len(y), target), 39, n_classes, seed)
    T = np.array([[naive.r_squared_within(x, way, strata, n_classes) for x in X.T] for way in ways])
    for method in METHODS:
        plain = plain_groups(T, groups, method == "step-down")
        for store in STORES.values():
            found = group_p_values(store(X), y, groups, 39, strata, seed, method=method, fixed_groups=True, target=target)
            assert np.allclose(found, plain, atol=1e-12)

def test_twins_and_scales_tie():
    "A column, its multiples and its mirror image have one p-value; exchanging the names of the classes changes none"
    r = np.random.default_rng(0)
    x, y = r.random((30, 4)), r.integers(0, 2, 30)
    X = np.c_[x, -x/3, 1e6+x*7, x[:, ::-1]*1e-9]
    for method in METHODS:
        p_values = feature_p_values(X, y, 199, random_state=0, method=method).p_values
        for twin in (p_values[4:8], p_values[8:12], p_values[12:][::-1]): assert np.array_equal(p_values[:4], twin)
        for other in (1-y, np.where(y, "ill", "well")):
            assert np.array_equal(p_values, feature_p_values(X, other, 199, random_state=0, method=method).p_values)

def test_threshold_is_the_single_step_p_value():
    X, y = text(3)
    found = feature_p_values(X, y, 199, random_state=0, method="single-step")
    for alpha in (.005, .05, .07, .1, .29, .5):
        assert np.array_equal(found.p_values <= alpha+1e-12, found.statistics > found.threshold(alpha)+1e-9)

REPEATS, MUTANT_REPEATS = 60, 120     # limits of .99 by Clopper and Pearson

@pytest.mark.parametrize("setting", sorted(measured.SETTINGS))
def test_family_wise_error(setting):
    for kwargs in (dict(), dict(make=measured.neighbours, fixed_groups=True)):
        assert measured.measure(setting, REPEATS, **kwargs)["passed"], kwargs

def test_what_is_there_is_found():
    assert measured.measure("partial_null", 40)["power"] > .3
    assert measured.measure("sparse", 40)["power"] > .8

def test_columns_in_another_order_are_refused():
    "Once: p-values of other columns came without a word"
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (100, 6)).astype(float), np.arange(100) % 2
    groups = FeatureGroups([[2, 4]], names=list("abcdef"), n_features=6)
    for call in (lambda X: group_p_values(X, y, groups, 99), lambda X: stable_groups(X, y, groups, n_pairs=5, q=1)):
        call(X)                                                          # no names, nothing to compare
        for names, fits in (("abcdef", True), ("fedcba", False)):
            with nullcontext() if fits else pytest.raises(ValueError, match="of other data: column 2 is called 'c' in the groups and 'd' in the data"):
                call(as_columns(X, list(names)))
    for wrong, error in (([[0, 6]], IndexError), ([[0, -1]], IndexError), ([[0], []], ValueError), (FeatureGroups([[0]], n_features=7), ValueError)):
        with pytest.raises(error): group_p_values(X, y, wrong, 99)
    with pytest.raises(ValueError, match="groups must be disjoint"): group_p_values(X, y, [[0, 1], [1]], fixed_groups=True)

def test_strata_and_alpha_that_leave_nothing_are_refused():
    X, y = np.random.default_rng(0).standard_normal((6, 3)), np.arange(6) % 2
    for strata, told in (([1, 1, 1, None, 2, 2], "a label for each sample, got None for sample 3"), (y, "strata must leave something to permute")):
        with pytest.raises(ValueError, match=told):
            group_p_values(X, y, [[0]], 9, strata=np.array(strata))
    found = max_t.Significance(np.ones(1), np.ones(1), np.linspace(0, 1, 19))
    assert found.threshold(.05) == 1
    with pytest.raises(ValueError, match="n_permutations must be at least 99"): found.threshold(.01)

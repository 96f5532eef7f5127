"Supports needed beside the others: against plain least squares, any storage, bad input, and what the answer says"
import numpy as np, pandas as pd, pytest, scipy.sparse as sp

from fsnb import GDM, FisherScore, as_columns, joint_groups, naive
from fsnb.groups.beside import Beside, _exchange_supports

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

def mixed(seed, n=50, p=12, noise=2.):
    "Correlated columns of any scale and place, the sum of the first three and noise"
    r = np.random.default_rng(seed)
    X = r.standard_normal((n, p))@(np.eye(p)+.4*r.standard_normal((p, p)))
    y = X[:, :3].sum(1)+noise*r.standard_normal(n)
    return X*r.choice([1e-3, 1, 50], p)+r.choice([0, 5], p), y

def begun(X, y, start=()):
    state = Beside.open(as_columns(X), y)
    for j in start: state = state.add(j)
    return state

@pytest.mark.parametrize("seed", range(12))
def test_t_squares_are_those_of_least_squares_after_any_steps(seed):
    X, y = mixed(seed)
    X[:, 11] = X[:, 2]                                      # a copy, and a column that hardly differs
    X[:, 10] = X[:, 4]+1e-3*X[:, 4].std()*np.random.default_rng(seed).standard_normal(50)
    X[:, 9] = 3.
    state, r = begun(X, y), np.random.default_rng(seed)
    for _ in range(25):
        k = len(state.supports)
        if k > 5 or k and r.random() < .4: state = state.drop(r.integers(k))
        else:
            free = np.flatnonzero((state.free < np.inf) & ~state.columns.constant)
            state = state.add(r.choice(free))
        S = list(state.supports)
        np.testing.assert_allclose(state.squares(), naive.squares_beside(X, y, S), rtol=1e-6, atol=1e-9)
        if S: np.testing.assert_allclose(state.own(), naive.squares_in_model(X, y, S), rtol=1e-6)

def test_steps_end_where_every_support_passes_and_no_other_column_does():
    exchanged = 0
    for seed in range(20):
        X, y = mixed(seed, noise=1.)
        path = naive.select_beside(X, y, 5., 10, [5, 6, 7])
        exchanged += any(len(a) == len(b) for a, b in zip(path, path[1:]))
        settled = _exchange_supports(begun(X, y, [5, 6, 7]), 5., 10)
        assert settled.own().min(initial=np.inf) > 5 >= settled.squares().max()
        rss = [((y-np.c_[np.ones(50), X[:, S]]@np.linalg.lstsq(np.c_[np.ones(50), X[:, S]], y, rcond=None)[0])**2).sum() for S in path]
        F = np.log(rss)+[sum(np.log1p(5/(50-i-2)) for i in range(len(S))) for S in path]
        assert (np.diff(F) < 1e-12).all()
    assert exchanged > 3

def test_permuted_residuals_by_hand():
    "Freedman and Lane: fit and permuted residuals are a new y, and each column gets its t^2 beside the supports"
    X, y = mixed(3)
    state = begun(X, y, [0, 4])
    maxima, r = state.largest_by_chance(20, np.random.default_rng(5)), np.random.default_rng(5)
    by_hand = [naive.squares_beside(X, state.y-state.residual+r.permutation(state.residual), [0, 4]).max() for _ in range(20)]
    np.testing.assert_allclose(maxima, np.sort(by_hand), rtol=1e-8)

def test_the_answer_says_what_it_rests_on():
    X, y = mixed(1, 200, 40, noise=1.)
    groups = joint_groups(X, y, n_permutations=199, random_state=3)
    S = groups.support.tolist()
    np.testing.assert_allclose(groups.scores, naive.squares_in_model(X, y, S), rtol=1e-8)
    assert (np.diff(groups.scores) <= 0).all() and set(S) >= {0, 1, 2}
    assert (groups.p_values <= .05).all() and groups.p_values.min() == 1/200
    assert groups.parameters == dict(chance=.05, tau=.5, n_permutations=199, max_features=40)
    r = np.abs(np.corrcoef(X, rowvar=False))
    for own, corr, pips in zip(groups.members, groups.correlations, groups.pips):
        assert (r[own[0], own] >= .5-1e-9).all() and pips.sum() == pytest.approx(1) and pips.argmax() == 0
        np.testing.assert_allclose(np.abs(corr), r[own[0], own], atol=1e-9)
    near = {j for j in range(40) if r[j, S].max() >= .5} | set(S)
    assert set(groups.all_members) == near

def test_p_values_count_the_maxima_beside_the_supports():
    X, y = mixed(6, 60, 30, noise=12.)
    r, p_values = np.random.default_rng(7), []
    state = _exchange_supports(begun(X, y), begun(X, y).largest_by_chance(1, r)[-1], 12)      # 1/.5-1 permutations, and the largest is the bar
    maxima = state.largest_by_chance(99, r)
    state = _exchange_supports(state, maxima[-50], 12)
    groups = joint_groups(X, y, chance=.5, random_state=7)
    assert set(groups.support) == set(state.supports)
    for t in groups.scores: p_values.append((1+sum(t <= m for m in maxima))/100)
    assert groups.p_values.tolist() == p_values and .01 < max(p_values) <= .5

def linked(seed, n=300):
    "Genotypes in blocks, and one cause in each of three blocks"
    r = np.random.default_rng(seed)
    blocks = np.repeat(r.random((2*n, 10)) < .4, 6, axis=1)
    haplotypes = blocks ^ (r.random((2*n, 60)) < .04)
    X = (haplotypes[:n]*1+haplotypes[n:]).astype(float)
    return X, (X[:, [8, 26, 50]].sum(1)+r.standard_normal(n) > 2.5)*1, [8, 26, 50]

def test_columns_that_tie_give_way_to_the_first():
    X, y, _ = linked(1)
    order = np.r_[0:60, 0:60]                                  # each column twice
    for form in (X[:, order], sp.csc_matrix(X[:, order])):
        found = joint_groups(form, y, tau=.01)
        assert (found.support < 60).all() and all(own.tolist() == [own[0], own[0]+60] for own in found.members)
        assert all(pips == pytest.approx([.5, .5]) for pips in found.pips)

def test_what_y_may_be():
    X, y, causes = linked(2)
    expected = joint_groups(X, y)
    for same in (np.where(y == 1, "b", "a"), y == 1, 2.5*y-7, pd.Series(y), (-y).tolist()):
        assert joint_groups(X, same).support.tolist() == expected.support.tolist()
    X, y = mixed(0, 100)
    for same in (1e6*y+1e9, 1e-200*y, 1e200*y): assert joint_groups(X, same).support.tolist() == joint_groups(X, y).support.tolist()
    with pytest.raises(ValueError, match="y contains infinity or a value too large"): joint_groups(X, 1e308*np.sign(y))   # its sum is

def test_what_supports_explain_so_far_takes_no_part():
    r = np.random.default_rng(0)
    X = r.standard_normal((200, 8))
    X[:, 5] = X[:, 4]+.2*X[:, 5]                               # r^2 .96, and one of .94
    X[:, 7] = X[:, 6]+.26*X[:, 7]
    y = X[:, 4:].sum(1)+.05*r.standard_normal(200)
    assert sorted(set(joint_groups(X, y).support) & {6, 7}) == [6, 7]
    assert len(set(joint_groups(X, y).support) & {4, 5}) == 1

def test_y_that_columns_explain_entirely():
    X = np.random.default_rng(0).standard_normal((60, 10))
    groups = joint_groups(X, X[:, 2]-X[:, 7])
    assert sorted(groups.support) == [2, 7] and groups.scores.max() < 1e14
    assert sorted(joint_groups(X, X[:, 2]).support) == [2]

def test_most_supports():
    X, y = mixed(0, 100, 40, noise=.1)
    assert len(joint_groups(X, y, max_features=2)) == 2
    r = np.random.default_rng(0)
    X = r.standard_normal((30, 30))
    assert len(joint_groups(X, X@np.ones(30), chance=.9, start=range(30))) <= 6
    with pytest.raises(ValueError, match=r"max_features must be None or a whole number in \[1, n//5=6\], got 7"): joint_groups(X, X[:, 0], max_features=7)

@pytest.mark.parametrize("n", [2, 3, 4, 5, 9])
def test_few_samples(n):
    r = np.random.default_rng(n)
    with pytest.warns(UserWarning, match=f"only {n} samples"): groups = joint_groups(r.standard_normal((n, 20)), np.arange(n)%2)
    assert len(groups) <= 1

def test_bad_input():
    X, y = mixed(0)
    X[:, 7], X[:, 8] = 3., -2*X[:, 1]+1
    for change, told in [
            (dict(y=np.arange(50)%3), "3 classes: .*OneVsRestClassifier"), (dict(y=y*0), "one class"), (dict(y=y*np.nan), "NaN|finite"),
            (dict(y=y[:-1]), "inconsistent numbers of samples"), (dict(X=np.where(X > 7, np.nan, X)), "NaN"), (dict(chance=1.), r"chance must lie in \(0, 1\)"),
            (dict(tau=0), "tau must lie"), (dict(n_permutations=18), r"n_permutations must be a whole number in \[19, inf\)"),
            (dict(chance=.01), r"\[99, inf\), got 98"), (dict(start=3), "start must be a list")]:
        given = dict(X=X, y=y, n_permutations=98 if "chance" in change else 99) | change
        with pytest.raises(ValueError, match=told): joint_groups(**given)
    with pytest.raises(IndexError, match="start"): joint_groups(X, y, start=[12])
    plain = joint_groups(X, y, start=[0, 1, 2]).support.tolist()
    for start in ([0, 7, 1, 2], [0, 1, 8, 2, 0]): assert joint_groups(X, y, start=start).support.tolist() == plain

def test_seeds_names_and_start():
    X, y, causes = linked(3)
    frame = pd.DataFrame(X, columns=[f"rs{j}" for j in range(60)])
    groups = joint_groups(frame, y)
    assert [own[0] for own in groups.names] == [f"rs{j}" for j in groups.support]
    assert groups == joint_groups(frame, y, random_state=0) and groups == joint_groups(frame, y, random_state=np.random.default_rng(0))
    different = [joint_groups(X, y, chance=.3, random_state=seed).p_values.tolist() for seed in range(6)]
    assert len(set(map(tuple, different))) > 1
    assert sorted(joint_groups(X, y, start=[0, 59, 9]).support) == causes
    assert len(joint_groups(X, np.random.default_rng(0).permutation(y), start=[0, 59, 9])) == 0

def test_refine_begins_at_the_supports_and_leaves_the_model():
    X, y, causes = linked(4)
    frame = pd.DataFrame(X, columns=[f"rs{j}" for j in range(60)])
    model = GDM("auto").fit(frame, y)
    before = model.support_.tolist(), model.groups_.to_json()
    refined = model.refine(frame, y)
    assert sorted(refined.support) == causes and refined == joint_groups(frame, y, start=model.support_)
    assert (model.support_.tolist(), model.groups_.to_json()) == before
    assert model.refine(as_columns(sp.csc_matrix(X)), y, tau=.3).support.tolist() == refined.support.tolist()
    with pytest.raises(ValueError, match="59 features"): GDM(2).fit(X, y).refine(X[:, :59], y)
    with pytest.raises(ValueError, match="59 features"): GDM(2).fit(X, y).refine(as_columns(X[:, :59]), y)
    with pytest.raises(ValueError, match="feature names"): model.refine(frame.rename(columns={"rs0": "other"}), y)
    with pytest.raises(ValueError, match="OneVsRest"): model.refine(frame, np.arange(300)%3)

def test_refine_passes_over_copies_and_constants_among_the_supports():
    X, y, _ = linked(5)
    X[:, 9] = X[:, 8]
    model = FisherScore(12).fit(X, y)
    assert {8, 9} <= set(model.support_)
    new = X.copy()
    new[:, model.support_[-1]] = 1.
    assert 8 in model.refine(X, y).support and 9 not in model.refine(X, y).support
    assert model.support_[-1] not in model.refine(new, y).support

def test_rows_that_are_copies_are_told():
    X, y, _ = linked(6, 60)
    with pytest.warns(UserWarning, match="copy"): joint_groups(np.repeat(np.random.default_rng(0).standard_normal((60, 30)), 2, axis=0), np.repeat(y, 2))

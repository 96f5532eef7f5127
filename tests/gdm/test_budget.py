"Copies merged, members averaged, and the gap of the problem over all of them; the memory that a fit may take."
import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from fsnb import GDM, GDMCV, OneClassGDM, make_groups
from fsnb.correlation.position import Positional
from fsnb.data.adapters import as_columns
from fsnb.gdm.budget import BudgetedSet
from fsnb.gdm.copies import _may_be_copies
from fsnb.gdm.memory import _fit_bytes, _open_room, _show_bytes, _support_bytes
from fsnb.gdm.room import _VALUE_BYTES, _share_room
from fsnb.gdm.referee import solve_cvxpy
from fsnb.gdm.rounds import WorkingSet

STORES = {"dense": np.asarray, "F": np.asfortranarray, "csc": sp.csc_matrix, "float32": lambda X: X.astype(np.float32)}


def copied(seed, n=90, m=14, share=.5, whole=True):
    "Members of which some are others times a number, turned or shifted or not; labels that go with them"
    r = np.random.default_rng(seed)
    X = r.poisson(1, (n, m)).astype(float) if whole else r.standard_normal((n, m))
    X[0, X.std(0) == 0] = 7
    for j in range(m):
        if r.random() < share: X[:, j] = X[:, r.integers(m)]*r.choice([-4, -1, .5, 1, 2])
    y = np.where(X[:, :3].sum(1)+2*r.standard_normal(n) > np.median(X[:, :3].sum(1)), 1., -1.)
    return X, y


def both(columns, y, cuts, scale=None, rows=None, **settings):
    "The same problem by a plain working set and by one that merges"
    plain, merged = WorkingSet(columns, scale), BudgetedSet(columns, scale)
    found = []
    for working in (plain, merged):
        for cut in cuts: working.add(cut)
        found.append(working.solve(y if rows is None else y[rows], cuts, rows, tol=1e-13, **settings))
    return *found, merged


def close(a, b, eps=1e-9):
    for x, y in zip(a.weights, b.weights): np.testing.assert_allclose(x, y, atol=eps*max(1, np.abs(x).max()))
    np.testing.assert_allclose(a.coef, b.coef, atol=eps*max(1, np.abs(a.coef).max()))
    assert abs(a.intercept-b.intercept) <= eps*max(1, abs(a.intercept)) and abs(a.objective/b.objective-1) <= eps


@pytest.mark.parametrize("store", ["dense", "csc"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_copies_are_one_column(store, fit_intercept):
    merged = 0
    for seed in range(25):
        X, y = copied(seed, whole=store == "csc" or seed % 2)
        columns = as_columns(STORES[store](X))
        one, two, working = both(columns, y, [np.arange(14)], C=.3, fit_intercept=fit_intercept)
        close(one, two)
        merged += working.note.members-working.note.columns
        unique = len({tuple(np.round(z*np.sign(z[np.abs(z) > 1e-6][0]), 9)) for z in ((X-X.mean(0))/X.std(0)).T})
        assert working.note.columns == working.note.distinct == unique
    assert merged > 50


def test_copies_in_several_cuts_and_in_some_samples_of_one_machine():
    r = np.random.default_rng(0)
    for seed in range(15):
        X, y = copied(seed, m=10)
        cuts = [np.array([0, 1, 2, 3, 4]), np.array([3, 4, 5, 6]), np.array([7, 8, 9, 0])]
        one, two, _ = both(as_columns(X), y, cuts, C=.05)
        assert abs(one.objective/two.objective-1) <= 1e-9
        np.testing.assert_allclose(one.alpha, two.alpha, atol=1e-6)
        rows = np.sort(r.choice(90, 60, replace=False))
        close(*both(as_columns(sp.csc_matrix(X)), y, [np.arange(10)], rows=rows, C=.3, fit_intercept=True)[:2])


def test_copies_of_other_lengths_where_means_stay_in():
    for seed in range(15):
        X, y = copied(seed)
        one, two, working = both(as_columns(sp.csc_matrix(X)), y, [np.arange(14)], scale=np.full(14, 1.7), C=.1)
        close(one, two)
        assert working.note.columns == len({tuple(np.round(np.abs(z)/np.linalg.norm(z), 9)) for z in X.T})


def test_what_is_nearly_a_copy_is_none():
    "A correlation of 1 to twelve digits, and a difference in the seventh: such members are not the same column"
    r = np.random.default_rng(0)
    X = r.standard_normal((80, 4))
    X[:, 2], X[:, 3] = X[:, 0]+3e-7*r.standard_normal(80), X[:, 0]*(1+1e-15)
    assert abs(np.corrcoef(X[:, 0], X[:, 2])[0, 1]) >= 1-1e-12
    working = BudgetedSet(as_columns(X))
    working.add(range(4))
    assert working.leader.tolist() == [0, 1, 2, 0]


def test_a_squeeze_is_proved():
    "The gap holds for the problem over all members: its optimum lies within, whatever the room; a hundred problems"
    r = np.random.default_rng(1)
    for seed in range(100):
        n, k = 50, int(r.integers(1, 4))
        base, sizes = r.standard_normal((n, k)), r.integers(1, 9, k)
        noise = r.uniform(.01, 2, sizes.sum())
        X = base[:, np.repeat(np.arange(k), sizes)]*r.choice([-1, 1], sizes.sum())+noise*r.standard_normal((n, sizes.sum()))
        if seed % 2: X = np.round(2*X)*(r.random(X.shape) < .5)
        X[:2, X.std(0) == 0] = [[1.], [2.]]
        y = np.where(base.sum(1)+r.standard_normal(n) > 0, 1., -1.)
        columns = as_columns(sp.csc_matrix(X) if seed % 2 else X)
        edges = np.cumsum(sizes)[:-1]
        groups = np.split(np.arange(sizes.sum()), edges)
        close_to = [np.nan_to_num(np.corrcoef(X[:, own].T).reshape(len(own), len(own))[0]) for own in groups]
        settings = dict(C=float(10**r.uniform(-3, 0)), fit_intercept=bool(r.integers(2)), tol=1e-9)
        working = BudgetedSet(columns, room=float(r.integers(k, sizes.sum()+1))*40*n)
        working.learn((groups, close_to))
        working.add(range(sizes.sum()))
        found, note = working.solve(y, [np.arange(sizes.sum())], **settings), working.note
        plain = WorkingSet(columns)
        plain.add(range(sizes.sum()))
        best = plain.solve(y, [np.arange(sizes.sum())], **settings)
        assert found.objective*(1-found.gap) <= best.objective*(1+1e-8) and best.objective <= found.objective*(1+1e-8)
        assert note.gap == found.gap >= note.solver_gap and note.averaged+note.left_out+note.columns >= note.distinct
        Z = (X-X.mean(0))/X.std(0)
        hinge = np.maximum(0, 1-y*(Z@found.coef+found.intercept))
        value = found.coef@found.coef/2+settings["C"]/2*(hinge@hinge)
        assert abs(value/found.objective-1) < 1e-8          # the value is one of the problem over all members


def test_the_referee_agrees():
    X, y = copied(3, n=40, m=8)
    Z = (X-X.mean(0))/X.std(0)
    working = BudgetedSet(as_columns(X))
    working.add(range(8))
    r = working.solve(y, [np.arange(8)], C=.5, tol=1e-10)
    assert abs(solve_cvxpy(y[:, None]*Z, [np.arange(8)], .5).value/r.objective-1) < 1e-6


def test_room_is_never_passed_but_for_one_support():
    r = np.random.default_rng(0)
    for _ in range(300):
        m, k = int(r.integers(1, 15)), int(r.integers(1, 4))
        owner, sizes = np.sort(r.integers(0, k, m)), r.integers(1, 9, m).astype(float)
        first = np.r_[True, owner[1:] != owner[:-1]]
        room, most = float(r.integers(0, 60)), float(r.integers(1, 12))
        keeps, has_mean = _share_room(sizes, r.random(m), owner, first, room, most)
        assert keeps[0]
        rest = np.bincount(owner[~keeps], sizes[~keeps], len(has_mean))
        used = sizes[keeps].sum()+np.minimum(rest, most)[has_mean].sum()
        assert used <= room or keeps.sum() == 1 and not has_mean.any()


def test_few_random_numbers_find_all_that_may_be_copies():
    r = np.random.default_rng(0)
    heights = r.standard_normal((400, 2))
    heights[200:] = heights[r.integers(0, 200, 200)]*r.choice([-1, 1], 200)[:, None]
    leader, signs = _may_be_copies(heights)
    np.testing.assert_allclose(heights[leader]*signs[:, None], heights, atol=1e-12)
    assert len(np.unique(leader)) == 200


# ---- the machines

def quiet(model, X, y=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("model", [lambda **kw: GDM(6, **kw), lambda **kw: GDMCV(4, **kw), lambda **kw: GDM(4, mode="cut", **kw), lambda **kw: GDM("auto", **kw),
                                   lambda **kw: GDM(4, mode="thesis2015", **kw), lambda **kw: OneClassGDM(4, **kw), lambda **kw: GDM(4, mode="icml2012", fit_on="supports", **kw)])
def test_with_room_for_all_the_groups_are_the_same(store, model):
    d = make_groups(120, 60, (4, 3, 2, 5), random_state=1)
    X = d.X+3
    X[:, 50:] = 2*X[:, d.groups.support[0], None]
    y = None if isinstance(model(), OneClassGDM) else d.y
    plain, limited = quiet(model(tol=1e-6), STORES[store](X), y), quiet(model(tol=1e-6, memory="64M"), STORES[store](X), y)
    assert plain.budget_ is None and limited.budget_.left_out == limited.budget_.averaged == 0
    assert sorted(map(sorted, (g.tolist() for g in plain.groups_.members))) == sorted(map(sorted, (g.tolist() for g in limited.groups_.members)))
    np.testing.assert_allclose(plain.coef_, limited.coef_, atol=3e-3*np.abs(plain.coef_).max())
    assert limited.gap_ <= 1e-6 or limited.stop_reason_ != "gap"


def test_several_classes():
    r = np.random.default_rng(0)
    y = r.integers(0, 3, 150)
    X = np.repeat(r.standard_normal((150, 4))+np.eye(4)[y]*2, 5, axis=1)*r.uniform(.5, 2, 20)
    plain, limited = quiet(GDM(3, chance=None, tol=1e-8), X, y), quiet(GDM(3, chance=None, tol=1e-8, memory="32M"), X, y)
    assert (plain.support_ == limited.support_).all() and limited.budget_.distinct == 3 and limited.budget_.members == 15
    np.testing.assert_allclose(plain.coef_, limited.coef_, atol=1e-5)


def wide(n=3000, k=6, size=60, seed=0):
    "Groups so large that a block of their members is larger than what a fit takes otherwise"
    r = np.random.default_rng(seed)
    base = r.standard_normal((n, k))
    X = (base[:, np.repeat(np.arange(k), size)]+.35*r.standard_normal((n, k*size))).astype(np.float32)
    return X, (base.sum(1)+r.standard_normal(n) > 0).astype(int)


def peak_of(f):
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    try:
        f()
        return tracemalloc.get_traced_memory()[1]-before
    finally: tracemalloc.stop()


@pytest.mark.parametrize("sparse", [False, True])
def test_the_memory_is_kept_and_the_answer_says_what_was_averaged(sparse):
    X, y = wide()
    if sparse: X = sp.csc_matrix(np.where(X > 1.2, X, 0))
    columns = as_columns(X)
    needed = _fit_bytes(columns, 1)+_support_bytes(columns, 6)
    memory = int(needed*1.1)
    quiet(GDM(2), X[:, :60], y)                                       # compiled
    with pytest.warns(UserWarning, match="averaged and .* left out of the classifier, whose relative gap over all members is"):
        model = GDM(6, chance=None, C=1e-4, memory=memory).fit(X, y)
    note = model.budget_
    assert note.averaged > 0 and note.members == len(model.groups_.all_members) > note.columns
    assert model.gap_ == note.gap > note.solver_gap and model.gap_ < .5
    assert peak_of(lambda: quiet(GDM(6, chance=None, C=1e-4, memory=memory), X, y)) <= memory
    whole = quiet(GDM(6, chance=None, C=1e-4), X, y)
    assert set(whole.support_) == set(model.support_) and abs(whole.score(X, y)-model.score(X, y)) < .03


def test_a_limit_that_is_too_low_is_refused_before_anything_is_searched(monkeypatch):
    from fsnb.gdm import rounds
    monkeypatch.setattr(rounds, "_next_round", lambda *args: pytest.fail("a round was played"))
    X, y = wide(k=2)
    columns = as_columns(X)
    for model, most in ((GDM(10, memory="1M"), 10), (GDMCV(10, memory=2**20), 10), (OneClassGDM(10, memory="1.5M"), 10)):
        with pytest.raises(ValueError, match=r"memory must be at least (\d+)M beside the data, for 120 features, 3000 samples and 10 supports, got") as raised:
            quiet(model, X+1, None if isinstance(model, OneClassGDM) else y)
    named = str(raised.value).split("at least ")[1].split(" ")[0]
    monkeypatch.undo()
    quiet(OneClassGDM(10, memory=named), X+1)                        # the number that was named is enough


@pytest.mark.parametrize("wrong", ["many", "0", -1, 2**19, True, "", [], "1Q", float("nan"), float("inf")])
def test_what_is_no_size_is_refused(wrong):
    X, y = copied(0)
    with pytest.raises(ValueError, match="memory must be"): GDM(3, memory=wrong).fit(X, y)


def test_sizes_in_words_are_enough():
    from fsnb.data.convert import read_memory
    for size in (1, 2**20-1, 2**20, 2**20+1, 3*2**30+5, 10*2**30, 10*2**30+1, 2**41): assert size <= read_memory(_show_bytes(size)) <= max(2**20, size*1.1+2**20)


def test_the_bits_do_not_depend_on_threads_and_a_checkpoint_goes_on(tmp_path, monkeypatch):
    X, y = wide(n=800, k=4, size=30)
    X = sp.csc_matrix(np.where(X > 1, X, 0))
    memory = int((_fit_bytes(as_columns(X))+_support_bytes(as_columns(X), 4))*1.05)
    def told(model): return pickle.dumps((model.support_, model.coef_, model.alpha_, model.gap_, tuple(model.budget_)))
    whole = told(quiet(GDM(4, n_per_iter=1, memory=memory), X, y))
    assert told(quiet(GDM(4, n_per_iter=1, memory=memory, n_jobs=3), X, y)) == whole
    from fsnb.gdm import gdm as estimator
    save, played = estimator.Keeper.save, []
    def cut(self, state):
        save(self, state)
        played.append(1)
        if len(played) == 2: raise KeyboardInterrupt
    monkeypatch.setattr(estimator.Keeper, "save", cut)
    with pytest.raises(KeyboardInterrupt): quiet(GDM(4, n_per_iter=1, memory=memory, checkpoint=tmp_path/"c"), X, y)
    assert told(quiet(GDM(4, n_per_iter=1, memory=memory, checkpoint=tmp_path/"c"), X, y)) == whole


def test_supports_that_do_not_fit_are_left_out_but_the_first():
    X, y = wide(n=200, k=3, size=4)
    working = BudgetedSet(as_columns(X.astype(float)), room=_VALUE_BYTES*200)
    working.learn(([np.array([j]) for j in (0, 4, 8)], [np.ones(1)]*3))
    working.add([0, 4, 8])
    r = working.solve(np.where(y > 0, 1., -1.), [np.array([0]), np.array([0, 4, 8])], C=.1, tol=1e-8)
    assert working.note.left_out == 2 and r.gap > .01 and (r.coef[1:] == 0).all()


def test_the_command_takes_it(tmp_path, monkeypatch, capsys):
    from fsnb.show.cli import main
    monkeypatch.chdir(tmp_path)
    X, y = wide(n=60, k=3, size=4)
    np.savez("d.npz", X=X, y=y)
    assert main("groups d.npz --n-features 3 --chance none --memory 64M --out g.json --quiet".split()) == 0
    from fsnb import FeatureGroups
    assert FeatureGroups.from_json("g.json").parameters["memory"] == "64M"
    assert main("groups d.npz --n-features 3 --memory much --quiet".split()) == 2
    assert "memory must be a number of bytes from 1M on, or text such as 512M or 1.5G, got 'much'" in capsys.readouterr().err


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("settings", [dict(correlation_constraint=False), dict(correlation=Positional("index", window=2)), dict(correlation="positive")],
                         ids=["no groups", "positions", "positive"])
def test_groups_of_copies_of_other_groups_only(settings, store):
    "Once: an IndexError, where the last group had no column of its own"
    alone = 0
    for seed in range(12):
        X, y = copied(seed, n=90, m=12, share=.6)
        X[:, 11] = -X[:, 0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            plain, merged = (GDM(8, n_per_iter=8, chance=None, tol=1e-8, memory=memory, **settings).fit(STORES[store](X), y) for memory in (None, "1M"))
        assert merged.support_.tolist() == plain.support_.tolist() and merged.gap_ <= 1e-8
        np.testing.assert_allclose(merged.coef_, plain.coef_, atol=1e-4)
        assert merged.budget_.left_out == merged.budget_.averaged == 0
        R, last = np.abs(np.corrcoef(X.T)), merged.groups_.members[-1]
        alone += all((R[j, np.concatenate(merged.groups_.members[:-1])] > 1-1e-9).any() for j in last)
    assert alone > 1

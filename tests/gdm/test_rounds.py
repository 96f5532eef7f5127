"Rounds hand on states and change none; strategies, settings and what a problem remembers"
from dataclasses import FrozenInstanceError, fields
import numpy as np
import pytest
from scipy import sparse

from fsnb.correlation.pearson import as_correlation
from fsnb.data.inputs import as_columns
from fsnb.gdm.gdm import _count_votes, GDM, _MODES, _one_vs_one, _read_settings
from fsnb.gdm.rounds import (
    State, WorkingSet, _finish, _first_machine, _first_state, _joint_objective,
    _joint_scores, _next_round, _play, _pose_problem)
from fsnb.gdm.gdm_cv import GDMCV, _split_samples
from test_gdm import clusters


def begin(model, X, y):
    columns = as_columns(X)
    settings = _read_settings(model, columns)
    pairs, machines = _one_vs_one((y > 0).astype(int), 2, settings.C, settings.fit_intercept)
    return _pose_problem(columns, as_correlation(columns), settings), _first_state(columns, machines)


def digest(state):
    "What a state holds, and which arrays, as bytes"
    return [(f.name, np.asarray(v).tobytes() if isinstance(v, np.ndarray) else repr(v))
            for f in fields(State) for v in [getattr(state, f.name)]]


@pytest.mark.parametrize("mode", _MODES)
@pytest.mark.parametrize("seed", range(3))
def test_a_round_leaves_its_state_alone(mode, seed):
    X, y, _ = clusters(seed, n=60, p=25)
    problem, state = begin(GDM(6, mode=mode, n_per_iter=2), X, y)
    states = [state]
    while not states[-1].done and len(states) < 6:
        before = digest(states[-1])
        states.append(_next_round(problem, states[-1]))
        assert digest(states[-2]) == before
    last = digest(states[-1])
    _finish(problem, states[-1])
    assert digest(states[-1]) == last and len(states) > 2


@pytest.mark.parametrize("mode", _MODES)
def test_any_round_can_be_played_again(mode):
    X, y, _ = clusters(3, n=60, p=25)
    problem, state = begin(GDM(6, mode=mode, n_per_iter=2), X, y)
    states = [state, *_play(problem, state, 4)]
    for one, two in zip(states, states[1:]):
        again = _next_round(problem, one)
        assert again.supports == two.supports and again.cuts == two.cuts and again.done == two.done
        np.testing.assert_allclose(again.path, two.path, rtol=1e-9)


def test_what_is_settled_is_frozen():
    X, y, _ = clusters(3, n=60, p=25)
    problem, state = begin(GDM(4), X, y)
    for thing, name in ((problem, "settings"), (problem.settings, "tau"), 
                        (state, "supports"), (state.machines[0], "alpha")):
        with pytest.raises(FrozenInstanceError): setattr(thing, name, None)


def test_fitting_changes_no_parameter():
    X, y, _ = clusters(3, n=60, p=25)
    for model in (GDM(4), GDM(4, mode="icml2012", C=50.), GDMCV(4, cv=3), GDMCV(4, consensus="votes")):
        before = model.get_params()
        assert model.fit(X+1e-3*np.random.default_rng(0).standard_normal(X.shape), y).get_params() == before


def test_a_working_set_keeps_places():
    r = np.random.default_rng(0)
    X, y = r.standard_normal((40, 90)), np.where(r.random(40) < .5, 1., -1.)
    working, order = WorkingSet(as_columns(X)), []
    for _ in range(12):
        wanted = r.integers(0, 90, 9).tolist()
        order += [j for j in dict.fromkeys(wanted) if j not in order]
        working.add(list(dict.fromkeys(wanted)))
        assert working.index.tolist() == order
        np.testing.assert_allclose(working.rows()[0], as_columns(X).standardized(order))
    rows = np.arange(0, 40, 2)
    np.testing.assert_allclose(working.rows(rows)[0], as_columns(X).standardized(order)[rows])


def test_several_machines_are_blocks_of_one_pass(monkeypatch):
    from fsnb.gdm import rounds as room
    r = np.random.default_rng(0)
    columns, codes = as_columns(r.standard_normal((60, 30))), np.arange(60) % 4
    _, machines = _one_vs_one(codes, 4)
    whole = _joint_scores(columns, machines)
    monkeypatch.setattr(room, "BLOCK", 60)                     # two machines a block
    for part, all_ in zip(_joint_scores(columns, machines), whole): np.testing.assert_allclose(part, all_)
    assert _joint_objective(machines) == pytest.approx(1/sum(1/m.theta for m in machines))


def test_weights_of_a_first_machine():
    for y in (np.r_[np.ones(3), -np.ones(7)], np.ones(5)):
        bare = _first_machine(y, C=2., fit_intercept=False)
        assert bare.alpha.tolist() == [1/len(y)]*len(y) and bare.theta == pytest.approx(1/(4*len(y)))
    assert _first_machine(np.r_[np.ones(3), -np.ones(7)]).alpha[[0, -1]].tolist() == [1/6, 1/14]


def test_votes_are_whole_but_for_ties():
    r = np.random.default_rng(0)
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    votes = _count_votes(r.standard_normal((200, 3)), pairs, 3)
    assert (np.abs(votes-np.round(votes)) < 1/3).all() and (np.round(votes).sum(1) == 3).all()


@pytest.mark.parametrize("cv", [2, 3, None])
def test_each_sample_is_left_out_once(cv):
    codes = np.random.default_rng(0).permutation(np.repeat([0, 1], [7, 12]))
    folds = _split_samples(codes, cv)
    assert len(folds) == (cv or 5) and (np.sum(folds, 0) == len(folds)-1).all()


def test_while_machines_are_fitted_nothing_is_held_of_every_feature(monkeypatch):
    "Scores and ranks are of the first half of a round; the rows of a restricted problem are of the second"
    import weakref
    import fsnb.gdm.rounds as page
    from fsnb.gdm.rounds import GlobalMode
    X, y = clusters(0)[:2]
    columns = as_columns(sparse.csc_matrix(X))
    held, rows = [], []
    def look(self, problem, state):
        rows.append(problem.working.stored)
        scored = true_look(self, problem, state)
        held[:] = [weakref.ref(scored.scores), weakref.ref(scored.ranks)]
        return scored
    def fit(*args):
        assert all(ref() is None for ref in held)
        return page_fit(*args)
    true_look, page_fit = GlobalMode.look, page._fit_machines
    monkeypatch.setattr(GlobalMode, "look", look)
    monkeypatch.setattr(page, "_fit_machines", fit)
    model = GDM(4, n_per_iter=2).fit(columns, y)
    assert model.n_iter_ > 1 and rows == [None]*len(rows)


def test_a_fit_holds_no_weights_of_samples_but_the_last(monkeypatch):
    "Those before the first round, and those of earlier rounds, are gone when the next problem is solved"
    import gc, weakref
    import fsnb.gdm.gdm as page
    X, y = clusters(0)[:2]
    seen, solve, first = [], WorkingSet.solve, page._first_machine
    def begun(*args):
        machine = first(*args)
        seen.append(weakref.ref(machine.alpha))
        return machine
    def watched(self, *args, **kwargs):
        gc.collect()
        assert all(ref() is None for ref in seen[:-1])
        solved = solve(self, *args, **kwargs)
        seen.append(weakref.ref(solved.alpha))
        return solved
    monkeypatch.setattr(page, "_first_machine", begun)
    monkeypatch.setattr(WorkingSet, "solve", watched)
    GDM(6, n_per_iter=2).fit(sparse.csc_matrix(X), y)
    assert len(seen) >= 3

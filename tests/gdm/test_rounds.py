"Rounds hand on states and change none; strategies, settings and what a problem remembers"
from dataclasses import fields
import numpy as np
import pytest
from scipy import sparse

from fsnb.correlation.pearson import as_correlation
from fsnb.data.inputs import as_columns
from fsnb.gdm.gdm import GDM, _MODES, _one_vs_one, _read_settings
from fsnb.gdm.rounds import (
    State, WorkingSet, _finish, _first_state,
    _next_round, _pose_problem)
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
@pytest.mark.parametrize("seed", range(2))
def test_a_round_leaves_its_state_alone(mode, seed):
    X, y, _ = clusters(seed, n=60, p=25)
    problem, state = begin(GDM(6, mode=mode, n_per_iter=2), X, y)
    states = [state]
    while not states[-1].done and len(states) < 6:
        before = digest(states[-1])
        states.append(_next_round(problem, states[-1]))
        assert digest(states[-2]) == before
        again = _next_round(problem, states[-2])                # any round can be played again
        assert again.supports == states[-1].supports and again.cuts == states[-1].cuts and again.done == states[-1].done
    last = digest(states[-1])
    _finish(problem, states[-1])
    assert digest(states[-1]) == last and len(states) > 2


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

"Rounds hand on states and change none; strategies, settings and what a problem remembers"
from dataclasses import fields
import numpy as np
import pytest

from fsnb.correlation.pearson import as_correlation
from fsnb.data.inputs import as_columns
from fsnb.gdm.gdm import GDM, _MODES, _one_vs_one, _read_settings
from fsnb.gdm.rounds import (
    State, _finish, _first_state, _next_round, _pose_problem)
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
def test_a_round_leaves_its_state_alone(mode):
    X, y, _ = clusters(0, n=60, p=25)
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

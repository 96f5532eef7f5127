"""A small sample of the campaign, always the same one; `make campaign` runs all of it.

Right is: the answer of the same data as plain arrays, or one clear error. Cases run in a process of their own, so that a
crash is a failure of one case.
"""
import importlib, inspect, sys
from pathlib import Path
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_selection import SelectorMixin

sys.path.insert(0, str(Path(__file__).resolve().parent))
import fsnb, outcomes, subjects
from cases import PARTS, list_cases, name_of, sample_of
from fsnb.data.checks import check_number
from known import KNOWN, known_line
from outcomes import RIGHT
from subjects import METHODS, MORE, SUBJECTS
from workers import run_cases

SAMPLE = {"inputs": 120, "parameters": 240, "files": 100, "folders": 60, "kills": 6}


@pytest.mark.parametrize("part", PARTS)
def test_a_sample_is_right(part):
    cases = [c for c in sample_of(list_cases(part), SAMPLE[part]) if not known_line(name_of(c))]
    found = {name_of(case): told for case, told, _ in run_cases(cases, 1)}
    assert len(found) == len(cases)
    assert {name: told for name, told in found.items() if told[0] not in RIGHT} == {}


def test_known_cases_exist():
    "A line that stands for no case says nothing; `make campaign` finds those that are right by now"
    named = {known_line(name_of(c)) for part in PARTS for c in list_cases(part)}
    assert KNOWN.keys() <= named


def test_names_are_unique():
    names = [name_of(c) for part in PARTS for c in list_cases(part)]
    assert len(set(names)) == len(names) > 15000


def test_every_selector_and_function_at_the_door_is_tried():
    "What is at `fsnb` and takes columns, or groups, is a subject of the campaign"
    tried = {getattr(s, "function", s.source).__name__ for s in [*SUBJECTS.values(), *MORE.values()]}
    at_the_door = {n for n in fsnb.__all__ if callable(getattr(fsnb, n)) and not inspect.ismodule(getattr(fsnb, n))}
    assert at_the_door-tried <= {"read_data"}      # a file, see bad_files.py
    chapters = [importlib.import_module(f"fsnb.{chapter}") for chapter in ("filters", "gdm", "groups", "margin", "spectral")]
    named = {name: getattr(chapter, name) for chapter in (fsnb, *chapters) for name in chapter.__all__}
    selectors = {name for name, thing in named.items() if isinstance(thing, type) and issubclass(thing, SelectorMixin) and hasattr(thing, "fit")}
    assert selectors <= tried and {type(m).__name__ for m in METHODS.values()} <= named.keys()


def judged(function):
    "What the campaign says of a function of X and y on CSC"
    subjects.SUBJECTS["wrong"] = subjects.Function("wrong", function, {})
    outcomes.REFERENCES.pop("wrong", None)
    try: return outcomes.judge_input("wrong", "sparse csc_matrix").word
    finally: del subjects.SUBJECTS["wrong"]


def other_answer(X, y): return [float(sp.issparse(X))]
def other_by_little(X, y): return [1+1e-5*sp.issparse(X)]
def warns(X, y): return np.log(np.zeros(1)).tolist()
def fails_inside(X, y): return np.zeros(3)@np.zeros(4)
def right(X, y): return [float(X.sum())]
def nameless(X, y):
    try: check_number("value", "x", "(0, 1)")
    except ValueError as error:
        error.args = ("nothing is right here",)
        raise


@pytest.mark.parametrize("function, word", [(other_answer, "silent"), (other_by_little, "silent"), (warns, "RuntimeWarning"), (right, "same"),
                                            (fails_inside, "traceback"), (nameless, "unclear error")])
def test_what_is_wrong_is_seen(function, word):
    assert judged(function) == word


def test_a_crash_and_a_hang_end_one_case():
    cases = [("probe", word) for word in ("crash", "hang", "traceback")]
    assert {case[1]: told[0] for case, told, _ in run_cases(cases, 1, calm=1)} == {c[1]: c[1] for c in cases}

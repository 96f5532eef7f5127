"""Answers of all selectors on made sets are those in answers.json, which golden_cases.py wrote.

Support and members are compared exactly and in order, numbers to a share of 1e-6 (`LOOSE` lists
exceptions), and a gap stays within the selector's tol. Deliberate changes, a line each, with why:
- GDM auto: e-BH counts supports, not features, e-values hold under permutations, and a round takes all that are significant; permutations help small data.
- GDM with several classes (dense 3): machines that separate their samples have the logistic loss's weights, which gives the last score; each class that has a significant feature gets a group before another gets a second.
- FCBF.icml2003: its members are tested as those of FCBF are; chance= is gone from selectors that only rank, see groups_around.
- GDM mode thesis2015, mode icml2012: the papers' modes have neither links nor an intercept, which were parameters.
- OneClassGDM supports: groups are linked; link=False was a parameter. The cases "GDM link" and "GDM fit_intercept" went with theirs; correlation_constraint=False is tau=None, with the same answers.
- FSIR2 power, secular, neighbors: `FSIR2.icdm2015` with FSIR2's measures and rounding; solver= was a parameter. "FSIR2 greedy" went with it, and "FSIR2 convex", which was "FSIR2" again.
- GFlasso, OSCAR, NcFGS, NcTFGS: the cases say alpha=.1 and tol=1e-10, which were defaults, and graph= for threshold=; no answer changed.
- SVMRFE: the constant has no penalty, so what is added to a column changes nothing.
"""
import sys
from pathlib import Path
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from golden_cases import NAMES, find_differences, fit_case, read_answer, read_frozen

FROZEN = read_frozen()

def test_every_case_is_frozen():
    assert list(FROZEN) == NAMES

@pytest.mark.parametrize("name", NAMES)
def test_an_answer_is_the_frozen_one(name):
    assert find_differences(name, read_answer(fit_case(name)), FROZEN.get(name, {})) == []

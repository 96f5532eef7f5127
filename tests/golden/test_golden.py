"""Answers of all selectors on made sets are those in answers.json, which golden_cases.py wrote.

Support and members are compared exactly and in order, numbers to a share of 1e-6 (`LOOSE` lists
exceptions), and a gap stays within the selector's tol. Deliberate changes, a line each, with why:
- GDM auto: e-BH counts supports; e-values hold under permutations; a round takes all significant.
- GDM auto: permutations of y decide the first round of small data; later rounds ask whether the first
  agrees; supports that the others explain are dropped.
- GDM, dense 3: separating machines weigh by the logistic loss; classes take their groups in turn.
- FCBF.icml2003: members are tested as those of FCBF are; selectors that only rank have no chance=.
- GDM mode thesis2015, icml2012: neither links nor an intercept, which were parameters.
- OneClassGDM supports: groups are linked, link=False was a parameter; so were two cases of GDM.
- FSIR2 power, secular, neighbors: of `FSIR2.icdm2015`; solver= was a parameter, as of two cases.
- GFlasso, OSCAR, NcFGS, NcTFGS: alpha=.1, tol=1e-10, which were defaults; no answer changed.
- SVMRFE: the constant has no penalty, so what is added to a column changes nothing.
"""
import pytest

from golden_cases import NAMES, find_differences, fit_case, read_answer, read_frozen

FROZEN = read_frozen()

def test_every_case_is_frozen():
    assert list(FROZEN) == NAMES

@pytest.mark.parametrize("name", NAMES)
def test_an_answer_is_the_frozen_one(name):
    assert find_differences(name, read_answer(fit_case(name)), FROZEN.get(name, {})) == []

"What the baseline, folds and one class have in common: the contract of scikit-learn, one answer from every form"
import pickle, warnings
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import fsnb
from fsnb.correlation.information import SymmetricalUncertainty
from fsnb.data.inputs import as_columns
from fsnb.gdm.filter import FilterBruteForce
from fsnb.gdm.gdm_cv import GDMCV
from fsnb.gdm.one_class import OneClassGDM
from test_gdm import quiet


EACH = {"filter": FilterBruteForce, "folds": GDMCV, "one class": OneClassGDM}


def test_they_are_at_the_door():
    assert fsnb.GDMCV is GDMCV and fsnb.OneClassGDM is OneClassGDM and fsnb.FilterBruteForce is FilterBruteForce


@parametrize_with_checks([FilterBruteForce(), FilterBruteForce(correlation=SymmetricalUncertainty(binning="frequency")), GDMCV(), GDMCV(consensus="votes"),
                          OneClassGDM(), OneClassGDM(scale="rms", contamination="auto"), OneClassGDM(mode="cut")])
def test_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(estimator)


FORMS = {"C": np.asarray, "F": np.asfortranarray, "float32": lambda X: X.astype(np.float32), "csr": sp.csr_matrix, "csc": sp.csc_matrix,
         "pandas": lambda X: pd.DataFrame(X, columns=[f"g{j}" for j in range(X.shape[1])]),
         "polars": lambda X: pl.DataFrame(X, schema=[f"g{j}" for j in range(X.shape[1])]), "columns": lambda X: as_columns(sp.csc_matrix(X))}


@pytest.mark.parametrize("which", EACH)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_one_answer(which, form):
    r = np.random.default_rng(0)
    X = r.integers(0, 5, (60, 30)).astype(float)
    X[:, 1], X[:, 4] = X[:, 0], 4-X[:, 3]
    y = (X[:, 0]+X[:, 3]+r.standard_normal(60) > 4).astype(int)
    one, other = (quiet(EACH[which](4, tau=.4), A, y) for A in (X, FORMS[form](X)))
    assert one.support_.tolist() == other.support_.tolist()
    assert [m.tolist() for m in one.groups_] == [m.tolist() for m in other.groups_]
    if form in ("pandas", "polars"): assert other.groups_.names[0][0] == f"g{other.support_[0]}"
    if hasattr(one, "decision_function"):
        A = X if form == "columns" else FORMS[form](X)
        np.testing.assert_allclose(one.decision_function(X), other.decision_function(A), atol=2e-3*np.abs(one.decision_function(X)).max())
    assert pickle.loads(pickle.dumps(other)).support_.tolist() == other.support_.tolist() and clone(other).get_params() == other.get_params()


@pytest.mark.parametrize("paper, usual", [("icml2012", 20), ("thesis2015", 4)])
def test_a_paper_of_few_supports_takes_them_in_one_round(paper, usual):
    "n_per_iter=20 was refused, which nobody had given"
    named = getattr(fsnb.GDM, paper)
    assert [named(k).n_per_iter for k in (3, 50, "auto")] == [3, usual, usual] and named().n_per_iter == usual
    with pytest.raises(ValueError, match="n_per_iter must"): named(3, n_per_iter=7).fit(np.random.default_rng(0).normal(size=(20, 9)), [0, 1]*10)

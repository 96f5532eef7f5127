"One pass for all permutations: threads, blocks and columns passed by change nothing, and the maxima are the F test's"
import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import significance as measured
from fsnb.data.adapters import as_columns
from fsnb.groups import feature_p_values, one_pass, permuted
from fsnb.groups.max_t import _draw_stripes, _fold_permutations, open_target, permute_target


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
    for n_jobs in (2, 3, -1):
        again = feature_p_values(X, y, 99, random_state=0, n_jobs=n_jobs)
        assert all(np.array_equal(a, b) for a, b in zip(whole, again))
    assert np.array_equal(whole.p_values, feature_p_values(X.toarray(), y, 99, random_state=0).p_values)
    monkeypatch.setattr(permuted, "_STRIPE", 7)
    monkeypatch.setattr(one_pass, "BLOCK", 5000)
    monkeypatch.setattr(permuted, "_PANEL", 30*300)
    assert len(list(_draw_stripes(open_target(y, None, 300), 99, np.random.RandomState(0)))) == 4
    again = feature_p_values(X, y, 99, random_state=0)
    assert all(np.array_equal(a, b) for a, b in zip(whole, again))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_columns_passed_by_would_have_changed_nothing(monkeypatch, n_classes):
    X, y = text(1)
    y = y if n_classes == 2 else np.arange(300) % 3
    quick = feature_p_values(X, y, 99, random_state=0, method="single-step")
    calls, looked = [], one_pass._fold_columns
    def all_columns(*arguments):
        arguments = list(arguments)
        arguments[8] = np.inf                       # what no maximum can reach
        calls.append(1)
        return looked(*arguments)
    monkeypatch.setattr(one_pass, "_fold_columns", all_columns)
    slow = feature_p_values(X, y, 99, random_state=0, method="single-step")
    assert calls and np.array_equal(quick.maxima, slow.maxima) and np.array_equal(quick.p_values, slow.p_values)


def test_wide_stripes_and_portions_change_nothing(monkeypatch):
    "Where permuted vectors outgrow the cache many are asked at once; the p-values are those of a few at a time"
    X, y = text(5)
    for labels in (y, np.arange(len(y)) % 3, np.random.default_rng(0).random(len(y))):
        found = feature_p_values(X, labels, 199, random_state=0)
        with monkeypatch.context() as patched:
            patched.setattr(permuted, "_STRIPE_BYTES", 0)
            patched.setattr(permuted, "_PANEL", 150*8*len(y))
            again = feature_p_values(X, labels, 199, random_state=0)
        for a, b in zip(found, again): assert np.array_equal(a, b)


def test_maxima_are_those_of_scikit_learns_f_test():
    X, y = measured.like_text(2000, n=500)
    task = open_target(y, None, 500)
    stripes = [permute_target(task, 5, np.random.RandomState(0))]
    ours = _fold_permutations(as_columns(X), task, stripes, np.zeros(2000, int), 1)[0]
    assert np.allclose(ours, measured.by_f_classif(X, y, stripes[0][:, 0].T), rtol=1e-4)

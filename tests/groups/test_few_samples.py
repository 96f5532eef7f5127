"Few samples: the rule of permutations against plain loops over all of them, its bound at the step, and what can never pass"
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import f as fisher

from fsnb.correlation.pearson import as_correlation
from fsnb.data.inputs import as_columns
from fsnb.groups import few_samples
from fsnb.groups.few_samples import _AHEAD, _LARGEST, find_support_rule
from fsnb.groups.max_t import open_target, permute_target
from fsnb.naive import explained

TAU = .3

def small(seed, classes=2, n=16, p=25):
    "Columns in crowds, of which three go with y"
    r = np.random.default_rng(seed)
    y = r.permutation(np.arange(n) % classes)
    X = np.repeat(r.standard_normal((n, 8)), 4, 1)[:, :p]+r.uniform(.2, 1, p)*r.standard_normal((n, p))
    X[:, :3] += 1.5*y[:, None]
    return X, y

def made(X, y, level=.2, most=6, B=60, seed=0, n_jobs=1):
    "The rule, and the permuted y that it saw"
    columns, task = as_columns(X, n_jobs=n_jobs), open_target(y, None, len(y), "classes")
    rule = find_support_rule(columns, as_correlation(columns, "pearson"), task, level, TAU, most, B,
                             np.random.RandomState(seed), n_jobs)
    drawn = permute_target(task, B, np.random.RandomState(seed))
    codes = drawn[:, 0] if drawn.shape[1] == 1 else drawn.argmax(1)
    return rule, codes.T.astype(int)

def plain_p(X, y):
    "p-values of the F-test of each column"
    n, K = len(y), len(set(y.tolist()))
    share = np.array([explained(x, y, np.zeros(n, dtype=int), K if K > 2 else 0) for x in X.T])
    return fisher.sf(share/np.maximum(1-share, 1e-300)*(n-K)/(K-1), K-1, n-K)

def plain_openings(X, p):
    "p-values at which cliques of correlated columns open, the best column first"
    R, cliques, at = np.abs(np.corrcoef(X.T)), [], []
    for j in np.lexsort((np.arange(len(p)), p)):
        home = next((own for own in cliques if all(R[j, k] >= 1-TAU-1e-10 for k in own)), None)
        if home is not None: home.append(j)
        else:
            cliques.append([j])
            at.append(p[j])
    return np.array(at)

def plain_bound(openings, step, most):
    "Mean over the permutations, y itself as 1, of the largest share of false supports among k"
    total = 1.
    for at in openings:
        total += min(1, max((at <= min(step*(k+_AHEAD), _LARGEST)).sum()/k for k in range(1, most+1)))
    return total/(len(openings)+1)

@pytest.mark.parametrize("classes", [2, 3])
def test_the_step_is_the_largest_whose_bound_is_at_most_the_level(classes):
    for seed in range(4):
        X, y = small(seed, classes)
        rule, drawn = made(X, y)
        np.testing.assert_allclose(rule.p_values, plain_p(X, y), rtol=1e-6, atol=1e-12)
        openings = [plain_openings(X, plain_p(X, own)) for own in drawn]
        assert plain_bound(openings, rule.step*(1-1e-6), 6) <= .2 < plain_bound(openings, rule.step*(1+1e-5), 6)
        assert rule.limit(3) == rule.step*(3+_AHEAD) and rule.limit(10**9) == _LARGEST

@pytest.mark.parametrize("store, n_jobs", [(np.asfortranarray, 1), (np.float32, 1), (sp.csc_matrix, 1), (sp.csc_matrix, 2), (np.asarray, 2)])
def test_the_step_does_not_depend_on_storage_threads_or_parts(store, n_jobs, monkeypatch):
    X, y = small(1, 3, p=30)
    X = X.round(2).astype(np.float32).astype(float)
    right = made(X, y)[0]
    for block in (None, 200):
        if block: monkeypatch.setattr(few_samples, "BLOCK", block)
        rule = made(store(X), y, n_jobs=n_jobs)[0]
        assert rule.step == pytest.approx(right.step, rel=1e-6)
        np.testing.assert_allclose(rule.statistics, right.statistics, rtol=1e-5)

def test_too_few_permutations_let_nothing_pass():
    X, y = small(0)
    assert made(X, y, level=.05, B=18)[0].limit(np.arange(1, 9)).max() == 0
    assert made(X, y, level=.05, B=19)[0].step > 0      # y itself is one of twenty

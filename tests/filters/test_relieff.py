"ReliefF: the letter, blocks, a sample of targets, categories."
from functools import partial
import numpy as np, pandas as pd, pytest, scipy.sparse as sp, fsnb.filters.relieff as relieff
from fsnb import ReliefF, naive
from fsnb.filters import relieff_scores

def made(seed, n=30, p=7, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))*rng.choice([1e-3, 1, 1e4], p)
    X *= rng.random((n, p)) < rng.choice([.3, 1])
    y = rng.choice(classes, n, p=np.arange(1, classes+1)/np.arange(1, classes+1).sum())
    y[:classes] = np.arange(classes)
    return X, y

@pytest.mark.parametrize("prior", ["class", "equal"])
@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_is_the_letter(seed, classes, prior):
    "Classes of one sample, more neighbours than samples, empty entries, equal values among them"
    X, y = made(seed, classes=classes)
    if (seed+classes) % 2: X = np.round(X/X.std(0))
    k = [1, 3, 100][seed]
    letter = naive.relieff(X, y.tolist(), k, prior == "class")
    for some in (X, sp.csc_matrix(X), sp.csr_matrix(X)):
        np.testing.assert_allclose(relieff_scores(some, y, k, prior=prior), letter, atol=1e-12)

def test_blocks_do_not_matter(monkeypatch):
    X, y = made(1, 50, 30)
    whole = relieff_scores(X, y, 4)
    monkeypatch.setattr(relieff, "SMALL_BLOCK", 130)
    np.testing.assert_allclose(relieff_scores(X, y, 4), whole, atol=1e-13)
    np.testing.assert_allclose(relieff_scores(sp.csc_matrix(X), y, 4), whole, atol=1e-13)

def test_some_targets():
    X, y = made(2, 40)
    one, again, other, every = (relieff_scores(X, y, 3, n_targets=n, random_state=seed)
                                for n, seed in ((7, 0), (7, 0), (7, 1), (40, 0)))
    np.testing.assert_array_equal(one, again)
    assert np.abs(one-other).max() > 0
    np.testing.assert_allclose(every, relieff_scores(X, y, 3), atol=1e-13)

def categories(seed, n=30, classes=2):
    "Two columns of categories among numbers, empty entries in all"
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6))*(rng.random((n, 6)) < .7)
    X[:, 1], X[:, 4] = rng.choice([0, 2, 5, 90], n), rng.choice([-3, 0, 1e8, 1e17, 1e17+64], n)
    y = rng.integers(0, classes, n)
    y[:classes] = np.arange(classes)
    return X, y

@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_categories_are_the_letter(seed, classes):
    "And have no order and no scale"
    X, y = categories(seed, classes=classes)
    k, score = [1, 3, 100][seed], partial(relieff_scores, categorical=[1, 4])
    letter = naive.relieff(X, y.tolist(), k, categorical=[1, 4])
    assert np.abs(letter-naive.relieff(X, y.tolist(), k)).max() > 1e-3
    other = X.copy()
    for j in (1, 4):
        values, codes = np.unique(X[:, j], return_inverse=True)
        other[:, j] = 1e9+1e5*np.random.default_rng(j).permutation(len(values))[codes]
    for some in (X, np.asfortranarray(X), sp.csc_matrix(X), sp.csr_matrix(X), other):
        np.testing.assert_allclose(score(some, y, k), letter, atol=1e-12)

def test_a_mask_and_names_are_not_numbers_of_columns():
    X, y = categories(1)
    letter = naive.relieff(X, y.tolist(), 3, categorical=[1, 4])
    frame, mask = pd.DataFrame(X, columns=list("abcdef")), np.isin(np.arange(6), [1, 4])
    for given in (["b", "e"], mask, pd.Series(mask)):
        fitted = ReliefF(2, n_neighbors=3, categorical=given).fit(frame, y)
        np.testing.assert_allclose(fitted.scores_, letter, atol=1e-12)
    for given in ([6], [-1], [.5], [True, False], ["b"]):
        with pytest.raises(ValueError, match="categorical"): ReliefF(2, categorical=given).fit(X, y)

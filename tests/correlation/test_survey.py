"Every pair of columns in its bin: all ways of counting beside brute force, on small random cases of every kind."
import itertools
from collections import Counter
from fractions import Fraction
import numpy as np, pytest, scipy.sparse as sp, fsnb.correlation.survey as page
from doors import correlations, peak_of, with_zeros
from fsnb.correlation.survey import _read_edges, survey_pairs
from fsnb.data.genotypes import GenotypeColumns, pack_calls
from fsnb.data.inputs import as_columns

def brute(X, edges, above=2.):
    "Counts, pairs and constants from all correlations, each of centred columns"
    varies, (j, k) = np.ptp(X, axis=0) > 0, np.triu_indices(X.shape[1], 1)
    r, ok = correlations(X)[j, k], varies[j] & varies[k]
    counts = [(ok & (np.abs(r) >= low-1e-10)).sum() for low in edges[:-1]]
    pairs = {(a, b): x for a, b, x in zip(j[ok], k[ok], r[ok]) if abs(x) >= above-1e-10}
    return -np.diff([*counts, 0]), pairs, (~ok).sum()

def drawn(kind, seed):
    r = np.random.default_rng([seed, len(kind)])
    n, p = int(r.integers(4, 60)), int(r.integers(2, 45))
    X = (r.random((n, p)) < r.uniform(.02, .6)).astype(float)
    if kind == "counts": X *= r.integers(1, 5, X.shape)
    if kind == "real": X *= r.lognormal(0, 1, X.shape)
    if kind == "signs": X *= r.choice([-1., 1.], X.shape)
    if kind == "signed": X *= r.standard_normal(X.shape)
    if kind == "shifted": X[:, ::5] += r.choice([1., 20., 40., 1e5], X[:, ::5].shape[1])
    if kind == "full": X[:, ::2] = r.random(X[:, ::2].shape)*(r.random(X[:, ::2].shape) < .8)
    if kind == "calls": X = r.integers(0, 3, X.shape).astype(float)*X
    X[:, r.integers(0, p)] = X[:, 0]                        # a copy
    X[:, r.integers(0, p)] = r.integers(0, 2)               # a constant
    return X

KINDS = "binary", "counts", "real", "signs", "signed", "shifted", "full", "calls"

@pytest.mark.parametrize("kind", KINDS)
def test_all_ways_count_what_brute_force_counts(kind):
    for seed in range(10):
        X = drawn(kind, seed)
        p, bins, above = X.shape[1], (20, 7, [0, .1, .5, 1], 100, 1)[seed % 5], (.5, .05, .999, .2, 1.)[seed % 5]
        counts, pairs, n_constant = brute(X, _read_edges(bins), above)
        ways = [sp.csc_matrix(X), X, sp.csr_matrix(X), with_zeros(X)]
        if kind in ("calls", "binary"): ways.append(GenotypeColumns(pack_calls(X), len(X)))
        for way in ways:
            found = survey_pairs(way, bins, above)
            assert found.counts.tolist() == counts.tolist() and found.counts.dtype == np.int64
            assert found.n_constant == n_constant and found.counts.sum()+found.n_constant == p*(p-1)//2
            j, k, r = found.pairs
            assert len(j) == len(pairs) and (j < k).all() and set(zip(j, k)) == set(pairs)
            np.testing.assert_allclose(r, [pairs[a] for a in zip(j, k)], atol=1e-9)
            assert (np.diff(np.abs(r)) <= 1e-9).all()

@pytest.mark.parametrize("kind", ["counts", "signed", "shifted"])
def test_pieces_and_threads_change_nothing(kind, monkeypatch):
    X = sp.csc_matrix(drawn(kind, 3))
    whole = survey_pairs(X, above=.1)
    for name, size in (("_SURVEY_BLOCK", 5), ("_ROW_BLOCK", 20), ("_TILE", 40)):
        monkeypatch.setattr(page, name, size)
    for n_jobs in (1, 3):
        for way in (X, X.toarray()):
            found = survey_pairs(way, above=.1, n_jobs=n_jobs)
            assert found.counts.tolist() == whole.counts.tolist()
            assert [x.tolist() for x in found.pairs[:2]] == [x.tolist() for x in whole.pairs[:2]]

def test_full_columns_are_not_walked_row_by_row(monkeypatch):
    r = np.random.default_rng(0)
    X = r.random((60, 25))*(r.random((60, 25)) < .9)
    edges = _read_edges(20)
    monkeypatch.setattr(page, "RowSurvey", lambda *args: pytest.fail("walked through the rows of full columns"))
    assert survey_pairs(sp.csc_matrix(X)).counts.tolist() == brute(X, edges)[0].tolist()

def test_a_list_outgrows_its_first_room_and_is_refused_where_it_is_too_long(monkeypatch):
    X = drawn("counts", 5)
    found = survey_pairs(sp.csc_matrix(X), above=1e-9)
    run = page.RowSurvey.run
    monkeypatch.setattr(page.RowSurvey, "run", lambda *args: run(*args, room=1))
    again = survey_pairs(sp.csc_matrix(X), above=1e-9)
    assert len(found.pairs[0]) == len(brute(X, _read_edges(20), 1e-9)[1]) > 1
    assert again.counts.tolist() == found.counts.tolist() and again.pairs[0].tolist() == found.pairs[0].tolist()
    monkeypatch.setattr(page, "_MOST_LISTED", 10)
    with pytest.raises(ValueError, match="more than 10 pairs reach above=0.01: raise it"):
        survey_pairs(X, above=.01)

def test_rounding_decides_nothing_at_an_edge():
    "Binary columns of 3 entries of 12 rows, all pairs at simple fractions that are edges"
    X = np.array([np.isin(np.arange(12), (np.arange(3)+j) % 12) for j in range(6)]).T*1.
    exact = Counter(abs(Fraction(12*int(X[:, j]@X[:, k])-9, 27)) for j, k in itertools.combinations(range(6), 2))
    edges = sorted({Fraction(0), *exact, Fraction(1)})
    for scale in (1., 3., .1, 7e-5):
        for way in (sp.csc_matrix(scale*X), scale*X):
            assert survey_pairs(way, [float(e) for e in edges]).counts.tolist() == [exact[low] for low in edges[:-1]]

def test_no_p_by_p_array():
    X = sp.random(300, 20_000, 3e-3, "csc", random_state=0)
    peak, found = peak_of(lambda: survey_pairs(X), warm=True)
    assert found.counts.sum()+found.n_constant == 20_000*19_999//2
    assert peak < 12*X.data.nbytes+150*20_000+2**20 < 20_000**2/50

def test_what_is_told_and_what_is_refused():
    for X in (np.ones((5, 4)), np.arange(6.)[:, None], sp.csc_matrix((5, 4))):  # nothing varies
        p, found = X.shape[1], survey_pairs(X, above=.5)
        assert found.counts.sum() == 0 and found.n_constant == p*(p-1)//2
        assert found.share_above().tolist() == [0.]*20 and len(found.frame()) == 0
    X = drawn("counts", 9)
    found = survey_pairs(as_columns(X, [f"w{j}" for j in range(X.shape[1])]), above=.1)
    frame = found.frame()
    assert list(frame.columns) == ["first", "second", "correlation"] and frame["first"][0].startswith("w") and "listed" in repr(found)
    for settings in (dict(bins=[0, 1, 2]), dict(bins=True), dict(above=0)):  # they would count something else
        with pytest.raises(ValueError, match="must"): survey_pairs(np.eye(4), **settings)

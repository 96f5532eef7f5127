"FCBF and its cuts against loops, other implementations, and what a scikit-learn user expects"
import numpy as np, pytest, scipy.sparse as sp

from fsnb import CFS, FCBF, ConsistencyFilter, Discretizer, naive
from fsnb.correlation.information import SymmetricalUncertainty
from fsnb.data.inputs import as_columns
from fsnb.filters.discretizer import code_features
from fsnb.filters.fcbf import _group_peers, predominant

pytestmark = [pytest.mark.filterwarnings(f"ignore:{told}") for told in (
    ".*symmetrical uncertainty is biased upward", "No features were selected",
    "no feature reaches min_su", ".*constant column")]

def categories(seed):
    "Class copies, relabelled copies, duplicates, constants, noise, ties"
    r = np.random.default_rng(seed)
    n, p, K = int(r.integers(6, 50)), int(r.integers(1, 12)), int(r.integers(2, 6))
    X, y = r.integers(0, K, (n, p)), r.integers(0, int(r.integers(2, 4)), n)
    if len(set(y)) == 1: y[0] = 1-y[0]
    for j in range(p):
        kind = r.integers(0, 8)
        if kind == 0: X[:, j] = y
        elif kind == 1: X[:, j] = (y+1) % 3
        elif kind == 2: X[:, j] = X[:, r.integers(p)]
        elif kind == 3: X[:, j] = 4
        elif kind == 4: X[:, j] = np.where(r.random(n) < .3, X[:, j], y)
        elif kind == 5: X[:, j] = (X[:, r.integers(p)]*3+1) % 7
    return X, y

def test_groups_are_the_peers_that_were_removed_and_that_chance_does_not_explain():
    refused = 0
    for seed in range(16):
        X, y = categories(seed)
        m, columns = FCBF(discretizer=None, min_su=0.).fit(X, y), as_columns(X)
        tables = code_features(columns, y, None)
        groups = _group_peers(predominant(tables, m.su_), columns, tables, chance=1e9)   # of all
        measure = SymmetricalUncertainty(binning="none").fit(X)
        R, level = measure.table(range(X.shape[1])), .05/(len(m.support_)*X.shape[1])
        assert set(np.concatenate(groups.members)) == set(np.flatnonzero(m.su_ > 1e-12))
        assert m.support_.tolist() == [own[0] for own in groups.members]
        for i, (whole, r) in enumerate(zip(groups.members, groups.correlations)):
            first, peers, own = whole[0], whole[1:], m.groups_[i]
            assert np.allclose(r[1:], R[first, peers]) and (np.diff(r) <= 1e-12).all()
            assert (r[1:] >= m.su_[peers]-1e-9).all()
            later = m.support_[i+1:]             # nobody who was kept is a peer of a better one
            assert (R[first, later] < m.su_[later]).all()
            lost = np.setdiff1d(whole, own)
            assert set(own) <= set(whole) and m.groups_.refused[i] == len(lost)
            assert (m.groups_.member_p_values[i][1:] <= level).all()
            assert (measure.p_values(first, lost, measure.table([first], lost)[0]) > level).all()
        refused += m.groups_.refused.sum()
    assert refused > 3

# ---- cuts

def test_missing_is_a_category_on_request():
    r = np.random.default_rng(1)
    X, y = r.integers(0, 3, (200, 6)).astype(float), r.integers(0, 2, 200)
    X[y == 1, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"): FCBF().fit(X, y)
    for how in ("mdl", "width", "frequency"):
        for x in (X, sp.csc_matrix(X)):
            for make in (FCBF, CFS, ConsistencyFilter):
                m = make(discretizer=Discretizer(how, missing="category")).fit(x, y)
                assert 2 in m.support_ and (make is ConsistencyFilter or m.su_[2] > .5)
    filled, three = np.where(np.isnan(X), 3, X), Discretizer("width", n_bins=3, missing="category")
    m = FCBF(discretizer=three)
    assert np.allclose(m.fit(X, y).su_, FCBF(discretizer=None).fit(filled, y).su_)
    d = three.fit(X)
    assert (d.transform(X)[y == 1, 2] == d.n_categories_[2]).all()
    with pytest.raises(ValueError, match="infinity"): m.fit(np.where(np.isnan(X), np.inf, X), y)

@pytest.mark.parametrize("store", [np.asarray, sp.csc_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("method", ["width", "frequency"])
def test_every_category_that_is_allowed_fits_a_byte(store, method):
    "256 parts, or 255 and NaN: none is lost by wrapping round"
    X = np.random.default_rng(0).standard_normal((2000, 3))
    X[:, 1] = np.arange(2000)
    def coded(n_bins, missing="raise"):
        codes = Discretizer(method, n_bins=n_bins, missing=missing).fit_transform(store(X))
        return codes.toarray()[:, 1] if sp.issparse(codes) else codes[:, 1]
    assert np.unique(coded(256)).tolist() == list(range(256))
    assert (np.diff(coded(256).astype(int)) >= 0).all()
    X[5, 1] = np.nan
    codes = coded(255, "category")
    assert codes[5] == 255 and (np.delete(codes, 5) < 255).all()
    with pytest.raises(ValueError, match=r"n_bins must lie in \[2, 255\]"): coded(256, "category")

# ---- the threshold

def test_threshold_is_inclusive_and_zero_is_never_enough():
    y = np.arange(40) % 2
    assert FCBF(discretizer=None, min_su=1.).fit(y[:, None], y).support_.tolist() == [0]
    none = FCBF(discretizer=None, min_su=0.).fit(np.c_[[0, 1, 0, 1], [5, 5, 5, 5]], [0, 0, 1, 1])
    assert none.support_.tolist() == [] and len(none.groups_) == 0
    with pytest.warns(UserWarning, match="are predominant|is predominant"):
        FCBF(2, discretizer=None).fit(np.c_[y, 1-y], y)

# ---- members by chance

def nearly(r, y, p=1001):
    "Columns of noise, but the first is nearly the class"
    X = r.standard_normal((len(y), p))
    X[:, 0] = np.where(r.random(len(y)) < .03, 1-y, y)+.2*r.standard_normal(len(y))
    return X

def test_the_selector_counts_the_search_for_cuts():
    r = np.random.default_rng(0)
    y = r.integers(0, 2, 80)
    X = nearly(r, y)
    X[:, 1] = X[:, 0]+.05*r.standard_normal(80)
    m, columns = FCBF(1, min_su=0.).fit(X, y), as_columns(X)
    assert sorted(m.groups_[0]) == [0, 1] and m.groups_.refused[0] > 0
    tables = code_features(columns, y, "mdl")
    want = _group_peers(predominant(tables, m.su_, k=1), columns, tables, True)
    assert [a.tolist() for a in want.members] == [a.tolist() for a in m.groups_]
    assert want.p_values[0][1] == m.groups_.member_p_values[0][1]

@pytest.mark.parametrize("method", ["mdl", "width", "frequency", "states"])
def test_sparse_codes_call_the_part_of_zero_0(method):
    "As those of dense columns otherwise, where a cut is 0, too"
    r = np.random.default_rng(0)
    X = r.integers(-4, 5, (90, 12))*(r.random((90, 12)) < .6)
    D, coded = (Discretizer(method, n_bins=4).fit_transform(store(X), X[:, 0] > 0) for store in (np.asarray, sp.csc_matrix))
    zero = np.array([code[x == 0][0] for code, x in zip(D.T, X.T)])
    assert np.array_equal(coded.toarray(), np.where(D == zero, 0, D+(D < zero)))

@pytest.mark.parametrize("store", [np.array, sp.csc_matrix])
def test_a_value_on_an_edge_is_in_the_part_that_it_begins(store):
    "FCBF put it above and the discretizer below"
    for seed in range(2):
        r = np.random.default_rng(seed)
        X, y = r.integers(-9, 50, (60, 5))*(r.random((60, 5)) < .8), np.arange(60) % 2
        for n_bins in (3, 7, 10, 29):
            codes = Discretizer("width", n_bins=n_bins).fit_transform(store(X))
            direct = FCBF(discretizer=Discretizer("width", n_bins=n_bins)).fit(store(X), y).su_
            np.testing.assert_allclose(direct, FCBF(discretizer=None).fit(codes, y).su_, atol=1e-13)
            dense = Discretizer("width", n_bins=n_bins).fit_transform(X)
            for j in range(5): assert dense[:, j].tolist() == naive.bins(X[:, j], n_bins, "width")

@pytest.mark.parametrize("store", [np.array, sp.csc_matrix])
@pytest.mark.parametrize("selector", [FCBF, CFS, ConsistencyFilter])
def test_whole_numbers_that_float64_cannot_tell_apart_are_refused(selector, store):
    "FCBF took two categories for one, and the others said: scale it"
    b, make = np.arange(40) % 2, selector(discretizer=None)
    with pytest.raises(ValueError, match="but column 1 lies too far from zero"):
        make.fit(store(np.c_[b, 2**53+b]), b)
    assert make.fit(store(np.c_[b, np.full(40, 2**53+1)]), b).support_.tolist() == [0]

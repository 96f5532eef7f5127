"Made data: seeds, weights, labels, densities, cells and genotypes"
import numpy as np, pytest, scipy.sparse as sp

from fsnb import GDM
from fsnb.groups.synthetic import make_cells, make_genotypes, make_groups

SMALL = dict(n_samples=3000, n_features=60, group_sizes=(4, 3, 2, 0), random_state=0)

def same(a, b):
    "Two answers, to the bit"
    def dense(x): return x.toarray() if sp.issparse(x) else x
    return all(np.array_equal(dense(getattr(a, f)), dense(getattr(b, f))) for f in ("X", "y", "X_test", "y_test", "weights")) and a.groups == b.groups

@pytest.mark.parametrize("sparse", [False, .02])
def test_seeds(sparse):
    small, rng = SMALL | dict(n_samples=200, sparse=sparse, signed=True, label_noise=.2), np.random.default_rng(0)
    a = make_groups(**small)
    assert same(a, make_groups(**small)) and not same(a, make_groups(**small | dict(random_state=1)))
    assert same(a, make_groups(**small | dict(random_state=rng))) and not same(a, make_groups(**small | dict(random_state=rng)))

@pytest.mark.parametrize("weights", ["informative", "uniform", "normal", "equal", [3, -2, 1, 0]])
def test_weights(weights):
    for seed in range(6):
        d = make_groups(**SMALL | dict(n_samples=50, weights=weights, signed=bool(seed % 2), random_state=seed))
        assert set(np.flatnonzero(d.weights)) <= set(d.groups.all_members)
        turned = [d.weights[m]*np.sign(r) for m, r in zip(d.groups.members, d.groups.correlations)]
        np.testing.assert_allclose(d.groups.scores, [w.sum() for w in turned])
        if weights == "equal" or isinstance(weights, list):
            np.testing.assert_allclose(d.groups.scores, 1 if weights == "equal" else weights)
        every = d.weights[d.groups.all_members]      # a feature's own weight stays positive, a group's turns with the signs
        if weights in ("informative", "uniform"):
            assert every.min() >= .25*(weights == "informative") and every.max() <= 1
        else: assert all(np.ptp(w) < 1e-12 for w in turned)

@pytest.mark.parametrize("sparse", [False, .01])
def test_labels_are_the_sign_of_the_sum(sparse):
    d = make_groups(**SMALL | dict(sparse=sparse, signed=True))
    X = np.r_[d.X.toarray(), d.X_test.toarray()] if sparse else np.r_[d.X, d.X_test]
    if sparse: X = (X-X.mean(0))/np.where(X.std(0) > 0, X.std(0), 1)
    z = X@d.weights
    sure = np.abs(z) > 1e-4
    assert (np.where(z >= 0, 1, -1) == np.r_[d.y, d.y_test])[sure].all() and sure.mean() > .9

@pytest.mark.parametrize("density", [.001, .01, .1])
def test_sparse_densities(density):
    d = make_groups(n_samples=1000, n_features=5000, group_sizes=(3, 2), sparse=density, signed=True, random_state=0)
    noise = d.groups.labels() == -1
    X = sp.vstack([d.X, d.X_test], format="csc")
    assert .5*density < X[:, noise].nnz/(2000*noise.sum()) < 1.6*density
    assert set(np.unique(d.X[:, noise].data)) == {1} and set(np.unique(d.X.data)) == {-1, 1}
    count = np.diff(X.indptr)
    assert count.min() >= 1 and d.X.has_canonical_format and X.dtype == np.float32
    for m in d.groups:
        assert len(set(count[m])) == 1 and .02*2000 <= count[m[0]] <= .1*2000+1       # affiliated features are as rare as the support

def test_all_features_in_groups_and_the_smallest():
    assert len(make_groups(50, 9, (4, 3), random_state=0).groups.all_members) == 9
    d = make_groups(2, 1, (0,), random_state=0)
    assert d.X.shape == (2, 1) and d.groups.support.tolist() == [0]
    np.testing.assert_allclose(np.concatenate([r[1:] for r in make_groups(**SMALL | dict(n_samples=20, rho=.9)).groups.correlations]), .9)

def test_what_would_make_other_data_without_a_word_is_refused():
    "Once: weights of NaN, infinity or 0 put all samples into one class; sizes were truncated"
    for change in (dict(weights=[1, 2, 3, np.nan]), dict(weights=[0]*4), dict(weights=[1, 2, 3, np.inf]), dict(group_sizes=[2.7, 1]),
                   dict(rho=1), dict(signed=1.), dict(sparse=.5), dict(label_noise=np.nan), dict(n_features=12)):
        with pytest.raises(ValueError, match=next(iter(change))):
            make_groups(**SMALL | dict(n_samples=20) | change)

def test_cells_are_of_types_and_their_programmes_are_found():
    cells, raw = make_cells(400, 300, random_state=1), make_cells(400, 300, random_state=1, counts=True)
    assert cells.X.shape == (400, 300) and len(set(cells.names)) == 300 and set(cells.obs.cell_type) == {"B", "T", "NK", "Mono"}
    counts = raw.X.toarray()
    np.testing.assert_allclose(cells.X.toarray(), np.log1p(1e4*counts/counts.sum(1, keepdims=True)), rtol=1e-5)
    assert (counts >= 0).all() and not (counts % 1).any() and cells.obs.equals(raw.obs)
    assert (make_cells(9, 300, random_state=2).names == cells.names).all()          # the genes are the same for all seeds
    groups = GDM("auto", tau=.6).fit(cells, "cell_type").groups_
    assert {"B", "T", "Mono"} <= {own[0][:-2] for own in groups.names}
    assert all(len({name[:-2] for name in own}) == 1 for own in groups.names)

@pytest.mark.parametrize("seed", range(4))
def test_causal_blocks_of_genotypes_are_found(seed):
    study = make_genotypes(random_state=seed)
    X = study.X.to_numpy()
    assert X.shape == (600, 300) and set(np.unique(X)) <= {0, 1, 2} and set(study.y) == {1, 2}
    causal = study.groups.support
    assert len(causal) == 2 and np.flatnonzero(study.weights).tolist() == causal.tolist()
    for own, r in zip(study.groups.members, study.groups.correlations): np.testing.assert_allclose(np.corrcoef(X[:, own].T)[0], r)
    assert {j//15 for j in GDM("auto").fit(X, study.y).support_} == {j//15 for j in causal}
    assert make_genotypes(random_state=seed).X.equals(study.X)

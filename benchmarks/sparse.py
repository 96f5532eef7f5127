"""The shape of news20 (10 000 x 1.36 M, 4.4 M nonzeros, generated): 265 supports beside one L1-SVM fit of that size.

`strict` counts true members inside the group that answers for their true group, `true` true features whatever the groups.
`l1_svm` has the rival over its cost C, since the one that is told the number of features is not its best: the best is chosen
on the samples that it is judged on, which favours it. No clock there.
"""
import numpy as np

from fsnb import GDM, as_columns, make_groups
from fsnb.groups.metrics import strict_hits

from .common import clock, extra_memory, l1_svm, table

COSTS = .01, .02, .05, .1, .2, .5, 1, 3


def over_costs(data):
    "The L1-SVM at each cost: features, true ones, held-out accuracy"
    from sklearn.svm import LinearSVC
    truth, rows = data.groups.all_members, []
    for C in COSTS:
        model = LinearSVC(penalty="l1", dual=False, C=C, random_state=0).fit(data.X, data.y)
        chosen = np.flatnonzero(model.coef_[0])
        true = int(np.isin(chosen, truth).sum())
        rows.append(dict(C=C, features=len(chosen), true=true, wrong=len(chosen)-true, accuracy=model.score(data.X_test, data.y_test)))
    return table(rows, "the L1-SVM over its cost")


def storage(n=10_000, p=200_000, nonzeros=4_000_000, asked=200):
    "Feature-wise against point-wise storage (thesis, Appendix i): products of given features with y, and with all features at once"
    from numba import njit
    from scipy.sparse import random_array
    X = random_array((n, p), density=nonzeros/(n*p), format="csc", rng=np.random.default_rng(0))
    rows = X.tocsr()
    v, some = np.random.default_rng(1).standard_normal(n), np.random.default_rng(2).choice(p, asked, replace=False)

    @njit
    def by_points(data, indices, indptr, v, some, out):
        for k, j in enumerate(some):
            total = 0.
            for i in range(len(v)):
                at, end = indptr[i], indptr[i+1]
                while at < end:
                    middle = (at+end)//2
                    if indices[middle] < j: at = middle+1
                    else: end = middle
                if at < indptr[i+1] and indices[at] == j: total += v[i]*data[at]
            out[k] = total

    @njit
    def by_features(data, indices, indptr, v, some, out):
        for k, j in enumerate(some):
            total = 0.
            for at in range(indptr[j], indptr[j+1]): total += data[at]*v[indices[at]]
            out[k] = total

    out = dict(n=n, p=p, nonzeros=int(X.nnz), asked=asked)
    found = {}
    for name, product, M in (("point_wise", by_points, rows), ("feature_wise", by_features, X)):
        found[name] = np.empty(asked)
        product(M.data, M.indices, M.indptr, v, some[:1], np.empty(1))          # compiles
        out[name], _ = clock(lambda: product(M.data, M.indices, M.indptr, v, some, found[name]), 5)
    assert np.allclose(found["point_wise"], found["feature_wise"])
    out["all_point_wise"], _ = clock(lambda: rows.T@v, 5)
    out["all_feature_wise"], _ = clock(lambda: X.T@v, 5)
    table([out], "given features, and all: seconds by storage")
    return out


def run(quick=False):
    n, p, k = (2000, 50_000, 40) if quick else (10_000, 1_360_000, 265)
    sizes = ((1, 2, 3, 4, 5)*k)[:k//3]+(0,)*(k-k//3)
    data = make_groups(n, p, sizes, weights="normal", sparse=4.4/13_600 if not quick else .001, label_noise=.2, random_state=0, n_test=n//4)
    X, y = data.X, data.y
    size = X.data.nbytes+X.indices.nbytes+X.indptr.nbytes
    print(f"{n} x {p}, {X.nnz:,} nonzeros, {size/2**20:.0f} MB")
    GDM(3).fit(X[:, :1000], y)                                     # compiles the kernels
    rows = []
    for name, model in (("GDM", GDM(k)), ("GDM, rank_by='support'", GDM(k, rank_by="support")),
                        ("GDM, rank_by='support', fit_on='supports'", GDM(k, rank_by="support", fit_on="supports"))):
        seconds, fitted = clock(lambda: model.fit(X, y), 1 if quick else 2)
        hits = strict_hits(fitted.groups_, data.groups)
        rows.append(dict(method=name, seconds=seconds, features=len(fitted.groups_.all_members), strict=hits.hits,
                         true=len(fitted.groups_.all_members)-hits.wrong, wrong=hits.wrong,
                         exact_multi=hits.exact_multi, accuracy=fitted.score(data.X_test, data.y_test)))
    _, (_, C) = clock(lambda: l1_svm(X, y, k, slack=k//20, low=1e-3, high=10, steps=8), 1)
    from sklearn.svm import LinearSVC
    seconds, model = clock(lambda: LinearSVC(penalty="l1", dual=False, C=C, random_state=0).fit(X, y), 1 if quick else 2)
    chosen = np.flatnonzero(model.coef_[0])
    hits = strict_hits([[int(j)] for j in chosen], data.groups)
    rows.append(dict(method="L1-SVM, one fit", seconds=seconds, features=len(chosen), strict=hits.hits, true=len(chosen)-hits.wrong, wrong=hits.wrong,
                     exact_multi=hits.exact_multi, accuracy=model.score(data.X_test, data.y_test)))
    columns = as_columns(X)
    columns.moments()
    v = y/len(y)
    ours, _ = clock(lambda: columns.scores(v), 5)
    scipy, _ = clock(lambda: X.T@v, 5)
    memory = extra_memory(lambda: GDM(k).fit(X, y))
    table(rows, f"{k} supports, one thread")
    print(f"score pass {1e3*ours:.1f} ms, scipy's product {1e3*scipy:.1f} ms")
    print(f"extra memory {memory/2**20:.0f} MB: X is {size/2**20:.0f} MB, a vector of p numbers {8*p/2**20:.0f} MB\n")
    return dict(storage=storage(2000, 20_000, 100_000) if quick else storage(), rows=rows, l1_svm=over_costs(data), n_samples=n, n_features=p, nonzeros=int(X.nnz), extra_memory=memory, bytes_of_X=size,
                bytes_of_a_vector=8*p, score_pass=ours, scipy_product=scipy)

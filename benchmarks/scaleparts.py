"""The parts of the scale benchmark, each in a process of its own: python -m benchmarks.scaleparts PART '{...}' FILE"""
import os
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import json
import sys

import numpy as np
import scipy.sparse as sp
from numba import njit

from fsnb import GDM
from fsnb.data.sparse import csc_dot

from .scaledata import Shape, make_entries, make_labels
from .common import cpu_clock
from .scalewatch import Watch, both, forget_peak, memory_now, read_memory, speedup, stored_bytes

TAU = .3
SAMPLED = 20      # supports whose partners are compared with exhaustive search


def open_entries(arrays, shape, n_jobs=1):
    "`SparseColumns` over the arrays"
    from fsnb.data.sparse import SparseColumns, StoredEntries
    data, indices, indptr = arrays
    try: return SparseColumns(StoredEntries(data, indices, indptr, shape), n_jobs=n_jobs)
    except TypeError:                                    # a package older than stored entries
        X = sp.csc_matrix((np.ascontiguousarray(data), indices, indptr), shape, copy=False)
        X.has_canonical_format = True
        return SparseColumns(X, n_jobs=n_jobs)


@njit(cache=True, nogil=True)
def _correlate(data, indices, indptr, z, total, n, out):
    "Correlation of every column with z, centred and of norm 1: written for this check alone"
    for j in range(out.size):
        dot = 0.
        mean = 0.
        square = 0.
        for i in range(indptr[j], indptr[j+1]):
            x = np.float64(data[i])
            dot += x*z[indices[i]]
            mean += x
            square += x*x
        mean /= n
        variance = square/n-mean*mean
        out[j] = (dot-mean*total)/np.sqrt(n*variance) if variance > 1e-14*square else 0.


def same_as_exhaustive(columns, arrays, supports, threshold=1-TAU):
    "Of how many supports the partners are those that all correlations give; pairs within 1e-9 of the threshold count for both"
    data, indices, indptr = arrays
    n, same, sizes = columns.n_samples, 0, []
    near = columns.partners(np.asarray(supports), threshold)
    r = np.empty(columns.n_features)
    for j, (found, _) in zip(supports, near):
        z = np.zeros(n)
        own = slice(indptr[j], indptr[j+1])
        z[indices[own]] = data[own]
        z -= z.mean()
        z /= np.linalg.norm(z)
        _correlate(data, indices, indptr, z, z.sum(), n, r)
        r[j] = 0
        certain, possible = (set(np.flatnonzero(np.abs(r) >= threshold+s).tolist()) for s in (1e-9, -1e-9))
        same += certain <= set(found.tolist()) <= possible
        sizes.append(len(found))
    return dict(supports=len(sizes), same=same, partners=int(sum(sizes)))


def passes(arrays, shape, y):
    "A pass over memory, and what a score pass is beside it: CPU seconds on one thread"
    columns = open_entries(arrays, shape)
    read, _ = cpu_clock(lambda: read_memory(arrays[:2]), 5)
    moments, _ = both(columns.moments)
    v = y/len(y)
    scores, _ = cpu_clock(lambda: columns.scores(v), 3)
    out = dict(read=read, moments=moments["cpu"], scores=scores, scores_over_read=scores/read)
    if arrays[2][-1] < 2**31 and 0 not in arrays[0].strides:
        X = sp.csc_matrix(arrays, shape, copy=False)
        out["scipy"], _ = cpu_clock(lambda: X.T@v, 3)
    two = open_entries(arrays, shape, 2)
    two._moments = columns._moments
    out["read_threads"] = speedup(lambda: read_memory(arrays[:2]), lambda: read_by_two(arrays[:2]))
    out["scores_threads"] = speedup(lambda: columns.scores(v), lambda: two.scores(v))
    return out, columns


def read_by_two(arrays):
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(2) as pool:
        halves = [half for a in arrays for half in (a[:len(a)//2], a[len(a)//2:])]
        list(pool.map(lambda half: read_memory([half]), halves))


def one_round(columns, y, scores_pass):
    "Ten supports and their groups at the first scores: CPU seconds, and score passes"
    from fsnb.correlation.pearson import as_correlation
    from fsnb.gdm.cut import greedy_cut
    related = as_correlation(columns, "pearson")
    first = y/len(y)

    def search():
        scores = columns.scores(first)
        return greedy_cut(related, scores, 10, TAU)
    spent, _ = both(search)
    again, (supports, _) = both(search)
    return dict(first=spent["cpu"], seconds=again["cpu"], score_passes=again["cpu"]/scores_pass, supports=len(supports))


def fit_once(columns, y, k, **settings):
    "A fit watched: CPU and wall seconds, the most memory beyond what was there, where the time went"
    watch = Watch()
    forget_peak()
    before, rss = memory_now(), memory_now("VmHWM")
    with watch.running():
        spent, model = both(lambda: GDM(k, **settings).fit(columns, y))
    extra = memory_now("VmHWM")-min(before, rss)
    members = model.groups_.members
    return dict(k=k, **spent, extra_memory=extra, rounds=model.n_iter_, groups=len(members), members=int(sum(map(len, members))),
                parts=watch.parts(spent["cpu"]), calls=watch.calls), model


def warm_up():
    "Compile what is used"
    arrays = make_entries(Shape(2000, 20_000, 300_000), 1)
    for n_jobs in (1, 2):
        columns = open_entries(arrays[:3], (2000, 20_000), n_jobs)
        model = GDM(12, n_jobs=n_jobs).fit(columns, arrays[3])
    same_as_exhaustive(columns, arrays[:3], model.support_[:2])
    read_memory(arrays[:2])


def told(model):
    "An answer, in a few numbers that differ where answers differ"
    import zlib
    members = [sorted(int(j) for j in own) for own in model.groups_.members]
    return dict(support=[int(j) for j in model.support_], members=zlib.crc32(json.dumps(members).encode()),
                coef=zlib.crc32(np.ascontiguousarray(model.coef_[model.coef_ != 0]).tobytes()))


def planted(model, seed=1):
    "Of how many groups in the answer the members are exactly a planted group, and how many members lie outside their support's"
    from .scaledata import GROUP, leader_of
    exact = wrong = 0
    for z, own in zip(model.support_, model.groups_.members):
        leader = leader_of(int(z), seed)
        truth = set(range(leader, leader+GROUP)) if leader >= 0 else {int(z)}
        exact += set(own.tolist()) == truth
        wrong += len(set(own.tolist())-truth)
    return dict(exact=exact, wrong=wrong)


def whole(n, p, nnz, ones=False, k=50, threads=(1,), turns=1, share=1., check=SAMPLED):
    """A shape in memory: passes, a round, a fit of k supports, the groups beside exhaustive search

    Fits on one thread and on two are timed in turns; the quickest of each is kept."""
    warm_up()
    shape = Shape(n, p, nnz, ones).scaled(share)
    spent, (*arrays, y) = both(lambda: make_entries(shape, 2))
    arrays = tuple(arrays)
    size = stored_bytes(arrays)
    base = memory_now()-size
    out = dict(n=n, p=shape.p, nonzeros=int(arrays[2][-1]), bytes=size, generate=spent["cpu"], ones=ones)
    print(out, flush=True)
    out["passes"], columns = passes(arrays, (n, shape.p), y)
    print(out["passes"], flush=True)
    out["round"] = one_round(columns, y, out["passes"]["scores"])
    print(out["round"], flush=True)
    del columns
    fits = {}
    for n_jobs in threads*turns:
        fit, model = fit_once(open_entries(arrays, (n, shape.p), n_jobs), y, k)
        fit |= dict(threads=n_jobs, score_passes=fit["cpu"]/out["passes"]["scores"], reads=fit["cpu"]/out["passes"]["read"],
                    extra_of_X=fit["extra_memory"]/size, peak_of_X=(memory_now("VmHWM")-base)/size)
        print(json.dumps(fit, indent=1), flush=True)
        if n_jobs not in fits or fit["wall"] < fits[n_jobs]["wall"]: fits[n_jobs] = fit
    out["fits"] = list(fits.values())
    out["answer"], out["planted"] = told(model), planted(model)
    columns = open_entries(arrays, (n, shape.p))
    out["exhaustive"] = same_as_exhaustive(columns, arrays, model.support_[:: max(1, len(model.support_)//check)][:check]) if check else None
    return out


def permutations(n, p, nnz, ones=False, share=1., few=(63, 191), asked=999):
    "Max-T p-values of the groups of ten supports, by a few permutations; what so many take is read off the line through them"
    from fsnb.groups.max_t import group_p_values
    warm_up()
    shape = Shape(n, p, nnz, ones).scaled(share)
    *arrays, y = make_entries(shape, 2)
    columns = open_entries(tuple(arrays), (n, shape.p))
    columns.moments()
    model = GDM(10).fit(columns, y)
    size, rows = stored_bytes(tuple(arrays)), []
    read, _ = cpu_clock(lambda: read_memory(arrays[:2]))
    group_p_values(open_entries(tuple(make_entries(Shape(2000, 20_000, 300_000), 1)[:3]), (2000, 20_000)), make_labels(2000), [[1], [2]], 40)
    for B in few:
        forget_peak()
        before = memory_now()
        spent, p_values = both(lambda: group_p_values(columns, y, model.groups_.members, B, random_state=0))
        rows.append(dict(permutations=B, **spent, extra_of_X=(memory_now("VmHWM")-before)/size))
        print(rows[-1], flush=True)
    slope = (rows[-1]["cpu"]-rows[0]["cpu"])/(few[-1]-few[0])
    return dict(p=shape.p, nonzeros=int(arrays[2][-1]), read=read, rows=rows, seconds_each=slope, asked=asked,
                extrapolated=rows[-1]["cpu"]+slope*(asked-few[-1]), smallest=float(np.min(p_values)))


def rivals(n, p, nnz, share=1., k=50, costs=(2e-4, 1e-3)):
    "What scikit-learn takes on the same columns: two filters, the L1-SVM, and stochastic descent"
    import warnings
    from sklearn.feature_selection import chi2, f_classif
    from sklearn.linear_model import SGDClassifier
    from sklearn.svm import LinearSVC
    warm_up()
    shape = Shape(n, p, nnz).scaled(share)
    *arrays, y = make_entries(shape, 2)
    size = stored_bytes(tuple(arrays))
    X = sp.csc_matrix(tuple(arrays), (n, shape.p), copy=False)
    X.has_canonical_format = True
    read, _ = cpu_clock(lambda: read_memory(arrays[:2]))
    rows = []

    def add(name, f, chosen):
        forget_peak()
        before = memory_now()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            spent, out = both(f)
        features = np.asarray(chosen(out))
        true = sum(leader_of_is(int(j)) for j in features)
        rows.append(dict(method=name, **spent, reads=spent["cpu"]/read, extra_of_X=(memory_now("VmHWM")-before)/size, features=len(features), planted=true))
        print(rows[-1], flush=True)

    def best(scores): return np.argsort(-np.nan_to_num(scores))[:k]
    columns = open_entries(tuple(arrays), (n, shape.p))
    add(f"GDM, {k} supports", lambda: GDM(k).fit(columns, y), lambda m: m.groups_.all_members)
    add(f"chi2, best {k}", lambda: chi2(X, y), lambda out: best(out[0]))
    add(f"f_classif, best {k}", lambda: f_classif(X, y), lambda out: best(out[0]))
    add("SGD, L1, one epoch", lambda: SGDClassifier(penalty="l1", alpha=1e-4, max_iter=1, tol=None, random_state=0).fit(X, y), lambda m: np.flatnonzero(m.coef_[0]))
    for C in costs:
        add(f"L1-SVM (liblinear), one fit at C={C:g}", lambda: LinearSVC(penalty="l1", dual=False, C=C, random_state=0).fit(X, y), lambda m: np.flatnonzero(m.coef_[0]))
    return dict(n=n, p=shape.p, nonzeros=int(arrays[2][-1]), bytes=size, read=read, rows=rows)


def leader_of_is(j, seed=1):
    from .scaledata import leader_of
    return leader_of(j, seed) >= 0


def score_pass(n, p, nnz, share=1.):
    "A read, moments and a score pass of a shape, and nothing else"
    warm_up()
    shape = Shape(n, p, nnz).scaled(share)
    *arrays, y = make_entries(shape, 2)
    out, _ = passes(tuple(arrays), (n, shape.p), y)
    values, rows, indptr = arrays
    near, v, dots = rows & 4095, np.ones(4096), np.empty(shape.p)      # all that is gathered lies in the nearest cache
    out["near_over_read"] = cpu_clock(lambda: csc_dot(values, near, indptr, v, 0, shape.p, dots), 5)[0]/out["read"]
    return dict(n=n, p=shape.p, nonzeros=int(arrays[2][-1]), passes=out, load=os.getloadavg()[0])


PARTS = dict(whole=whole, permutations=permutations, rivals=rivals, score_pass=score_pass)


def main():
    part, settings, path = sys.argv[1:4]
    from .scalecells import CELL_PARTS
    from .scaledisk import DISK
    result = (PARTS | DISK | CELL_PARTS)[part](**json.loads(settings))
    with open(path, "w") as f: json.dump(result, f, indent=1, default=float)


if __name__ == "__main__": main()

"""Thirty million columns: every part of the scale benchmark, each in a process of its own, figures beside a pass over memory.

    python -m benchmarks scale                  the full shapes: 13 GB of memory, 20 GB of disk, an hour
    python -m benchmarks scale --only webspam store --write     these parts again; the others stay as they were

CPU times are of one process, all its threads together; `read` is one pass over the values and rows with one
thread. `row_blocks`, a way that did not help, was measured once: its code is in the commit that the file names.
"""
import cProfile, os, pstats, signal, tempfile, threading, time, warnings
import numpy as np, psutil, scipy.sparse as sp, fsnb
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from numba import njit
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.feature_selection import chi2, f_classif
from sklearn.linear_model import SGDClassifier
from fsnb import GDM
from fsnb.correlation.pearson import as_correlation
from fsnb.data.cluster import ClusterColumns
from fsnb.data.convert import convert
from fsnb.data.files import read_data
from fsnb.data.sparse import SparseColumns, StoredEntries
from fsnb.data.store import _fill_store, _new_store, open_store
from fsnb.gdm.cut import greedy_cut
from fsnb.groups.max_t import group_p_values
from fsnb.spectral import laplacian_score, spec
from .common import clock, cpu, fit_l1, resident, spend
from .records import origin, read_result
from .scaledata import GROUP, Shape, count_entries, leader_of, make_entries, make_labels, make_range, recipe

WEBSPAM = dict(n=350_000, p=16_600_000, nnz=1_040_000_000)
KDD2010 = dict(n=19_300_000, p=29_900_000, nnz=570_000_000)
MILLIONS = dict(n=280_000, p=6_000_000, nnz=360_000_000)
MILLION = dict(n=10_000, p=1_000_000, nnz=5_000_000)
SMALL = dict(n=4000, p=20_000, nnz=400_000)
SLOPE = 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000

# part: (function, settings)
PARTS = {
    "six_million": ("whole", dict(MILLIONS, k=50, threads=(1, 2), turns=5)),
    "webspam": ("whole", dict(WEBSPAM, k=100, threads=(1, 2), turns=2)),
    "kdd2010_tenth": ("whole", {**{name: size//10 for name, size in KDD2010.items()}, "k": 50, "check": 10}),
    "kdd2010": ("whole", dict(KDD2010, k=50)),
    "store": ("store", dict(WEBSPAM, share=.25, k=20, limit=1200 << 20)),
    "permutations": ("permutations", dict(WEBSPAM, share=.1, few=(191, 511))),
    "rivals": ("rivals", dict(WEBSPAM, share=.05)),
    "cluster": ("cluster", dict(WEBSPAM, share=.05)),
    "text": ("text", {}),
    **{f"slope_{p}": ("whole", dict(n=280_000, p=p, nnz=60*p, ones=True, k=50, check=5)) for p in SLOPE},
    "selectors": ("selectors", MILLION)}
# what differs when quick, where the shape is SMALL
QUICK = dict(webspam=dict(k=20, threads=(1, 2)), slope_100000=dict(k=20, ones=True), store=dict(k=10, limit=1 << 30), text={},
             permutations=dict(few=(7, 19)), rivals=dict(k=10), cluster=dict(k=5, n_blocks=4), selectors={})

TAU = .3
BLOCK = 8_000_000       # entries that are made and written at once
CHUNK = 16 << 20        # bytes of a read

# ---- a shape in memory
@njit(cache=True, nogil=True)
def _read(words):
    "Every word once"
    seen = np.int64(0)
    for i in range(words.size): seen ^= words[i]
    return seen

def stored_bytes(arrays): return sum(0 if 0 in a.strides else a.nbytes for a in arrays)

def read_memory(arrays):
    "Read the arrays once, as 64-bit words"
    for a in arrays:
        if 0 not in a.strides: _read(a[:len(a)//8*8].view(np.int64))

def watched(f):
    "`spend` of f, with the CPU seconds that went into each of the package's modules, those of what they call elsewhere included"
    profile = cProfile.Profile(time.process_time, builtins=False)
    spent, out = spend(lambda: profile.runcall(f))
    parts = {}
    for (file, _, _), (_, _, own, _, _) in pstats.Stats(profile).stats.items():
        module = file.rpartition("fsnb/")[2].removesuffix(".py") if "/fsnb/" in file else "the rest"
        parts[module] = parts.get(module, 0.)+own
    return spent | dict(parts=dict(sorted(parts.items(), key=lambda part: -part[1]))), out

def open_entries(arrays, n, n_jobs=1):
    return SparseColumns(StoredEntries(*arrays, (n, len(arrays[2])-1)), n_jobs=n_jobs)

def as_matrix(arrays, n):
    "The same as a matrix of scipy"
    X = sp.csc_matrix(arrays, (n, len(arrays[2])-1), copy=False)
    X.has_canonical_format = True
    return X

def fit(X, y, k): return GDM(k).fit(X, y)

def made(n, p, nnz, ones=False, share=1.):
    "The arrays of a shape, and y; what a part uses is compiled before"
    *arrays, y = make_entries(Shape(2000, 20_000, 300_000), 1)
    for n_jobs in (1, 2): model = fit(open_entries(arrays, 2000, n_jobs), y, 12)
    same_as_exhaustive(arrays, 2000, model.support_[:2])
    read_memory(arrays[:2])
    *arrays, y = make_entries(Shape(n, p, nnz, ones).scaled(share), 2)
    return tuple(arrays), y

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

def same_as_exhaustive(arrays, n, supports, threshold=1-TAU):
    "Of how many supports the partners are those that all correlations give; pairs within 1e-9 of the threshold count for both"
    data, indices, indptr = arrays
    same, r = 0, np.empty(len(indptr)-1)
    near = open_entries(arrays, n).partners(np.asarray(supports), threshold)
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
    return dict(supports=len(supports), same=same)

def whole(k=50, threads=(1,), turns=1, check=20, **shape):
    """Passes, a round, a fit of k supports on one thread and on two in turns, the groups beside exhaustive search

    `passes`: over memory, and of scores in CPU seconds on one thread, and how much faster two are. `round`: ten supports and their groups at
    the first scores. `planted`: of how many groups in the answer the members are a planted group.
    """
    arrays, y = made(**shape)
    size = stored_bytes(arrays)
    base = resident("self", "VmRSS")-size
    out = dict(n=len(y), p=len(arrays[2])-1, nonzeros=int(arrays[2][-1]), bytes=size)
    columns, two, v = open_entries(arrays, len(y)), open_entries(arrays, len(y), 2), y/len(y)
    for each in (columns, two): each.moments()
    read, _ = cpu(lambda: read_memory(arrays[:2]), 5)
    scores, _ = cpu(lambda: columns.scores(v), 3)
    one, half = (clock(lambda: each.scores(v), 5)[0] for each in (columns, two))
    out["passes"] = dict(read=read, scores=scores, scores_over_read=scores/read, scores_threads=one/half)
    related = as_correlation(columns, "pearson")
    def search(): return greedy_cut(related, columns.scores(v), 10, TAU)
    search()
    out["round"] = dict(score_passes=cpu(search)[0]/scores)
    columns = two = each = related = None
    fits = {}
    for n_jobs in threads*turns:
        spent, model = watched(lambda: fit(open_entries(arrays, len(y), n_jobs), y, k))
        spent |= dict(k=k, threads=n_jobs, score_passes=spent["cpu"]/scores, extra_of_X=spent["extra_memory"]/size,
                      peak_of_X=(resident("self", "VmHWM")-base)/size)
        fits[n_jobs] = min(spent, fits.get(n_jobs, spent), key=lambda each: each["wall"])
    some = model.support_[:: max(1, len(model.support_)//check)][:check]
    leaders = map(leader_of, map(int, model.support_))
    planted = [set(range(leader, leader+GROUP)) if leader >= 0 else {int(z)} for z, leader in zip(model.support_, leaders)]
    exact = sum(set(own.tolist()) == truth for own, truth in zip(model.groups_.members, planted))
    return out | dict(fits=list(fits.values()), planted=dict(exact=exact), exhaustive=same_as_exhaustive(arrays, len(y), some))

def permutations(few=(63, 191), asked=999, **shape):
    "Max-T p-values of the groups of ten supports, by a few permutations; what so many take is read off the line through them"
    arrays, y = made(**shape)
    columns = open_entries(arrays, len(y))
    members = fit(columns, y, 10).groups_.members
    def test(B): return group_p_values(columns, y, members, B, random_state=0)
    test(3)                                                                          # compiles
    rows = [dict(permutations=B, cpu=cpu(lambda: test(B))[0]) for B in few]
    slope = (rows[-1]["cpu"]-rows[0]["cpu"])/(few[-1]-few[0])
    return dict(p=columns.n_features, nonzeros=int(arrays[2][-1]), rows=rows, extrapolated=rows[-1]["cpu"]+slope*(asked-few[-1]))

def rivals(k=50, **shape):
    "What scikit-learn takes on the same columns: two filters, the L1-SVM, and stochastic descent"
    arrays, y = made(**shape)
    size, X, columns = stored_bytes(arrays), as_matrix(arrays, len(y)), open_entries(arrays, len(y))
    def best(filtered): return np.argsort(-np.nan_to_num(filtered(X, y)[0]))[:k]
    def weighted(model): return np.flatnonzero(model.coef_[0])
    descent = SGDClassifier(penalty="l1", alpha=1e-4, max_iter=1, tol=None, random_state=0)
    methods = {f"GDM, {k} supports": lambda: fit(columns, y, k).groups_.all_members,
               f"chi2, best {k}": lambda: best(chi2), f"f_classif, best {k}": lambda: best(f_classif),
               "SGD, L1, one epoch": lambda: weighted(descent.fit(X, y))}
    methods |= {f"L1-SVM (liblinear), one fit at C={C:g}": lambda C=C: weighted(fit_l1(X, y, C)) for C in (2e-4, 1e-3)}
    rows = []
    for name, method in methods.items():
        spent, features = spend(method)
        rows.append(dict(method=name, cpu=spent["cpu"], extra_of_X=spent["extra_memory"]/size, features=len(features),
                         planted=sum(leader_of(int(j)) >= 0 for j in features)))
    return dict(p=X.shape[1], nonzeros=int(X.nnz), rows=rows)

def selectors(**shape):
    "Selectors but GDM: CPU seconds, and memory beside X in vectors of p"
    arrays, y = made(**shape)
    X, rows = as_matrix(arrays, len(y)), []
    others = {"FSIR2 without labels": lambda X, y: fsnb.FSIR2(10).fit(X), "FCBF": lambda X, y: fsnb.FCBF().fit(X, y), "spec": spec,
              "laplacian_score": laplacian_score}
    for name in ("MMFS", "QPFS", "FSIR2", *others):
        run = others.get(name) or (lambda X, y: getattr(fsnb, name)(50).fit(X, y))
        run(X[:300, :25_000], y[:300]*np.where(np.arange(300) % 2, 1, -1))           # compiles
        spent, _ = spend(lambda: run(X, y))
        rows.append(dict(selector=name, cpu_seconds=round(spent["cpu"], 2), vectors_of_p=round(spent["extra_memory"]/(8*X.shape[1]), 1)))
    return dict(rows=rows)

# ---- from a disk, and two workers
def write_store(path, shape):
    "The columns of a shape as a store, block by block"
    told = recipe(shape)
    ends = np.cumsum(count_entries(told), dtype=np.int64)
    def blocks():
        begin = 0
        while begin < shape.p:
            end = int(np.searchsorted(ends, (ends[begin-1] if begin else 0)+BLOCK, side="right"))
            end = min(max(end, begin+1), shape.p)
            data, rows, counts = make_range(told, begin, end)
            yield sp.csc_matrix((data, rows, np.concatenate([[0], np.cumsum(counts)])), (shape.n, end-begin))
            begin = end
    with _new_store(path, overwrite=True) as part:
        _fill_store(part, blocks(), (shape.n, shape.p), np.float32, is_sparse=True)
    return sum(file.stat().st_size for file in path.iterdir())

def forget_files(path):
    "Drop the store from the page cache"
    for file in path.iterdir():
        with open(file, "rb") as f:
            os.fsync(f.fileno())
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

def read_files(path):
    "Read data and indices from the disk, in order: bytes and seconds"
    forget_files(path)
    total, start, buffer = 0, time.perf_counter(), bytearray(CHUNK)
    for name in ("data.npy", "indices.npy"):
        with open(path/name, "rb", buffering=0) as f:
            while got := f.readinto(buffer): total += got
    return total, time.perf_counter()-start

@contextmanager
def memory_of(limit):
    "Confine this process, files that it reads included, to so many bytes; yields how that is done"
    one, two = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")
    home, name = (one, "memory.limit_in_bytes") if one.is_dir() else (two, "memory.max")
    group = home/f"fsnb-scale-{os.getpid()}"
    try:
        group.mkdir()
        (group/name).write_text(str(limit))
        (group/"cgroup.procs").write_text(str(os.getpid()))
    except OSError:
        import resource
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        yield "RLIMIT_DATA, which leaves out the page cache"
        return
    try: yield f"cgroup {name}"
    finally: (home/"cgroup.procs").write_text(str(os.getpid()))

def told(model):
    "What two equal answers have in common: groups and weights"
    return [sorted(map(int, own)) for own in model.groups_.members], model.coef_[model.coef_ != 0].tobytes()

def store(k=50, limit=4 << 30, **shape):
    "A store larger than the memory allowed: raw reads, a score pass, a fit"
    arrays, y = made(**shape)
    expected = told(fit(open_entries(arrays, len(y)), y, k))
    out = dict(p=len(arrays[2])-1, limit=limit, k=k)
    del arrays
    with tempfile.TemporaryDirectory() as home:
        path = Path(home)/"columns.fsnb"
        out["bytes"] = write_store(path, Shape(shape["n"], shape["p"], shape["nnz"]).scaled(shape.get("share", 1.)))
        with memory_of(int(limit)) as out["confined_by"]:
            size, _ = read_files(path)
            out["raw_speed"] = max(got/seconds for got, seconds in (read_files(path) for _ in range(4)))
            columns, walls = open_store(path), []
            columns.moments()
            for _ in range(4):                               # whoever reads ahead, the whole store passes by
                forget_files(path)
                walls.append(clock(lambda: columns.scores(y/len(y)), 1)[0])
            speed = size/min(walls)
            forget_files(path)
            wall, model = clock(lambda: fit(open_store(path), y, k), 1)
    assert told(model) == expected
    return out | dict(pass_speed=speed, pass_of_raw=speed/out["raw_speed"], fits=[dict(wall=wall)])

def loopback(): return psutil.net_io_counters(pernic=True)["lo"].bytes_recv          # that the loopback interface has carried
def nothing(columns): return None

def cluster(n, p, nnz, share=1., k=20, n_blocks=16):
    "Two Dask workers beside one process: the same answer, what a round costs more, what travels, a worker killed"
    from distributed import Client, LocalCluster
    shape, y, asked = Shape(n, p, nnz).scaled(share), make_labels(n), {}
    made(**SMALL)                                             # compiles
    class Counted(ClusterColumns):
        def _ask(self, verb, *shared, **rest):
            wall, found = clock(lambda: super(Counted, self)._ask(verb, *shared, **rest), 1)
            name = verb if isinstance(verb, str) else verb.__name__
            count, seconds = asked.get(name, (0, 0.))
            asked[name] = [count+1, seconds+wall]
            return found
    with tempfile.TemporaryDirectory() as home:
        path = Path(home)/"columns.fsnb"
        out = dict(n=n, p=shape.p, bytes=write_store(path, shape))
        fit(open_store(path), y, k)                           # the files are in memory from now on
        one, model = spend(lambda: fit(open_store(path), y, k))
        expected = told(model)
        with LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=0, dashboard_address=":0") as here, Client(here) as client:
            def spread(kind): return kind(path, client, n_blocks=n_blocks)
            columns = spread(ClusterColumns)
            fit(columns, y, k)
            counted, before = spread(Counted), loopback()
            two, model = spend(lambda: fit(counted, y, k))
            out |= dict(same=told(model) == expected, one_process=one, two_workers=two, rounds=model.n_iter_,
                        travelled_of_X=(loopback()-before)/out["bytes"], asked=asked)
            out["empty_pass"], _ = clock(lambda: columns._ask(nothing), 20)
            before = loopback()
            for _ in range(5): columns.scores(y/n)
            out["score_pass_bytes"] = (loopback()-before)/5
            threading.Timer(two["wall"]/3, lambda: os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)).start()
            wall, model = clock(lambda: fit(spread(ClusterColumns), y, k), 1)
            return out | dict(killed=dict(same=told(model) == expected, wall=wall))

def text(n=10_000, p=1_360_000, nnz=3_000_000):
    "svmlight text of about 40 MB: CPU seconds of scikit-learn's reader, of ours, of a store, and of its arrays in plain files, the least"
    data, rows, indptr, y = make_entries(Shape(n, p, nnz))
    X = sp.csc_matrix((data.round(6), rows, indptr), (n, p))
    with tempfile.TemporaryDirectory() as home:
        path, small, kept = (Path(home)/name for name in ("text.svm", "small.svm", "text.fsnb"))
        dump_svmlight_file(X, y, str(path), zero_based=False)
        small.write_text("1 1:2 3:4\n-1 2:1\n")
        read_data(small)                                      # compiles
        theirs, _ = cpu(lambda: load_svmlight_file(str(path), dtype=np.float64), 5)
        ours, _ = cpu(lambda: read_data(path), 5)
        stored, _ = cpu(lambda: convert(path, kept, overwrite=True, verbose=False), 5)
        arrays = [np.load(file) for file in sorted(kept.glob("*.npy"))]
        def write():
            for i, values in enumerate(arrays):
                with open(Path(home)/f"{i}.npy", "wb") as f:
                    np.save(f, values)
                    f.flush()
                    os.fsync(f.fileno())
        written, _ = cpu(write, 5)
        return dict(n=n, p=p, entries=int(X.nnz), bytes=path.stat().st_size, scikit_learn=theirs, ours=ours, store=stored,
                    ours_over=theirs/ours, store_over=theirs/stored, written=written, store_bytes=stored_bytes(arrays))

def run(quick=False, only=None):
    "All parts or some, each in a process of its own"
    results = {} if quick or only else {"row_blocks": read_result("scale")["row_blocks"]}
    for name in only or (QUICK if quick else PARTS):
        print(f"-- {name}", flush=True)
        stamp = dict(origin(), load=os.getloadavg()[0])
        part, settings = PARTS[name]
        if quick: settings = SMALL | QUICK.get(name, {})
        with ProcessPoolExecutor(1, get_context("spawn"), warnings.simplefilter, ("ignore",)) as pool:
            results[name] = dict(pool.submit(globals()[part], **settings).result(), made=stamp)
    return results

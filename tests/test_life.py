"""What becomes of a fitted model: saved, copied, sent to other processes, fitted again, fitted many times, interrupted."""
import copy, gc, io, multiprocessing, os, pickle, signal, sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
import cloudpickle, joblib, numpy as np, pytest, scipy.sparse as sp, fsnb
from sklearn.base import clone
from doors import counts_in_groups as data
from fsnb import FCBF, FSIR2, GDM, GDMCV, MMFS, Discretizer, GDMRegressor, OneClassGDM

PACKAGE = os.path.join(os.path.dirname(fsnb.__file__), "")
pytestmark = pytest.mark.filterwarnings("ignore")

MODELS = {"GDM": GDM(3), "GDM cut": GDM(3, mode="cut"), "GDM su": GDM(3, correlation="su", tau=.6), "GDMCV": GDMCV(3, cv=3),
          "OneClassGDM": OneClassGDM(3), "MMFS": MMFS(3), "GDMRegressor": GDMRegressor(3), "FCBF": FCBF(min_su=0.), "FSIR2": FSIR2(3),
          "Discretizer": Discretizer("width", n_bins=4)}

def fitted(name, seed=0): return clone(MODELS[name]).fit(*data(seed))

def told(model):
    "What a fitted model answers"
    X = data()[0]
    out = [np.asarray(model.transform(X)).tolist()]
    if hasattr(model, "support_"): out += [model.support_.tolist(), [list(map(int, m)) for m in model.groups_.members]]
    if hasattr(model, "predict"): out.append(model.predict(X).tolist())
    return out

def by_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)

COPIES = {"pickle 2": lambda m: pickle.loads(pickle.dumps(m, 2)), "cloudpickle": lambda m: cloudpickle.loads(cloudpickle.dumps(m)), "deepcopy": copy.deepcopy, "copy": copy.copy, "joblib": by_joblib}

@pytest.mark.parametrize("name", MODELS)
def test_a_copy_answers_alike(name):
    model = fitted(name)
    expected = told(model)
    for how, make in COPIES.items(): assert told(make(model)) == expected, how
    bare = clone(model)
    assert not [a for a in vars(bare) if a.endswith("_") and not a.startswith("_")]
    assert told(bare.fit(*data())) == expected

def told_of_own(name): return told(fitted(name))

@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_forked_process_answers_alike():
    "A fit here, then a process that is given the models, and fits its own; tests/test_properties.py asks a fresh one"
    models = {name: fitted(name) for name in MODELS}
    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        answers = list(pool.map(told, models.values(), timeout=300))
        again = list(pool.map(told_of_own, models, timeout=300))
    assert answers == again == [told(m) for m in models.values()]

@pytest.mark.parametrize("store", [np.array, sp.csc_matrix])
def test_four_fits_at_once_are_those_one_after_the_other(store):
    "Of one table, which they leave as it is"
    X, y = data()
    before, X = X, store(X)
    if X is not before and not sp.issparse(X): X.flags.writeable = y.flags.writeable = False
    def run(name): return told(clone(MODELS[name]).fit(X, y))
    serial = [run(name) for name in MODELS]
    with ThreadPoolExecutor(4) as pool: assert list(pool.map(run, MODELS)) == serial
    np.testing.assert_array_equal(X.toarray() if sp.issparse(X) else X, before)

def resident():
    "Bytes that this process holds"
    try: return int(Path("/proc/self/statm").read_text().split()[1])*os.sysconf("SC_PAGE_SIZE")
    except OSError: pytest.skip("no /proc here")

@pytest.mark.parametrize("name", ["GDM", "FSIR2"])
def test_many_fits_do_not_grow(name):
    "FSNB_FITS=500 for the long form"
    count = int(os.environ.get("FSNB_FITS", "10"))
    X, y = data()
    held = np.zeros((60, 4000))               # a fit that kept its data would show
    held[:, :20] = X
    held[0, 20:] = 1
    model = clone(MODELS[name])
    for _ in range(2): model.fit(held, y)
    gc.collect()
    before = resident()
    for _ in range(count): model.fit(held, y)
    gc.collect()
    assert resident()-before < count*held.nbytes/4+(8 << 20)

# ---- interrupted

class Stop(KeyboardInterrupt):
    "As Ctrl-C comes, but from one place of the program"

def count_calls(model, X, y, stop=None):
    "Calls of functions of the package in a fit, which is stopped at this one"
    calls = [0]
    def watch(frame, event, _):
        if event != "call" or not frame.f_code.co_filename.startswith(PACKAGE): return
        calls[0] += 1
        if calls[0] == stop: raise Stop
    sys.setprofile(watch)
    try: model.fit(X, y)
    except KeyboardInterrupt: pass
    finally: sys.setprofile(None)
    return calls[0]

@pytest.mark.parametrize("name", MODELS)
def test_an_interrupted_fit_leaves_an_answer_or_none(name):
    "Stopped at moments all over a second fit, on a table of another width: never a mixture of both"
    X, y = data()
    wide, labels = data(1, 60, 28)
    total = count_calls(clone(MODELS[name]), wide, labels)
    before = told(fitted(name))
    for moment in {1, 3, total//3, 2*total//3, total-1, total}:
        model = fitted(name)
        count_calls(model, wide, labels, moment)
        if not hasattr(model, "n_features_in_"): continue
        if hasattr(model, "support_") or hasattr(model, "n_categories_"):
            if model.n_features_in_ == 20: assert told(model) == before, moment
            else: model.transform(wide)
            if hasattr(model, "groups_"): assert model.groups_.n_features == model.n_features_in_ and len(model.support_) == len(model.groups_)
        assert told(model.fit(X, y)) == before, moment

@pytest.mark.parametrize("name", MODELS)
def test_a_model_can_be_fitted_after_a_fit_that_failed(name):
    model = fitted(name)
    for X, y in ((np.full((60, 5), np.nan), data()[1]), (np.ones((60, 5)), data()[1]), (data(1, 60, 28)[0], None),
                 (data(1, 60, 28)[0], data()[1][:-1]), (np.array([["a"]*5]*60), data()[1])):
        try: model.fit(X, y)
        except (ValueError, TypeError): assert getattr(model, "n_features_in_", 20) == 20 or not hasattr(model, "support_")
    assert told(model.fit(*data())) == told(fitted(name))

@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_a_model_can_be_fitted_after_ctrl_c():
    "A real SIGINT in the middle of a long fit; then the same model answers as a new one"
    X, y = data(2, 120, 400)
    model = GDM(60, C=5., n_per_iter=1, tol=1e-6)
    before = signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, .15, 2)    # again: Python drops one that meets a callback of its collector
    try:
        for _ in range(200): model.fit(X, y)
    except KeyboardInterrupt: pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    small, labels = data()
    assert told(model.set_params(**MODELS["GDM"].get_params()).fit(small, labels)) == told(fitted("GDM"))

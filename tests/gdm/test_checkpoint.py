"Checkpoints: a fit that is killed anywhere ends as an uninterrupted one; other data, other settings and damage are refused"
import json, os, signal, time
import numpy as np, pytest, scipy.sparse as sp

from fsnb import GDM, GDMRegressor, GDMSurvival, OneClassGDM
from fsnb.correlation import Positional
from fsnb.gdm import GDMCV, gdm, rounds
from fsnb.gdm.auto import AutoMode
from test_gdm_rounds import clusters

pytestmark = pytest.mark.filterwarnings("ignore")

def table(seed=0, n=120, p=60, classes=2, sparse=False):
    X, y, _ = clusters(seed, n=n, p=p)
    if classes > 2: y = (np.arange(n) % classes)*(np.arange(n) < n//2)+(y > 0)
    X = np.abs(X).round(1)*(np.random.default_rng(seed).random(X.shape) < .3) if sparse else X
    return (sp.csc_matrix(X) if sparse else X), y

def told(model):
    "Everything that a fit tells, as bytes"
    out = {}
    for name, value in sorted(vars(model).items()):
        if not name.endswith("_") or name.startswith("_"): continue
        if name == "groups_": value = [*value.members, *value.correlations, value.rounds, value.scores, value.member_p_values, value.refused, value.significant]
        if sp.issparse(value): value = [value.data, value.indices, value.indptr]
        parts = value if isinstance(value, (list, tuple)) else [value]
        out[name] = [np.asarray(x).tobytes() if isinstance(x, np.ndarray) and x.dtype != object else repr(x) for x in parts]
    return out

MODELS = {
    "global": lambda **k: GDM(8, n_per_iter=2, **k), "auto": lambda **k: GDM("auto", chance=.5, n_per_iter=1, **k),
    "cut": lambda **k: GDM(8, n_per_iter=2, mode="cut", **k), "thesis2015": lambda **k: GDM.thesis2015(8, n_per_iter=2, **k),
    "icml2012": lambda **k: GDM.icml2012(8, n_per_iter=2, **k), "no groups": lambda **k: GDM(8, n_per_iter=2, tau=None, **k),
    "positions": lambda **k: GDM(6, n_per_iter=1, correlation=Positional(np.arange(60.), window=9.), **k),
    "folds": lambda **k: GDMCV(6, n_per_iter=1, cv=3, **k),
    "parts": lambda **k: GDMCV.thesis2015(6, n_per_iter=1, cv=3, **k), "one class": lambda **k: OneClassGDM(6, n_per_iter=1, **k),
    "design": lambda **k: GDM(6, n_per_iter=1, **k), "squares": lambda **k: GDMRegressor(6, n_per_iter=1, **k),
    "ranks": lambda **k: GDMRegressor(6, n_per_iter=1, rank_target=True, **k), "survival": lambda **k: GDMSurvival(6, n_per_iter=1, **k)}

class Cut(Exception): "A fit is cut off here"

def leave(monkeypatch, fit, after=2):
    "A fit that ends with an error in the round after so many"
    whole, count = rounds._add_supports, []
    def played(*given):
        if len(count) == after: raise Cut
        count.append(1)
        return whole(*given)
    with monkeypatch.context() as patch, pytest.raises(Cut):
        patch.setattr(rounds, "_add_supports", played)
        fit()

@pytest.mark.parametrize("name, kind", [*((name, "dense") for name in MODELS), ("global", "sparse"),
                                        ("cut", "sparse"), ("one class", "sparse"), ("folds", "three classes")])
def test_a_fit_that_is_cut_off_goes_on_to_the_bit(name, kind, tmp_path, monkeypatch):
    X, y = table(2, classes=3 if kind == "three classes" else 2, sparse=kind == "sparse")
    if name == "one class" and kind == "dense": X = X+3
    if name in ("squares", "ranks"): y = X[:, :3].sum(1)
    if name == "survival": y = np.c_[np.exp(X[:, 0]), X[:, 1] > -1]
    design, path = dict(covariates=X[:, 7]) if name == "design" else {}, tmp_path/"run.npz"
    def fit(**given): return MODELS[name]().fit(X, y, **design, **given)
    whole = fit()
    leave(monkeypatch, lambda: fit(checkpoint=path), 1 if name == "auto" else 2)
    assert path.exists()
    if name == "design":
        with pytest.raises(ValueError, match="the design is"): MODELS[name]().fit(X, y, strata=y > 0, checkpoint=path)
    assert told(MODELS[name](n_jobs=2).fit(X, y, **design, checkpoint=str(path))) == told(whole) and os.listdir(tmp_path) == []

def stand_in(classes, n=500):
    "Column 0 outweighs column 2, which a later round finds; 1 stands in for column 0"
    r = np.random.default_rng(2 if classes == 2 else 1)
    X = r.standard_normal((n, 60))
    X[:, 1] = .6*X[:, 0]+.8*X[:, 1]
    effect = 3*X[:, 0]+.6*X[:, 2]+.2*r.standard_normal(n)
    return X, np.digitize(effect, np.quantile(effect, np.arange(1, classes)/classes))

def struck(*given): raise KeyboardInterrupt

@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("where", ["error", "first round", "later round", "end", "last fit"])
def test_auto_goes_on_in_later_rounds_and_at_the_end(where, classes, tmp_path, monkeypatch):
    "Left by an error or by Ctrl-C: the first round is not forgotten, and the end drops what it would have dropped"
    X, y = stand_in(classes)
    whole, path, auto = GDM("auto").fit(X, y), tmp_path/"run.npz", GDM("auto")
    assert whole.groups_.rounds.max() == 1 and whole.dropped_.tolist() == [[1, 0]]
    if where == "error": leave(monkeypatch, lambda: auto.fit(X, y, checkpoint=path), 1)
    else:
        one, seen = rounds._add_supports, []
        def played(*given):
            seen.append(1)
            return struck() if len(seen) == ("first round", "later round").index(where)+1 else one(*given)
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            if where == "end": patch.setattr(AutoMode, "conclude", struck)
            elif where == "last fit": patch.setattr(gdm, "_final_fit", struck)
            else: patch.setattr(rounds, "_add_supports", played)
            auto.fit(X, y, checkpoint=path)
        if where == "first round": assert not path.exists()
        else: assert auto.stop_reason_ == "interrupted" and (1 in auto.support_) == (where != "last fit")
    assert told(GDM("auto", n_jobs=2).fit(X, y, checkpoint=path)) == told(whole) and os.listdir(tmp_path) == []

def test_killed_at_any_moment(tmp_path, monkeypatch):
    "SIGKILL in four random rounds, and at a random moment of it; what a killed process leaves is a whole file or none"
    X, y = table(3)
    whole, r, found = told(GDM(12, n_per_iter=1).fit(X, y)), np.random.default_rng(0), 0
    path, one, beats = tmp_path/"run.npz", rounds._add_supports, []
    def slow(*given):
        time.sleep(.01)
        if beats: os.write(beats[0], b".")
        return one(*given)
    monkeypatch.setattr(rounds, "_add_supports", slow)
    def fit(): return GDM(12, n_per_iter=1).fit(X, y, checkpoint=path)
    for turn in range(4):
        heard, beat = os.pipe()
        child = os.fork()
        if not child:
            beats.append(beat)
            try: fit()
            finally: os._exit(0)
        os.close(beat)
        for _ in range(r.integers(2, 6)):
            if not os.read(heard, 1): break              # it has come to its end
        time.sleep(r.uniform(0, .02))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(heard)
        found += path.exists()
        if turn % 2: assert told(fit()) == whole and not path.exists()
    assert found >= 2
    assert [name for name in os.listdir(tmp_path) if not name.endswith(".part")] == []

@pytest.fixture
def begun(tmp_path, monkeypatch):
    "(path, X, y) of a fit of GDM(6, n_per_iter=1) that was cut off"
    X, y = table(2)
    leave(monkeypatch, lambda: GDM(6, n_per_iter=1).fit(X, y, checkpoint=tmp_path/"run.npz"))
    return tmp_path/"run.npz", X, y

def test_other_settings_are_named(begun, tmp_path, monkeypatch):
    path, X, y = begun
    before = path.read_bytes()
    for changes, told in ((dict(tau=.25), "tau is 0.3 there and 0.25 here"), (dict(mode="cut"), "mode is 'global' there"), (dict(correlation="su"), "correlation is")):
        with pytest.raises(ValueError, match=f"is of another fit: .*{told}"): GDM(**dict(n_features_to_select=6, n_per_iter=1) | changes).fit(X, y, checkpoint=path)
    assert path.read_bytes() == before
    def fit(window): return GDM(6, n_per_iter=1, correlation=Positional(np.arange(60.), window=window)).fit(X, y, checkpoint=tmp_path/"a")
    leave(monkeypatch, lambda: fit(9.))
    with pytest.raises(ValueError, match="window=9.0.* there and .*window=8.0"):
        fit(8.)  # of a measure, too
    fit(9.)

def test_other_data_are_named(begun):
    path, X, y = begun
    def fit(X, y): return GDM(6, n_per_iter=1).fit(X, y, checkpoint=path)
    one = X.copy()
    one[7, 33] += 1e-6
    for other in (one, X[:, ::-1].copy(), X.astype(np.float32), X*(1+1e-12)):
        with pytest.raises(ValueError, match="another fit: .*X is"): fit(other, y)
    flipped = y.copy()
    flipped[5] = y[y != y[5]][0]
    with pytest.raises(ValueError, match="another fit: .*y is"): fit(X, flipped)
    rows = np.flatnonzero(y == y[0])[:1].tolist()+np.flatnonzero(y != y[0])[:1].tolist()
    swapped = X.copy()
    swapped[rows, 33] = X[rows[::-1], 33]                      # the moments stay, the first scores do not
    with pytest.raises(ValueError, match="X differs"): fit(swapped, y)
    with pytest.raises(ValueError, match="GDM there and GDMCV here"): GDMCV(6, n_per_iter=1).fit(X, y, checkpoint=path)
    assert fit(X, y).n_iter_ == 6

def test_a_changed_byte_is_seen_or_says_nothing(begun):
    path, X, y = begun
    for content in (b"", b"x"*100, path.read_bytes()[:900]):
        (path.parent/"no.npz").write_bytes(content)
        with pytest.raises(ValueError, match="no.npz' is damaged or no checkpoint .*, and stays as it is"): GDM(6).fit(X, y, checkpoint=path.parent/"no.npz")
        assert (path.parent/"no.npz").read_bytes() == content
    whole, answer, r = path.read_bytes(), told(GDM(6, n_per_iter=1).fit(X, y)), np.random.default_rng(0)
    refused = 0
    for place in np.r_[0:40:4, r.integers(40, len(whole), 8)]:
        broken = bytearray(whole)
        broken[place] ^= 1 << int(r.integers(8))
        path.write_bytes(bytes(broken))
        try: assert told(GDM(6, n_per_iter=1).fit(X, y, checkpoint=path)) == answer
        except ValueError as error:
            assert "run.npz" in str(error) and "name a file that is not there yet" in str(error)
            assert path.read_bytes() == bytes(broken)
            refused += 1
    assert refused > 6     # of 18

def test_whatever_is_changed_is_refused_in_one_sentence(begun):
    "Other supports, NaN, zeros, shorter arrays, each key that is missing, and random changes: the file stays as it is"
    path, X, y = begun
    with np.load(path) as file: held = dict(file)
    told, r = json.loads(bytes(held["content"])), np.random.default_rng(0)
    def changed(state): return held | {"content": np.frombuffer(json.dumps(told | {"state": state}).encode(), np.uint8)}
    cases = [changed(told["state"] | {"supports": {"tuple": [50, 51, 52]}})]
    cases += [changed({k: v for k, v in told["state"].items() if k != gone}) for gone in told["state"]]
    cases += [changed(told["state"] | {key: value}) for key in told["state"] for value in (None, -1, "a", [], {"list": [1e300]}, {"array": 99}) if value != told["state"][key]]
    cases += [{k: v for k, v in held.items() if k != gone} for gone in held]
    for name, x in held.items():
        if not name.startswith("array") or not x.size: continue
        one = x.copy()
        one[r.integers(x.size)] += True
        others = x.astype(float)*np.nan, x*0-1, x*0, x[:-1], x.astype("U"), np.append(x, x[:1]), one
        cases += [held | {name: new} for new in others if (new.dtype, new.shape, new.tobytes()) != (x.dtype, x.shape, x.tobytes())]
    for case in cases:
        np.savez(path, **case)
        before = path.read_bytes()
        with pytest.raises(ValueError, match="is damaged or no checkpoint .*, and stays as it is") as error: GDM(6, n_per_iter=1).fit(X, y, checkpoint=path)
        assert "\n" not in str(error.value) and path.read_bytes() == before
    np.savez(path, **held)
    assert len(cases) > 150 and GDM(6, n_per_iter=1).fit(X, y, checkpoint=path).n_iter_ == 6

def test_no_code_is_executed(tmp_path):
    class Trap:
        def __reduce__(self): return os.system, (f"touch {tmp_path}/executed",)
    X, y = table(2)
    path = tmp_path/"run.npz"
    with open(path, "wb") as file: np.savez(file, content=np.array([Trap()], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="is damaged"): GDM(6).fit(X, y, checkpoint=path)
    assert not (tmp_path/"executed").exists()

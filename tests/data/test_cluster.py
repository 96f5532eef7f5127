"Columns on a Dask cluster: the answers of one process, whoever is killed."
import os, signal, threading, time
import numpy as np, pytest, scipy.sparse as sp

Client = pytest.importorskip("distributed").Client
from sklearn.base import clone

from fsnb import FCBF, GDM, MMFS
from fsnb.data import cluster as module
from fsnb.data.cluster import ClusterColumns
from fsnb.data.columns import Columns
from fsnb.data.store import open_store, write_store
from fsnb.groups.max_t import feature_p_values
from stores import groups_of_counts

N, P = 150, 300
NAMES = [f"word {j}" for j in range(P)]

def make(kind):
    "Data with groups that go with y: (X, y)"
    X, y = groups_of_counts(N, P, .6)
    if kind == "dense": return X.astype(np.int8), y
    X *= 1+np.random.default_rng(0).random(X.shape, dtype=np.float32)/8
    return sp.csc_matrix(X if kind == "float" else X > 0, dtype=np.float32), y

@pytest.fixture(scope="module")
def client(tmp_path_factory):
    "Of this machine, which is a cluster where there is no address: one worker for each processor"
    path = write_store(tmp_path_factory.mktemp("own")/"own.fsnb", np.eye(3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "cpu_count", lambda: 2)
        columns = ClusterColumns(path)
    assert len(columns.client.nthreads()) == 2
    yield columns.client
    columns.close()
    assert columns.client.status == "closed"

@pytest.fixture(scope="module", params=["float", "ones", "dense"])
def both(request, client, tmp_path_factory):
    "(a store in one process, on the cluster, y)"
    X, y = make(request.param)
    path = write_store(tmp_path_factory.mktemp("stores")/f"{request.param}.fsnb", X, NAMES, y)
    return open_store(path), ClusterColumns(path, client, n_blocks=5), y

only_floats = pytest.mark.parametrize("both", ["float"], indirect=True)

def same(a, b):
    assert type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape
    if sp.issparse(a): same(a.data, b.data), same(a.indices, b.indices), same(a.indptr, b.indptr)
    else: assert a.tobytes() == b.tobytes()

def test_the_face_says_the_same_bits(both):
    alone, cluster, y = both
    rng = np.random.default_rng(1)
    v, V = rng.standard_normal(N), rng.standard_normal((N, 5))
    assert cluster.shape == alone.shape and cluster.is_sparse == alone.is_sparse
    for verb in (lambda c: c.scores(v), lambda c: c.scores(V), lambda c: c.dot(v), lambda c: c.dot(V), lambda c: c.peaks(V)):
        same(verb(cluster), verb(alone))
    for verb in (lambda c: c.moments(), lambda c: c.weighted_moments(np.abs(v))):
        for own, other in zip(verb(cluster), verb(alone), strict=True): same(own, other)
    for listed in ([], rng.integers(0, P, 50), np.arange(P)): same(cluster.take(listed), alone.take(listed))
    if alone.is_sparse: same(cluster.correlations(3), alone.correlations(3))
    asked = [0, 3, 100, 57, 299, 3]
    for threshold in (.2, .7):
        found, want = cluster.partners(asked, threshold), alone.partners(asked, threshold)
        assert any(len(k) for k, _ in want)
        for (k, r), (k_alone, r_alone) in zip(found, want, strict=True):
            same(k, k_alone)
            if alone.is_sparse: same(r, r_alone)
            else: np.testing.assert_allclose(r, r_alone, rtol=0, atol=1e-12)      # many columns in one product
    assert cluster.partners([], .2) == []

@only_floats
def test_selectors_give_the_same_groups_and_columns_stay_where_they_are(both, monkeypatch):
    "A fit of GDM asks for no block, and for few columns"
    alone, cluster, y = both
    def refuse(self, *args): raise AssertionError("all of X would travel")
    taken, take = [], ClusterColumns.take
    for selector in (GDM(4), MMFS(4), FCBF()):
        here = clone(selector).fit(alone, y)
        with monkeypatch.context() as patch:
            if isinstance(selector, GDM):
                for kind in (Columns, ClusterColumns): patch.setattr(kind, "blocks", refuse)
                patch.setattr(ClusterColumns, "take",
                              lambda self, j: taken.append(len(j)) or take(self, j))
            there = clone(selector).fit(cluster, y)
        same(there.support_, here.support_)
        assert there.feature_names_in_[7] == "word 7"
        assert list(map(list, there.groups_.members)) == list(map(list, here.groups_.members))
        if hasattr(here, "ranking_"): same(there.ranking_, here.ranking_)
    assert 0 < sum(taken) < P

def test_permutations_are_folded_where_the_columns_are(both, monkeypatch):
    "Neither columns nor permuted vectors travel: the workers draw them"
    alone, spread, y = both
    monkeypatch.setattr(ClusterColumns, "take", lambda self, indices: pytest.fail("columns have travelled"))
    labels = np.arange(N) % 3
    for y, strata in ((y, None), (labels, None), (y, labels), (np.random.default_rng(0).random(N), None)):
        ours, theirs = (feature_p_values(columns, y, 19, strata, 0) for columns in (spread, alone))
        for a, b in zip(ours, theirs):
            if alone.is_sparse: same(a, b)
            else: assert np.allclose(a, b, rtol=0, atol=1e-12)

def test_bad_input_is_refused_by_name(client, tmp_path, monkeypatch):
    X, y = make("float")
    path = write_store(tmp_path/"some.fsnb", X)
    with pytest.raises(OSError, match="nowhere.fsnb"): ClusterColumns(tmp_path/"nowhere.fsnb", client)
    columns = ClusterColumns(path, client)
    with pytest.raises(IndexError): columns.take([P])
    for verb in (columns.scores, columns.dot):
        with pytest.raises(ValueError, match="v must have shape"): verb(np.ones(3))
    write_store(path, X[:, :200], overwrite=True)           # no worker has it open yet
    with pytest.raises(ValueError, match="not the store that was opened"): columns.scores(np.ones(N))
    monkeypatch.setattr(module, "_ANSWER_WITHIN", 1)
    with pytest.raises(ConnectionError, match="no Dask scheduler .*answers at tcp://127.0.0.1:9"):
        ClusterColumns(tmp_path, "tcp://127.0.0.1:9")

# ---- killed

def slow(columns, *shared): time.sleep(.2)
def die(columns): os._exit(1)

@only_floats
def test_a_killed_worker_changes_nothing_and_a_range_that_kills_is_given_up(both, client, monkeypatch):
    alone, cluster, y = both
    expected = GDM(4).fit(alone, y)
    ask, asked, killed = ClusterColumns._ask, [], []

    def shoot(): killed.append(os.kill(min(client.run(os.getpid).values()), signal.SIGKILL))

    def ask_and_shoot(self, verb, *shared, **rest):
        asked.append(verb)
        if len(asked) == 6:
            threading.Timer(.1, shoot).start()
            ask(self, slow, *shared, **rest)
        return ask(self, verb, *shared, **rest)

    monkeypatch.setattr(ClusterColumns, "_ask", ask_and_shoot)
    found = GDM(4).fit(cluster, y)
    assert killed and len(asked) > 6
    same(found.support_, expected.support_)
    same(found.coef_, expected.coef_)
    monkeypatch.undo()
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)
    with pytest.raises(RuntimeError, match="died one after another while they read .*float.fsnb"): cluster._ask(die)
    client.wait_for_workers(2)

def test_a_connection_that_ends_is_one_error(client, tmp_path):
    "The same way out as for a scheduler that dies: nobody waits for an answer that cannot come"
    path = write_store(tmp_path/"some.fsnb", make("float")[0])
    columns = ClusterColumns(path, own := Client(client.scheduler.address), n_blocks=9)
    threading.Timer(.3, own.close).start()
    for _ in range(2):
        with pytest.raises(ConnectionError, match="scheduler is gone"): columns._ask(slow)

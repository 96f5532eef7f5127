"`plot_scores`, `plot_redundancy`, `plot_group`, `plot_pixels`, `plot_path`; then all pictures."
from itertools import combinations
from types import SimpleNamespace
import matplotlib.pyplot as plt, numpy as np, pytest, scipy.sparse as sp
from scipy.cluster.hierarchy import linkage
from fsnb.data.inputs import as_columns
from fsnb.groups.groups import FeatureGroups
from fsnb.show.charts import plot_group, plot_path, plot_pixels, plot_redundancy, plot_scores
from fsnb.show.group_plots import plot_groups
from pictures import drawn, random_groups, texts

# ---- scores by rank

@pytest.mark.parametrize("p", [0, 1, 5000])
def test_scores_line_is_sorted_and_thin(p):
    s = np.random.default_rng(p).standard_normal(p)
    x, y = plot_scores(s).lines[0].get_data()
    assert len(x) <= 600 and (np.diff(x) > 0).all()
    if p: assert (x[0], x[-1]) == (1, p) and np.array_equal(y, np.sort(np.abs(s))[::-1][x-1])

def test_scores_marks_lie_at_their_ranks():
    ax = plot_scores([.1, -.9, .5, .3, 0.], FeatureGroups([[1, 3], [0]], names=list("abcde")))
    affiliated, supports = ax.collections
    assert supports.get_offsets().tolist() == [[1, .9], [4, .1]]
    assert affiliated.get_offsets().tolist() == [[3, .3]]
    assert texts(ax) == ["b", "a"] and ax.get_xscale() == "log"
    tied = plot_scores(np.ones(6), [[0, 1], [5]])
    assert sorted(x for c in tied.collections for x, _ in c.get_offsets()) == [1, 2, 6]

# ---- correlation matrices

@pytest.mark.parametrize("store", [sp.csc_matrix, as_columns])
def test_redundancy_shows_the_correlations(store):
    X = np.random.default_rng(0).standard_normal((60, 30))
    R, support, order = np.abs(np.corrcoef(X.T)), [4, 20, 11], [4, 7, 1, 20, 11, 2]
    a, b = plot_redundancy(store(X), [[4, 7, 1], [20], [11, 2]])
    for ax, own in ((a, support), (b, order)):
        np.testing.assert_allclose(ax.images[0].get_array(), R[np.ix_(own, own)], atol=1e-9)
    assert [t.get_text() for t in b.get_xticklabels()] == [str(j) for j in order]
    frames = [(line.get_xdata().min(), line.get_xdata().max()) for line in b.lines]
    assert frames == [(-.5, 2.5), (3.5, 5.5)]                  # around each group of two or more
    inside = [(4, 7), (4, 1), (7, 1), (11, 2)]
    between = set(combinations(order, 2))-set(inside)
    means = [np.mean([R[pair] for pair in own]) for own in (inside, between)]
    told = "inside a group {:.2f}, between groups {:.2f}".format(*means)
    assert b.get_title() == f"6 members\n{told}"

# ---- one group

def mixed(n=80, p=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))@rng.standard_normal((3, p))+rng.standard_normal((n, p))
    X[:, 7] = 3.                                              # a constant
    return X

@pytest.mark.parametrize("m", [1, 5, 13])
def test_matrix_in_the_order_of_the_dendrogram(m):
    X, members = mixed(), np.random.default_rng(m).permutation(30)[:m]
    (tree, matrix), (_, other) = (plot_group(store(X), [members.tolist()])
                                  for store in (np.asarray, sp.csc_matrix))
    labels = matrix.get_yticklabels()
    order = [int(t.get_text()) for t in labels]
    with np.errstate(all="ignore"): R = np.corrcoef(X[:, order].T)
    shown, off = np.asarray(matrix.images[0].get_array()), ~np.eye(m, dtype=bool)
    R = np.nan_to_num(R.reshape(m, m))
    np.testing.assert_allclose(shown[off], R[off], atol=1e-9)
    np.testing.assert_allclose(other.images[0].get_array(), shown, atol=1e-9)
    assert sorted(order) == sorted(members) and len(matrix.texts) == (m*m if m <= 12 else 0)
    assert [t.get_text() for t in labels if t.get_weight() == "bold"] == [str(members[0])]
    if m > 1:
        joined = sorted(1-linkage((1-np.abs(R))[np.triu_indices(m, 1)], "average")[:, 2])
        heights = sorted(line.get_ydata()[1] for line in tree.lines)
        np.testing.assert_allclose(heights, joined, atol=1e-9)

def test_tau_is_that_of_the_settings_or_the_one_given_or_none():
    X, y = mixed(), np.arange(80) % 2
    def heights(groups, **settings):
        lines = plot_group(X, groups, **settings)[0].lines
        return [line.get_ydata()[0] for line in lines if line.get_gid() == "threshold"]
    made = lambda **own: FeatureGroups([[4, 5, 6]], parameters=own)
    assert np.allclose(heights(made(tau=.6)), .4) and np.allclose(heights(made(), tau=.1), .9)
    assert heights(made()) == heights(made(tau="auto")) == []
    names = [f"a long name of feature ${j}_" for j in range(30)]
    large = FeatureGroups([[29], list(range(29))], names=names)
    tree, matrix = plot_group(X, large, 1, most=14)
    assert "14 of 29 members" in tree.get_title() and len(matrix.get_yticklabels()) == 14

# ---- pixels

def test_pixels_cover_and_rings():
    image = np.arange(12.).reshape(3, 4)
    ax = plot_pixels([[5, 6, 9], [0]], image)
    flat, rings = np.asarray(ax.images[1].get_array()).reshape(12, 4), drawn(ax, "supports")
    assert np.flatnonzero(flat[:, 3]).tolist() == [0, 5, 6, 9]
    assert (flat[5] == flat[[6, 9]]).all() and (flat[0] != flat[5]).any()
    assert rings.get_offsets().tolist() == [[1, 1], [0, 0]]
    np.testing.assert_allclose(rings.get_edgecolor()[:, :3], flat[[5, 0], :3])
    assert np.array_equal(ax.images[0].get_array(), image) and texts(ax) == ["1", "2"]
    for k in (0, 300):                              # each group has a colour of its own
        rng = np.random.default_rng(k)
        ax = plot_pixels(random_groups(rng, k, 2500), rng.random(2500))
        assert len(np.unique(drawn(ax, "supports").get_edgecolor(), axis=0)) == k

# ---- convergence

def test_path_of_numbers_and_of_a_selector():
    bounds, groups = [[1, 5], [2, 4], [2.5, np.nan]], FeatureGroups([[j] for j in range(4)])
    groups.rounds = [0, 0, 1, 2]
    selector = SimpleNamespace(objective_path_=np.array([1., 2., 2.5]), groups_=groups,
                               bounds_=np.array(bounds))
    ax = plot_path([3., 4., 4.5])
    assert np.array(ax.lines[0].get_data()).tolist() == [[1, 2, 3], [3, 4, 4.5]]
    for few in ([], [1.]): plot_path(few)
    ax = plot_path(selector)
    twin, (top,) = ax.figure.axes[-1], ax.child_axes
    np.testing.assert_allclose(twin.lines[0].get_data(), [[1, 2], [.8, .5]])    # one is unknown
    ax.figure.canvas.draw()
    assert twin.get_yscale() == "log"
    assert [t.get_text() for t in top.get_xticklabels()] == ["2", "3", "4"]
    assert len(plot_path(np.arange(200.), rounds=np.arange(200)).child_axes[0].get_xticks()) == 12
    solved = plot_path(selector, bounds=[[1, 1], [2, 2], [2.5, 2.5]], rounds=[0, 0, 0, 0])
    assert len(solved.figure.axes[-1].lines[0].get_xdata()) == 0        # a gap of 0 has no log

# ---- all of them

CALLS = {plot_groups: ([[0, 1], [2]],), plot_scores: ([.5, .4, .1], [[0, 1]]),
         plot_pixels: ([[0, 1]], np.ones((2, 2))), plot_path: ([1., 2.],)}

@pytest.mark.parametrize("f", CALLS, ids=lambda f: f.__name__)
def test_draws_into_the_axes_given_or_its_own(f, monkeypatch):
    monkeypatch.setattr(plt, "show", lambda *a, **k: pytest.fail("show was called"))
    ax = f(*CALLS[f])
    assert len(plt.get_fignums()) == 1 and ax in ax.figure.axes
    _, mine = plt.subplots()
    assert f(*CALLS[f], ax=mine) is mine and len(plt.get_fignums()) == 2

"`plot_scores`, `plot_redundancy`, `plot_group`, `plot_pixels`, `plot_path`; and what holds for all pictures."
from types import SimpleNamespace
import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.cluster.hierarchy import linkage
from fsnb import GDM, make_groups
from fsnb.data.inputs import as_columns
from fsnb.groups.groups import FeatureGroups
from fsnb.show.charts import plot_group, plot_path, plot_pixels, plot_redundancy, plot_scores
from fsnb.show.group_plots import plot_groups
from pictures import drawn, random_groups, texts

# ---- scores by rank

@pytest.mark.parametrize("p", [0, 1, 2, 5000])
def test_scores_line_is_sorted_and_thin(p):
    s = np.random.default_rng(p).standard_normal(p)
    x, y = plot_scores(s).lines[0].get_data()
    assert len(x) <= 600 and (np.diff(y) <= 0).all() and (np.diff(x) > 0).all()
    if p: assert (x[0], x[-1]) == (1, p) and np.array_equal(y, np.sort(np.abs(s))[::-1][x-1])

def test_scores_marks_lie_at_their_ranks():
    ax = plot_scores([.1, -.9, .5, .3, 0.], FeatureGroups([[1, 3], [0]], names=list("abcde")))
    affiliated, supports = ax.collections
    assert supports.get_offsets().tolist() == [[4, .1], [1, .9]][::-1] and affiliated.get_offsets().tolist() == [[3, .3]]
    assert texts(ax) == ["b", "a"] and ax.get_xscale() == "log"
    ax.figure.draw_without_rendering()
    assert [t.get_text() for t in ax.get_xticklabels()] == ["1", "2", "3", "4", "5"]
    tied = plot_scores(np.ones(6), [[0, 1], [5]])
    assert sorted(np.concatenate([c.get_offsets()[:, 0] for c in tied.collections])) == [1, 2, 6]
    many = random_groups(np.random.default_rng(0), 300, 2000, [f"a_rather_long_name_{j}" for j in range(2000)])
    assert len(texts(plot_scores(np.random.default_rng(0).standard_normal(2000), many))) <= 6

# ---- correlation matrices

@pytest.mark.parametrize("store", [sp.csc_matrix, as_columns])
def test_redundancy_shows_the_correlations(store):
    X = np.random.default_rng(0).standard_normal((60, 30))
    g = FeatureGroups([[4, 7, 1], [20], [11, 2]])
    a, b = plot_redundancy(store(X), g)
    expected, order = np.abs(np.corrcoef(X, rowvar=False)), [4, 7, 1, 20, 11, 2]
    np.testing.assert_allclose(a.images[0].get_array(), expected[np.ix_(g.support, g.support)], atol=1e-9)
    np.testing.assert_allclose(b.images[0].get_array(), expected[np.ix_(order, order)], atol=1e-9)
    assert [t.get_text() for t in b.get_xticklabels()] == [str(j) for j in order]
    frames = [(line.get_xdata().min(), line.get_xdata().max()) for line in b.lines]
    assert frames == [(-.5, 2.5), (3.5, 5.5)]                  # around each group of two or more
    inside, pairs = [(4, 7), (4, 1), (7, 1), (11, 2)], [(i, j) for n, i in enumerate(order) for j in order[:n]]
    between = [p for p in pairs if p not in inside and p[::-1] not in inside]
    means = [np.mean([expected[p] for p in own]) for own in (inside, between)]
    assert b.get_title() == f"6 members\ninside a group {means[0]:.2f}, between groups {means[1]:.2f}"

# ---- one group

def mixed(n=80, p=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))@rng.standard_normal((3, p))+rng.standard_normal((n, p))
    X[:, 7] = 3.                                              # a constant
    return X

def names_of(matrix): return [t.get_text() for t in matrix.get_yticklabels()]

@pytest.mark.parametrize("m", [1, 5, 13])
def test_matrix_in_the_order_of_the_dendrogram(m):
    X, members = mixed(), np.random.default_rng(m).permutation(30)[:m]
    tree, matrix = plot_group(X, [members.tolist()])
    order = [int(t) for t in names_of(matrix)]
    with np.errstate(all="ignore"): expected = np.nan_to_num(np.corrcoef(X[:, order], rowvar=False).reshape(m, m))
    shown, off = np.asarray(matrix.images[0].get_array()), ~np.eye(m, dtype=bool)
    np.testing.assert_allclose(shown[off], expected[off], atol=1e-9)
    np.testing.assert_allclose(np.asarray(plot_group(sp.csc_matrix(X), [members.tolist()])[1].images[0].get_array()), shown, atol=1e-9)
    assert sorted(order) == sorted(members) and len(matrix.texts) == (m*m if m <= 12 else 0)
    assert [t.get_text() for t in matrix.get_yticklabels() if t.get_weight() == "bold"] == [str(members[0])]
    if m > 1:
        joined = sorted(1-linkage((1-np.abs(expected))[np.triu_indices(m, 1)], "average")[:, 2])
        np.testing.assert_allclose(sorted(line.get_ydata()[1] for line in tree.lines), joined, atol=1e-9)

def test_tau_is_that_of_the_settings_or_the_one_given_or_none():
    data = make_groups(200, 60, group_sizes=(4, 2), n_test=0, random_state=0)
    model = GDM.thesis2015(2, tau=.6).fit(data.X, data.y)
    def heights(ax): return [line.get_ydata()[0] for line in ax[0].lines if line.get_gid() == "threshold"]
    assert np.allclose(heights(plot_group(data.X, model, 1)), .4) and np.allclose(heights(plot_group(data.X, model, tau=.1)), .9)
    for own in ({}, {"tau": "auto"}): assert heights(plot_group(data.X, FeatureGroups(model.groups_.members, parameters=own))) == []

def test_a_large_group_is_drawn_in_part_and_names_stand_apart():
    names = [f"a long name of feature ${j}_" for j in range(30)]
    tree, matrix = plot_group(mixed(), FeatureGroups([list(range(30))], names=names), most=14)
    assert sorted(names_of(matrix)) == sorted(names[:14]) and "14 of 30 members" in tree.get_title()
    matrix.figure.draw_without_rendering()
    boxes = [t.get_window_extent() for t in matrix.get_yticklabels()]
    assert min(b.x0 for b in boxes) >= 0 and not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])

# ---- pixels

def test_pixels_cover_and_rings():
    image = np.arange(12.).reshape(3, 4)
    ax = plot_pixels([[5, 6, 9], [0]], image)
    flat = np.asarray(ax.images[1].get_array()).reshape(12, 4)
    assert np.flatnonzero(flat[:, 3]).tolist() == [0, 5, 6, 9]
    assert (flat[5] == flat[6]).all() and (flat[5] == flat[9]).all() and (flat[0] != flat[5]).any()
    rings = drawn(ax, "supports")
    assert rings.get_offsets().tolist() == [[1, 1], [0, 0]] and np.allclose(rings.get_edgecolor()[:, :3], flat[[5, 0], :3])
    assert np.array_equal(ax.images[0].get_array(), image) and texts(ax) == ["1", "2"]
    for k in (0, 300):                              # each group has a colour of its own
        rng = np.random.default_rng(k)
        ax = plot_pixels(random_groups(rng, k, 2500), rng.random(2500))
        assert len(np.unique(drawn(ax, "supports").get_edgecolor(), axis=0)) == k

# ---- convergence

def test_path_of_numbers_and_of_a_selector():
    selector = SimpleNamespace(objective_path_=np.array([1., 2., 2.5]), bounds_=np.array([[1, 5], [2, 4], [2.5, np.nan]]),
                               groups_=FeatureGroups([[0], [1], [2], [3]], rounds=[0, 0, 1, 2]))
    ax = plot_path([3., 4., 4.5])
    assert ax.lines[0].get_xdata().tolist() == [1, 2, 3] and ax.lines[0].get_ydata().tolist() == [3, 4, 4.5] and len(ax.figure.axes) == 1
    for few in ([], [1.]): plot_path(few)
    ax = plot_path(selector)
    twin, (top,) = ax.figure.axes[-1], ax.child_axes
    x, gap = twin.lines[0].get_data()
    assert twin.get_yscale() == "log" and x.tolist() == [1, 2] and np.allclose(gap, [.8, .5])    # a bound that is not known leaves a hole
    ax.figure.canvas.draw()
    assert [t.get_text() for t in top.get_xticklabels()] == ["2", "3", "4"]
    assert len(plot_path(np.arange(200.), rounds=np.arange(200)).child_axes[0].get_xticks()) == 12
    solved = plot_path(selector, bounds=[[1, 1], [2, 2], [2.5, 2.5]], rounds=[0, 0, 0, 0])
    assert len(solved.figure.axes[-1].lines[0].get_xdata()) == 0                # the gap is 0: nothing on a log axis

# ---- all of them

CALLS = {plot_groups: ([[0, 1], [2]],), plot_scores: ([.5, .4, .1], [[0, 1]]), plot_pixels: ([[0, 1]], np.ones((2, 2))), plot_path: ([1., 2.],)}

@pytest.mark.parametrize("f", CALLS, ids=lambda f: f.__name__)
def test_draws_into_the_axes_given_or_its_own(f, monkeypatch):
    monkeypatch.setattr(plt, "show", lambda *a, **k: pytest.fail("show was called"))
    ax = f(*CALLS[f])
    assert len(plt.get_fignums()) == 1 and ax in ax.figure.axes
    _, mine = plt.subplots()
    assert f(*CALLS[f], ax=mine) is mine and len(plt.get_fignums()) == 2

def test_an_error_before_a_figure_is_made():
    for f, *args in ((plot_scores, [1, np.inf]), (plot_scores, [1., 2.], [[2]]), (plot_redundancy, np.eye(3), [[3]]),
                     (plot_group, np.eye(3), [[0]], -1), (plot_pixels, [[9]], np.eye(3)), (plot_pixels, [[1]], np.ones(6))):
        with pytest.raises(ValueError, match="must"): f(*args)
    assert not plt.get_fignums()

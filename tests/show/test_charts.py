"`plot_scores`, `plot_redundancy`, `plot_pixels`, `plot_path`; and what holds for all pictures."
import subprocess, sys
from types import SimpleNamespace
import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.sparse as sp
from fsnb.data.inputs import as_columns
from fsnb.groups.groups import FeatureGroups
from fsnb.show.matrices import _mean_correlations, plot_redundancy
from fsnb.show.panels import plot_classes
from fsnb.show.paths import plot_path
from fsnb.show.pixels import plot_pixels
from fsnb.show.ranks import plot_scores
from fsnb.show.stars import plot_groups
from pictures import count, drawn, random_groups, texts


# ---- plot_scores

@pytest.mark.parametrize("p", [0, 1, 2, 700, 5000])
def test_scores_line_is_sorted_and_thin(p):
    s = np.random.default_rng(p).standard_normal(p)
    x, y = plot_scores(s).lines[0].get_data()
    assert len(x) <= 600 and (np.diff(y) <= 0).all() and (np.diff(x) > 0).all()
    if p: assert (x[0], x[-1]) == (1, p) and np.array_equal(y, np.sort(np.abs(s))[::-1][x-1])


def test_scores_marks_lie_at_their_ranks():
    s = np.array([.1, -.9, .5, .3, 0.])
    ax = plot_scores(s, FeatureGroups([[1, 3], [0]], names=list("abcde")))
    assert ax.get_xscale() == "log"
    assert drawn(ax, "supports").get_offsets().tolist() == [[1, .9], [4, .1]]
    assert drawn(ax, "affiliated").get_offsets().tolist() == [[3, .3]]
    assert texts(ax) == ["b", "a"]


def test_scores_ties_have_ranks_of_their_own():
    ax = plot_scores(np.ones(6), [[0, 1], [5]])
    assert sorted(np.r_[drawn(ax, "supports").get_offsets()[:, 0], drawn(ax, "affiliated").get_offsets()[:, 0]]) == [1, 2, 6]


@pytest.mark.parametrize("k", [0, 1, 300])
def test_scores_with_any_number_of_groups(k):
    g = random_groups(np.random.default_rng(k), k, 2000, [f"a_rather_long_name_{j}" for j in range(2000)])
    ax = plot_scores(np.random.default_rng(0).standard_normal(2000), g)
    assert count(ax, "supports") == k and len(texts(ax)) <= 6


# ---- plot_redundancy

@pytest.mark.parametrize("kind", ["dense", "sparse", "columns"])
def test_redundancy_shows_the_table(kind):
    X = np.random.default_rng(0).standard_normal((60, 30))
    g = FeatureGroups([[4, 7, 1], [20], [11, 2]])
    data = {"dense": X, "sparse": sp.csc_matrix(X), "columns": as_columns(X)}[kind]
    a, b = plot_redundancy(data, g)
    expected = np.abs(np.corrcoef(X, rowvar=False))
    np.testing.assert_allclose(a.images[0].get_array(), expected[np.ix_(g.support, g.support)], atol=1e-9)
    order = [4, 7, 1, 20, 11, 2]
    np.testing.assert_allclose(b.images[0].get_array(), expected[np.ix_(order, order)], atol=1e-9)
    assert [t.get_text() for t in b.get_xticklabels()] == [str(j) for j in order]
    assert len(b.lines) == 2                                    # a frame around each group of two or more


def test_redundancy_means():
    corr = np.array([[1, .8, .1], [.8, 1, .3], [.1, .3, 1]])
    assert _mean_correlations(corr, np.array([0, 0, 1])) == "inside a group 0.80, between groups 0.20"
    assert _mean_correlations(corr[:1, :1], np.array([0])) == "no pairs"


def test_redundancy_limits():
    X = np.random.default_rng(0).standard_normal((20, 1500))
    a, b = plot_redundancy(X, [])
    assert a.get_title().startswith("0 supports")
    g = random_groups(np.random.default_rng(0), 300, 1500)
    a, b = plot_redundancy(X, g, most=100)
    k = int((np.cumsum(g.sizes) <= 100).sum())
    assert a.images[0].get_array().shape == (k, k) and f"{k} of 300 supports" in a.get_title()
    assert b.images[0].get_array().shape[0] == g.sizes[:k].sum() and f" of {len(g.all_members)} members" in b.get_title()
    a, b = plot_redundancy(X, [list(range(600))])
    assert b.images[0].get_array().shape == (400, 400) and "400 of 600 members" in b.get_title()


def test_redundancy_in_given_axes():
    _, ax = plt.subplots(1, 2)
    assert all(plot_redundancy(np.eye(4), [[0, 1]], ax=ax) == ax)


# ---- plot_pixels

def test_pixels_cover_and_rings():
    image = np.arange(12.).reshape(3, 4)
    ax = plot_pixels([[5, 6, 9], [0]], image)
    cover = np.asarray(ax.images[1].get_array())
    assert np.flatnonzero(cover[..., 3].ravel()).tolist() == [0, 5, 6, 9]
    flat = cover.reshape(12, 4)
    assert (flat[5] == flat[6]).all() and (flat[5] == flat[9]).all() and (flat[0] != flat[5]).any()
    assert drawn(ax, "supports").get_offsets().tolist() == [[1, 1], [0, 0]]
    assert np.allclose(drawn(ax, "supports").get_edgecolor()[:, :3], flat[[5, 0], :3])
    assert np.array_equal(ax.images[0].get_array(), image) and texts(ax) == ["1", "2"]


@pytest.mark.parametrize("image, shape, expected", [(np.zeros(16), None, (4, 4)), (np.zeros(12), (2, 6), (2, 6)),
                                                    (np.zeros((3, 4)), None, (3, 4)), (np.zeros((3, 4)), (4, 3), (4, 3))])
def test_pixels_shapes(image, shape, expected):
    assert plot_pixels([[1]], image, shape).images[0].get_array().shape == expected


@pytest.mark.parametrize("k", [0, 1, 9, 10, 300])
def test_pixels_with_any_number_of_groups(k):
    g = random_groups(np.random.default_rng(k), k, 2500)
    ax = plot_pixels(g, np.random.default_rng(0).random(2500))
    assert count(ax, "supports") == k
    assert len(np.unique(drawn(ax, "supports").get_edgecolor(), axis=0)) == k


# ---- plot_path

def test_path_of_numbers():
    ax = plot_path([3., 4., 4.5])
    x, y = ax.lines[0].get_data()
    assert x.tolist() == [1, 2, 3] and y.tolist() == [3, 4, 4.5] and len(ax.figure.axes) == 1
    for few in ([], [1.]): plot_path(few)


def selector(**more):
    return SimpleNamespace(objective_path_=np.array([1., 2., 2.5]), bounds_=np.array([[1, 5], [2, 4], [2.5, np.nan]]),
                           groups_=FeatureGroups([[0], [1], [2], [3]], rounds=[0, 0, 1, 2]), **more)


def test_path_of_a_selector():
    ax = plot_path(selector())
    twin = ax.figure.axes[-1]
    assert twin is not ax and twin.get_yscale() == "log"
    x, gap = twin.lines[0].get_data()
    assert x.tolist() == [1, 2] and np.allclose(gap, [.8, .5])   # a bound that is not known leaves a hole
    top, = ax.child_axes
    ax.figure.canvas.draw()
    assert [t.get_text() for t in top.get_xticklabels()] == ["2", "3", "4"]


def test_path_keywords_win_and_none_is_allowed():
    s = selector(); s.bounds_ = None
    assert len(plot_path(s).figure.axes) == 1
    ax = plot_path(s, bounds=[[1, 1], [2, 2], [2.5, 2.5]], rounds=[0, 0, 0, 0])
    assert len(ax.figure.axes) == 2 and len(ax.figure.axes[-1].lines[0].get_xdata()) == 0   # the gap is 0: nothing on a log axis


def test_many_rounds_have_few_ticks():
    ax = plot_path(np.arange(200.), rounds=np.arange(200))
    assert len(ax.child_axes[0].get_xticks()) == 12


# ---- all of them

CALLS = {plot_groups: ([[0, 1], [2]],), plot_scores: ([.5, .4, .1], [[0, 1]]), plot_pixels: ([[0, 1]], np.ones((2, 2))),
         plot_path: ([1., 2.],)}

@pytest.mark.parametrize("f", CALLS, ids=lambda f: f.__name__)
def test_draws_into_the_axes_given_or_its_own(f, monkeypatch):
    monkeypatch.setattr(plt, "show", lambda *a, **k: pytest.fail("show was called"))
    ax = f(*CALLS[f])
    assert len(plt.get_fignums()) == 1 and ax in ax.figure.axes
    _, mine = plt.subplots()
    assert f(*CALLS[f], ax=mine) is mine and len(plt.get_fignums()) == 2


SPOKEN = FeatureGroups([[0, 1]], classes=[[["a"], ["a", "b"]]])

@pytest.mark.parametrize("f, args, kwargs, words", [
    (plot_groups, (7,), {}, "found must be FeatureGroups"),
    (plot_groups, ([[1]], 7), {}, "truth must be FeatureGroups"),
    (plot_groups, ([[1], [1]],), {}, "disjoint"),
    (plot_groups, ([[1]],), dict(most=0), r"most must be a whole number in \[1, inf\), got 0"),
    (plot_groups, ([[1]],), dict(most=2.5), r"most must be a whole number in \[1, inf\), got 2.5"),
    (plot_classes, ([[1]],), {}, "groups must have classes, as those of a GDM fitted on classes have"),
    (plot_classes, (7,), {}, "groups must be FeatureGroups"),
    (plot_classes, (SPOKEN,), dict(most=0), r"most must be a whole number in \[1, inf\), got 0"),
    (plot_classes, (SPOKEN, ["a", "x"]), {}, r"classes must be a list of distinct labels among \['a', 'b'\], got \['a', 'x'\]"),
    (plot_classes, (SPOKEN, "a"), {}, "classes must be a list of distinct labels among .*, got 'a'"),
    (plot_classes, (SPOKEN, ["a", "a"]), {}, "classes must be a list of distinct labels"),
    (plot_classes, (SPOKEN, []), {}, "classes must be a list of distinct labels"),
    (plot_classes, (SPOKEN, 3), {}, "classes must be a list of distinct labels"),
    (plot_classes, (SPOKEN,), dict(ax=[None]), "ax must be 2 Axes, one for each class, got"),
    (plot_classes, (FeatureGroups([[0]], classes=[[[]]]),), {}, "groups must have members that speak for a class"),
    (plot_scores, (np.eye(2),), {}, r"scores must have shape \(n_features,\), got \(2, 2\)"),
    (plot_scores, ([1, np.inf],), {}, "scores must be finite, got inf at 1"),
    (plot_scores, ([1., 2.], [[2]]), {}, r"groups must lie in \[0, 2\), the columns of scores, got 2"),
    (plot_redundancy, (np.eye(3), [[3]]), {}, r"groups must lie in \[0, 3\), the columns of X, got 3"),
    (plot_redundancy, (np.eye(3), [[1]]), dict(ax=[None]), "ax must be two Axes"),
    (plot_redundancy, (np.eye(3), [[1]]), dict(most=0), "most must be"),
    (plot_pixels, ([[9]], np.eye(3)), {}, r"groups must lie in \[0, 9\), the columns of image, got 9"),
    (plot_pixels, ([[1]], np.ones(6)), {}, r"shape must be \(height, width\) with 6 pixels in all, got \(2, 2\)"),
    (plot_pixels, ([[1]], np.ones(0)), {}, "shape must be"),
    (plot_pixels, ([[1]], np.ones((2, 2, 3))), {}, "image must be grey"),
    (plot_path, ("text",), {}, "path must be a fitted selector"),
    (plot_path, (object(),), {}, "path must be a fitted selector"),
    (plot_path, ([1., 2.],), dict(bounds=[[0, 1]]), r"bounds must have shape \(2, 2\), got \(1, 2\)"),
])
def test_refused_before_a_figure_is_made(f, args, kwargs, words):
    with pytest.raises(ValueError, match=words): f(*args, **kwargs)
    assert not plt.get_fignums()


def test_matplotlib_waits_until_something_is_drawn():
    code = "import sys; from fsnb.show import canvas, inputs, marks, matrices, pages, panels, paths, pixels, places, ranks, sheet, stars, voices, words; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"


def test_few_ranks_have_whole_numbers_along_the_axis():
    ax = plot_scores([.1, .9, .5, .3])
    ax.figure.draw_without_rendering()
    assert [t.get_text() for t in ax.get_xticklabels()] == ["1", "2", "3", "4"]
    assert not [t for t in ax.get_xticklabels(minor=True) if t.get_text()]

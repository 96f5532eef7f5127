"`plot_group`: the tree is scipy's, the matrix is numpy's in its order, the line stands at 1 - tau."
import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.cluster.hierarchy import leaves_list, linkage
from fsnb import FeatureGroups, GDM, make_groups
from fsnb.show import plot_group


def mixed(n=80, p=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))@rng.standard_normal((3, p))+rng.standard_normal((n, p))
    X[:, 7] = 3.                                              # a constant
    return X


def names_of(matrix): return [t.get_text() for t in matrix.get_yticklabels()]


@pytest.mark.parametrize("m", [1, 2, 5, 13])
def test_matrix_in_the_order_of_the_tree(m):
    X, members = mixed(), np.random.default_rng(m).permutation(30)[:m]
    tree, matrix = plot_group(X, [members.tolist()])
    order = [int(t) for t in names_of(matrix)]
    assert sorted(order) == sorted(members)
    with np.errstate(all="ignore"): expected = np.nan_to_num(np.corrcoef(X[:, order], rowvar=False).reshape(m, m))
    drawn = np.asarray(matrix.images[0].get_array())
    off = ~np.eye(m, dtype=bool)
    np.testing.assert_allclose(drawn[off], expected[off], atol=1e-9)
    bold = [t.get_text() for t in matrix.get_yticklabels() if t.get_weight() == "bold"]
    assert bold == [str(members[0])]
    assert len(matrix.texts) == (m*m if m <= 12 else 0)
    if m > 1:
        distances = (1-np.abs(expected))[np.triu_indices(m, 1)]
        joined = sorted(1-linkage(distances, "average")[:, 2])
        tops = sorted(line.get_ydata()[1] for line in tree.lines if line.get_gid() is None)
        np.testing.assert_allclose(tops, joined, atol=1e-9)


def test_tau_is_that_of_the_settings_or_the_one_given_or_none():
    data = make_groups(200, 60, group_sizes=(4, 2), n_test=0, random_state=0)
    model = GDM.thesis2015(2, tau=.6).fit(data.X, data.y)
    def heights(ax): return [line.get_ydata()[0] for line in ax[0].lines if line.get_gid() == "threshold"]
    assert np.allclose(heights(plot_group(data.X, model, 1)), 1-.6)
    assert np.allclose(heights(plot_group(data.X, model, tau=.1)), .9)
    bare = FeatureGroups(model.groups_.members)
    assert heights(plot_group(data.X, bare)) == []
    reached = min(r for known in model.groups_.correlations for r in np.abs(known))
    assert reached >= 1-.6                                    # what the line means
    text = FeatureGroups(model.groups_.members, parameters={"tau": "auto"})
    assert heights(plot_group(data.X, text)) == []


def test_a_large_group_is_drawn_in_part_and_says_so():
    X = mixed()
    tree, matrix = plot_group(X, [list(range(30))], most=10)
    assert sorted(map(int, names_of(matrix))) == list(range(10)) and "10 of 30 members" in tree.get_title()


@pytest.mark.parametrize("form", [sp.csc_matrix, lambda X: X.astype(np.float32)])
def test_storages_agree(form):
    X = mixed()
    def picture(X): return np.asarray(plot_group(X, [[0, 1, 2, 3]])[1].images[0].get_array())
    np.testing.assert_allclose(picture(form(X)), picture(X), atol=1e-5)


def test_names_stand_on_both_axes_and_inside():
    names = [f"a long name of feature ${j}_" for j in range(30)]
    tree, matrix = plot_group(mixed(), FeatureGroups([list(range(14))], names=names, n_features=30))
    assert names_of(matrix) == [t.get_text() for t in matrix.get_xticklabels()]
    figure = matrix.figure
    figure.draw_without_rendering()
    boxes = [t.get_window_extent(figure.canvas.get_renderer()) for t in matrix.get_yticklabels()]
    assert min(b.x0 for b in boxes) >= 0
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


@pytest.mark.parametrize("groups, more, said", [([], {}, "must have a group"), ([[0, 1]], dict(group=1), "group must"), ([[0, 1]], dict(group=-1), "group must"),
                                                ([[0, 1]], dict(group=1.5), "group must"), ([[0, 1]], dict(most=0), "most must"), ([[0, 99]], {}, "[0, 30), the columns of X, got 99"),
                                                ([[0, 1]], dict(tau=1), "tau must lie in (0, 1), got 1"), ([[0, 1]], dict(ax=[None]), "ax must be two Axes"), (7, {}, "must be FeatureGroups")])
def test_bad_requests(groups, more, said):
    with pytest.raises(ValueError) as told: plot_group(mixed(), groups, **more)
    assert said in str(told.value) and plt.get_fignums() == []

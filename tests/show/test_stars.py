"`plot_groups`: what is drawn is counted, and verdicts equal `strict_hits`."
from types import SimpleNamespace
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgba
from fsnb.groups.groups import FeatureGroups
from fsnb.groups.metrics import strict_hits
from fsnb.show import marks, places
from fsnb.show.stars import plot_groups
from pictures import colours, count, drawn, overlaps, random_groups, texts


@pytest.mark.parametrize("k", [0, 1, 2, 12, 24, 25, 300])
@pytest.mark.parametrize("named", [False, True])
def test_groups_counts(k, named):
    names = [f"gene ${j}_with_a_name_as_long_as_a_sentence_{j % 7}" for j in range(2000)] if named else None
    g = random_groups(np.random.default_rng(k), k, 2000, names)
    ax = plot_groups(g)
    shown = np.argsort(-np.abs(g.scores), kind="stable")[:24]
    assert count(ax, "supports") == len(shown)
    assert count(ax, "affiliated") == count(ax, "links") == sum(len(g[i])-1 for i in shown)
    assert len(texts(ax)) == sum(len(g[i]) for i in shown)
    assert ("24 of 300" in ax.get_title()) == (k == 300) and (" drawn" in ax.get_title()) == (k > 24)
    if k and not named: assert texts(ax)[0] == str(g[shown[0]][0])
    if named and k >= 12: assert all("…" in t for t in texts(ax))


LETTERS = list("abcdefghijklmnopWMIl_0123456789. ")


def grown(rng, sizes, n_letters):
    "Groups of these sizes whose features have names of so many random letters"
    p, corr = int(sum(sizes)), [np.r_[1, rng.uniform(-1, 1, size-1)] for size in sizes]
    parts = np.split(np.arange(p), np.cumsum(sizes)[:-1])
    names = ["".join(rng.choice(LETTERS, n_letters)).strip() or "x" for _ in range(p)]
    return FeatureGroups(parts, corr, scores=rng.random(len(sizes)), names=names)


# group sizes up to 40, names up to 30 letters, up to 24 groups, figures from 1 x 1 inch to 16 x 5
CASES = [(1, 40, 1, None), (2, 13, 30, None), (5, 12, 10, None), (24, 3, 4, None), (1, 12, 30, (1, 1)), (5, 40, 4, (1, 1)), (3, 5, 10, (3, 1)), (2, 11, 18, (1, 4)),
         (4, 40, 10, (2.5, 2)), (8, 5, 18, (4, 3)), (3, 12, 30, (8, 5)), (5, 6, 30, (16, 5))]


@pytest.mark.parametrize("k, largest, n_letters, size", CASES)
def test_no_name_lies_over_a_circle_a_line_or_a_name(k, largest, n_letters, size):
    rng = np.random.default_rng([k, largest, n_letters])
    g = grown(rng, [largest, *rng.integers(1, largest+1, k-1)], n_letters)
    ax = None if size is None else plt.subplots(figsize=size, layout=rng.choice(["constrained", "none"]))[1]
    ax = plot_groups(g, ax=ax)
    assert overlaps(ax) == []
    if size is None: assert len(texts(ax)) >= count(ax, "supports")+count(ax, "affiliated")      # all that is drawn is named


def test_the_measure_of_overlaps_sees_them():
    "Each kind, made on purpose"
    ax = plot_groups([[0, 1, 2], [3, 4]], ax=plt.subplots(figsize=(4, 3))[1])
    assert overlaps(ax) == []
    dot, line, text = drawn(ax, "affiliated").get_offsets()[0], drawn(ax, "links").get_segments()[0].mean(0), ax.texts[0].get_position()
    look = dict(ha="center", va="center", fontsize=8)
    ax.text(*dot, "a", **look); ax.text(*line, "b", **look); ax.text(*text, "c", **look); ax.text(-.1, 1, "d", **look)
    said = " ".join(overlaps(ax))
    for part in ("a over a circle", "b over a line", "c over 3" if texts(ax)[0] == "3" else "c over 0", "d outside"): assert part in said
    drawn(ax, "affiliated").set_sizes([2500]); assert "circles meet" in overlaps(ax)


def test_a_paper_without_room_has_no_names():
    ax = plot_groups(grown(np.random.default_rng(0), [5]*24, 8), ax=plt.subplots(figsize=(2, 1))[1])
    assert texts(ax) == [] and count(ax, "supports") == 24 and overlaps(ax) == []


def test_long_titles_break_and_stay():
    ax = plot_groups(random_groups(np.random.default_rng(0), 24, 2000), random_groups(np.random.default_rng(1), 24, 2000), ax=plt.subplots(figsize=(4, 4))[1])
    assert ax.get_title().count("\n") == 1
    box = ax.title.get_window_extent(ax.figure.canvas.get_renderer())
    assert box.x0 > 0 and box.x1 < 400


def test_title_and_most():
    assert plot_groups([]).get_title() == "no groups"
    assert plot_groups([[3]]).get_title() == "1 group, 1 feature"
    g = random_groups(np.random.default_rng(0), 30, 500)
    ax = plot_groups(g, most=5)
    assert count(ax, "supports") == 5 and "5 of 30 drawn" in ax.get_title()
    assert count(plot_groups(g, most=1000), "supports") == 30


def test_names_are_of_the_right_features():
    g = FeatureGroups([[2, 0], [1]], [[1, -.9], [1]], scores=[.1, -.5], names=["a", "b", "c"])
    assert texts(plot_groups(g)) == ["b", "c", "a"]             # larger |score| first, support before affiliated
    assert texts(plot_groups(FeatureGroups([[2, 0], [1]]))) == ["2", "0", "1"]   # no scores: as selected


def test_names_of_the_truth_serve_where_found_has_none():
    truth = FeatureGroups([[0, 1]], names=["a", "b"])
    assert set(texts(plot_groups([[0]], truth))) == {"a", "b"}
    other = FeatureGroups([[0]], names=["x", "y"])
    assert set(texts(plot_groups(other, truth))) == {"x", "b"}


def test_links_show_sign_and_size():
    ax = plot_groups(FeatureGroups([[0, 1, 2, 3]], [[1, .9, -.5, np.nan]]))
    links = drawn(ax, "links")
    assert colours(ax, "links")[:3] == [marks._UP, marks._DOWN, marks._GREY]
    width, alpha = links.get_linewidths(), [c[3] for c in links.get_colors()]
    assert width[0] > width[1] and alpha[0] > alpha[1]
    legend = [t.get_text() for t in ax.get_legend().get_texts()]
    assert legend == ["support", "affiliated", "corr +0.90", "corr -0.50"]


def test_supports_are_filled_and_affiliated_open():
    ax = plot_groups([[0, 1, 2]])
    assert (drawn(ax, "supports").get_facecolor() == to_rgba(marks._INK)).all()
    assert (drawn(ax, "affiliated").get_facecolor() == to_rgba("white")).all()
    assert colours(ax, "affiliated") == [marks._INK]*2


def test_a_support_that_is_not_significant_is_hollow_and_says_so():
    g = random_groups(np.random.default_rng(3), 6, 60)
    for flags in ([True]*6, [True, False, True, True, False, False], [False]*6):
        known = FeatureGroups(g.members, g.correlations, scores=g.scores, significant=flags)
        ax, shown = plot_groups(known), np.argsort(-np.abs(g.scores), kind="stable")
        want = [marks._INK if flags[i] else "#ffffff" for i in shown]
        assert [to_hex(face) for face in drawn(ax, "supports").get_facecolor()] == want and colours(ax, "supports") == [marks._INK]*6
        assert (drawn(ax, "affiliated").get_facecolor() == to_rgba("white")).all()
        names = {t for t in texts(ax) if t.endswith(" (n.s.)")}
        assert names == {f"{g[i][0]} (n.s.)" for i in range(6) if not flags[i]} and overlaps(ax) == []
        legend = [t.get_text() for t in ax.get_legend().get_texts()]
        assert ("not significant" in legend) == (not all(flags)) and ("support" in legend) == any(flags)
    assert texts(plot_groups(g)) == texts(plot_groups(FeatureGroups(g.members, scores=g.scores, significant=[True]*6)))


def test_a_long_name_is_cut_before_the_mark():
    g = grown(np.random.default_rng(0), [5, 3, 1, 4], 30)
    known = FeatureGroups(g.members, g.correlations, scores=g.scores, names=g.names, significant=[False]*4)
    for size in (None, (3, 2.5), (8, 5)):
        ax = plot_groups(known, ax=None if size is None else plt.subplots(figsize=size)[1])
        assert sum(t.endswith(" (n.s.)") for t in texts(ax)) == 4 and overlaps(ax) == []
    ax = plot_groups(known, ax=plt.subplots(figsize=(2, 1))[1])                # no room for names
    assert texts(ax) == [] and {to_hex(face) for face in drawn(ax, "supports").get_facecolor()} == {"#ffffff"}


def test_beside_a_truth_only_what_was_found_is_marked():
    found, truth = FeatureGroups([[0, 1], [2]], significant=[False, True]), FeatureGroups([[0, 3], [5]], significant=[False, False])
    ax = plot_groups(found, truth)
    assert texts(ax) == ["0 (n.s.)", "1", "3", "2", "5"]
    assert colours(ax, "supports") == [marks._TRUTH["correct"], marks._TRUTH["wrong"], marks._TRUTH["missed"]]
    assert [to_hex(face).upper() for face in drawn(ax, "supports").get_facecolor()] == ["#FFFFFF", marks._TRUTH["wrong"], "#FFFFFF"]
    ax = plot_groups([[0, 1]], truth)
    assert "n.s." not in "".join(texts(ax)) and "not significant" not in [t.get_text() for t in ax.get_legend().get_texts()]


def test_a_large_star_ends_in_a_count():
    ax = plot_groups([list(range(40))])
    assert count(ax, "affiliated") == places._SPOKES-1 and texts(ax)[-1] == f"+{39-places._SPOKES+1}"
    assert "+" not in "".join(texts(plot_groups([list(range(places._SPOKES+1))])))


def test_a_large_star_hides_what_is_correct_first():
    ax = plot_groups([list(range(30))+[99]], [list(range(30))+[77]])
    assert {"99", "77"} <= set(texts(ax)) and marks._TRUTH["wrong"] in colours(ax, "affiliated")


def test_verdicts_by_hand():
    found, truth = [[0, 1, 9], [2], [8]], [[0, 1, 2], [5]]
    ax = plot_groups(found, truth)
    T = marks._TRUTH
    assert texts(ax) == ["0", "1", "9", "2", "2", "8", "5"]
    assert colours(ax, "supports") == [T["correct"], T["misplaced"], T["wrong"], T["missed"]]
    assert colours(ax, "affiliated") == [T["correct"], T["wrong"], T["missed"]]
    assert "2 of 4 true features found, 2 wrong" in ax.get_title()
    # missed is grey, dashed and open, also when it is a support
    dashes = [d is not None for _, d in drawn(ax, "supports").get_linestyle()]
    assert dashes == [False, False, False, True]
    assert to_hex(drawn(ax, "supports").get_facecolor()[3]) == "#ffffff"
    assert [d is not None for _, d in drawn(ax, "links").get_linestyle()] == [False, False, True]
    assert colours(ax, "links")[2] == marks._GREY


@pytest.mark.parametrize("seed", range(100))
def test_colours_count_as_strict_hits(seed, monkeypatch):
    monkeypatch.setattr(places, "_SPOKES", 100)                   # nothing hidden
    rng = np.random.default_rng(seed)
    found, truth = random_groups(rng, rng.integers(0, 7), 40), random_groups(rng, rng.integers(1, 7), 40)
    ax, h = plot_groups(found, truth, most=100), strict_hits(found, truth)
    got = colours(ax, "supports")+colours(ax, "affiliated")
    assert got.count(marks._TRUTH["correct"]) == h.hits and got.count(marks._TRUTH["wrong"]) == h.wrong
    assert got.count(marks._TRUTH["missed"]) == h.total-h.hits
    assert len(got)-got.count(marks._TRUTH["missed"]) == len(found.all_members)


def test_truth_against_itself_is_all_green():
    g = random_groups(np.random.default_rng(1), 12, 300)
    ax = plot_groups(g, g)
    assert set(colours(ax, "supports")+colours(ax, "affiliated")) == {marks._TRUTH["correct"]}
    assert "missed" not in [t.get_text() for t in ax.get_legend().get_texts()]


def test_nothing_found_and_no_truth():
    ax = plot_groups([], [[1, 2]])
    assert set(colours(ax, "supports")+colours(ax, "affiliated")) == {marks._TRUTH["missed"]}
    assert colours(plot_groups([[1]], []), "supports") == [marks._TRUTH["wrong"]]


def test_method_of_the_answer_and_selector():
    g = FeatureGroups([[0, 1], [2]])
    assert texts(g.plot()) == texts(plot_groups(SimpleNamespace(groups_=g))) == ["0", "1", "2"]
    assert set(colours(g.plot(truth=g), "supports")) == {marks._TRUTH["correct"]}


@pytest.mark.parametrize("size", [(1, 1), (3, 1), (1, 4), (12, 7)])
def test_labels_and_points_stay_inside_axes_of_any_shape(size):
    _, ax = plt.subplots(figsize=size)
    g = random_groups(np.random.default_rng(2), 11, 300)
    assert plot_groups(g, ax=ax) is ax
    xy = np.concatenate([drawn(ax, gid).get_offsets() for gid in ("supports", "affiliated")])
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    assert (xy > [x0, y0]).all() and (xy < [x1, y1]).all()
    assert len(np.unique(np.round(xy, 6), axis=0)) == len(xy)

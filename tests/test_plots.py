"""fsnb.plots: what is drawn is counted, verdicts equal `strict_hits`, and bad input is refused before a figure is made."""
import subprocess, sys
from types import SimpleNamespace
import numpy as np
import pytest
import scipy.sparse as sp
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.colors import to_hex, to_rgba
from fsnb import plots
from fsnb.columns import as_columns
from fsnb.correlation import correlation_table
from fsnb.groups import FeatureGroups
from fsnb.metrics import strict_hits
from fsnb.plots import plot_classes, plot_groups, plot_path, plot_pixels, plot_redundancy, plot_scores


@pytest.fixture(autouse=True)
def close():
    "Every picture can also be rendered"
    yield
    for number in plt.get_fignums(): plt.figure(number).canvas.draw()
    plt.close("all")


def random_groups(rng, n_groups, p, names=None, most=6):
    sizes = rng.integers(1, most, n_groups)
    parts = np.split(rng.permutation(p)[:sizes.sum()], np.cumsum(sizes)[:-1]) if n_groups else []
    corr = [np.r_[1, rng.uniform(-1, 1, len(m)-1)] for m in parts]
    return FeatureGroups(parts, corr, scores=rng.standard_normal(n_groups), names=names, n_features=p)


def drawn(ax, gid):
    "The one collection of this kind, or None"
    found = [c for c in ax.collections if c.get_gid() == gid]
    assert len(found) <= 1
    return found[0] if found else None


def count(ax, gid):
    c = drawn(ax, gid)
    return 0 if c is None else len(c.get_offsets()) if gid != "links" else len(c.get_segments())


def texts(ax): return [t.get_text() for t in ax.texts]


def colours(ax, gid):
    c = drawn(ax, gid)
    return [] if c is None else [to_hex(e).upper() for e in c.get_edgecolor()]


# ---- plot_groups

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


@pytest.mark.parametrize("k", [1, 2, 5, 12, 24])
def test_long_names_stay_in_their_cells(k):
    names = [f"gene ${j}_with_a_name_as_long_as_a_sentence_{j % 7}" for j in range(2000)]
    ax = plot_groups(random_groups(np.random.default_rng(k), k, 2000, names))
    renderer = ax.figure.canvas.get_renderer()
    boxes = [t.get_window_extent(renderer) for t in ax.texts]
    frame = ax.get_window_extent(renderer)
    assert min(b.x0 for b in boxes) > frame.x0-.03*frame.width and max(b.x1 for b in boxes) < frame.x1+.03*frame.width
    supports = [b for t, b in zip(ax.texts, boxes) if t.get_weight() == "bold"]
    assert sum(a.overlaps(b) for i, a in enumerate(supports) for b in supports[:i]) == 0


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
    assert colours(ax, "links")[:3] == [plots.UP, plots.DOWN, plots.GREY]
    width, alpha = links.get_linewidths(), [c[3] for c in links.get_colors()]
    assert width[0] > width[1] and alpha[0] > alpha[1]
    legend = [t.get_text() for t in ax.get_legend().get_texts()]
    assert legend == ["support", "affiliated", "corr +0.90", "corr -0.50"]


def test_supports_are_filled_and_affiliated_open():
    ax = plot_groups([[0, 1, 2]])
    assert (drawn(ax, "supports").get_facecolor() == to_rgba(plots.INK)).all()
    assert (drawn(ax, "affiliated").get_facecolor() == to_rgba("white")).all()
    assert colours(ax, "affiliated") == [plots.INK]*2


def test_a_large_star_ends_in_a_count():
    ax = plot_groups([list(range(40))])
    assert count(ax, "affiliated") == plots.SPOKES-1 and texts(ax)[-1] == f"+{39-plots.SPOKES+1}"
    assert "+" not in "".join(texts(plot_groups([list(range(plots.SPOKES+1))])))


def test_a_large_star_hides_what_is_correct_first():
    ax = plot_groups([list(range(30))+[99]], [list(range(30))+[77]])
    assert {"99", "77"} <= set(texts(ax)) and plots.TRUTH["wrong"] in colours(ax, "affiliated")


def test_verdicts_by_hand():
    found, truth = [[0, 1, 9], [2], [8]], [[0, 1, 2], [5]]
    ax = plot_groups(found, truth)
    T = plots.TRUTH
    assert texts(ax) == ["0", "1", "9", "2", "2", "8", "5"]
    assert colours(ax, "supports") == [T["correct"], T["misplaced"], T["wrong"], T["missed"]]
    assert colours(ax, "affiliated") == [T["correct"], T["wrong"], T["missed"]]
    assert "2 of 4 true features found, 2 wrong" in ax.get_title()
    # missed is grey, dashed and open, also when it is a support
    dashes = [d is not None for _, d in drawn(ax, "supports").get_linestyle()]
    assert dashes == [False, False, False, True]
    assert to_hex(drawn(ax, "supports").get_facecolor()[3]) == "#ffffff"
    assert [d is not None for _, d in drawn(ax, "links").get_linestyle()] == [False, False, True]
    assert colours(ax, "links")[2] == plots.GREY


@pytest.mark.parametrize("seed", range(100))
def test_colours_count_as_strict_hits(seed, monkeypatch):
    monkeypatch.setattr(plots, "SPOKES", 100)                   # nothing hidden
    rng = np.random.default_rng(seed)
    found, truth = random_groups(rng, rng.integers(0, 7), 40), random_groups(rng, rng.integers(1, 7), 40)
    ax, h = plot_groups(found, truth, most=100), strict_hits(found, truth)
    got = colours(ax, "supports")+colours(ax, "affiliated")
    assert got.count(plots.TRUTH["correct"]) == h.hits and got.count(plots.TRUTH["wrong"]) == h.wrong
    assert got.count(plots.TRUTH["missed"]) == h.total-h.hits
    assert len(got)-got.count(plots.TRUTH["missed"]) == len(found.all_members)


def test_truth_against_itself_is_all_green():
    g = random_groups(np.random.default_rng(1), 12, 300)
    ax = plot_groups(g, g)
    assert set(colours(ax, "supports")+colours(ax, "affiliated")) == {plots.TRUTH["correct"]}
    assert "missed" not in [t.get_text() for t in ax.get_legend().get_texts()]


def test_nothing_found_and_no_truth():
    ax = plot_groups([], [[1, 2]])
    assert set(colours(ax, "supports")+colours(ax, "affiliated")) == {plots.TRUTH["missed"]}
    assert colours(plot_groups([[1]], []), "supports") == [plots.TRUTH["wrong"]]


def test_method_of_the_answer_and_selector():
    g = FeatureGroups([[0, 1], [2]])
    assert texts(g.plot()) == texts(plot_groups(SimpleNamespace(groups_=g))) == ["0", "1", "2"]
    assert set(colours(g.plot(truth=g), "supports")) == {plots.TRUTH["correct"]}


@pytest.mark.parametrize("size", [(1, 1), (3, 1), (1, 4), (12, 7)])
def test_labels_and_points_stay_inside_axes_of_any_shape(size):
    _, ax = plt.subplots(figsize=size)
    g = random_groups(np.random.default_rng(2), 11, 300)
    assert plot_groups(g, ax=ax) is ax
    xy = np.concatenate([drawn(ax, gid).get_offsets() for gid in ("supports", "affiliated")])
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    assert (xy > [x0, y0]).all() and (xy < [x1, y1]).all()
    assert len(np.unique(np.round(xy, 6), axis=0)) == len(xy)


# ---- plot_classes

def class_groups(rng, k, labels, names=None, p=3000, most=9):
    "Random groups whose members speak for 0 to 3 classes"
    g = random_groups(rng, k, p, names, most)
    def spoken(): return tuple(q for q in labels if rng.random() < 1.2/len(labels))
    return FeatureGroups(g.members, g.correlations, scores=g.scores, names=g.names, n_features=p,
                         classes=[[spoken() for _ in m] for m in g.members])


def speaking(g, label):
    "Members that speak for a class, group by group in the order in which they should be drawn"
    out = [(g.classes[i], i) for i in np.argsort(-np.abs(g.scores), kind="stable") if any(label in c for c in g.classes[i])]
    out.sort(key=lambda o: label not in o[0][0])
    return [(i, [j for j, c in list(zip(g.members[i].tolist(), cs))[1:] if label in c]) for cs, i in out]


def words(ax, weight=None): return [t for t in ax.texts if weight is None or t.get_weight() == weight]


def overlaps(boxes):
    x0, y0, x1, y1 = np.array([b.extents for b in boxes]).reshape(-1, 4).T
    return int(((np.minimum(x1[:, None], x1) > np.maximum(x0[:, None], x0)+.5) &
                (np.minimum(y1[:, None], y1) > np.maximum(y0[:, None], y0)+.5)).sum()-len(x0))


NAMES = {"words": [f"{'aeiou'[j % 5]}{'lmnrst'[j % 6]}word{j}" for j in range(3000)], "none": None,
         "long": [f"gene ${j}_{'longer_'*(j % 9)}WWW{j % 7}" for j in range(3000)], "W": ["W"*30 for _ in range(3000)]}


def inside_and_apart(ax, slack=1.):
    "Texts lie inside their panel, and neither on each other nor on circles"
    renderer = ax.figure.canvas.get_renderer()
    frame, boxes = ax.get_window_extent(renderer), [t.get_window_extent(renderer) for t in ax.texts]
    if not boxes: return
    x0, y0, x1, y1 = np.array([b.extents for b in boxes]).T
    assert x0.min() > frame.x0-slack and x1.max() < frame.x1+slack
    assert y0.min() > frame.y0-2 and y1.max() < frame.y1+2
    assert overlaps(boxes) == 0
    pixel = ax.figure.dpi/72
    for gid in ("supports", "affiliated"):
        if drawn(ax, gid) is None: continue
        radius = np.sqrt(drawn(ax, gid).get_sizes()[0])/2*pixel
        for x, y in ax.transData.transform(drawn(ax, gid).get_offsets()):
            assert not ((x0 < x+radius*.7) & (x1 > x-radius*.7) & (y0 < y) & (y1 > y)).any()
            assert frame.x0 <= x-radius and x+radius <= frame.x1+1


@pytest.mark.parametrize("kind", ["words", "long"])
@pytest.mark.parametrize("K", [1, 2, 4, 6, 10])
def test_classes_in_a_figure_of_their_own(K, kind):
    rng = np.random.default_rng(K)
    labels = [f"{'subject '*(K % 3)}{'abcdefghij'[i]}-class" for i in range(K)]
    g = class_groups(rng, 60, labels, NAMES[kind])
    axes = plot_classes(g)
    figure = axes[0].figure
    figure.canvas.draw()
    assert axes.shape == (K,) and len(figure.axes) == K
    renderer = figure.canvas.get_renderer()
    for ax in axes: inside_and_apart(ax)
    whole = [ax.get_tightbbox(renderer) for ax in axes]+[figure.legends[0].get_window_extent(renderer), figure._suptitle.get_window_extent(renderer)]
    assert overlaps(whole) == 0
    x0, y0, x1, y1 = np.array([b.extents for b in whole]).T
    assert min(x0.min(), y0.min()) >= -1 and x1.max() <= figure.bbox.x1 and y1.max() <= figure.bbox.y1


@pytest.mark.parametrize("dpi", [60, 80, 130, 300])
def test_words_stay_apart_at_every_resolution(dpi):
    g = class_groups(np.random.default_rng(dpi), 60, list("ABCDE"), NAMES["long"])
    figure = plot_classes(g)[0].figure
    figure.set_dpi(dpi); figure.canvas.draw()
    for ax in figure.axes: inside_and_apart(ax, slack=.04*ax.get_window_extent().width)   # letters are rounded to pixels


@pytest.mark.parametrize("seed", range(8))
def test_classes_in_given_axes_of_any_shape(seed):
    rng = np.random.default_rng(seed)
    size, layout = rng.uniform(4, 12, 2)/[1, 1.5], [None, "constrained"][seed % 2]
    figure, axes = plt.subplots(2, 2, figsize=size, layout=layout)
    g = class_groups(rng, int(rng.integers(1, 80)), ["one", "two", "three", "four"], NAMES[["words", "long", "none", "W"][seed // 2 % 4]])
    out = plot_classes(SimpleNamespace(groups_=g, classes_=["one", "two", "three", "four"]), ax=axes)
    assert out.tolist() == axes.ravel().tolist()
    figure.canvas.draw()
    for ax in axes.flat: inside_and_apart(ax)


@pytest.mark.parametrize("most", [1, 8, 100])
@pytest.mark.parametrize("seed", range(3))
def test_what_speaks_for_a_class_is_drawn(most, seed):
    g = class_groups(np.random.default_rng(seed), 30, ["red", "green", "blue"])
    for ax, q in zip(plot_classes(g, ["red", "green", "blue"], most=most), ["red", "green", "blue"]):
        voices, n = speaking(g, q), min(most, len(speaking(g, q)))
        assert [t.get_text() for t in words(ax, "bold")] == [str(g[i][0]) for i, _ in voices[:n]]
        assert count(ax, "supports") == n and count(ax, "affiliated") == count(ax, "links")
        hidden = sum(int(t) for t in texts(ax) if t.startswith("+"))
        assert count(ax, "affiliated")+hidden == sum(len(m) for _, m in voices[:n])
        plain = [t.get_text() for t in words(ax, "normal") if to_hex(t.get_color()).upper() == plots.INK.upper()]
        assert set(plain) <= {str(j) for _, m in voices[:n] for j in m} and len(plain) == count(ax, "affiliated")
        more = len(voices)-n
        assert [t for t in texts(ax) if t.startswith("and ")] == ([f"and {more} more group{'s'*(more > 1)}"] if more else [])
        silent = [q not in g.classes[i][0] for i, _ in voices[:n]]
        grey = plots.GREY.lower()
        assert [e == grey.upper() for e in colours(ax, "supports")] == silent
        assert [to_hex(t.get_color()) == grey for t in words(ax, "bold")] == silent
        members = sum(q in c for cs in g.classes for c in cs)
        assert ax.get_title("left").startswith(q) and ax.get_title("right") == f"{len(voices)} groups, {members} features"


def test_classes_by_hand():
    g = FeatureGroups([[0, 1, 2, 5], [3], [4], [6]], [[1, .9, -.6, .5], [1], [1], [1]], scores=[.5, -.9, .7, 2],
                      names=["goal", "score", "shot", "star", "film", "tie", "the"],
                      classes=[[["sport"], ["sport"], ["film", "sport"], []], [["film", "sport"]], [["film"]], [[]]])
    film, sport = plot_classes(g)
    assert texts(film) == ["S", "star", "film", "S", "goal", "shot", "S"]
    assert texts(sport) == ["F", "star", "goal", "score", "shot", "F"]
    assert (film.get_title("left"), sport.get_title("left")) == ("film (F)", "sport (S)")
    assert colours(sport, "links") == [plots.UP, plots.DOWN] and colours(film, "links") == [plots.DOWN]
    assert colours(film, "supports") == [plots.INK, plots.INK, plots.GREY]
    assert film.figure._suptitle.get_text() == "4 groups, 7 features; 1 group not for any of these classes"
    legend = [t.get_text() for t in film.figure.legends[0].get_texts()]
    assert legend == ["support", "affiliated", "corr +0.90", "corr -0.60", "support, not for this class", "grey F: speaks for F too"]
    one, = plot_classes(g, ["sport"])
    legend = [t.get_text() for t in one.figure.legends[0].get_texts()]
    assert texts(one) == texts(sport) and legend[-2:] == ["grey F: speaks for F too", "F: film"]


@pytest.mark.parametrize("size", [(3, 2), (30, 3), (50, 3)])
def test_a_large_group_is_counted(size):
    g = FeatureGroups([list(range(300))], classes=[[["a"]]*300])
    ax, = plot_classes(g, ax=plt.subplots(figsize=size)[1])
    assert texts(ax)[-1] == f"+{299-count(ax, 'affiliated')}" and count(ax, "affiliated") < plots.NEAR
    ax.figure.canvas.draw(); inside_and_apart(ax)


def test_a_tie_touches_its_circles():
    g = FeatureGroups([list(range(9))], classes=[[["a"]]*9], names=[f"name{j}" for j in range(9)])
    ax, = plot_classes(g, ax=plt.subplots(figsize=(3, 3))[1])
    ends = np.array([s[-1] for s in drawn(ax, "links").get_segments()])
    assert np.allclose(ends, drawn(ax, "affiliated").get_offsets())
    starts = np.array([s[0] for s in drawn(ax, "links").get_segments()])
    dot = drawn(ax, "supports").get_offsets()[0]
    rows = len(np.unique(ends[:, 1]))
    assert rows > 1 and np.isclose(starts, dot).all(1).sum() == rows       # each row begins at the support
    assert np.isclose(ends[:, 1].min()+ends[:, 1].max(), 2*dot[1])         # which stands in their middle


def test_classes_of_a_selector_have_a_panel_each():
    model = SimpleNamespace(groups_=FeatureGroups([[0, 1]], classes=[[[3], [3, 12]]]), classes_=np.array([3, 7, 12]))
    three, seven, twelve = plot_classes(model)
    assert texts(seven) == ["no groups"] and texts(three) == ["0", "1", "12"] and texts(twelve) == ["3", "0", "1", "3"]
    assert [a.get_title("left") for a in (three, seven, twelve)] == ["3", "7", "12"]
    assert [a.get_title("left") for a in plot_classes(model, np.array([12, 3]))] == ["12", "3"]
    assert texts(plot_classes(model.groups_, [12])[0]) == ["3", "0", "1", "3"]
    assert texts(plot_classes(model, [7], ax=plt.subplots()[1])[0]) == ["no groups"]


@pytest.mark.parametrize("K", [2, 4])
def test_classes_of_gdm(K):
    from fsnb.gdm import GDM
    rng = np.random.default_rng(K)
    y = np.arange(300) % K
    X = rng.standard_normal((300, 20)); X[:, :K] += 3*np.eye(K)[y]; X[:, K] = X[:, 0]+.1*rng.standard_normal(300)
    axes = plot_classes(GDM(5).fit(X, y))
    assert len(axes) == K
    for q, ax in enumerate(axes): assert str(q) in texts(ax)
    assert str(K) in texts(axes[0]) and (K == 2 or str(K) not in texts(axes[1]))


def test_font_goes_down_then_rows_then_groups():
    stars = [[(f"support{i}", "", 1., True)]+[(f"member{j}", "", .5, True) for j in range(8)] for i in range(6)]
    def plan(height): return plots._fitting(stars, 8, 3, height)
    plans = [plan(h) for h in (9, 3.5, 2.6, 1.6, .9, .5, .1)]
    assert plans[0] == (8, 3, 6) and plans[-1][2] == 0 and (5, 1, 6) in [plan(h) for h in np.arange(.7, 2, .1)]
    assert all(a[0] >= b[0] and a[2] >= b[2] for a, b in zip(plans, plans[1:])) and len({p[0] for p in plans}) >= 3
    for h, (font, rows, k) in zip((9, 3.5, 2.6, 1.6, .9, .5), plans):
        page = plots._page(stars[:k], 3*72/font, rows, 6-k)
        assert page[3]*font/72 <= h
        assert (f"and {6-k} more group{'s'*(k < 5)}" in [t[2] for t in page[2]]) == (0 < k < 6)


@pytest.mark.parametrize("seed", range(200))
def test_rows_hold_or_count_every_word(seed):
    rng = np.random.default_rng(seed)
    total, room, rows = int(rng.integers(0, 60)), np.exp(rng.uniform(2, 5.5)), int(rng.integers(1, 4))
    n = min(total, plots.NEAR-1)
    count_room = plots.APART+plots._ems(f"+{total}") if total > rows else 0
    words = [("w", w, "", w) for w in rng.uniform(.5, min(room-plots.DOT-count_room, 12), n)]
    lay, hidden = plots._rows(words, total, room, rows)
    assert [i for row in lay for i, _ in row] == list(range(total-hidden)) and len(lay) <= rows
    for r, row in enumerate(lay):
        ends = [x+plots.DOT+words[i][3] for i, x in row]
        last = plots.APART+plots._ems(f"+{hidden}") if hidden and r == len(lay)-1 else 0
        assert not row or ends[-1]+last <= room+1e-9
        assert all(b[1] >= a+plots.APART for a, b in zip(ends, row[1:]))


@pytest.mark.parametrize("room", [2.5, 4, 7, 30])
def test_a_word_keeps_to_its_room_with_its_signs(room):
    for signs in ("", "A", "A B", "AAA BBB CCC DDD", "A B C D E"):
        name, wide, shown, both = plots._word(("WWWWillustration", signs, 1., True), room)
        assert both <= room or len(name) == 3 and shown in ("…", signs) and both < 4.5
        assert wide == plots._ems(name) and both == wide+(.3+plots.SIGN*plots._ems(shown) if shown else 0)
        if room == 30: assert name == "WWWWillustration" and shown == {"AAA BBB CCC DDD": "AAA BBB CCC …", "A B C D E": "A B C …"}.get(signs, signs)


def test_signs():
    assert plots._signs(["business", "sport"]) == {"business": "B", "sport": "S"}
    assert plots._signs(["news", "nature"]) == {"news": "NE", "nature": "NA"}
    assert plots._signs(["class_1", "class_2"]) == {"class_1": "1", "class_2": "2"}
    assert plots._signs([-1, 1]) == {-1: "-1", 1: "1"}
    assert plots._signs(["abcdxefgh", "abcdyefgh"]) == {"abcdxefgh": "1", "abcdyefgh": "2"}
    for K in (1, 2, 15, 300): assert len(set(plots._signs([f"the label {i}" for i in range(K)]).values())) == K


@pytest.mark.parametrize("room", [.5, 2, 3.7, 6, 11, 40])
def test_fit(room):
    for text in ("", "a", "WWW", "illiterate", "guantanamo", "W"*20, "the quick brown fox jumps over the lazy dog"*3):
        short, wide = plots._fit(text, room, "bold")
        assert wide == plots._ems(short, "bold") and (wide <= room or len(short) <= 3) and len(short) <= 60
        if plots._ems(text, "bold") <= room and len(text) <= 60: assert short == text


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
    assert plots._means(corr, np.array([0, 0, 1])) == "inside a group 0.80, between groups 0.20"
    assert plots._means(corr[:1, :1], np.array([0])) == "no pairs"


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
    (plot_groups, ([[1]],), dict(most=0), "most must be a whole number >= 1, got 0"),
    (plot_groups, ([[1]],), dict(most=2.5), "most must be a whole number >= 1, got 2.5"),
    (plot_classes, ([[1]],), {}, "groups must have classes, as those of a GDM fitted on classes have"),
    (plot_classes, (7,), {}, "groups must be FeatureGroups"),
    (plot_classes, (SPOKEN,), dict(most=0), "most must be a whole number >= 1, got 0"),
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
    code = "import sys, fsnb.plots; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "False"


@pytest.mark.parametrize("length", range(3, 30))
def test_shorten(length):
    for text in ("", "abc", "x"*length, "y"*(length+1), "the quick brown fox jumps over the lazy dog"):
        out = plots._shorten(text, length)
        assert len(out) <= length and (out == text) == (len(text) <= length)
        if len(text) > length: assert out[-1] == text[-1] and out[0] == text[0] and "…" in out
    assert plots._shorten("two\nlines", 20) == "two lines"

"`plot_classes`, its pages and its words: all that speaks is drawn or counted, and nothing lies on anything else."
from types import SimpleNamespace
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from fsnb.groups.groups import FeatureGroups
from fsnb.show import marks, pages, voices
from fsnb.show.pages import _break_rows, _fit_page, _set_page
from fsnb.show.panels import plot_classes
from fsnb.show.voices import Voice, Word, _fit_word
from fsnb.show.words import _fit_text, _short_signs, _shorten, _text_width
from pictures import colours, count, drawn, random_groups, texts


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
        plain = [t.get_text() for t in words(ax, "normal") if to_hex(t.get_color()).upper() == marks._INK.upper()]
        assert set(plain) <= {str(j) for _, m in voices[:n] for j in m} and len(plain) == count(ax, "affiliated")
        more = len(voices)-n
        assert [t for t in texts(ax) if t.startswith("and ")] == ([f"and {more} more group{'s'*(more > 1)}"] if more else [])
        silent = [q not in g.classes[i][0] for i, _ in voices[:n]]
        grey = marks._GREY.lower()
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
    assert colours(sport, "links") == [marks._UP, marks._DOWN] and colours(film, "links") == [marks._DOWN]
    assert colours(film, "supports") == [marks._INK, marks._INK, marks._GREY]
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
    assert texts(ax)[-1] == f"+{299-count(ax, 'affiliated')}" and count(ax, "affiliated") < pages._NEAR
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
    stars = [[Voice(f"support{i}", "", 1., True)]+[Voice(f"member{j}", "", .5, True) for j in range(8)] for i in range(6)]
    def plan(height): return _fit_page(stars, 8, 3, height)
    plans = [plan(h) for h in (9, 3.5, 2.6, 1.6, .9, .5, .1)]
    assert plans[0] == (8, 3, 6) and plans[-1][2] == 0 and (5, 1, 6) in [plan(h) for h in np.arange(.7, 2, .1)]
    assert all(a[0] >= b[0] and a[2] >= b[2] for a, b in zip(plans, plans[1:])) and len({p[0] for p in plans}) >= 3
    for h, (font, rows, k) in zip((9, 3.5, 2.6, 1.6, .9, .5), plans):
        page = _set_page(stars[:k], 3*72/font, rows, 6-k)
        assert page[3]*font/72 <= h
        assert (f"and {6-k} more group{'s'*(k < 5)}" in [t[2] for t in page[2]]) == (0 < k < 6)


@pytest.mark.parametrize("seed", range(200))
def test_rows_hold_or_count_every_word(seed):
    rng = np.random.default_rng(seed)
    total, room, rows = int(rng.integers(0, 60)), np.exp(rng.uniform(2, 5.5)), int(rng.integers(1, 4))
    n = min(total, pages._NEAR-1)
    count_room = pages._APART+_text_width(f"+{total}") if total > rows else 0
    words = [Word("w", w, "", w) for w in rng.uniform(.5, min(room-pages._DOT-count_room, 12), n)]
    lay, hidden = _break_rows(words, total, room, rows)
    assert [i for row in lay for i, _ in row] == list(range(total-hidden)) and len(lay) <= rows
    for r, row in enumerate(lay):
        ends = [x+pages._DOT+words[i][3] for i, x in row]
        last = pages._APART+_text_width(f"+{hidden}") if hidden and r == len(lay)-1 else 0
        assert not row or ends[-1]+last <= room+1e-9
        assert all(b[1] >= a+pages._APART for a, b in zip(ends, row[1:]))


@pytest.mark.parametrize("room", [2.5, 4, 7, 30])
def test_a_word_keeps_to_its_room_with_its_signs(room):
    for signs in ("", "A", "A B", "AAA BBB CCC DDD", "A B C D E"):
        name, wide, shown, both = _fit_word(Voice("WWWWillustration", signs, 1., True), room)
        assert both <= room or len(name) == 3 and shown in ("…", signs) and both < 4.5
        assert wide == _text_width(name) and both == wide+(.3+voices._SIGN*_text_width(shown) if shown else 0)
        if room == 30: assert name == "WWWWillustration" and shown == {"AAA BBB CCC DDD": "AAA BBB CCC …", "A B C D E": "A B C …"}.get(signs, signs)


def test_signs():
    assert _short_signs(["business", "sport"]) == {"business": "B", "sport": "S"}
    assert _short_signs(["news", "nature"]) == {"news": "NE", "nature": "NA"}
    assert _short_signs(["class_1", "class_2"]) == {"class_1": "1", "class_2": "2"}
    assert _short_signs([-1, 1]) == {-1: "-1", 1: "1"}
    assert _short_signs(["abcdxefgh", "abcdyefgh"]) == {"abcdxefgh": "1", "abcdyefgh": "2"}
    for K in (1, 2, 15, 300): assert len(set(_short_signs([f"the label {i}" for i in range(K)]).values())) == K


@pytest.mark.parametrize("room", [.5, 2, 3.7, 6, 11, 40])
def test_fit(room):
    for text in ("", "a", "WWW", "illiterate", "guantanamo", "W"*20, "the quick brown fox jumps over the lazy dog"*3):
        short, wide = _fit_text(text, room, "bold")
        assert wide == _text_width(short, "bold") and (wide <= room or len(short) <= 3) and len(short) <= 60
        if _text_width(text, "bold") <= room and len(text) <= 60: assert short == text


@pytest.mark.parametrize("length", range(3, 30))
def test_shorten(length):
    for text in ("", "abc", "x"*length, "y"*(length+1), "the quick brown fox jumps over the lazy dog"):
        out = _shorten(text, length)
        assert len(out) <= length and (out == text) == (len(text) <= length)
        if len(text) > length: assert out[-1] == text[-1] and out[0] == text[0] and "…" in out
    assert _shorten("two\nlines", 20) == "two lines"

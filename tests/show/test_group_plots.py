"`plot_groups`, `hover_groups`, `plot_classes`: what is drawn is counted."
import re
from types import SimpleNamespace
from xml.dom import minidom
import matplotlib.pyplot as plt, numpy as np, pytest
from fsnb.groups.groups import FeatureGroups
from fsnb.groups.metrics import strict_hits
from fsnb.show import group_plots
from fsnb.show.group_plots import hover_groups, plot_classes, plot_groups, _INK, _KINDS, _shorten
from pictures import circles, edges, links, overlaps, random_groups, texts

def legend(ax): return [t.get_text() for t in ax.get_legend().get_texts()]

def colours(*kinds): return [_KINDS[kind].upper() for kind in kinds]

# ---- stars

@pytest.mark.parametrize("k, named", [(0, False), (12, True), (300, False)])
def test_all_features_of_the_drawn_groups_are_there(k, named):
    names = [f"gene ${j}_with_a_name_as_long_as_a_sentence" for j in range(2000)] if named else None
    g = random_groups(np.random.default_rng(k), k, 2000, names)
    ax = plot_groups(g)
    shown = np.argsort(-np.abs(g.scores), kind="stable")[:24]
    total = sum(len(g[i]) for i in shown)
    assert len(circles(ax)) == len(texts(ax)) == total and len(links(ax)) == total-len(shown)
    assert ("24 of 300 drawn" in ax.get_title()) == (k == 300)
    for first in [g[i][0] for i in shown[:1]]:
        assert texts(ax)[0] == (_shorten(names[first], 24) if named else str(first))

def test_names_are_of_the_right_features_and_most_counts():
    g = FeatureGroups([[2, 0], [1]], [[1, -.9], [1]], scores=[.1, -.5], names=["a", "b", "c"])
    assert texts(plot_groups(g)) == ["b", "c", "a"]             # larger |score| first
    plain = FeatureGroups([[2, 0], [1]])                        # no scores: as selected
    for drawn in (plot_groups(plain), plain.plot(), plot_groups(SimpleNamespace(groups_=plain))):
        assert texts(drawn) == ["2", "0", "1"]
    truth = FeatureGroups([[0, 1]], names=["a", "b"])
    assert set(texts(plot_groups([[0]], truth))) == {"a", "b"}   # names of the truth serve
    assert plot_groups([]).get_title() == "no groups"
    ax = plot_groups(random_groups(np.random.default_rng(0), 30, 500), most=5)
    assert len(circles(ax, True)) == 5 and "5 of 30 drawn" in ax.get_title()

@pytest.mark.parametrize("k, largest, n_letters, size", [(3, 12, 30, (6, 4)), (12, 2, 6, (3, 5))])
def test_no_name_lies_over_a_circle_a_line_or_a_name(k, largest, n_letters, size):
    rng = np.random.default_rng([k, largest, n_letters])
    sizes = [largest, *rng.integers(1, largest+1, k-1)]
    parts = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
    names = ["".join(rng.choice([*"abcnopWMIl_0123."], n_letters)) for _ in range(sum(sizes))]
    corr = [np.r_[1, rng.uniform(-1, 1, n-1)] for n in sizes]
    ax = plt.subplots(figsize=size, layout="constrained")[1]
    plot_groups(FeatureGroups(parts, corr, scores=rng.random(k), names=names), ax=ax)
    assert overlaps(ax) == []
    inside, places = ax.get_window_extent().padded(2), [dot.get_xydata()[0] for dot in circles(ax)]
    assert all(inside.contains(*place) for place in ax.transData.transform(places))

def test_lines_show_sign_and_size():
    ax = plot_groups(FeatureGroups([[0, 1, 2, 3]], [[1, .9, -.5, np.nan]]))
    up, down, unknown = links(ax)
    shades = [group_plots._UP, group_plots._DOWN, group_plots._GREY]
    assert [line.get_color() for line in (up, down, unknown)] == shades
    assert up.get_linewidth() > down.get_linewidth() > unknown.get_linewidth()
    assert legend(ax) == ["support", "affiliated", "corr +0.90", "corr -0.50"]
    assert [dot.get_markerfacecolor() for dot in circles(ax)] == [_INK, "white", "white", "white"]

def test_a_support_that_is_not_significant_is_hollow_and_says_so():
    for significant in (True, False):
        ax = plot_groups(FeatureGroups([[0], [2]], significant=[True, significant]))
        assert texts(ax) == ["0", "2" if significant else "2 (n.s.)"]
        fills = [dot.get_markerfacecolor() for dot in circles(ax, True)]
        assert fills == [_INK, _INK if significant else "white"]
        assert ("not significant" in legend(ax)) != significant

def test_colours_are_classes_where_there_is_no_truth():
    g = FeatureGroups([[0, 1], [2], [3]], classes=[[["x"], ["y"]], [["x", "y"]], [[]]])
    ax = plot_groups(g)
    first, member, several, none = edges(ax)
    assert len({first, member, _INK.upper()}) == 3 and several == none == _INK.upper()
    assert legend(ax)[2:] == ["class x", "class y", "several classes"]
    assert set(edges(plot_groups(g, g))) == {*colours("correct")}

# ---- compared with known groups

def test_verdicts_by_hand():
    ax = plot_groups([[0, 1, 9], [2], [8]], [[0, 1, 2], [5]])
    assert texts(ax) == ["0", "1", "9", "2", "2", "8", "5"]
    assert edges(ax) == colours(*"correct correct wrong missed misplaced wrong missed".split())
    assert "2 of 4 true features found, 2 wrong" in ax.get_title()
    assert [line.get_linestyle() for line in links(ax)] == ["-", "-", ":"]
    assert edges(plot_groups([[1]], [])) == colours("wrong")
    assert edges(plot_groups([], [[1]])) == colours("missed")

def test_verdicts_count_as_strict_hits():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        found, truth = (random_groups(rng, rng.integers(least, 7), 40) for least in (0, 1))
        kinds = [mark.kind for star in group_plots._read_stars(found, truth) for mark in star]
        h, counts = strict_hits(found, truth), [*map(kinds.count, ("correct", "wrong", "missed"))]
        assert counts == [h.hits, h.wrong, h.total-h.hits]
        assert len(kinds)-counts[2] == len(found.all_members)

# ---- tooltips

def titles(picture):
    tree = minidom.parseString(str(picture))
    return {t.firstChild.data for t in tree.getElementsByTagName("title")}

def test_a_tooltip_for_each_mark():
    g, expected = random_groups(np.random.default_rng(30), 30, 300), set()
    for i in np.argsort(-np.abs(g.scores), kind="stable")[:24]:
        (first, *others), score = g[i], g.scores[i]
        expected.add(f"{first}: support of group {i+1}, {len(g[i])} in all, score {score:.4g}")
        expected |= {f"{j}: correlation {r:+.3f} with {first}"
                     for j, r in zip(others, g.correlations[i][1:])}
    assert titles(hover_groups(g)) == expected

def test_whole_names_p_values_verdicts_and_what_is_hidden():
    names = [f"a name of feature {j} too long for a picture & <{j}>" for j in range(40)]
    g = FeatureGroups([list(range(40))], [[1]*40], names=names, scores=[2.], p_values=[.004],
                      member_p_values=[[np.nan, *np.linspace(1e-9, .01, 39)]], significant=[False])
    told = titles(hover_groups(g))
    assert (f"{names[0]}: support of group 1, 40 in all, score 2, p-value of the group 0.004, "
            "not significant") in told
    assert f"{names[1]}: correlation +1.000 with {names[0]}, p-value 1e-09" in told
    hidden, = {t for t in told if t.startswith("not drawn")}
    assert names[39] in hidden and f"{names[1]}:" not in hidden
    verdicts = {"0: support of group 1, 1 in all (correct)", "1 (missed)"}
    assert titles(hover_groups([[0]], [[0, 1]])) == verdicts

EVIL = ["<script>alert(1)</script>", "\"' onload=\"x", "$\\frac{1}{", "turn\u202eround]]>"]
TAGS = {"figure", "figcaption", "svg", "g", "title", "path", "text", "defs"}

@pytest.mark.parametrize("name", ["".join(EVIL), EVIL[3]])
def test_names_with_markup_maths_and_control_characters(name):
    g = FeatureGroups([[0, 1], [2]], [[1, .9], [1]], names=[name, name+"2", name+"3"],
                      classes=[[[name], ["b"]], [[name, "b"]]])
    page = str(hover_groups(g))
    assert page == hover_groups(g)._repr_html_()           # the same each time
    tree = minidom.parseString(page).getElementsByTagName("*")
    assert {e.tagName for e in tree} <= TAGS
    assert not {"onload", "src", "href", "id"} & {key for e in tree for key in e.attributes.keys()}
    assert not re.search(r"https?:|url\(|[\x01\u202e]", page)
    for ax in (plot_groups(g), plot_classes(g)[0]):
        minidom.parseString(group_plots._picture_bytes(lambda: ax, "svg"))

# ---- classes

def test_members_of_each_class_are_drawn_or_counted(most=3):
    labels, rng = ["red", "green", "blue", "amber", "violet"], np.random.default_rng(7)
    g = random_groups(rng, 30, 3000, [f"{'aeiou'[j % 5]}word{j}" for j in range(3000)], 9)
    g.classes = [[tuple(q for q in labels if rng.random() < .2) for _ in m] for m in g.members]
    axes = plot_classes(g, labels, most=most)
    for ax, label in zip(axes, labels):
        order = np.argsort(-np.abs(g.scores), kind="stable")
        own = [i for i in order if label in sum(g.classes[i], ())]
        own.sort(key=lambda i: label not in g.classes[i][0])
        members = sum(label in c for i in own[:most] for c in g.classes[i][1:])
        hidden = [int(t) for t in texts(ax) if t.startswith("+")]
        assert len(circles(ax, True)) == min(most, len(own))
        assert len(links(ax))-len(hidden)+sum(hidden) == members
        lacking = [label not in g.classes[i][0] for i in own[:most]]
        assert [edge in colours("missed") for edge in edges(ax, True)] == lacking
        bold = [t.get_text().split(" ")[0] for t in ax.texts if t.get_weight() == "bold"]
        assert bold == [g.names[i][0] for i in own[:most]]
        assert ax.get_title("right").startswith(f"{len(own)} group") and overlaps(ax) == []
    box = [ax.get_tightbbox() for ax in axes]
    assert not any(a.padded(-1).overlaps(b) for i, a in enumerate(box) for b in box[:i])

def test_classes_by_hand():
    g = FeatureGroups([[0, 1, 2, 5], [3], [4], [6]], scores=[.5, -.9, .7, 2],
                      names=["goal", "score", "shot", "star", "film", "tie", "the"],
                      classes=[[["sport"], ["sport"], ["film", "sport"], []], [["film", "sport"]],
                               [["film"]], [[]]])
    film, sport = plot_classes(g)
    assert texts(film)[:-1] == ["star (S)", "film", "goal (S)", "shot (S)"]
    assert texts(sport)[:-1] == ["star (F)", "goal", "score", "shot (F)"]
    assert [ax.get_title("left") for ax in (film, sport)] == ["film (F)", "sport (S)"]
    one, = plot_classes(g, ["sport"])
    assert one.figure._suptitle.get_text() == "4 groups, 7 features; F: film"
    groups = FeatureGroups([[0, 1]], classes=[[[3], [3, 12]]])
    model = SimpleNamespace(groups_=groups, classes_=np.array([3, 7, 12]))
    shown = [["0", "1 (12)", ""], ["no groups"], ["0 (3)", "1 (3)", ""]]
    assert [texts(ax) for ax in plot_classes(model)] == shown
    some = plot_classes(model, np.array([12, 3]))
    assert [ax.get_title("left") for ax in some] == ["12", "3"]

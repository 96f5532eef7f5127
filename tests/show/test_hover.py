"`hover_groups`: what plot_groups draws, each mark with its words; HTML that needs nothing else."
import re
from html import unescape
import numpy as np
import pytest
from xml.dom import minidom
from fsnb import FeatureGroups
from fsnb.groups.metrics import strict_hits
from fsnb.show import hover_groups
from fsnb.show.marks import _INK, _TRUTH
from pictures import random_groups


def parts(picture, tag): return minidom.parseString(picture.svg).getElementsByTagName(tag)


def titles(picture): return [t.firstChild.data for t in parts(picture, "title")]


@pytest.mark.parametrize("k", [0, 1, 30])
def test_it_draws_what_there_is(k):
    g = random_groups(np.random.default_rng(k), k, 300)
    picture = hover_groups(g)
    shown = np.argsort(-np.abs(g.scores), kind="stable")[:24]
    told = " ".join(titles(picture))
    for i in shown:
        assert f"{g[i][0]}: support of group {i+1}, {len(g[i])} in all" in told
        for j, r in zip(g[i][1:], g.correlations[i][1:]): assert f"{j}: correlation {r:+.3f} with {g[i][0]}" in told
    lines = [line for line in parts(picture, "line") if line.parentNode.tagName == "g"]
    assert len(lines) == sum(len(g[i])-1 for i in shown)


@pytest.mark.parametrize("seed", range(2))
def test_colours_count_as_strict_hits(seed):
    rng = np.random.default_rng(seed)
    found, truth = random_groups(rng, 6, 60), random_groups(rng, 6, 60)
    picture, h = hover_groups(found, truth, most=100), strict_hits(found, truth)
    edges = [c.getAttribute("stroke") for c in parts(picture, "circle") if c.parentNode.tagName == "g"]
    assert edges.count(_TRUTH["correct"]) == h.hits and edges.count(_TRUTH["wrong"]) == h.wrong
    assert sum("(correct)" in t for t in {t for t in titles(picture)}) == h.hits


def test_whole_names_p_values_and_what_is_hidden():
    names = [f"a name of feature {j} that is much too long for a picture & <{j}>" for j in range(40)]
    p = [[np.nan, *np.linspace(1e-9, .01, 39)]]
    g = FeatureGroups([list(range(40))], [[1]*40], names=names, scores=[2.], p_values=[.004], member_p_values=p)
    told = titles(hover_groups(g))
    assert f"{names[0]}: support of group 1, 40 in all, score 2, p-value of the group 0.004" in told
    assert f"{names[1]}: correlation +1.000 with {names[0]}, p-value 1e-09" in told
    hidden, = {t for t in told if t.startswith("not drawn")}
    assert names[39] in hidden and names[1] not in hidden


def test_a_support_that_is_not_significant():
    g = FeatureGroups([[0, 1], [2]], [[1, .9], [1]], scores=[2., 1.], significant=[True, False])
    picture = hover_groups(g)
    told = dict.fromkeys(titles(picture))
    assert list(told) == ["1: correlation +0.900 with 0", "0: support of group 1, 2 in all, score 2", "2: support of group 2, 1 in all, score 1, not significant"]
    faces = {c.parentNode.getElementsByTagName("title")[0].firstChild.data[0]: c.getAttribute("fill") for c in parts(picture, "circle") if c.parentNode.tagName == "g"}
    assert faces == {"0": _INK, "1": "white", "2": "white"}
    words = [t.firstChild.data for t in parts(picture, "text")]
    assert "2 (n.s.)" in words and "0" in words and words.count("not significant") == 1
    assert "not significant" not in hover_groups(FeatureGroups([[0, 1], [2]], significant=[True, True])).svg


def test_html_stands_alone_and_reads_the_same_twice():
    g = FeatureGroups([[0, 1]], names=["<img src=x onerror=alert(1)>", "\"' onload=\""])
    html = str(hover_groups(g))
    assert html == hover_groups(g)._repr_html_() and "<img" not in html and "<script" not in html
    minidom.parseString(html)
    assert not re.search(r"https?:|href|url\(", html) and all(set(e.attributes.keys()).isdisjoint({"onload"}) for e in minidom.parseString(html).getElementsByTagName("*"))


def test_a_narrow_page():
    g = random_groups(np.random.default_rng(0), 12, 300)
    wide, narrow = (float(re.search(r'width="([\d.]+)pt"', hover_groups(g, inches=i).svg)[1]) for i in (8, 3))
    assert narrow <= 3*72 < wide


def test_the_table_stays_what_a_notebook_shows_of_groups():
    g = random_groups(np.random.default_rng(0), 3, 30)
    assert "<table" in g._repr_html_() and "<svg" not in g._repr_html_()


@pytest.mark.parametrize("groups, more, said", [(7, {}, "must be FeatureGroups"), ([[1], [1]], {}, "disjoint"), ([[1]], dict(most=0), "most must"), ([[1]], dict(inches=0), "inches must")])
def test_bad_requests(groups, more, said):
    with pytest.raises(ValueError, match=said): hover_groups(groups, **more)

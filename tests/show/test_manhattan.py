"`plot_manhattan`: places, heights, what is drawn of a million points, and names that cover nothing."
import io
import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.stats import f_oneway, linregress
from fsnb.correlation.positional import Positional
from fsnb.data.genotypes import GenotypeColumns, open_genotypes, pack_calls, write_bed
from fsnb.groups.groups import FeatureGroups
from fsnb.show.manhattan import association_p_values, has_places, plot_manhattan, _line_up, _thin
from pictures import drawn, random_groups, texts

# ---- how high

def test_p_values_are_those_of_regression_and_analysis_of_variance():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 12))
    trait, two, three = rng.standard_normal(90)+X[:, 1], rng.integers(0, 2, 90), rng.integers(0, 3, 90)
    np.testing.assert_allclose(association_p_values(X, trait), [linregress(x, trait).pvalue for x in X.T], rtol=1e-9)
    for y in (two, three, np.array(["a", "b", "c"])[three]):
        expected = [f_oneway(*(x[y == k] for k in np.unique(y))).pvalue for x in X.T]
        np.testing.assert_allclose(association_p_values(X, y), expected, rtol=1e-9)
    constant, line = association_p_values(np.c_[np.ones(20), np.arange(20.)], np.arange(20)*2.5)
    assert constant == 1 and line < 1e-100

def test_missing_calls_make_no_p_value_smaller_than_complete_ones():
    "With a twentieth of the calls gone at random the test of chance alone stays a test: 5 % below .05"
    rng = np.random.default_rng(1)
    calls = rng.binomial(2, .3, (300, 2000)).astype(float)
    calls[rng.random(calls.shape) < .05] = np.nan
    p = association_p_values(GenotypeColumns(pack_calls(calls), 300), rng.integers(0, 2, 300))
    assert abs((p < .05).mean()-.05) < .015 and abs(np.median(p)-.5) < .04

# ---- where

def test_every_source_of_places_says_the_same(tmp_path):
    rng = np.random.default_rng(0)
    where, place = np.repeat(["2", "X", "10"], 20), np.tile(np.arange(20)*1000., 3)
    write_bed(tmp_path/"s.bed", rng.integers(0, 3, (9, 60)), chromosomes=where, positions=place)
    columns = open_genotypes(tmp_path/"s.bed")
    (tmp_path/"t.tsv").write_text("chr\tpos\n"+"".join(f"{c}\t{int(x)}\n" for c, x in zip(where, place)))
    expected = None
    for given in (columns, Positional(place, where, window=5), tmp_path/"t.tsv", (list(place), list(where))):
        ax = plot_manhattan([[3, 4], [55]], np.arange(60.), given)
        x = drawn(ax, "members").get_offsets()[:, 0]
        expected = x if expected is None else expected
        np.testing.assert_array_equal(x, expected)
        assert [t.get_text() for t in ax.get_xticklabels()] == ["2", "10", "X"]
    assert has_places(columns) and not has_places(np.eye(2))

def test_chromosomes_stand_apart_in_their_order():
    rng = np.random.default_rng(3)
    names = np.array(["chr10", "chr2", "0", "MT", "contig7", "Y"])
    chromosomes = names[rng.integers(0, 6, 500)]
    positions = rng.integers(0, 10**8, 500).astype(float)
    line = _line_up(positions, chromosomes)
    assert line.names == ["chr2", "chr10", "Y", "MT", "contig7", "0"]
    assert (line.starts[1:] > line.ends[:-1]).all()
    for k, name in enumerate(line.names):
        own = chromosomes == name
        assert (line.number[own] == k).all()
        np.testing.assert_allclose(line.x[own]-line.x[own].min(), positions[own]-positions[own].min())
        assert line.x[own].min() == pytest.approx(line.starts[k]) and line.x[own].max() == pytest.approx(line.ends[k])

# ---- what is drawn

def test_what_is_left_out_lies_under_something():
    rng = np.random.default_rng(0)
    x, y = rng.random(20_000)*10**rng.uniform(-3, 9), rng.exponential(1, 20_000)
    kept = _thin(x, y, 144, 72)
    assert len(kept) < 15_000 and (np.diff(kept) > 0).all()
    cells = np.c_[x/np.ptp(x)*288, y/np.ptp(y)*144]
    away, _ = cKDTree(cells[kept]).query(cells)
    assert away.max() <= 1.5                                    # the diagonal of a cell, in half points

def test_members_are_all_drawn_in_the_colour_of_their_group():
    g = FeatureGroups([[4, 7, 1], [20], [11, 2]])
    ax = plot_manhattan(g, np.arange(30.))
    members = drawn(ax, "members")
    assert members.get_offsets()[:, 0].tolist() == [4, 7, 1, 20, 11, 2]
    colours = [tuple(c) for c in members.get_facecolor()]
    assert [len(set(colours[i] for i in own)) for own in ([0, 1, 2], [3], [4, 5])] == [1, 1, 1] and len(set(colours)) == 3
    assert drawn(ax, "supports").get_offsets()[:, 0].tolist() == [4, 20, 11]

def test_many_points_stay_a_small_file():
    rng, p = np.random.default_rng(0), 300_000
    places = np.arange(p), np.repeat(["1", "2"], p//2)
    ax = plot_manhattan([[5]], p_values=rng.random(p), places=places)
    assert len(np.vstack([line.get_xydata() for line in ax.lines if line.get_gid() == "rest"])) < 200_000
    file = io.StringIO()
    ax.figure.savefig(file, format="svg")
    assert len(file.getvalue()) < 400_000 and "<image" in file.getvalue()

def test_the_level_stands_at_its_height_and_any_number_of_groups_is_drawn():
    for given, height in ((dict(p_values=[1e-9, .5], level=1e-3), 3), (dict(scores=[.3, -9], level=-2), 2)):
        [line] = [line for line in plot_manhattan([[0]], **given).lines if line.get_gid() == "level"]
        assert line.get_ydata()[0] == pytest.approx(height)
    with pytest.raises(ValueError, match="2 features, got 3"): plot_manhattan([[0]], [1, 2.], [1, 2, 3])
    for k, p in ((0, 0), (1, 1), (200, 500)):
        ax = plot_manhattan(random_groups(np.random.default_rng(0), k, p, most=2), np.zeros(p))
        assert ax.get_title().startswith(f"{k} group{'s'*(k != 1)}, {k} of {p} features")

# ---- names

def covered(ax):
    "How many rings and other names lie under names"
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    rings = ax.transData.transform(drawn(ax, "supports").get_offsets())
    return sum(box.count_contains(rings) for box in boxes), sum(box.padded(-1).count_overlaps(boxes)-1 for box in boxes)

@pytest.mark.parametrize("k, p, size", [(1, 5, (3, 2)), (40, 400, (5, 3))])
def test_names_cover_no_ring_and_no_name_and_the_rest_are_counted(k, p, size):
    rng = np.random.default_rng(k)
    names = [f"chr{j}:{rng.integers(10**3, 10**6)}:$C:T" for j in range(p)]
    heights, support = rng.exponential(.5, p), rng.choice(p, min(k, p), replace=False)
    heights[support] += rng.uniform(0, 6, len(support))
    given = FeatureGroups([[j] for j in support], names=names), np.sort(rng.choice(["1", "2", "X"], p))
    ax, again = (plot_manhattan(given[0], p_values=10**-heights, places=(np.arange(p), given[1]),
                                ax=plt.subplots(figsize=size, layout="constrained")[1]) for _ in range(2))
    assert covered(ax) == (0, 0)
    named = texts(ax)
    assert set(named) <= {names[j] for j in support} and len(set(named)) == len(named) >= min(k, 5)
    told = len(support)-len(named)
    assert ax.get_title().endswith(f"no room for {told} name{'s'*(told != 1)}" if told else f"of {p} features")
    assert [(t.get_text(), t.get_position()) for t in ax.texts] == [(t.get_text(), t.get_position()) for t in again.texts]

LENGTHS = [249, 243, 198, 191, 181, 171, 159, 146, 141, 136, 135, 134, 115, 107, 103, 90, 81, 78, 59, 63, 48, 51, 155, 59, 16]

def test_each_of_twenty_five_chromosomes_has_its_name_and_none_touch():
    order = [str(number) for number in range(1, 23)]+["X", "Y", "MT"]
    where = (np.concatenate([[0, length*1e6] for length in LENGTHS]), np.repeat(order, 2))
    ax = plot_manhattan([[0]], np.ones(50), where)
    ax.figure.canvas.draw()
    labels = ax.get_xticklabels()
    assert [label.get_text().strip() for label in labels] == order
    rows = [[label.get_window_extent() for label in labels if label.get_text().startswith("\n") is low] for low in (False, True)]
    for boxes in rows: assert all(a.x1 <= b.x0 for a, b in zip(boxes, boxes[1:]))

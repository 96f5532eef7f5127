"`plot_manhattan`: places, heights, what is drawn of many points, names that cover nothing."
import io
import matplotlib.pyplot as plt, numpy as np, pytest
from scipy.spatial import cKDTree
from fsnb.correlation.positional import Positional
from fsnb.data.genotypes import GenotypeColumns, open_genotypes, pack_calls, write_bed
from fsnb.groups.groups import FeatureGroups
from fsnb.show.manhattan import (association_p_values, clump_table, has_places, plot_manhattan, plot_region, runners_up,
                                 _line_up, _thin)
from pictures import drawn, random_groups, texts

# ---- how high

def test_missing_calls_make_no_p_value_smaller_than_complete_ones():
    "With a twentieth of the calls gone the test of chance alone stays a test: 5 % below .05"
    rng = np.random.default_rng(1)
    calls = rng.binomial(2, .3, (300, 2000)).astype(float)
    calls[rng.random(calls.shape) < .05] = np.nan
    p = association_p_values(GenotypeColumns(pack_calls(calls), 300), rng.integers(0, 2, 300))
    assert abs((p < .05).mean()-.05) < .015 and abs(np.median(p)-.5) < .04

# ---- where

def test_every_source_of_places_says_the_same(tmp_path):
    rng, expected = np.random.default_rng(0), None
    where, place = np.repeat(["2", "X", "10"], 20), np.tile(np.arange(20)*1000., 3)
    calls = rng.integers(0, 3, (9, 60))
    write_bed(tmp_path/"s.bed", calls, chromosomes=where, positions=place)
    columns = open_genotypes(tmp_path/"s.bed")
    lines = [f"{c}\t{int(x)}\n" for c, x in zip(where, place)]
    (tmp_path/"t.tsv").write_text("chr\tpos\n"+"".join(lines))
    sources = columns, Positional(place, where, window=5), tmp_path/"t.tsv", (place, list(where))
    for given in sources:
        ax = plot_manhattan([[3, 4], [55]], np.arange(60.), given)
        x = drawn(ax, "members").get_offsets()[:, 0]
        expected = x if expected is None else expected
        np.testing.assert_array_equal(x, expected)
        assert [t.get_text() for t in ax.get_xticklabels()] == ["2", "10", "X"]
    assert has_places(columns) and not has_places(np.eye(2))

def test_chromosomes_stand_apart_in_their_order():
    rng = np.random.default_rng(3)
    chromosomes = rng.choice(["chr10", "chr2", "0", "MT", "contig7", "Y"], 500)
    places = rng.integers(0, 10**8, 500).astype(float)
    line = _line_up(places, chromosomes)
    assert line.names == ["chr2", "chr10", "Y", "MT", "contig7", "0"]
    assert (line.starts[1:] > line.ends[:-1]).all()
    for k, name in enumerate(line.names):
        own = chromosomes == name
        x, at = line.x[own], places[own]
        np.testing.assert_allclose(x, line.starts[k]+at-at.min())
        assert (line.number[own] == k).all() and x.max() == pytest.approx(line.ends[k])

# ---- what is drawn

def test_what_is_left_out_lies_under_something():
    rng = np.random.default_rng(0)
    x, y = rng.random(20_000)*10**rng.uniform(-3, 9), rng.exponential(1, 20_000)
    kept = _thin(x, y, 144, 72)
    assert len(kept) < 15_000 and (np.diff(kept) > 0).all()
    cells = np.c_[x/np.ptp(x)*288, y/np.ptp(y)*144]
    away, _ = cKDTree(cells[kept]).query(cells)
    assert away.max() <= 1.5          # half points: the diagonal of a cell

def test_members_are_all_drawn_in_the_colour_of_their_group():
    ax = plot_manhattan(FeatureGroups([[4, 7, 1], [20], [11, 2]]), np.arange(30.))
    members = drawn(ax, "members")
    assert members.get_offsets()[:, 0].tolist() == [4, 7, 1, 20, 11, 2]
    a, b, c, d, e, f = map(tuple, members.get_facecolor())
    assert a == b == c and e == f and len({a, d, e}) == 3
    assert drawn(ax, "supports").get_offsets()[:, 0].tolist() == [4, 20, 11]

def test_many_points_stay_a_small_file():
    rng, p, file = np.random.default_rng(0), 300_000, io.StringIO()
    places = np.arange(p), np.repeat(["1", "2"], p//2)
    ax = plot_manhattan([[5]], p_values=rng.random(p), places=places)
    rest = [len(line.get_xydata()) for line in ax.lines if line.get_gid() == "rest"]
    ax.figure.savefig(file, format="svg")
    assert sum(rest) < 200_000 and len(file.getvalue()) < 400_000 and "<image" in file.getvalue()

def test_the_level_stands_at_its_height_and_any_number_of_groups_is_drawn():
    for given in (dict(p_values=[1e-9, .5], level=1e-3), dict(scores=[.3, -9], level=-3)):
        lines = plot_manhattan([[0]], **given).lines
        [height] = [line.get_ydata()[0] for line in lines if line.get_gid() == "level"]
        assert height == pytest.approx(3)
    with pytest.raises(ValueError, match="got shape"): plot_manhattan([[0]], [1, 2.], [1, 2, 3])
    for k, p in ((0, 0), (1, 1), (200, 500)):
        groups = random_groups(np.random.default_rng(0), k, p, most=2)
        title = plot_manhattan(groups, np.zeros(p)).get_title()
        assert title.startswith(f"{k} group{'s'*(k != 1)}, {k} of {p} features")

# ---- names

def covered(ax):
    "How many rings and other names lie under names"
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    rings = ax.transData.transform(drawn(ax, "supports").get_offsets())
    names = sum(box.padded(-1).count_overlaps(boxes)-1 for box in boxes)
    return sum(box.count_contains(rings) for box in boxes)+names

@pytest.mark.parametrize("k, p, size", [(1, 5, (3, 2)), (40, 400, (5, 3))])
def test_names_cover_no_ring_and_no_name_and_the_rest_are_counted(k, p, size):
    rng = np.random.default_rng(k)
    names = [f"chr{j}:{rng.integers(10**3, 10**6)}:$C:T" for j in range(p)]
    heights, support = rng.exponential(.5, p), rng.choice(p, k, replace=False)
    heights[support] += rng.uniform(0, 6, k)
    groups = FeatureGroups([[j] for j in support], names=names)
    places = np.arange(p), np.sort(rng.choice(["1", "2", "X"], p))
    ax = plt.subplots(figsize=size, layout="constrained")[1]
    plot_manhattan(groups, p_values=10**-heights, places=places, ax=ax)
    named = texts(ax)
    assert covered(ax) == 0 and set(named) <= {names[j] for j in support}
    assert len(set(named)) == len(named) >= min(k, 5)
    told = k-len(named)
    end = f"no room for {told} name{'s'*(told != 1)}" if told else f"of {p} features"
    assert ax.get_title().endswith(end)

# ---- one region, the clump table, runners-up

def study(n=300, p=60, missing=0., seed=0):
    "Variants in runs of four in linkage disequilibrium, on two chromosomes"
    rng = np.random.default_rng(seed)
    base = rng.binomial(2, rng.uniform(.2, .5, p//4), (n, p//4)).repeat(4, axis=1)
    calls = np.where(rng.random((n, p)) < .9, base, rng.binomial(2, .3, (n, p))).astype(float)
    calls[rng.random((n, p)) < missing] = np.nan
    names = np.array([f"rs{j}" for j in range(p)], dtype=object)
    columns = GenotypeColumns(pack_calls(calls), n, names, 1, np.repeat(["1", "2"], p//2), np.tile(np.arange(p//2)*1e4, 2))
    return columns, np.nan_to_num(calls[:, 8])+np.nan_to_num(calls[:, 40])+rng.normal(size=n)

def dots(ax, gid): return next(own for own in ax.collections if own.get_gid() == gid)

def test_a_region_has_its_variants_and_their_r2():
    columns, y = study()
    p = association_p_values(columns, y)
    groups = FeatureGroups([[8, 9, 10, 11], [40, 41], [12]], names=columns.names)
    for around in (8, "rs8"):
        ax = plot_region(columns, around, p, groups, window="50kb")
        rest = dots(ax, "rest")
        near = np.arange(3, 14)                                        # at most five steps, on its chromosome
        r2 = np.corrcoef(columns.whole(), rowvar=False)[8, near]**2
        drawn_at = np.argsort(rest.get_offsets()[:, 0])
        np.testing.assert_allclose(rest.get_offsets()[drawn_at], np.c_[columns.positions[near], -np.log10(p[near])])
        np.testing.assert_allclose(rest.get_array()[drawn_at], r2, atol=1e-12)
        assert (np.diff(rest.get_array()) >= 0).all()                  # the closest are drawn last
        assert sorted(dots(ax, "members").get_offsets()[:, 0]) == [8e4, 9e4, 1e5, 1.1e5]
        assert dots(ax, "support").get_offsets()[:, 0].tolist() == [8e4]
        assert {"rs8", "rs12"} <= set(texts(ax)) and "rs9" not in texts(ax)
        plt.close("all")
    alone = plot_region(columns, "rs8", p, window="1mb")               # no groups; the whole chromosome
    assert len(dots(alone, "rest").get_offsets()) == 30
    with pytest.raises(ValueError, match="rs99"): plot_region(columns, "rs99", p)

def test_a_row_of_the_clump_table_is_a_group():
    "The columns and what they count, as in a file of PLINK 1.9 that its user reported (mrlocus 5): TOTAL is the sum of the five"
    columns, y = study()
    p = association_p_values(columns, y)
    p[[12, 13, 14, 15, 16, 17]] = [.5, .05, .01, .001, .0001, 1e-5]
    groups = FeatureGroups([[40, 41], [12, 13, 14, 15, 16, 17, 18], [8]], names=columns.names)
    p[18] = np.nan
    table = clump_table(groups, columns, p)
    assert list(table) == "CHR F SNP BP P TOTAL NSIG S05 S01 S001 S0001 SP2".split()
    assert table.P.is_monotonic_increasing and set(table.SNP) == {"rs40", "rs12", "rs8"}
    row = table[table.SNP == "rs12"].iloc[0]
    assert row.tolist() == ["1", 1, "rs12", 120_000, .5, 6, 2, 1, 1, 1, 1, "rs15(1),rs16(1),rs17(1)"]
    assert (table.TOTAL == table[["NSIG", "S05", "S01", "S001", "S0001"]].sum(axis=1)).all()
    assert table[table.SNP == "rs8"].SP2.item() == "NONE" and table[table.SNP == "rs40"].CHR.item() == "2"
    assert clump_table(FeatureGroups([]), columns, p).shape == (0, 12)
    with pytest.raises(ValueError, match="of other data"): clump_table(FeatureGroups([[0]], names=[["rs1"]]), columns, p)

def clumps_by_hand(groups, R2, places, p, level, reach, count):
    "One at a time, by the letter: leaders by p-value, what is near and in disequilibrium goes with them"
    taken = {j for own in groups for j in own}
    def close(j): return [k for k in range(len(p)) if k not in taken and R2[j, k] >= .5 and places[0][j] == places[0][k]
                          and abs(places[1][j]-places[1][k]) <= reach]
    for own in groups: taken.update(close(own[0]))
    found = []
    for j in sorted(range(len(p)), key=lambda j: (p[j], j)):
        if j in taken or len(found) == count: continue
        own = [j]+[k for k in close(j) if k != j]
        taken.update(own)
        if p[j] > level: found.append(own)
    return found

@pytest.mark.parametrize("seed", range(4))
def test_runners_up_are_clumps_below_the_level(seed):
    columns, y = study(missing=.02, seed=seed)
    p = association_p_values(columns, y)
    R2 = np.corrcoef(columns.whole(), rowvar=False)**2
    for groups, level, count in (([[8, 9]], .05/60, 10), ([], 1e-3, 4), ([[40], [8, 10], [9]], 0.2, 50), ([[1]], None, 3)):
        got = runners_up(groups, columns, p, count, level=level, window="20kb")
        want = clumps_by_hand(groups, R2, (columns.chromosomes, columns.positions), p, level or .05/60, 2e4, count)
        assert [own.tolist() for own in got] == want and len(want)
        leaders = p[got.support]
        assert (leaders > (level or .05/60)).all() and (np.diff(leaders) >= 0).all()
        assert got.names[0][0] == f"rs{got.support[0]}"
    table = clump_table(got, columns, p)
    assert table.SNP.tolist() == [own[0] for own in got.names]

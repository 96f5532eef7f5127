"FeatureGroups: what is accepted, written, read and shown; who is a member of what, and at which level"
import io, json
from dataclasses import fields, replace
import numpy as np, pandas as pd, pytest
from sklearn.base import BaseEstimator

import fsnb
from fsnb.data.inputs import as_columns
from fsnb.groups.groups import (FeatureGroups, Neighbours, assign_members, check_same_features, _keep_significant,
                                _select_neighbours)

LETTERS = list("abcdefghijkl")
SURE = dict(member_p_values=[[np.nan, 1e-9, .002], [np.nan], [np.nan, np.nan]], refused=[16000, 0, 5], p_values=[.001, .4, np.nan],
            significant=[True, False, True])

def some(**kwargs):
    return FeatureGroups([[4, 1, 7], [0], [9, 2]], [[1, -.93, .91], [1], [1, .8]], **{"scores": [3, 2, 1.5], "rounds": [0, 0, 1], "n_features": 12, **kwargs})

def random_groups(seed):
    r = np.random.default_rng(seed)
    p, k = int(r.integers(1, 40)), int(r.integers(0, 7))
    cuts = np.unique(r.integers(1, p+1, k)) if k else np.array([], int)
    members = np.split(r.permutation(p), cuts)[:len(cuts)]
    correlations = [np.r_[1., r.choice([np.nan, 1, -1, 1/3, -.1, 1e-300], len(m)-1)] for m in members]
    names = [None, [f"ü{j} \"<&\n" for j in range(p)]][seed % 2]
    sure = dict(member_p_values=[np.r_[np.nan, r.choice([np.nan, 1e-300, 1/3, 1], len(m)-1)] for m in members],
                refused=r.integers(0, 10**6, len(members)), p_values=r.choice([np.nan, 1e-3, .2], len(members)))
    known = [name for i, name in enumerate(sure) if seed >> i & 1]
    return FeatureGroups(members, correlations, scores=r.choice([np.nan, 0, np.inf, 2/3], len(members)), rounds=r.integers(0, 9, len(members)),
                         **{name: sure[name] for name in known}, names=names, n_features=[None, p][seed % 3 > 0], parameters={"seed": seed, "none": None, "C": r.random()})

def test_what_it_holds():
    g, bare, empty = some(), FeatureGroups([[3, 1], [2]]), FeatureGroups([], n_features=4, p_values=[], refused=[], significant=[], member_p_values=[])
    assert g.support.tolist() == [4, 0, 9] and g.sizes.tolist() == [3, 1, 2] and g.all_members.tolist() == [0, 1, 2, 4, 7, 9]
    assert all(x.dtype == np.int64 for x in (g.support, g.sizes, g.all_members, g.rounds, g.labels(), *g.members))
    assert g.labels().tolist() == [1, 0, 2, -1, 0, -1, -1, 0, -1, 2, -1, -1] and some(n_features=None).labels().tolist() == g.labels()[:10].tolist()
    assert len(g) == 3 and [m.tolist() for m in g] == [[4, 1, 7], [0], [9, 2]] and g[-1].tolist() == [9, 2]
    assert repr(g) == "FeatureGroups(3 groups, 6 of 12 features)" and g.version == fsnb.__version__ and g.parameters == {}
    assert np.int64(7) in g and 3 not in g and "h" not in g and "h" in some(names=LETTERS)
    np.testing.assert_array_equal(np.concatenate(bare.correlations), [1, np.nan, 1])
    assert np.isnan(bare.scores).all() and bare.rounds.tolist() == [0, 0] and (bare.names, bare.n_features, bare.refused, bare.significant) == (None,)*4
    given = np.array([True, False, True])
    own = some(significant=given)
    given[:] = False
    assert own.significant.tolist() == [True, False, True]        # a copy
    assert len(empty) == 0 and empty.labels().tolist() == [-1]*4 and FeatureGroups.from_json(empty.to_json()) == empty
    assert empty.to_frame().shape == (0, 9) and "0 groups, 0 of 4" in empty._repr_html_()

def test_names():
    want = [["e", "b", "h"], ["a"], ["j", "c"]]
    for names in (LETTERS, np.array(LETTERS, object), pd.Index(LETTERS), want):
        assert some(names=names).names == want
    assert some(names=range(12)).names == [["4", "1", "7"], ["0"], ["9", "2"]] and some().with_names(LETTERS).names == want
    for wrong in (LETTERS[:-1], LETTERS+["m"], [["a"]]):
        with pytest.raises(ValueError, match=f"each of the 12 features, got {len(wrong)} names"): some(names=wrong)
    with pytest.raises(ValueError, match="every feature or member, got 9 names"): some(names=LETTERS[:9], n_features=None)

def test_equality():
    assert some() == some() and some() != some(parameters={"tau": .1}) and some() != 3 and some() != some(names=LETTERS) and some() != some(n_features=13)
    assert all(some(**{name: value}) != some() for name, value in SURE.items()) and replace(some(), names=LETTERS) == some(names=LETTERS)
    class Mine(FeatureGroups): pass
    assert type(Mine.from_json(some().to_json())) is Mine

def test_what_would_be_other_groups_without_a_word_is_refused():
    given = dict(members=[[4, 1, 7], [0], [9, 2]], correlations=[[1, -.93, .91], [1], [1, .8]], scores=[3, 2, 1.5], rounds=[0, 0, 1], n_features=12, **SURE)
    for name, value, told in (
        ("members", [[1], [], [2]], r"members\[1\]"), ("members", [[4, 1, 7], [0], [9, 4]], "disjoint, but column 4"), ("members", [[4, 1, 7], [0], [12, 2]], "got 0..12"),
        ("members", [[4, 1.5, 7], [0], [9, 2]], r"members\[0\]"), ("correlations", [[1, .9], [1], [1, .8]], "aligned"), ("scores", [1, 2], "one entry for each of the 3 groups"),
        ("rounds", [1, 2, 2.5], "whole numbers"), ("member_p_values", [[np.nan, .1, 1.2], [np.nan], [np.nan, .1]], "got 1.2"), ("refused", [1, 2, -3], "got -3"),
        ("significant", [1, 0, 1], "True and False"), ("classes", [[("a",)], [("b",)], [("c",)]], "aligned")):
        with pytest.raises(ValueError, match=told): FeatureGroups(**given | {name: value})

def test_groups_of_other_data_are_refused():
    g = some(names=LETTERS)
    check_same_features(g, LETTERS, 12)
    check_same_features(g, None, 12)
    check_same_features(some(), LETTERS[::-1])
    for groups, names, p, told in ((g, LETTERS[::-1], None, "column 4 is called 'e' in the groups and 'h' in the data"),
                                   (g, None, 11, "of data with 11 features, but they are of 12"), (some(n_features=None), None, 9, "with 9 features, but they are of 10")):
        with pytest.raises(ValueError, match=told): check_same_features(groups, names, p)

def test_json_round_trip_of_many(tmp_path):
    for seed in range(24):
        g = random_groups(seed)
        text = g.to_json()
        h = FeatureGroups.from_json(text)
        assert h == g and h.to_json() == text
        for field in fields(g):
            a, b = getattr(g, field.name), getattr(h, field.name)
            if field.name in ("names", "classes", "n_features", "parameters", "version") or a is None: assert a == b
            else:
                for x, y in zip(a, b, strict=True): np.testing.assert_array_equal(x, y)
                assert [np.asarray(x).dtype for x in a] == [np.asarray(x).dtype for x in b]
        json.loads(text, parse_constant=lambda x: pytest.fail(f"{x} is not JSON"))
    g.to_json(tmp_path/"g.json")
    (tmp_path/"marked.json").write_text("\ufeff"+text, encoding="utf-8")
    assert FeatureGroups.from_json(tmp_path/"g.json") == FeatureGroups.from_json(str(tmp_path/"g.json")) == FeatureGroups.from_json(tmp_path/"marked.json") == g

def test_settings_are_recorded():
    class Positions(BaseEstimator):
        def __init__(self, positions=None, function=None): self.positions, self.function = positions, function
    g = some(parameters=Positions(np.arange(1000.), np.mean).get_params() | {"correlation": Positions(), "tau": .2})
    assert g.parameters == {"correlation": "Positions", "function": "numpy.mean", "tau": .2, "positions": "array of shape (1000,) from 0 to 999"}
    odd = some(parameters=dict(groups=[[0, 1], [2]], given=some(), C=np.nan, source=b"d\xff.csv".decode("utf-8", "surrogateescape")), names=["\ud800"]*12)
    assert odd.parameters["groups"] == "2 lists" and FeatureGroups.from_json(odd.to_json()) == odd == FeatureGroups.from_json(odd.to_json().encode().decode())
    told = FeatureGroups([[3, 1], [0]], classes=[[("a", "b"), ()], [(np.int64(2),)]])
    assert FeatureGroups.from_json(told.to_json()).classes == told.classes == [[("a", "b"), ()], [(2,)]]

@pytest.mark.parametrize("changes", [dict(members=...), dict(correlations=3), dict(scores=["high", 1, 2]), dict(names="abc"), dict(n_features=5), dict(more=1), dict(format="another")])
def test_a_damaged_file_is_named(tmp_path, changes):
    "One value changed, or taken out; files of other kinds are in tests/data/test_files.py"
    record = json.loads(some(names=LETTERS, **SURE).to_json()) | changes
    (tmp_path/"g.json").write_text(json.dumps({name: value for name, value in record.items() if value is not ...}))
    with pytest.raises(ValueError) as e: FeatureGroups.from_json(tmp_path/"g.json")
    assert str(e.value).startswith(str(tmp_path/"g.json")) and "\n" not in str(e.value) and len(str(e.value)) < 600

def test_tables_tell_of_chance_where_it_is_known():
    f, s = some(**SURE).to_frame(), some(**SURE).summary()
    assert f.columns.tolist() == [*some().to_frame(), "significant", "p_value", "group_p_value"] and f.significant.tolist() == [True]*3+[False]+[True]*2
    np.testing.assert_array_equal(f.p_value, [np.nan, 1e-9, .002, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(f.group_p_value, [.001, .001, .001, .4, np.nan, np.nan])
    np.testing.assert_array_equal(s.largest_p_value, [.002, np.nan, np.nan])
    assert s.refused.tolist() == [16000, 0, 5] and "16,005 correlated features left out, not significant" in repr(some(**SURE))

def test_summary_and_html():
    s = some().summary()
    assert s.columns.tolist() == ["support", "score", "round", "size", "affiliated"]
    assert s.values.tolist() == [["4", 3, 0, 3, "1 (-0.93), 7 (+0.91)"], ["0", 2, 0, 1, ""], ["9", 1.5, 1, 2, "2 (+0.80)"]]
    g = FeatureGroups([range(9)], [[1.]*8+[np.nan]], names=list("abcdefghi"))
    assert g.summary(2).affiliated[0] == "b (+1.00), c (+1.00), and 6 more" and g.summary(9).affiliated[0].endswith("h (+1.00), i")
    told = FeatureGroups([[3, 1], [0]], classes=[[("a", "b"), ()], [(2,)]])
    assert told.to_frame()["classes"].tolist() == ["a, b", "", "2"] and told.summary()["classes"].tolist() == ["a, b", "2"]
    html = some(names=[f"<script>{j}</script>&amp;" for j in range(12)])._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;4&lt;/script&gt;&amp;amp;" in html and html.startswith("<p>3 groups, 6 of 12 features</p>")
    strange = FeatureGroups([[0, 1]], names=["a\x1b[31m\x07", "b\u202e\x9b"])
    assert all(letter.isprintable() or letter == "\n" for letter in strange._repr_html_()) and "a [31m" in strange._repr_html_()
    assert FeatureGroups([[j] for j in range(500)])._repr_html_().count("<tr") < 40

def near(indices, correlations, p_values=None, refused=None):
    return Neighbours(np.array(indices, np.int64), np.array(correlations, float), np.ones(len(indices), bool),
                      *(None if x is None else np.array(x, t) for x, t in ((p_values, float), (refused, np.int64))))

def test_who_is_refused_and_what_is_known_in_part():
    found = [near([4], [.8], [1e-4], [2, 5, 6, 7]), near([5], [.9], [1e-7], [4, 6]), near([], [])]
    groups = assign_members([1, 2, 3], found)
    assert groups.refused.tolist() == [2, 1, 0] and groups.refused.dtype == np.int64      # 2 is a support, 5 and 4 are members; 6 counts for both
    mixed = assign_members([1, 2], [found[0], near([5], [.9])])                             # NaN where there was no test
    np.testing.assert_array_equal(np.concatenate(mixed.p_values), [np.nan, 1e-4, np.nan, np.nan])
    for supports in ([1, 1, 2], [1, 2]):
        with pytest.raises(ValueError, match="supports must be distinct"): assign_members(supports, found)

class Told:
    "A measure that says p-values it was given, by pair, and counts how often it was asked"
    def __init__(self, p_values): self.told, self.asked = p_values, 0

    def p_values(self, z, indices, correlations):
        self.asked += 1
        assert indices.dtype == np.int64 and len(correlations) == len(indices)
        return np.array([self.told[z, j] for j in indices.tolist()])

def test_members_are_significant_at_the_level():
    found = Neighbours(np.array([2, 5, 7, 9]), np.array([.9, -.95, .8, 1.]), np.array([True, True, False, True]))
    told = Told({(0, 2): .01, (0, 5): 1e-9, (0, 7): .001, (0, 9): .0011})
    got = _keep_significant(told, 0, found, .001)
    assert got.indices.tolist() == [5, 7] and got.correlations.tolist() == [-.95, .8] and got.direct.tolist() == [True, False]
    assert got.p_values.tolist() == [1e-9, .001] and got.refused.tolist() == [2, 9] and got.refused.dtype == np.int64
    assert _keep_significant(told, 0, found, None) is found and told.asked == 1
    again = _keep_significant(told, 0, got, 1e-6)                             # what was refused stays refused
    assert again.indices.tolist() == [5] and again.refused.tolist() == [2, 7, 9]
    nobody = _keep_significant(told, 0, _select_neighbours(found, np.zeros(4, bool)), .5)
    assert told.asked == 2 and len(nobody.p_values) == len(nobody.refused) == 0 and nobody.p_values.dtype == float

def test_credible_members_are_the_fewest_that_hold_the_coverage():
    g = FeatureGroups([[3, 1, 4], [0, 2], [5]], pips=[[.1, .88, .02], [.5, .4], [1]])
    assert [own.tolist() for own in g.credible(.95)] == [[1, 3], [0, 2], [5]]          # .9 in all: both
    assert [own.tolist() for own in g.credible(.88)] == [[1], [0, 2], [5]]
    assert g.to_frame().pip.tolist() == [.1, .88, .02, .5, .4, 1] and FeatureGroups.from_json(g.to_json()) == g
    for wrong, told in (([[.1, .2], [1]], "aligned"), ([[.1, .2, 1.1], [0, 0], [0]], "pips must lie in")):
        with pytest.raises(ValueError, match=told): replace(g, pips=wrong)
    with pytest.raises(ValueError, match="groups must have pips"): replace(g, pips=None).credible()
    with pytest.raises(ValueError, match=r"coverage must lie in \(0, 1\]"): g.credible(0)

# ---- groups as people take them
def test_a_frame_and_back():
    for seed in range(60):
        groups = random_groups(seed)
        frame = groups.to_frame()
        for rows in (frame, frame.iloc[::-1].sort_values("correlation", key=abs, ascending=False, kind="stable")):
            again = FeatureGroups.from_frame(rows, groups.n_features)
            assert again.support.tolist() == groups.support.tolist() and [set(own) for own in again.members] == [set(own) for own in groups.members]
        pd.testing.assert_frame_equal(FeatureGroups.from_frame(frame).to_frame(), frame)
    labelled = some(pips=[[.5, .2, .3], [1], [.9, .1]], **SURE)
    text = labelled.to_frame().to_csv(index=False)
    pd.testing.assert_frame_equal(FeatureGroups.from_frame(pd.read_csv(io.StringIO(text))).to_frame(), labelled.to_frame())
    with pytest.raises(KeyError, match="role"): FeatureGroups.from_frame(labelled.to_frame().drop(columns="role"))

def test_a_group_is_an_array_that_says_what_it_is():
    groups = some(names=LETTERS)
    assert [(own.support, own.members.tolist(), own.names, own.score) for own in groups] == [
        (4, [4, 1, 7], ["e", "b", "h"], 3), (0, [0], ["a"], 2), (9, [9, 2], ["j", "c"], 1.5)]
    X = np.arange(24).reshape(2, 12)
    assert (X[:, groups[0]] == X[:, [4, 1, 7]]).all() and groups[-1].correlations.tolist() == [1, .8]
    assert [own.support for own in groups[1:]] == [0, 9] and some()[0].names is None
    assert (as_columns(X*1.).take(groups[0]) == X[:, [4, 1, 7]]).all()

def test_names_of_a_transformer():
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import OneHotEncoder
    frame = pd.DataFrame({"city": ["Oslo", "Rome", "Oslo"], "age": [1., 2, 3]})
    made = make_column_transformer((OneHotEncoder(), ["city"]), remainder="passthrough").fit(frame)
    assert FeatureGroups([[2, 0]]).with_names(made).names == [["remainder__age", "onehotencoder__city_Oslo"]]

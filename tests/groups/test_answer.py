"FeatureGroups: what is accepted, what is written and read, what is shown"
import json, os, pathlib, pickle, pydoc, re
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

import fsnb
from fsnb.groups.groups import FeatureGroups


def some(**kwargs):
    return FeatureGroups([[4, 1, 7], [0], [9, 2]], [[1, -.93, .91], [1], [1, .8]], scores=[3, 2, 1.5], rounds=[0, 0, 1],
                         **{"n_features": 12, **kwargs})


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
    return FeatureGroups(members, correlations, scores=r.choice([np.nan, 0, 2/3], len(members)), rounds=r.integers(0, 9, len(members)),
                         **{name: sure[name] for name in known}, names=names, n_features=[None, p][seed % 3 > 0], parameters={"seed": seed, "none": None, "C": r.random()})


# ---- what it holds

def test_what_it_holds():
    g = some()
    assert g.support.tolist() == [4, 0, 9] and g.sizes.tolist() == [3, 1, 2] and g.all_members.tolist() == [0, 1, 2, 4, 7, 9]
    assert all(x.dtype == np.int64 for x in (g.support, g.sizes, g.all_members, g.rounds, g.labels(), *g.members))
    assert all(x.dtype == np.float64 for x in (g.scores, *g.correlations))
    assert g.labels().tolist() == [1, 0, 2, -1, 0, -1, -1, 0, -1, 2, -1, -1]
    assert len(g) == 3 and [m.tolist() for m in g] == [[4, 1, 7], [0], [9, 2]] and g[1].tolist() == [0] and g[-1].tolist() == [9, 2]
    assert repr(g) == "FeatureGroups(3 groups, 6 of 12 features)" and g.version == fsnb.__version__ and g.parameters == {}
    assert g.n_features == 12 and type(some(n_features=np.int64(12)).n_features) is int
    assert some(n_features=None).labels().tolist() == [1, 0, 2, -1, 0, -1, -1, 0, -1, 2]


def test_what_is_left_out():
    g = FeatureGroups([[3, 1], [2]])
    np.testing.assert_array_equal(np.concatenate(g.correlations), [1, np.nan, 1])
    assert np.isnan(g.scores).all() and g.rounds.tolist() == [0, 0] and g.names is None and g.n_features is None


def test_no_groups():
    g = FeatureGroups([], n_features=4)
    assert len(g) == 0 and list(g) == [] and g.labels().tolist() == [-1]*4 and g.names is None
    assert g.support.tolist() == g.sizes.tolist() == g.all_members.tolist() == []
    assert all(x.dtype == np.int64 for x in (g.support, g.sizes, g.all_members))
    assert g.to_frame().shape == (0, 6) and g.summary().shape == (0, 5) and "0 groups, 0 of 4" in g._repr_html_()
    assert FeatureGroups([]).labels().tolist() == [] and FeatureGroups([], names=list("abcd"), n_features=4).names is None
    assert FeatureGroups.from_json(g.to_json()) == g


def test_names():
    letters = list("abcdefghijkl")
    want = [["e", "b", "h"], ["a"], ["j", "c"]]
    for names in (letters, tuple(letters), np.array(letters), np.array(letters, object), pd.Index(letters), want):
        assert some(names=names).names == want
    assert some(names=range(12)).names == [["4", "1", "7"], ["0"], ["9", "2"]]
    assert FeatureGroups([[0], [1]], names=["x", "y"]).names == [["x"], ["y"]]      # as many groups as features


def test_names_that_are_numbers():
    assert FeatureGroups([[0], [1], [2]], names=[10, 11, 12]).names == [["10"], ["11"], ["12"]]


def test_equality():
    assert some() == some() and some() != some(parameters={"tau": .1}) and some() != 3 and some() != some(names=list("abcdefghijkl"))
    assert some() != some(n_features=13) and FeatureGroups([[1, 2]]) != FeatureGroups([[2, 1]])
    with pytest.raises(TypeError): hash(some())


@pytest.mark.parametrize("change, message", [
    (dict(members=[[1], []], correlations=None, scores=None, rounds=None), r"members\[1\] must"),
    (dict(members=[[4, 1, 7], [0], [9, 4]]), "members must be disjoint, but column 4"),
    (dict(members=[[4, 1, 1], [0], [9, 2]]), "members must be disjoint, but column 1"),
    (dict(members=[[4, 1, 7], [0], [12, 2]]), r"members must lie in \[0, n_features=12\), got 0..12"),
    (dict(members=[[4, -1, 7], [0], [9, 2]]), r"members must lie in \[0, n_features=12\), got -1..9"),
    (dict(correlations=[[1, .9], [1], [1, .8]]), "correlations must be aligned"),
    (dict(correlations=[[1, .9, .9], [1]]), "correlations must be aligned"),
    (dict(scores=[1, 2]), "scores must have one entry for each of the 3 groups"),
    (dict(rounds=[1]*4), "rounds must have one entry for each of the 3 groups")])
def test_what_is_refused(change, message):
    given = dict(members=[[4, 1, 7], [0], [9, 2]], correlations=[[1, -.93, .91], [1], [1, .8]], scores=[3, 2, 1.5], rounds=[0, 0, 1], n_features=12)
    FeatureGroups(**given)
    with pytest.raises(ValueError, match=message): FeatureGroups(**{**given, **change})


# ---- how sure it is

SURE = dict(member_p_values=[[np.nan, 1e-9, .002], [np.nan], [np.nan, np.nan]], refused=[16000, 0, 5], p_values=[.001, .4, np.nan],
            significant=[True, False, True])


def test_what_is_known_of_chance():
    g = some(**SURE)
    assert all(p.dtype == np.float64 for p in [*g.member_p_values, g.p_values]) and g.refused.dtype == np.int64 and g.refused.tolist() == [16000, 0, 5]
    assert repr(g) == "FeatureGroups(3 groups, 6 of 12 features, 16,005 partners that chance explains left out)"
    assert "1 partner that chance" in repr(some(refused=[0, 1, 0])) and "chance" not in repr(some(refused=[0, 0, 0]))
    assert (some().member_p_values, some().refused, some().p_values) == (None, None, None)
    assert some() != g and all(some(**{name: value}) not in (some(), g) for name, value in SURE.items()) and some(**SURE) == g
    empty = FeatureGroups([], member_p_values=[], refused=[], p_values=[])
    assert (empty.member_p_values, empty.refused) == (None, None) and FeatureGroups([], refused=[]) == FeatureGroups([]) != empty
    assert empty.p_values.shape == (0,) and empty.p_values.dtype == float and FeatureGroups([]).p_values is None      # asked, not asked
    assert empty.to_frame().columns[-1] == empty.summary().columns[4] == "group_p_value" and len(empty.summary()) == 0
    assert FeatureGroups.from_json(empty.to_json()) == empty and FeatureGroups.from_json(empty.to_json()).p_values.shape == (0,)


def test_tables_tell_of_chance_where_it_is_known():
    f, plain = some(**SURE).to_frame(), some().to_frame()
    assert f.columns.tolist() == [*plain.columns, "significant", "p_value", "group_p_value"]
    np.testing.assert_array_equal(f.p_value, [np.nan, 1e-9, .002, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(f.group_p_value, [.001, .001, .001, .4, np.nan, np.nan])
    assert some(refused=[1, 2, 3]).to_frame().columns.tolist() == [*plain.columns]
    s, short = some(**SURE).summary(), some().summary()
    assert s.columns.tolist() == ["support", "score", "round", "size", "significant", "group_p_value", "largest_p_value", "refused", "affiliated"]
    np.testing.assert_array_equal(s.largest_p_value, [.002, np.nan, np.nan])
    assert s.refused.tolist() == [16000, 0, 5] and not {"refused", "largest_p_value", "group_p_value"} & set(short.columns)
    assert "16,005 partners" in some(**SURE)._repr_html_() and "largest_p_value" in some(**SURE)._repr_html_()


@pytest.mark.parametrize("change, message", [
    (dict(member_p_values=[[np.nan, .1, .1], [np.nan]]), "member_p_values must be aligned with members"),
    (dict(member_p_values=[[np.nan, .1], [np.nan], [np.nan, .1]]), "member_p_values must be aligned with members"),
    (dict(member_p_values=[[np.nan, .1, 1.2], [np.nan], [np.nan, .1]]), r"member_p_values must lie in \[0, 1\] or be NaN, got 1.2"),
    (dict(member_p_values=[[np.nan, .1, -.1], [np.nan], [np.nan, .1]]), r"member_p_values must lie in \[0, 1\] or be NaN, got -0.1"),
    (dict(member_p_values=[[np.nan, .1, ".1"], [np.nan], [np.nan, .1]]), "member_p_values must be a list of numbers, got"),
    (dict(member_p_values=[[np.nan, .1, True], [np.nan], [np.nan, .1]]), "member_p_values must be a list of numbers, got"),
    (dict(member_p_values=[[np.nan, .1, None], [np.nan], [np.nan, .1]]), "member_p_values must be a list of numbers, got"),
    (dict(member_p_values=[[np.nan, .1, np.inf], [np.nan], [np.nan, .1]]), "member_p_values must lie in"),
    (dict(member_p_values=[.1, .2, .3]), "member_p_values must be a list of numbers, got 0.1"),
    (dict(p_values=[.1, .2]), "p_values must have one entry for each of the 3 groups"),
    (dict(p_values=[.1, .2, 1.5]), r"p_values must lie in \[0, 1\] or be NaN, got 1.5"),
    (dict(p_values=.1), "p_values must be a list of numbers, got 0.1"),
    (dict(p_values=[[.1], [.1], [.1]]), "p_values must be a list of numbers"),
    (dict(refused=[1, 2]), "refused must have one entry for each of the 3 groups"),
    (dict(refused=[1, 2, -3]), "refused must be whole numbers from 0 on, got -3"),
    (dict(refused=[1, 2, 2.5]), "refused must be whole numbers from 0 on, got 2.5"),
    (dict(refused=[1, 2, np.nan]), "refused must be whole numbers from 0 on, got nan"),
    (dict(refused=[1, 2, 2.**63]), "refused must be whole numbers from 0 on"),
    (dict(refused=[1, 2, 10**30]), "refused must be a list of numbers"),
    (dict(refused=[1, True, 3]), "refused must be a list of numbers"),
    (dict(refused="123"), "refused must be a list of numbers, got '123'"),
    (dict(significant=[True, False]), "significant must have one entry for each of the 3 groups"),
    (dict(significant=[True, False, 1]), "significant must be a list of True and False"),
    (dict(significant=[True, False, None]), "significant must be a list of True and False"),
    (dict(significant=["True", "False", "True"]), "significant must be a list of True and False"),
    (dict(significant=[1., 0., np.nan]), "significant must be a list of True and False"),
    (dict(significant=[[True], [True], [True]]), "significant must be a list of True and False"),
    (dict(significant={True, False}), "significant must be a list of True and False"),
    (dict(significant=True), "significant must be a list of True and False, got True")])
def test_what_is_no_chance_is_refused(change, message):
    some(**SURE)
    with pytest.raises(ValueError, match=message): some(**{**SURE, **change})


@pytest.mark.parametrize("key, value", [("refused", 1.5), ("refused", -1), ("refused", "3"), ("refused", True), ("refused", None), ("refused", [1]),
                                        ("p_value", 2), ("p_value", "0.1"), ("p_value", True), ("member_p_values", [None, .1]), ("member_p_values", 3),
                                        ("member_p_values", [None, .1, "x"]), ("member_p_values", [None, .1, True]), ("member_p_values", [None, .1, 1.1]),
                                        ("refused", ...), ("p_value", ...), ("member_p_values", ...),
                                        ("significant", 1), ("significant", 0.), ("significant", "true"), ("significant", None), ("significant", [True]), ("significant", ...)])
def test_a_file_that_tells_nonsense_of_chance_is_refused(key, value):
    record = json.loads(some(**SURE).to_json())
    FeatureGroups.from_json(json.dumps(record))
    if value is ...: del record["groups"][0][key]                 # some groups tell, and some do not
    else: record["groups"][0][key] = value
    with pytest.raises(ValueError, match=key if value is ... else f"{key}s?|damaged"): FeatureGroups.from_json(json.dumps(record))


def test_which_supports_are_significant():
    g, flags = some(**SURE), np.array([True, False, True])
    for given in (flags, flags.tolist(), tuple(flags), pd.Series(flags, index=[7, 8, 9])): assert some(**{**SURE, "significant": given}) == g
    own = some(significant=flags)
    flags[:] = False
    assert own.significant.dtype == bool and own.significant.tolist() == [True, False, True]         # a copy
    assert g != some(**{**SURE, "significant": flags}) and g.with_names(list("abcdefghijkl")).significant.tolist() == own.significant.tolist()
    frame, short = own.to_frame(), own.summary()
    assert frame.significant.dtype == bool and frame.significant.tolist() == [True, True, True, False, True, True]
    assert short.significant.dtype == bool and short.significant.tolist() == [True, False, True]
    assert some().significant is None and "significant" not in some().to_frame() and "significant" not in some().summary()


def test_a_file_tells_which_supports_are_significant(tmp_path):
    g = some(significant=[True, False, True])
    assert [own["significant"] for own in json.loads(g.to_json())["groups"]] == [True, False, True]
    g.to_json(tmp_path/"g.json")
    back = FeatureGroups.from_json(tmp_path/"g.json")
    assert back == g and back.significant.dtype == bool and back.significant.tolist() == [True, False, True]
    assert "significant" not in some().to_json() and FeatureGroups.from_json(some().to_json()).significant is None     # as in older files


def test_no_support_is_significant_where_there_is_none():
    g = FeatureGroups([], significant=[])
    assert g.significant.dtype == bool and g.significant.tolist() == [] and g == FeatureGroups.from_json(g.to_json())
    assert g.to_frame().significant.dtype == bool and "significant" in g.summary() and "significant" in g._repr_html_()
    assert FeatureGroups([]).significant is None and "significant" not in FeatureGroups([]).to_frame()
    with pytest.raises(ValueError, match="significant must have one entry for each of the 0 groups, got 1"): FeatureGroups([], significant=[True])


def test_infinity_in_a_file_is_refused():
    text = some(**SURE).to_json().replace("16000", "1e400")
    with pytest.raises(ValueError, match="1e400 is not finite"): FeatureGroups.from_json(text)


# ---- files

def test_json_round_trip_of_many(tmp_path):
    for seed in range(200):
        g = random_groups(seed)
        text = g.to_json()
        h = FeatureGroups.from_json(text)
        assert h == g and h.to_json() == text and h.version == g.version and h.n_features == g.n_features and h.names == g.names
        for a, b in zip([*g.members, *g.correlations, g.scores, g.rounds, g.labels()], [*h.members, *h.correlations, h.scores, h.rounds, h.labels()]):
            np.testing.assert_array_equal(a, b)
            assert a.dtype == b.dtype
        for name in ("member_p_values", "refused", "p_values"):
            a, b = getattr(g, name), getattr(h, name)
            assert (a is None) == (b is None)
            for x, y in zip([] if a is None else a, [] if b is None else b): np.testing.assert_array_equal(x, y)
        json.loads(text, parse_constant=lambda x: pytest.fail(f"{x} is not JSON"))
    assert g.to_json(tmp_path/"g.json") is None and (tmp_path/"g.json").read_text(encoding="utf-8") == text
    for source in (tmp_path/"g.json", str(tmp_path/"g.json"), "\n "+text): assert FeatureGroups.from_json(source) == g
    assert [f.name for f in tmp_path.iterdir()] == ["g.json"]


def test_parameters_of_numpy():
    given = dict(tau=np.float64(.2), k=np.int64(3), link=np.bool_(True), f=np.float32(.5), none=None, text="ü<&\"", nested={"a": [1, None]})
    g = some(parameters=given)
    back = FeatureGroups.from_json(g.to_json())
    assert back.parameters == given and back == g and type(back.parameters["k"]) is int
    assert FeatureGroups.from_json(some(parameters={"rho": np.arange(3)}).to_json()).parameters == {"rho": [0, 1, 2]}
    assert json.loads(some(parameters={"path": pathlib.PurePosixPath("a/b")}).to_json())["parameters"] == {"path": "a/b"}


@pytest.mark.parametrize("value", [(.8, .97), np.arange(3), np.float32(.1)])
def test_parameters_are_equal_after_a_round_trip(value):
    g = some(parameters={"value": value})
    assert FeatureGroups.from_json(g.to_json()) == g


@pytest.mark.parametrize("value", [np.nan, np.inf, np.float32("nan")])
def test_parameters_that_are_not_finite_can_be_written(value):
    json.loads(some(parameters={"C": value}).to_json(), parse_constant=lambda x: pytest.fail(f"{x} is not JSON"))


def test_settings_of_objects_are_recorded_by_name():
    class Positions(BaseEstimator):
        def __init__(self, positions=None, correlation="pearson", function=None):
            self.positions, self.correlation, self.function = positions, correlation, function
    class Machine(BaseEstimator):
        def __init__(self, tau=.2, correlation="pearson"): self.tau, self.correlation = tau, correlation
    settings = Machine(correlation=Positions(np.arange(1000.), function=np.mean)).get_params()
    told = some(parameters=settings).parameters
    assert told == {"correlation": "Positions", "correlation__correlation": "pearson", "correlation__function": "numpy.mean", "tau": .2,
                    "correlation__positions": "array of shape (1000,) from 0 to 999"}
    assert some(parameters=Machine().get_params()).parameters == {"correlation": "pearson", "tau": .2}
    g = some(parameters=settings)
    assert FeatureGroups.from_json(g.to_json()) == g


OLD = """{
 "format": "fsnb.FeatureGroups",
 "version": "0.1.0",
 "n_features": 5,
 "parameters": {
  "tau": 0.3,
  "C": null,
  "positions": "array of shape (100,) from 0 to 99"
 },
 "groups": [
  {
   "members": [
    3,
    1
   ],
   "correlations": [
    1.0,
    -0.92
   ],
   "score": 0.8,
   "round": 0,
   "names": [
    "EGFR",
    "MYC"
   ],
   "classes": [
    [
     "a",
     2
    ],
    []
   ]
  }
 ]
}"""


def test_a_file_of_the_first_version_reads_and_is_written_alike():
    g = FeatureGroups([[3, 1]], [[1, -.92]], scores=[.8], names=["TP53", "MYC", "KRAS", "EGFR", "BRCA1"], classes=[[("a", 2), ()]],
                      n_features=5, parameters=dict(tau=.3, C=np.nan, positions=np.arange(100)), version="0.1.0")
    assert FeatureGroups.from_json(OLD) == g and g.to_json() == OLD == FeatureGroups.from_json(OLD).to_json()


def test_files_are_written_whole_or_not_at_all(tmp_path, monkeypatch):
    (tmp_path/"file").write_text("x")
    (tmp_path/"folder").mkdir()
    (tmp_path/"folder"/"inside").write_text("x")
    for path in (tmp_path/"none"/"g.json", tmp_path/"file"/"g.json", tmp_path/"folder"):
        with pytest.raises(OSError) as e: some().to_json(path)
        assert path.name in str(e.value)
    assert sorted(f.name for f in tmp_path.rglob("*")) == ["file", "folder", "inside"] and (tmp_path/"file").read_text() == "x"

    some().to_json(tmp_path/"g.json")
    before = (tmp_path/"g.json").read_bytes()
    def stop(*a): raise KeyboardInterrupt
    for owner, name in ((os, "fsync"), (os, "replace")):       # written in part; whole, but not in its place
        monkeypatch.setattr(owner, name, stop)
        for target in ("g.json", "new.json"):
            with pytest.raises(KeyboardInterrupt): FeatureGroups([[1]]).to_json(tmp_path/target)
        monkeypatch.undo()
    assert (tmp_path/"g.json").read_bytes() == before
    assert sorted(f.name for f in tmp_path.iterdir()) == ["file", "folder", "g.json"]


def test_from_json_of_something_else(tmp_path):
    for text, message in (("{", "is not JSON"), ("{}", "does not hold"), ('{"format": "x"}', "does not hold")):
        with pytest.raises(ValueError, match="the text "+message): FeatureGroups.from_json(text)
        (tmp_path/"f").write_text(text)
        with pytest.raises(ValueError, match=f"f {message}"): FeatureGroups.from_json(tmp_path/"f")
    for text in ("[1]", "5", "null", '"x"', ""):
        (tmp_path/"f").write_text(text)
        with pytest.raises(ValueError, match="f (does not hold|is not JSON)"): FeatureGroups.from_json(tmp_path/"f")
    with pytest.raises(FileNotFoundError, match="nothing.json"): FeatureGroups.from_json(tmp_path/"nothing.json")


@pytest.mark.parametrize("change", [{"groups": None}, {"groups": 5}, {"groups": [{}]}, {"groups": [5]}, {"n_features": ...}, {"groups": ...},
                                    {"parameters": ...}, {"parameters": 3}])
def test_from_json_of_a_damaged_answer(change):
    d = {k: v for k, v in {**json.loads(some().to_json()), **change}.items() if v is not ...}
    with pytest.raises(ValueError): FeatureGroups.from_json(json.dumps(d))


def changed(place, value):
    "The text of an answer with one value changed; ... takes it out"
    record = json.loads(some(names=list("abcdefghijkl"), classes=[[(), ("x",), (2,)], [()], [(), ()]], **SURE).to_json())
    FeatureGroups.from_json(json.dumps(record))
    owner, keys = record, place if isinstance(place, tuple) else (place,)
    for key in keys[:-1]: owner = owner[key]
    if value is ...: del owner[keys[-1]]
    else: owner[keys[-1]] = value
    return json.dumps(record)


def called(place):
    "The place as the message writes it"
    place = place if isinstance(place, tuple) else (place,)
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in place)[1:]


BAD_VALUES = {
    ("groups", 0, "members", 1): (3.7, "3", True, None, -1, 10**30, [1], 1.), ("groups", 1, "round"): (1.5, "0", True, None, -1), ("groups", 0, "refused"): (-3, 1.5, True, None), ("groups", 0, "significant"): (1, 0, "true", None, [True]),
    ("groups", 0, "correlations", 1): (5., -5, "0.5", True, [1]), ("groups", 1, "correlations", 0): (-1., -.5), ("groups", 2, "score"): ("high", True, [1]), ("groups", 0, "member_p_values", 2): (1.5, -.1, "0.1", False),
    ("groups", 1, "p_value"): (2, -1, "0.1", True), ("groups", 0, "names", 0): (3, None, ["a"]), ("groups", 0, "classes", 1): ("x", 3, None), ("groups", 0, "classes", 1, 0): (None, [1]),
    ("groups", 0, "names"): (["a"], "abc", None, {}), ("groups", 0, "correlations"): ([1.], None, {}), ("groups", 0, "members"): ([], None, "0", {"a": 1}), ("groups", 2): (None, [1], "x"),
    "groups": ({}, None, 5, "x"), "n_features": (9.5, "12", True, -1, 10**30, [12]), "parameters": (3, None, []), "version": (1, None),
}


@pytest.mark.parametrize("place, value", [(place, value) for place, values in BAD_VALUES.items() for value in values])
def test_a_record_is_read_to_the_letter(tmp_path, place, value):
    "numpy would make a number of each; one line names the file, the place and the value"
    told = json.dumps(value)
    (tmp_path/"g.json").write_text(changed(place, value))
    for source, where in ((changed(place, value), "the text"), (tmp_path/"g.json", str(tmp_path/"g.json"))):
        with pytest.raises(ValueError) as e: FeatureGroups.from_json(source)
        assert str(e.value).startswith(f"{where} holds damaged fsnb.FeatureGroups: {called(place)} must be ")
        assert str(e.value).endswith(f", got {told}") and "\n" not in str(e.value)


@pytest.mark.parametrize("place", [("groups", 0, "members"), ("groups", 1, "score"), ("groups", 0, "names"), ("groups", 1, "classes"), ("groups", 2, "refused"), ("groups", 2, "significant"), "groups", "version"])
def test_what_is_missing_in_a_record_is_named(place):
    "Names that the first group lacks are not dropped in all"
    with pytest.raises(ValueError, match=f"{re.escape(called(place))} is missing"): FeatureGroups.from_json(changed(place, ...))


def test_a_file_at_fault_is_named(tmp_path):
    f = tmp_path/"g.json"
    for content, words in ((some().to_json().replace("7", "4", 1), "members must be disjoint, but column 4 stands in two places"), (some(n_features=12).to_json().replace("12", "5"), "must lie in [0, n_features=5)"),
                           ('{"a":'*10**5, "nested too deeply"), ("["*10**5, "nested too deeply"), ('{"a": '+"9"*9999+"}", "is not JSON"), ('{"a": 1, "a": 2}', "'a' comes twice"),
                           ('{"a": NaN}', "NaN is not finite"), ('{"a": 1e400}', "1e400 is not finite"), (b"\xff\xfe", "decode"), ("", "is not JSON")):
        f.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(ValueError) as e: FeatureGroups.from_json(f)
        assert str(e.value).startswith(str(f)) and words in str(e.value) and "\n" not in str(e.value) and len(str(e.value)) < 600
    f.write_text("\ufeff"+some().to_json(), encoding="utf-8")
    assert FeatureGroups.from_json(f) == some()
    with pytest.raises(IsADirectoryError, match=re.escape(str(tmp_path))): FeatureGroups.from_json(tmp_path)


def test_names_that_no_encoding_holds_are_written(tmp_path):
    "A file name of arbitrary bytes, and half a character in a name"
    odd = b"d\xff.csv".decode("utf-8", "surrogateescape")
    g = some(names=["\ud800"]*12, parameters={"source": odd})
    g.to_json(tmp_path/"g.json")
    back = FeatureGroups.from_json(tmp_path/"g.json")
    assert back == g and back.parameters["source"] == odd and back.names[0][0] == "\ud800"


# ---- what is shown

@pytest.mark.parametrize("names", [None, list("abcdefghijkl")])
def test_frame(names):
    f = some(names=names).to_frame()
    columns = ["group", "feature", *(["name"] if names else []), "role", "correlation", "score", "round"]
    assert f.columns.tolist() == columns and len(f) == 6
    assert f.group.tolist() == [0, 0, 0, 1, 2, 2] and f.feature.tolist() == [4, 1, 7, 0, 9, 2]
    assert f.role.tolist() == ["support", "affiliated", "affiliated", "support", "support", "affiliated"]
    assert f.correlation.tolist() == [1, -.93, .91, 1, 1, .8] and f.score.tolist() == [3, 3, 3, 2, 1.5, 1.5] and f["round"].tolist() == [0, 0, 0, 0, 1, 1]
    for g in (some(names=names), FeatureGroups([], names=names)):
        d = g.to_frame().dtypes
        assert all(d[c] == np.int64 for c in ("group", "feature", "round")) and all(d[c] == np.float64 for c in ("correlation", "score"))
    if names: assert f.name.tolist() == list("ebhajc")


def test_summary():
    s = some().summary()
    assert s.columns.tolist() == ["support", "score", "round", "size", "affiliated"]
    assert s.values.tolist() == [["4", 3, 0, 3, "1 (-0.93), 7 (+0.91)"], ["0", 2, 0, 1, ""], ["9", 1.5, 1, 2, "2 (+0.80)"]]
    g = FeatureGroups([range(9)], [[1.]*9], names=list("abcdefghi"))
    assert g.summary(2).affiliated[0] == "b (+1.00), c (+1.00), and 6 more" and g.summary(8).affiliated[0].count("+1.00") == 8
    assert g.summary().affiliated[0].endswith("g (+1.00), and 2 more") and g.summary().support[0] == "a"


def test_html_escapes_names():
    names = [f"<script>{j}</script>&amp; & \"x\"" for j in range(12)]
    html = some(names=names)._repr_html_()
    assert "<script>" not in html and "</script>" not in html
    assert "&lt;script&gt;4&lt;/script&gt;&amp;amp; &amp; " in html and "&lt;script&gt;7" in html
    assert html.startswith("<p>3 groups, 6 of 12 features</p>") and html.count("<tr") == 4


def test_html_spells_out_long_lists_and_shortens_many_groups():
    g = FeatureGroups([range(6)], [[1.]*6], names=[f"a_rather_long_name_{j}" for j in range(6)])
    assert "a_rather_long_name_5 (+1.00)" in g._repr_html_()
    assert FeatureGroups([[j] for j in range(500)])._repr_html_().count("<tr") < 40


def test_classes_go_with_the_members(tmp_path):
    g = FeatureGroups([[3, 1], [0]], classes=[[("a", "b"), ()], [(2,)]], names=["n0", "n1", "n2", "n3"])
    assert g.to_frame()["classes"].tolist() == ["a, b", "", "2"] and g.summary()["classes"].tolist() == ["a, b", "2"]
    g.to_json(tmp_path/"g.json")
    assert FeatureGroups.from_json(tmp_path/"g.json") == g and FeatureGroups.from_json(g.to_json()).classes == [[("a", "b"), ()], [(2,)]]
    assert "classes" not in FeatureGroups([[3, 1]]).to_frame() and "classes" not in FeatureGroups([[3, 1]]).to_json()
    kept = FeatureGroups([[1]], classes=[[(np.int64(4), np.str_("x"))]])
    assert kept.classes == [[(4, "x")]] and type(kept.classes[0][0][0]) is int
    for bad in ([[("a",)]], [[("a",)], [("b",)]]):
        with pytest.raises(ValueError, match="classes must be aligned with members"): FeatureGroups([[3, 1], [0]], classes=bad)


def test_settings_of_several_lengths():
    "Groups among the settings are lists of several lengths, which NumPy refuses to measure"
    settings = dict(groups=[[0, 1], [2]], given=FeatureGroups([[0, 1], [2]]))
    assert FeatureGroups([[0]], parameters=settings).parameters == dict(groups="2 lists", given="2 lists")


# ---- what is said in words

def test_an_unknown_correlation_is_not_spelled():
    g = FeatureGroups([[4, 1, 7]], [[1, np.nan, -.5]], names=list("abcdefgh"))
    assert g.summary().affiliated.tolist() == ["b, h (-0.50)"] and "nan" not in FeatureGroups([[4, 1]]).summary().affiliated[0]


def test_one_group_is_a_group_and_an_unknown_number_of_features_is_not_told():
    assert repr(FeatureGroups([[2, 0, 1]], n_features=5)) == "FeatureGroups(1 group, 3 of 5 features)"
    assert repr(FeatureGroups([[2, 0, 1], [4]])) == "FeatureGroups(2 groups, 4 features)"
    assert repr(FeatureGroups([[2]])) == "FeatureGroups(1 group, 1 feature)"


# ---- one class, of several rooms

WAYS_OUT = "to_frame summary plot report to_anndata to_json from_json".split()
OWN = "support sizes all_members labels with_names".split()


def test_help_shows_every_method_with_its_documentation():
    text = pydoc.plain(pydoc.render_doc(FeatureGroups))
    for name in WAYS_OUT+OWN:
        told = getattr(FeatureGroups, name).__doc__.strip().split("\n")[0]
        assert told in text and re.search(rf"^ \|  {name}\b", text, re.M), name
    public = {name for name in dir(FeatureGroups) if not name.startswith("_")}
    assert public == {*WAYS_OUT, *OWN}


FIELDS = ("n_features members correlations scores rounds names classes member_p_values refused p_values "
          "significant parameters version").split()


def test_a_pickle_holds_the_class_by_its_name_and_these_fields():
    "What was pickled before the class was parted is loaded, and what is pickled now by older versions"
    g = some(**SURE)
    make, arguments, state = g.__reduce_ex__(2)[:3]
    assert make.__name__ == "__newobj__" and arguments == (FeatureGroups,) and list(state) == FIELDS
    assert (FeatureGroups.__module__, FeatureGroups.__qualname__) == ("fsnb.groups.groups", "FeatureGroups")
    for protocol in range(pickle.HIGHEST_PROTOCOL+1): assert pickle.loads(pickle.dumps(g, protocol)) == g
    old = some(**{**SURE, "significant": None})
    del vars(old)["significant"]                                 # as it was pickled before there was that field
    assert pickle.loads(pickle.dumps(old)) == some(**{**SURE, "significant": None})


def test_a_derived_class_comes_back_from_json_as_itself():
    class Mine(FeatureGroups): pass
    assert type(Mine.from_json(some().to_json())) is Mine


def test_who_is_in_the_groups():
    "Once: numpy's riddle of truth values"
    groups = FeatureGroups([[3, 1], [0]], names=["a", "b", "c", "d"])
    assert 1 in groups and np.int64(3) in groups and 2 not in groups
    assert "d" in groups and "c" not in groups and "a" not in FeatureGroups([[3, 1], [0]])

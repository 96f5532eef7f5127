"The command: results on stdout, one line for one error, exit codes, nothing lost on Ctrl-C."
import io, os, re, shlex, signal, subprocess, sys
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from pathlib import Path
import fsnb
from fsnb.correlation.information import SymmetricalUncertainty
from fsnb.correlation.position import Positional
from fsnb.data.files import Data
from fsnb.data.writing import write_data
from fsnb.gdm.gdm import GDM
from fsnb.groups.groups import FeatureGroups, show_size
from fsnb.groups.synthetic import make_groups
from fsnb.show import command, opening
from fsnb.show.accuracy import hold_out, _judge_columns, measure_accuracy
from fsnb.show.cli import main
from fsnb.show.errors import _HALF_NOTE, _HALF_STORE
from fsnb.show.report import format_groups

@pytest.fixture(scope="module")
def made(): return make_groups(300, 120, group_sizes=(3, 2, 1, 0), n_test=0, random_state=0)

@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "90")

@pytest.fixture
def data(made): write_data("d.npz", made.X, made.y); return made

def shell(*args, **kwargs):
    "The command as a process of its own"
    return subprocess.run([sys.executable, "-c", "import sys; from fsnb.show.cli import main; sys.exit(main())", *args], capture_output=True, text=True, **kwargs)

def test_a_pipe_has_no_width_and_loses_no_names(made):
    "Once cut at 100 letters; a screen, and COLUMNS, still are"
    X = np.repeat(made.X[:, :3].toarray() if hasattr(made.X, "toarray") else made.X[:, :3], 40, axis=1)
    X = X+.01*np.random.default_rng(0).standard_normal(X.shape)
    write_data("wide.npz", X, made.y)
    line = "groups", "wide.npz", "--n-features", "1", "--quiet"
    free = shell(*line, env={name: value for name, value in os.environ.items() if name != "COLUMNS"}).stdout
    held = shell(*line).stdout
    rows = [text.splitlines()[3] for text in (free, held)]
    assert rows[0].count("(") == 39 and "more" not in rows[0]
    assert len(rows[1]) <= 90 and rows[1].endswith(" more") and rows[0].startswith(rows[1].split(" and ")[0])

def refused(capsys, line):
    "Exit code 2, nothing on stdout, and one line of error, which is returned; a remark on what was read may precede it"
    assert main(line.split()) == 2
    out, err = capsys.readouterr()
    assert out == "" and re.fullmatch(r"(\S+: \d+ samples, \d+ features\n)?fsnb: error: \S.*\n", err), err
    return err

# ---- the table

def random_groups(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 2+rng.integers(0, 60), rng.integers(0, 9))
    columns = np.split(rng.permutation(10**int(rng.integers(3, 7)))[:sizes.sum()], np.cumsum(sizes)[:-1]) if len(sizes) else []
    names = [["x"*int(rng.integers(1, 50)) for _ in c] for c in columns] if seed % 2 else None
    return FeatureGroups(columns, [np.r_[1, rng.uniform(-1, 1, len(c)-1)] for c in columns], scores=rng.random(len(columns))*10.**rng.integers(-9, 9), names=names)

@pytest.mark.parametrize("seed", range(150))
def test_table_keeps_to_the_width_and_counts_what_it_leaves_out(seed):
    groups, rng = random_groups(seed), np.random.default_rng(seed)
    width, most = int(rng.integers(40, 160)), int(rng.integers(0, 12))
    lines = format_groups(groups, width, most).split("\n")
    assert max(map(len, lines)) <= width and len(lines) == 1+min(len(groups), most)+(len(groups) > most)
    for line, members in zip(lines[1:], list(groups)[:most]):
        more, rest = re.search(r"and (\d+) more$", line), re.search(r"(\d+) features?$", line)
        shown = len(re.findall(r"\([+-]\d\.\d\d\)", line))
        if re.match(r"\s*\S+\s+\S+\s+\d+  .", line+" "):
            assert shown+(int(more[1]) if more else 0)+(int(rest[1]) if rest and not shown else 0) == len(members)-1
    if len(groups) > most: assert lines[-1] == f"and {len(groups)-most} more group"+"s"*(len(groups)-most > 1)

def test_table_in_full():
    groups = FeatureGroups([[4, 1, 0], [2]], [[1, .97, -.81], [1]], scores=[.41, .25], names=["e", "d", "c", "b", "a"])
    assert [line.split() for line in format_groups(groups).split("\n")[1:]] == [["a", "0.41", "3", "d", "(+0.97),", "e", "(-0.81)"], ["c", "0.25", "1"]]

def test_table_tells_classes():
    groups = lambda classes, **kw: FeatureGroups([[4, 1], [2]], [[1, .5], [1]], scores=[.41, .25], classes=[[classes[0]]*2, [classes[1]]], **kw)
    rows = [line.split() for line in format_groups(groups([(2., "b c"), ()])).split("\n")]
    assert rows[1:] == [["4", "0.41", "2", "2,", "b", "c", "1", "(+0.50)"], ["2", "0.25", "1", "-"]] and "speaks for" in format_groups(groups([(), ()]))
    assert "1 (0.50)" in format_groups(groups([(0,), (1,)], parameters={"correlation": "su"}))      # which has no sign
    long = format_groups(groups([tuple(range(100, 120)), ("x"*99,)]), 60).split("\n")
    assert "100, 101 +18" in long[1] and "xxxxxxxxx..." in long[2] and "x"*10 not in long[2]

@pytest.mark.parametrize("seed", range(60))
def test_table_with_classes_keeps_to_the_width(seed):
    groups, rng = random_groups(seed), np.random.default_rng(seed)
    words = [["y"*int(rng.integers(1, 40)) for _ in range(rng.integers(0, 6))] for _ in groups]
    width = int(rng.integers(40, 80))
    groups = FeatureGroups(groups.members, groups.correlations, scores=groups.scores, names=groups.names, classes=[[w]*len(m) for w, m in zip(words, groups)])
    assert max(map(len, format_groups(groups, width).split("\n"))) <= width

@pytest.mark.parametrize("seed", range(60))
def test_table_with_p_values_keeps_to_the_width(seed):
    groups, rng = random_groups(seed), np.random.default_rng(seed)
    p_values = [np.r_[np.nan, rng.choice([np.nan, 1e-300, 3e-9, 1], len(m)-1)] for m in groups]
    tested = FeatureGroups(groups.members, groups.correlations, scores=groups.scores, names=groups.names, member_p_values=p_values)
    width = int(rng.integers(50, 120))
    lines = format_groups(tested, width).split("\n")
    assert max(map(len, lines)) <= width and "largest p" in lines[0] and "largest p" not in format_groups(groups, width)
    for line, own in zip(lines[1:], p_values):
        known = own[~np.isnan(own)]
        assert re.match(r"\s*\S+\s+\S+\s+\d+\s+(\S+)", line)[1] == (f"{known.max():.1e}" if len(known) else "-")

# ---- groups

def test_chance_is_a_setting(data, capsys, monkeypatch):
    asked = []
    def note(data, **settings): asked.append(settings); raise KeyboardInterrupt
    monkeypatch.setattr(command, "_find_groups", note)
    for words in ("", "--chance 0.5", "--chance none"): assert main(f"groups d.npz --quiet {words}".split()) == 130
    assert "chance" not in asked[0] and asked[1]["chance"] == .5 and asked[2]["chance"] is None and "chance" in asked[2]

@pytest.mark.parametrize("words, chance", [("", .05), ("--chance 0.5", .5), ("--chance none", None)])
def test_chance_from_the_command(words, chance):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    X = rng.standard_normal((40, 600))+np.outer(y, np.arange(600) < 3)
    write_data("noise.npz", X, y)
    got = found(f"noise.npz --n-features 4 --tau 0.55 {words}")
    assert got.parameters["chance"] == chance and same(got, GDM(4, tau=.55, chance=chance), X, y)
    assert (got.refused is None) == (got.member_p_values is None) == (chance is None)

def test_as_many_as_are_more_than_chance(data):
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 100)
    X = rng.standard_normal((200, 300))
    X[:, :3] += 1.5*y[:, None]
    write_data("three.npz", X, y)
    got = found("three.npz --n-features auto --permutations 99 --seed 4")
    assert got.parameters["n_features_to_select"] == "auto" and sorted(got.support) == [0, 1, 2]
    assert got.p_values.tolist() == [.01]*3 and got.parameters["random_state"] == 4
    assert same(got, GDM("auto", random_state=4), X, y)
    assert found("three.npz --n-features 3 --seed 4").p_values is None

def test_p_values_of_groups_are_a_column():
    groups = FeatureGroups([[4, 1], [2], [3]], scores=[3., 2, 1], n_features=5, p_values=[.001, .24, np.nan])
    lines = [line.split() for line in format_groups(groups).split("\n")]
    assert lines[0][3:5] == ["group", "p"] and [line[3] for line in lines[1:]] == ["1.0e-03", "2.4e-01", "-"]

def test_nothing_is_an_answer(capsys):
    write_data("null.npz", np.random.default_rng(0).standard_normal((100, 300)), np.arange(100) % 2)
    assert main("groups null.npz --n-features auto --permutations 99 --test-size 0.3 --out n.json --plot n.png --quiet".split()) == 0
    out, err = capsys.readouterr()
    assert out.startswith("0 groups, 0 of 300 features") and "nothing was selected" in err and out.count("50.0%") == 3
    assert len(FeatureGroups.from_json(Path("n.json"))) == 0 and Path("n.png").stat().st_size > 0

def test_nothing_selected_predicts_the_largest_class():
    train, test = hold_out(Data(np.ones((30, 2)), np.repeat(["a", "b"], [20, 10]), None), .3)
    assert _judge_columns([], train, test) == 2/3

def test_the_answer_says_how_many_chance_explains(data, capsys, monkeypatch):
    from fsnb.show.fitting import Search
    told = FeatureGroups([[4, 1], [2]], [[1, .97], [1]], scores=[.41, .25], n_features=120, member_p_values=[[np.nan, 2e-9], [np.nan]], refused=[1200, 5])
    monkeypatch.setattr(command, "_find_groups", lambda data, **settings: Search(type("Model", (), {"groups_": told, "n_iter_": 1}), False))
    assert main("groups d.npz --out g.json".split()) == 0
    out = capsys.readouterr().out.split("\n")
    assert out[0] == "2 groups, 3 of 120 features, 1,205 partners that chance explains left out"
    assert out[2].split()[:4] == ["support", "score", "size", "largest"] and out[3].split() == ["4", "0.41", "2", "2.0e-09", "1", "(+0.97)"]
    assert out[4].split() == ["2", "0.25", "1", "-"] and FeatureGroups.from_json(Path("g.json")).refused.tolist() == [1200, 5]

def test_the_answer_says_which_supports_are_significant(data, capsys, monkeypatch):
    from fsnb.show.fitting import Search
    told = FeatureGroups([[4, 1], [2]], [[1, .97], [1]], scores=[.41, .25], n_features=120, significant=[True, False], p_values=[.001, np.nan])
    monkeypatch.setattr(command, "_find_groups", lambda data, **settings: Search(type("Model", (), {"groups_": told, "n_iter_": 1}), False))
    assert main("groups d.npz --out g.json".split()) == 0
    out = capsys.readouterr().out.split("\n")
    assert out[2].split()[:6] == ["support", "score", "size", "significant", "group", "p"] and out[3].split() == ["4", "0.41", "2", "yes", "1.0e-03", "1", "(+0.97)"]
    assert out[4].split() == ["2", "0.25", "1", "no", "-"] and FeatureGroups.from_json(Path("g.json")).significant.tolist() == [True, False]

def test_groups_says_what_the_selector_says(data, capsys):
    assert main("groups d.npz --n-features 4 --tau 0.25 --C 0.5 --n-per-iter 2 --fit-on supports --out g.json --plot g.png".split()) == 0
    out, err = capsys.readouterr()
    gdm = GDM(4, tau=.25, C=.5, n_per_iter=2, fit_on="supports").fit(data.X, data.y)
    got = FeatureGroups.from_json(Path("g.json"))
    assert [m.tolist() for m in got] == [m.tolist() for m in gdm.groups_] and np.allclose(got.scores, gdm.groups_.scores)
    assert (got.parameters["tau"], got.parameters["source"], got.parameters["interrupted"]) == (.25, "d.npz", False)
    assert out.startswith(f"{show_size(got)}\n") and show_size(got).startswith("4 groups, ") and format_groups(got, 90) in out
    assert Path("g.png").read_bytes()[:4] == b"\x89PNG" and "wrote g.json" in err and "wrote" not in out
    assert sorted(p.name for p in Path(".").iterdir()) == ["d.npz", "g.json", "g.png"]

def test_every_format_gives_the_same_groups(data, capsys):
    names = [f"f{j}" for j in range(120)]
    frame = pd.DataFrame(data.X, columns=names); frame["class"] = np.where(data.y > 0, "yes", "no")
    frame.to_csv("d.csv", index=False, float_format="%.17g"); frame.to_parquet("d.parquet")
    write_data("d.svm", data.X, data.y); sp.save_npz("s.npz", sp.csr_matrix(data.X)); np.savetxt("y.txt", data.y)
    answers = {}
    for line in ("d.npz", "d.csv --label class", "d.parquet", "d.svm", "s.npz --labels y.txt"):
        assert main(f"groups {line} --n-features 4 --quiet --out g.json".split()) == 0
        answers[line] = FeatureGroups.from_json(Path("g.json"))
    first = answers["d.npz"]
    for line, got in answers.items(): assert [m.tolist() for m in got] == [m.tolist() for m in first], line
    assert first.names is None and answers["s.npz --labels y.txt"].names is None
    assert answers["d.csv --label class"].names == answers["d.parquet"].names == [[f"f{j}" for j in m] for m in first]
    assert answers["d.svm"].names == [[str(j+1) for j in m] for m in first]             # the file counts from 1
    assert capsys.readouterr().err == ""

def test_max_rows_and_accuracy_and_truth(data, capsys):
    data.groups.to_json("t.json")
    assert main("groups d.npz --n-features 4 --max-rows 1 --test-size 0.4 --seed 3 --truth t.json --quiet".split()) == 0
    out = capsys.readouterr().out
    assert "and 3 more groups" in out and "accuracy on 120 samples" in out and "of 10 true features" in out
    shares = {w: float(s) for w, s in re.findall(r"^  (the largest class|supports|all members) +([\d.]+)%", out, re.M)}
    assert len(shares) == 3 and shares["all members"] > shares["the largest class"]

def wine(names=("Ada", "Ben", "Cleo")):
    from sklearn.datasets import load_wine
    frame = load_wine(as_frame=True).frame
    frame["class"] = np.array(names)[frame.pop("target")]
    return frame

def test_three_classes_from_a_table(capsys):
    wine().to_csv("d.csv", index=False)
    assert main("groups d.csv --n-features 5 --quiet --out g.json --test-size 0.4".split()) == 0
    out, got = capsys.readouterr().out, FeatureGroups.from_json(Path("g.json"))
    train, _ = hold_out(Data(wine().drop(columns="class").to_numpy(), wine()["class"].to_numpy().astype(str), None), .4)
    want = GDM(5).fit(train.X, train.y).groups_
    assert [m.tolist() for m in got] == [m.tolist() for m in want] and got.classes == want.classes and got.names[0][0] == "proline"
    assert format_groups(got, 90) in out and "speaks for" in out and any("Ada" in line and "proline" in line for line in out.split("\n"))
    share = {w: float(s) for w, s in re.findall(r"^  (the largest class|supports|all members) +([\d.]+)%", out, re.M)}
    assert share["all members"] > 85 and share["the largest class"] == 40.3              # 29 of 72

@pytest.mark.parametrize("file", ["d.npz", "d.svm", "d.parquet"])
def test_classes_that_are_numbers_are_shown_as_numbers(capsys, file):
    frame = wine((0., 7., 12.))
    X, y = frame.drop(columns="class").to_numpy(), frame["class"].to_numpy()
    frame.to_parquet(file) if file.endswith("parquet") else write_data(file, X, y)
    assert main(f"groups {file} --n-features 5 --quiet".split()) == 0
    told = {line.split()[5].strip(",") for line in capsys.readouterr().out.split("\n")[3:] if line}
    assert "0" in told and told <= {"0", "7", "12", "-"}

def found(line):
    assert main(f"groups {line} --quiet --out g.json".split()) == 0
    return FeatureGroups.from_json(Path("g.json"))

def same(groups, gdm, X, y):
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = gdm.fit(X, y).groups_
    return [m.tolist() for m in groups] == [m.tolist() for m in want] and all(map(np.allclose, groups.correlations, want.correlations))

def test_symmetrical_uncertainty(data):
    for line, kw in [("", {}), ("--bins 3", dict(n_bins=3)), ("--binning frequency --bins 4", dict(n_bins=4, binning="frequency"))]:
        got = found(f"d.npz --n-features 4 --tau 0.7 --correlation su {line}")
        assert same(got, GDM(4, tau=.7, correlation=SymmetricalUncertainty(**kw)), data.X, data.y)
        assert got.parameters["correlation"] == ("SymmetricalUncertainty" if kw else "su")
        assert all(got.parameters[f"correlation__{k}"] == v for k, v in kw.items())
    coded = np.clip(np.round(data.X), -2, 2)
    write_data("c.npz", coded, data.y)
    got = found("c.npz --n-features 4 --tau 0.7 --correlation su --binning none")
    assert same(got, GDM(4, tau=.7, correlation=SymmetricalUncertainty(binning="none")), coded, data.y)
    assert got.parameters["correlation__binning"] == "none"
    assert same(found("d.npz --n-features 4 --correlation pearson"), GDM(4), data.X, data.y)

def test_positive_correlations_only(capsys):
    X, y, _ = neighbours()
    X[:, 1::2] *= -1                                                       # every other of a block is a mirror image
    write_data("m.npz", X, y)
    got, both_signs = found("m.npz --n-features 4 --correlation positive"), found("m.npz --n-features 4")
    assert same(got, GDM(4, correlation="positive"), X, y) and got.parameters["correlation"] == "positive"
    assert min(r.min() for r in got.correlations) > 0 > min(r.min() for r in both_signs.correlations) and got.sizes.max() > 1
    placed = found("m.npz --n-features 4 --positions index --window 2 --correlation positive")
    assert same(placed, GDM(4, correlation=Positional("index", window=2, correlation="positive")), X, y) and placed.sizes.max() > 1
    capsys.readouterr()
    assert "bins must come with --correlation su" in refused(capsys, "groups m.npz --correlation positive --bins 3")

def test_no_groups(data, capsys):
    got = found("d.npz --n-features 6 --no-groups")
    assert same(got, GDM(6, tau=None), data.X, data.y) and got.sizes.tolist() == [1]*6
    assert capsys.readouterr().out.startswith("6 of 120 features, no groups\n") and got.parameters["tau"] is None

def neighbours(p=24):
    "Blocks of four neighbours that look alike, and the last block a copy of the first; three classes"
    rng = np.random.default_rng(1)
    X = np.repeat(rng.standard_normal((300, p//4)), 4, 1)
    X[:, -4:] = X[:, :4]
    X += .25*rng.standard_normal(X.shape)
    return X, np.digitize(X[:, 1]+X[:, 9], [-.7, .7]), [f"rs{j}" for j in range(p)]

def test_positions(capsys):
    X, y, names = neighbours()
    pd.DataFrame(X, columns=names).assign(label=y).to_csv("d.csv", index=False, float_format="%.17g")
    chromosome = np.repeat([1, 2], 12)
    pd.DataFrame({"snp": names, "chr": chromosome, "pos": np.arange(24)*10}).to_csv("map.tsv", sep="\t", index=False)
    np.savetxt("pos.txt", np.arange(24)*10, fmt="%d")
    plain = found("d.csv --n-features 2")
    assert any({0, 20} <= set(m.tolist()) for m in plain)                  # the copy goes with its original
    for line, kw in [("map.tsv", dict(positions=np.arange(24)*10, chromosomes=chromosome)), ("pos.txt --window 15", dict(positions=np.arange(24)*10, window=15)),
                     ("map.tsv --beta 90", dict(positions=np.arange(24)*10, chromosomes=chromosome, beta=90)), ("index --window 2", dict(positions="index", window=2)),
                     ("index --beta 30 --window 5", dict(positions="index", beta=30, window=5)),
                     ("map.tsv --window 15 --correlation su", dict(positions=np.arange(24)*10, chromosomes=chromosome, window=15, correlation="su"))]:
        got = found(f"d.csv --n-features 2 --tau 0.5 --positions {line}")
        assert same(got, GDM(2, tau=.5, correlation=Positional(**kw)), X, y), line
        assert all(abs(a-b) < 12 for m in got for a in m.tolist() for b in m.tolist())
        assert got.parameters["positions"] == line.split()[0] and got.parameters["chromosomes"] == ("map.tsv" if "map" in line else None)
    capsys.readouterr()
    assert main("groups d.csv --n-features 2 --positions map.tsv --test-size 0.3".split()) == 0
    assert "map.tsv: 2 chromosomes" in capsys.readouterr().err

@pytest.mark.parametrize("option, content, words", [
    ("", "snp,pos\nrs0,1\nrs1,x\n", "map: line 3: the position must be a number, got 'x'"),
    ("", "10 1\n", "map: there must be one row for each of the 24 features, got 1"),
    ("", "rs1 5\n", "map: line 1: this must be feature rs0, got rs1"),
    ("", "".join(f"{9-j}\n" for j in range(24)), "positions change nothing"),
    ("--window 2", "".join(f"{9-j}\n" for j in range(24)), "map: positions must not decrease within a chromosome, got 8 at column 1 (rs1) after 9 at column 0 (rs0): sort"),
    ("--window 0", "".join(f"{j}\n" for j in range(24)), "window must be None or lie in"),
    ("--beta -3", "".join(f"{j}\n" for j in range(24)), "beta must be None or lie in"),
])
def test_positions_that_are_wrong(capsys, option, content, words):
    X, y, names = neighbours()
    pd.DataFrame(X, columns=names).assign(label=y).to_csv("d.csv", index=False)
    Path("map").write_text(content)
    assert words in refused(capsys, f"groups d.csv --positions map {option}")

def test_a_name_that_svmlight_counts_is_no_name(capsys):
    "svmlight numbers its features; a table of positions may call them what it likes"
    X, y, names = neighbours()
    write_data("d.svm", X, y)
    pd.DataFrame({"name": names, "position": np.arange(24)}).to_csv("map.csv", index=False)
    assert found("d.svm --n-features 2 --positions map.csv --window 3").names[0][0].isdigit()

def test_held_out_needs_two_of_each_class(capsys):
    rng = np.random.default_rng(0)
    write_data("one.npz", rng.standard_normal((9, 3)), np.array(["a"]*4+["b"]*4+["alone"]))
    assert "two or more of each class, got one of class alone" in refused(capsys, "groups one.npz --test-size 0.5")
    write_data("real.npz", rng.standard_normal((90, 3)), rng.standard_normal(90))
    for line in ("groups real.npz", "groups real.npz --test-size 0.5"): assert "continuous" in (said := refused(capsys, line)) and len(said) < 250

def test_held_out_samples_are_not_seen(made):
    whole = Data(made.X, made.y, None)
    for X in (made.X, sp.csc_matrix(made.X)):
        train, test = hold_out(whole._replace(X=X), .25, 7)
        assert len(test.y) == 75 and len(train.y) == 225
        A, B = (d.X.toarray() if sp.issparse(d.X) else d.X for d in (train, test))
        rows = {tuple(r) for r in A}
        assert not any(tuple(r) in rows for r in B) and len(rows | {tuple(r) for r in B}) == 300
        assert abs(np.mean(train.y == 1)-np.mean(test.y == 1)) < .02
    with pytest.raises(ValueError, match=r"test_size must lie in \(0, 1\), got 1"): hold_out(whole, 1)

def test_accuracies_against_chance(made):
    "Labels that have nothing to do with the features are guessed, others are learnt"
    groups = FeatureGroups([m for m in made.groups], n_features=120)
    real = measure_accuracy(groups, *hold_out(Data(made.X, made.y, None), .5))
    rng = np.random.default_rng(0)
    noise = measure_accuracy(groups, *hold_out(Data(made.X, rng.permutation(made.y), None), .5))
    assert real["all members"][1] > .85 and real["all members"][0] == 10 and real["supports"][0] == 4
    assert .3 < noise["all members"][1] < .7 and .4 < real["the largest class"][1] < .65

def test_warnings_are_one_line(made, capsys):
    X = made.X.copy(); X[:, 5] = 1
    pd.DataFrame(X, columns=[f"f{j}" for j in range(120)]).assign(y=made.y).to_csv("d.csv", index=False)
    assert main("groups d.csv --n-features 2 --quiet".split()) == 0
    assert re.fullmatch(r"fsnb: warning: .*constant.*f5.*\n", capsys.readouterr().err)

# ---- what is wrong is one line and exit code 2

@pytest.mark.parametrize("line, words", [
    ("", "required: command"), ("grups d.npz", "invalid choice: 'grups'"), ("groups", "required: FILE"),
    ("groups no.svm", "no.svm: No such file"), ("groups d.txt", "d.txt: a data file ends in"), ("groups d.npz --format svmlight", "d.npz: line 1"),
    ("groups d.npz --tau 2", "tau must lie in (0, 1), got 2"), ("groups d.npz --tau x", "--tau: invalid float value: 'x'"),
    ("groups d.npz --C -1", "C must lie in"), ("groups d.npz --n-features 0", "--n-features must be"), ("groups d.npz --n-features 121", "got 121"),
    ("groups d.npz --mode best", "--mode: invalid choice"), ("groups d.npz --fit-on all", "--fit-on: invalid choice"), ("groups d.npz --n-jobs 0", "--n-jobs must be"),
    ("groups d.npz --test-size 1.5", "test-size must lie in (0, 1), got 1.5"), ("groups d.npz --max-rows -1", "max-rows"),
    ("groups d.npz --out no/g.json", "cannot write no/g.json: there is no folder no"), ("groups d.npz --plot g.gif", "g.gif: a picture ends in"),
    ("groups d.npz --plot .", "it is a folder"), ("groups d.npz --out /", "cannot write /: it is a folder"), ("groups d.npz --truth no.json", "no.json: No such file"), ("groups d.npz --truth d.json", "d.json holds damaged fsnb.FeatureGroups"),
    ("groups d.npz --labels y.txt", "300 samples, got 2"), ("groups one.npz", "two classes"),
    ("groups three.npz --mode cut", "binary"), ("groups d.npz --correlation kendall", "invalid choice: 'kendall'"), ("groups d.npz --bins 4", "bins must come with --correlation su"),
    ("groups d.npz --correlation pearson --binning none", "binning must come with --correlation su"), ("groups d.npz --correlation su --bins 1", "--bins must"),
    ("groups d.npz --correlation su --binning fine", "invalid choice: 'fine'"), ("groups d.npz --correlation su --binning none", "binning='none' takes"),
    ("groups d.npz --beta 3", "beta must come with --positions"), ("groups d.npz --window 3 --beta 3", "beta and window must come with --positions"),
    ("groups d.npz --positions index", "positions change nothing without"), ("groups d.npz --positions no.tsv --window 1", "no.tsv: No such file"),
    ("groups d.npz --positions index --beta far", "invalid float value: 'far'"), ("groups d.npz --no-groups --tau 0.2", "no use for tau"),
    ("groups d.npz --no-groups --correlation su --bins 3", "no use for bins and correlation"), ("groups d.npz --no-groups --positions index --window 2", "no use for positions and window"),
    ("groups d.npz --n-features ten", "n-features must be a number or the word auto, got ten"), ("groups d.npz --permutations few", "--permutations: invalid int value"),
    ("groups d.npz --permutations 0", "--permutations must"), ("groups d.npz --n-features auto --chance none", "needs GDM with"),
    ("groups d.npz --chance few", "chance must be a number or the word none, got few"), ("groups d.npz --no-groups --chance 1", "no use for chance"),
    ("groups d.npz --wrong 1", "unrecognized arguments"),
    ("simulate", "required: --out"), ("simulate --out d.csv", "to write ends in .npz, .svm"), ("simulate --out no/d.npz", "there is no folder no"),
    ("simulate --out e.npz --preset x", "--preset: invalid choice"), ("simulate --out e.npz --n-features 3", "n_features must be at least"),
    ("simulate --out e.npz --n-samples 20 --n-features 60 --sparse 2", "sparse must be"), ("simulate --out e.npz --seed one", "invalid int value"),
    ("demo --out-dir d.npz/x", "cannot make the folder"), ("demo --out-dir d.npz", "cannot make the folder"),
])
def test_one_line_for_one_error(data, capsys, line, words):
    Path("y.txt").write_text("1\n2\n"); Path("d.json").write_text("{"); Path("d.txt").write_text("")
    write_data("three.npz", np.eye(9), np.arange(9) % 3); write_data("one.npz", np.eye(9), np.ones(9))
    before = sorted(Path(".").rglob("*"))
    assert words in refused(capsys, line)
    assert sorted(Path(".").rglob("*")) == before

@pytest.mark.parametrize("line, words", [
    ("groups d.npz --out d.npz", "--out d.npz and FILE d.npz"), ("groups d.npz --out ./sub/../d.npz", "and FILE d.npz"), ("groups d.npz --out hard", "and FILE d.npz"),
    ("groups soft --out d.npz --format npz", "--out d.npz and FILE soft"), ("groups d.npz --labels y.txt --out y.txt", "--out y.txt and --labels y.txt"),
    ("groups d.npz --positions map --window 3 --out map", "--out map and --positions map"), ("groups d.npz --truth t.json --out t.json", "--out t.json and --truth t.json"),
    ("groups d.npz --out a.png --plot a.png", "--plot a.png and --out a.png"), ("groups d.npz --out a.png --plot A.png", "--plot A.png and --out a.png"),
    ("groups d.npz --plot p.png --truth p.png", "--plot p.png and --truth p.png"), ("groups d.npz --out new --plot dangling.png", "--plot dangling.png and --out new"),
    ("simulate --out x.npz --truth x.npz", "--truth x.npz and --out x.npz"), ("simulate --out x.npz --truth ./x.npz", "--truth ./x.npz and"), ("simulate --out d.npz --truth hard", "--truth hard and"),
])
def test_nothing_is_written_over_what_is_read(data, capsys, line, words):
    os.mkdir("sub"); os.link("d.npz", "hard"); os.symlink("d.npz", "soft"); os.symlink(Path("new").absolute(), "dangling.png")
    for name in ("y.txt", "map", "t.json", "p.png"): Path(name).write_text("1\n")
    before = {p: p.read_bytes() for p in Path(".").rglob("*") if p.is_file()}
    assert words in (told := refused(capsys, line)) and "are one file, which would be overwritten" in told
    assert {p: p.read_bytes() for p in Path(".").rglob("*") if p.is_file()} == before

@pytest.mark.parametrize("option", ["--out no/g.json", "--plot no/g.png", "--plot g.bmp", "--test-size 7", "--truth no.json", "--labels no.txt",
                                    "--positions no.tsv", "--window 3", "--bins 3", "--no-groups --beta 3", "--chance few", "--n-features few"])
def test_complaints_come_before_the_search(data, capsys, monkeypatch, option):
    def never(*args, **kwargs): raise AssertionError("the search began")
    monkeypatch.setattr(command, "_find_groups", never); monkeypatch.setattr(opening, "read_data", never)
    refused(capsys, f"groups d.npz {option}")

def test_version_and_help(capsys):
    assert main(["--version"]) == 0 and capsys.readouterr().out == f"fsnb {fsnb.__version__}\n"
    for line in ("--help", "groups --help", "simulate --help", "demo --help"):
        assert main(line.split()) == 0
        out, err = capsys.readouterr()
        assert out.startswith("usage: fsnb") and err == ""
    assert all(word in out for word in ("--out-dir", "--quick"))
    assert main(["groups", "--help"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "two classes or more" in out and all(f"--{o}" in out for o in "correlation chance bins binning positions beta window no-groups permutations".split())

def test_version_needs_no_heavy_import():
    code = "import sys; from fsnb.show.cli import main; main(['--version']); print([m for m in ('sklearn', 'numba', 'matplotlib', 'pandas', 'cvxpy') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == f"fsnb {fsnb.__version__}\n[]\n"

def test_out_of_memory_is_one_line(data, capsys, monkeypatch):
    def huge(*args, **kwargs): raise MemoryError
    monkeypatch.setattr(opening, "read_data", huge)
    assert "not enough memory" in refused(capsys, "groups d.npz")

def test_a_file_too_large_for_memory_is_named(data, capsys):
    import io, zipfile
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, dict(descr="<f8", fortran_order=False, shape=(10, 10**12)))
    with zipfile.ZipFile("wide.npz", "w") as file: file.writestr("X.npy", head.getvalue()+bytes(80))
    told = refused(capsys, "groups wide.npz")
    assert "wide.npz: there is not enough memory (Unable to allocate 72.8 TiB" in told

def test_a_bug_is_not_hidden(data, monkeypatch):
    "Only what a person can have got wrong becomes one line"
    def broken(*args, **kwargs): raise ZeroDivisionError
    monkeypatch.setattr(command, "_find_groups", broken)
    with pytest.raises(ZeroDivisionError): main("groups d.npz".split())

# ---- what a file can be

def test_tables_from_the_command(capsys):
    frame = wine().sort_values("class", kind="stable").reset_index(drop=True)
    frame.to_csv("d.csv")
    assert "column 0 has no name and may be an index: say so by index=0 (--index 0)" in refused(capsys, "groups d.csv")
    got = found("d.csv --index 0 --n-features 3")
    frame.to_csv("e.csv", index=False)
    assert got.names == found("e.csv --n-features 3").names
    frame.rename_axis("row").to_csv("f.csv")
    capsys.readouterr()
    assert main("groups f.csv --n-features 3 --quiet".split()) == 0 and "fsnb: warning: column row counts the rows" in capsys.readouterr().err
    assert found("f.csv --index row --n-features 3").names == got.names

def test_columns_of_svmlight(data, capsys):
    write_data("d.svm", data.X, data.y)
    assert found("d.svm --columns 130 --n-features 3").n_features == 130
    capsys.readouterr()
    assert "line 1: index 120 lies beyond n_features=100" in refused(capsys, "groups d.svm --columns 100")
    assert "n_features (--columns) is for svmlight, and this is npz" in refused(capsys, "groups d.npz --columns 120")

@pytest.mark.skipif(os.name != "posix", reason="a shell's pipes")
@pytest.mark.parametrize("line", ["groups <(cat d.csv) --format csv", "groups <(gzip -c d.csv | zcat) --format csv", "groups /dev/stdin --format csv < d.csv", "groups d.csv --labels <(cut -d, -f1 d.csv | tail -n +2) --label class"])
def test_pipes_are_files(line):
    wine().to_csv("d.csv", index=False, columns=["class", *wine().columns.drop("class")])
    main("groups d.csv --n-features 3 --out g.json --quiet".split())
    code = "import sys; from fsnb.show.cli import main; sys.exit(main())"
    r = subprocess.run(["bash", "-c", f"{shlex.quote(sys.executable)} -c '{code}' {line} --n-features 3 --out h.json --quiet"], capture_output=True, text=True)
    lines = [line for line in r.stderr.splitlines() if "not significant" not in line]
    assert r.returncode == 0 and lines == [], r.stderr
    assert [m.tolist() for m in FeatureGroups.from_json("h.json")] == [m.tolist() for m in FeatureGroups.from_json("g.json")]

@pytest.mark.parametrize("text, words", [('{"a": 1e400}', "format must be"), ("["*10**5, "damaged"), ('{"format": "fsnb.FeatureGroups", "groups": {}}', "'groups'")])
def test_a_truth_that_is_none(data, capsys, text, words):
    Path("t.json").write_text(text)
    assert words in (told := refused(capsys, "groups d.npz --truth t.json")) and "t.json" in told

@pytest.mark.skipif(sys.platform != "linux", reason="names that are no text")
def test_a_file_name_of_arbitrary_bytes(data):
    odd = os.fsdecode(b"d\xff.npz")
    Path("d.npz").rename(odd)
    r = shell("groups", odd, "--n-features", "3", "--out", "g.json", "--plot", odd.replace("npz", "png"))
    assert r.returncode == 0 and "Traceback" not in r.stderr
    assert FeatureGroups.from_json("g.json").parameters["source"] == odd and Path(odd.replace("npz", "png")).exists()

def test_the_record_tells_how_the_search_ended(data, monkeypatch):
    from fsnb.groups.selector import _STOP_REASONS
    class Model: n_iter_, gap_, stop_reason_ = 1, .25, "open"
    def find(data, **settings):
        Model.groups_ = FeatureGroups([[4, 1]], n_features=120)
        return type("Search", (), dict(model=Model, interrupted=False))
    with monkeypatch.context() as patch:
        patch.setattr(command, "_find_groups", find)
        got = found("d.npz").parameters
        assert (got["gap"], got["stop_reason"]) == (.25, "open") and "open" in _STOP_REASONS
        del Model.stop_reason_
        assert "stop_reason" not in found("d.npz").parameters
    assert found("d.npz --n-features 3").parameters["gap"] == pytest.approx(GDM(3).fit(data.X, data.y).gap_, abs=1e-3)

# ---- outputs

def test_a_long_name(data):
    for name in ("n"*250+".json", "ü"*122+".json"): assert main(["groups", "d.npz", "--n-features", "2", "--quiet", "--out", name]) == 0 and Path(name).exists()

@pytest.mark.skipif(os.name != "posix", reason="a shell's streams")
@pytest.mark.parametrize("ending, code, said", [(">&-", 0, ""), ("<&- >&- 2>&-", 0, ""), ("| head -c 1 >/dev/null", 0, ""), ("> /dev/full", 1, "fsnb: error: cannot write the table: No space left on device\n")])
def test_a_stream_that_fails_loses_nothing(data, ending, code, said):
    if "/dev/full" in ending and not Path("/dev/full").exists(): pytest.skip("no such device")
    run = f"{shlex.quote(sys.executable)} -u -c 'import sys; from fsnb.show.cli import main; sys.exit(main())' groups d.npz --n-features 3 --out g.json --plot g.png --quiet"
    r = subprocess.run(["bash", "-c", f"{run} {ending}; exit ${{PIPESTATUS[0]}}"], capture_output=True, text=True)
    assert (r.returncode, r.stderr) == (code, said)
    assert len(FeatureGroups.from_json("g.json")) == 3 and Path("g.png").stat().st_size > 0

def test_what_is_left_to_be_written_is_tried_once(capsys, monkeypatch):
    class Full(io.StringIO):
        def flush(self): raise OSError(28, "No space left on device")
    monkeypatch.setattr(sys, "stdout", Full())
    assert main(["--version"]) == 1 and capsys.readouterr().err == "fsnb: error: cannot write to the standard output: No space left on device\n"
    assert main(["--wrong"]) == 2 and capsys.readouterr().err.count("\n") == 1

@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
def test_an_output_that_fails_at_the_end_costs_no_other(data, capsys):
    os.symlink("/dev/full", "full.png")
    for line, left in (("--out /dev/full --plot g.png", "g.png"), ("--out g.json --plot full.png", "g.json")):
        assert main(f"groups d.npz --n-features 3 --quiet {line}".split()) == 1
        out, err = capsys.readouterr()
        assert out.startswith("3 groups") and re.fullmatch(r"fsnb: error: cannot write (/dev/full|full.png): No space left on device\n", err) and Path(left).exists()

# ---- Ctrl-C

def test_ctrl_c_after_the_search_keeps_the_answer(data, capsys, monkeypatch):
    def struck(*args, **kwargs): raise KeyboardInterrupt
    for name, left in (("_save_picture", ["d.npz", "g.json"]), ("_show_answer", ["d.npz", "g.json"]), ("write_atomic", ["d.npz"])):
        Path("g.json").unlink(missing_ok=True)
        with monkeypatch.context() as patch:
            patch.setattr(command, name, struck)
            assert main("groups d.npz --n-features 3 --out g.json --plot g.png --quiet".split()) == 130
        written = "g.json" if "g.json" in left else "no file"
        assert capsys.readouterr().err == f"fsnb: interrupted; wrote {written}\n"
        assert sorted(p.name for p in Path(".").iterdir()) == left

def hear_all():
    "Signals are heard even where the parents ignore them, as under nohup"
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("SIGTERM", "SIGHUP"): signal.signal(getattr(signal, name), signal.SIG_DFL)

def run_struck(code, *more):
    "A process that strikes itself, in a search"
    return subprocess.run([sys.executable, "-c", code, "groups", "d.npz", *more, "--out", "g.json", "--quiet"], capture_output=True, text=True, preexec_fn=hear_all)

@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_modules_are_imported(data, number):
    "At five places, and at the first one at once"
    for place in ("argparse", "numpy", "scipy.sparse", "sklearn.base", "fsnb.gdm.gdm"):
        code = f"""if True:
            import os, sys
            class Strike:
                def find_spec(self, name, path=None, target=None):
                    if name == {place!r}: os.kill(os.getpid(), {int(number)})
            sys.modules.pop({place!r}, None)
            sys.meta_path.insert(0, Strike())
            from fsnb.show.cli import main
            sys.exit(main())"""
        r = run_struck(code)
        assert (r.returncode, r.stderr) == (128+number, "fsnb: interrupted; wrote no file\n"), (place, r.stderr)
    assert sorted(p.name for p in Path(".").iterdir()) == ["d.npz"]

@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("which", [1, 2, 4])
def test_a_signal_while_the_compiler_waits_for_a_stored_kernel(data, which):
    "Python drops what is raised there, and a kernel that is half loaded ends the process with a segmentation fault"
    assert main("groups d.npz --n-features 3 --quiet".split()) == 0          # the kernels are stored
    code = f"""if True:
        import os, signal, sys, time
        from numba.core.codegen import JITCodeLibrary
        owner = next(c for c in JITCodeLibrary.__mro__ if "_object_getbuffer_hook" in vars(c))
        answer, asked = vars(owner)["_object_getbuffer_hook"].__func__, []
        def struck(*args):
            asked.append(1)
            if len(asked) == {which}: os.kill(os.getpid(), signal.SIGINT)
            return answer(*args)
        owner._object_getbuffer_hook = classmethod(struck)  # before the package is imported, which hands it to the compiler
        from fsnb.show import command
        finish = command._finish_request                    # a quick search could end before the signal comes again
        def slow(*args):
            time.sleep(10)
            return finish(*args)
        command._finish_request = slow
        from fsnb.show.cli import main
        sys.exit(main())"""
    r = run_struck(code, "--n-features", "3")
    assert r.returncode == 130 and r.stderr.count("\n") == 1 and "interrupted" in r.stderr, (r.returncode, r.stderr)

@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("module", ["numba._devicearray", "numba", "scipy.linalg.cython_blas"])
def test_a_signal_while_a_compiled_module_imports(data, module):
    "Such a module prints by itself what interrupted it"
    code = f"""if True:
        import builtins, os, signal, sys
        whole, asked = builtins.__import__, []
        def struck(name, globals=None, locals=None, fromlist=(), level=0):
            if name == {module!r} and isinstance(fromlist, list):             # C asks with a list
                asked.append(1)
                if len(asked) == 1: os.kill(os.getpid(), signal.SIGINT)
            return whole(name, globals, locals, fromlist, level)
        builtins.__import__ = struck
        from fsnb.show.cli import main
        sys.exit(main())"""
    r = run_struck(code)
    assert (r.returncode, r.stderr) == (130, "fsnb: interrupted; wrote no file\n")

def test_the_entry_imports_next_to_nothing(python):
    out = python("import sys; before = set(sys.modules); import fsnb.show.cli; print(*sorted(set(sys.modules)-before))").split()
    assert not {"argparse", "numpy", "fsnb.show.report", "fsnb.show.command"} & set(out) and len([m for m in out if m.startswith("fsnb")]) <= 6

def test_an_interrupt_that_comes_as_another_error_or_after_the_end_knows_what_was_written(data, capsys, monkeypatch):
    from fsnb.show import cli
    def becomes_another(*args): raise SystemError("returned a result with an exception set")
    real = cli.run
    def too_late(*args):
        real(*args)
        raise KeyboardInterrupt
    for owner, name, struck_by in ((command, "_save_picture", becomes_another), (cli, "run", too_late)):
        Path("g.json").unlink(missing_ok=True)
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, struck_by)
            noted = {}
            code = cli._run_and_explain("groups d.npz --n-features 3 --out g.json --plot g.svg --quiet".split(), [signal.SIGINT], noted)
        files = "g.json" if owner is command else "g.json, g.svg"
        assert (code, capsys.readouterr().err) == (130, f"fsnb: interrupted; wrote {files}\n")
    with monkeypatch.context() as patch:
        patch.setattr(cli, "run", too_late)
        assert cli.main("groups d.npz --n-features 3 --out g.json --quiet".split()) == 130
    assert capsys.readouterr().err.endswith("wrote g.json\n")

def stop_after(monkeypatch, rounds):
    from fsnb.gdm import rounds as room
    whole, done = room._next_round, []
    def stops(*args):
        if len(done) == rounds: raise KeyboardInterrupt
        done.append(1)
        return whole(*args)
    monkeypatch.setattr(room, "_next_round", stops)

def test_ctrl_c_keeps_the_finished_rounds(data, capsys, monkeypatch):
    stop_after(monkeypatch, 2)
    assert main("groups d.npz --n-features 4 --n-per-iter 1 --out g.json --test-size 0.2".split()) == 130
    out, err = capsys.readouterr()
    got = FeatureGroups.from_json(Path("g.json"))
    assert len(got) == 2 and got.parameters["interrupted"] is True
    assert out.startswith("2 groups") and "accuracy" in out and "interrupted: 2 groups of 2 finished rounds" in err

def test_ctrl_c_before_the_first_round(data, capsys, monkeypatch):
    stop_after(monkeypatch, 0)
    assert main("groups d.npz --out g.json --quiet".split()) == 130
    out, err = capsys.readouterr()
    assert out == "" and err == "fsnb: interrupted; wrote no file\n" and not Path("g.json").exists()

@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_from_outside():
    "The true signal, to a process in the middle of a long search"
    long = make_groups(400, 3000, group_sizes=(0,)*300, n_test=0, random_state=0)
    write_data("long.npz", long.X, long.y)
    p = subprocess.Popen([sys.executable, "-u", "-c", "import sys; from fsnb.show.cli import main; sys.exit(main())", "groups", "long.npz",
                          "--n-features", "300", "--n-per-iter", "1", "--max-iter", "300", "--out", "g.json"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        for line in p.stderr:
            if line.startswith("round 2"): break
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=120)
    finally: p.kill()
    assert p.returncode == 130 and "Traceback" not in err and "interrupted" in err
    got = FeatureGroups.from_json(Path("g.json"))
    assert 2 <= len(got) < 300 and out.startswith(f"{len(got)} groups")

# ---- pipes

@pytest.mark.skipif(os.name != "posix", reason="a shell's pipe")
def test_a_closed_pipe_is_no_error(data):
    code = "import sys; from fsnb.show.cli import main; sys.exit(main())"
    r = subprocess.run(["bash", "-c", f"set -o pipefail; {shlex.quote(sys.executable)} -c '{code}' groups d.npz --n-features 3 --quiet | true"], capture_output=True, text=True)
    assert r.returncode == 0 and r.stderr == ""

def test_stdout_holds_the_table_alone_even_if_it_cannot_show_it():
    "A process of its own, whose output knows ASCII only"
    pd.DataFrame(np.random.default_rng(0).standard_normal((40, 3)), columns=["größe", "重さ", "b"]).assign(y=[0, 1]*20).to_csv("d.csv", index=False)
    r = shell("groups", "d.csv", "--n-features", "3", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert r.returncode == 0 and r.stdout.startswith("3 groups") and "samples" not in r.stdout
    assert r.stderr.startswith("d.csv: 40 samples, 3 features\nround 1: ") and "Error" not in r.stderr

# ---- simulate and demo

@pytest.mark.parametrize("options, kind", [("", np.ndarray), ("--sparse", sp.csc_matrix), ("--sparse 0.02", sp.csc_matrix), ("--signed --label-noise 0.1", np.ndarray)])
def test_simulate(capsys, options, kind):
    from fsnb.data.files import read_data
    line = f"simulate --n-samples 150 --n-features 400 --seed 5 {options} --out"
    assert main(f"{line} a.npz --truth t.json".split()) == 0 and main(f"{line} b.svm".split()) == 0
    out, err = capsys.readouterr()
    assert out == "" and "150 samples, 400 features, 12 groups with 38 features" in err
    made = make_groups(150, 400, n_test=0, random_state=5, signed="--signed" in options, label_noise=.1 if "noise" in options else 0,
                       sparse=.02 if "0.02" in options else "--sparse" in options)
    a, b = read_data("a.npz"), read_data("b.svm")
    dense = lambda X: X.toarray() if sp.issparse(X) else X
    assert isinstance(a.X, kind) and np.array_equal(dense(a.X), dense(made.X)) and np.array_equal(a.y, made.y)
    j = np.array(b.names)-1                                                # svmlight forgets what never occurs at the end
    assert np.allclose(dense(b.X), dense(made.X)[:, j], rtol=1e-14) and np.array_equal(b.y, made.y)
    assert [m.tolist() for m in FeatureGroups.from_json(Path("t.json"))] == [m.tolist() for m in made.groups]

def test_demo(capsys):
    assert main("demo --quick --out-dir out/demo".split()) == 0
    out, err = capsys.readouterr()
    assert err.count("\n") == err.count("supports are not significant") <= 1 and "true features" in out and "3 against 8" in out and "row" in out
    files = sorted(p.name for p in Path("out/demo").iterdir())
    assert files == ["digits.json", "digits.png", "known.json", "known.png"]
    rate = int(re.search(r"beside the truth: (\d+) of 38", out)[1])
    known = FeatureGroups.from_json(Path("out/demo/known.json"))
    assert len(known) == 12 and rate >= 25
    share = {w: float(s) for w, s in re.findall(r"^  (the largest class|supports|all members) +([\d.]+)%", out, re.M)}
    assert share["supports"] >= 91.6 and share["all members"] >= 97.2 > 90 > share["the largest class"]
    digits = FeatureGroups.from_json(Path("out/demo/digits.json"))
    assert np.nanmax(np.concatenate(digits.member_p_values)) < 2e-5 and digits.p_values.max() <= .01  # no group that chance explains

# ---- stores, checkpoints, pairs

@pytest.fixture
def text(made):
    "The data as text, with counts in it"
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(np.where(rng.random(made.X.shape) < .3, np.round(np.abs(made.X)*3)+1, 0))
    y = (X[:, 0].toarray().ravel()+X[:, 5].toarray().ravel()+rng.random(X.shape[0]) > 2).astype(int)
    write_data("w.svm", X, y)
    return X, y

def bare(groups):
    "Without what a run is called by"
    groups.parameters.pop("source")
    return groups

def test_a_store_gives_the_groups_of_its_file(text, capsys):
    assert main("convert w.svm w.fsnb --memory 1M --check --quiet".split()) == 0
    assert capsys.readouterr() == ("", "")
    one, two = (found(f"{name} --n-features 5") for name in ("w.svm", "w.fsnb"))
    assert bare(one) == bare(two) and one.names == two.names and [g.tolist() for g in one.members] == [g.tolist() for g in two.members]
    assert all(np.array_equal(a, b) for a, b in zip(one.correlations, two.correlations)) and np.array_equal(one.scores, two.scores)

@pytest.mark.parametrize("name, option", [("t.csv", "--label label"), ("t.npz", ""), ("r.npz", ""), ("w.svm.gz", ""), ("t.parquet", "")])
def test_every_format_becomes_a_store(made, name, option, capsys):
    import gzip
    frame = pd.DataFrame(np.round(made.X, 3), columns=[f"g{j}" for j in range(made.X.shape[1])])
    frame["label"] = made.y
    if name == "t.csv": frame.to_csv(name, index=False)
    elif name == "t.parquet": frame.to_parquet(name)
    elif name == "t.npz": np.savez(name, X=frame.to_numpy()[:, :-1], y=made.y)
    elif name == "r.npz": S = sp.csr_matrix(made.X > 1).astype(float); np.savez(name, data=S.data, indices=S.indices, indptr=S.indptr, shape=S.shape, format="csr", y=made.y)
    else: write_data("w.svm", sp.csr_matrix(made.X > 1).astype(float), made.y); Path(name).write_bytes(gzip.compress(Path("w.svm").read_bytes()))
    assert main(f"convert {name} t.fsnb {option}".split()) == 0
    assert re.fullmatch(r"wrote t.fsnb: 300 samples, \d+ features\n", capsys.readouterr().err)
    assert bare(found("t.fsnb --n-features 3")) == bare(found(f"{name} --n-features 3 {option}"))

def test_labels_of_a_store(text, capsys):
    np.save("y.npy", 1-text[1]); np.save("two.npy", [0, 1])
    assert main("convert w.svm w.fsnb --labels y.npy --quiet".split()) == 0
    assert bare(found("w.fsnb --n-features 3")) == bare(found("w.svm --labels y.npy --n-features 3"))
    sp.save_npz("bare.npz", sp.csr_matrix(text[0]))
    assert main("convert bare.npz bare.fsnb --quiet".split()) == 0
    capsys.readouterr()
    assert "there are no labels y with it; give them as --labels" in refused(capsys, "groups bare.fsnb")
    assert "one label for each of the 300 samples, got 2" in refused(capsys, "groups bare.fsnb --labels two.npy")
    assert bare(found("bare.fsnb --labels y.npy --n-features 3")) == bare(found("bare.npz --labels y.npy --n-features 3"))

@pytest.mark.parametrize("line, said", [
    ("convert w.svm w.svm", "are one file, which would be overwritten"), ("convert w.svm there.fsnb", "--overwrite replaces it"), ("convert w.svm folder", "is there already"), ("convert no.svm a.fsnb", "No such file"),
    ("convert w.svm a.fsnb --memory 5", "memory must be a number of bytes from 1M on"), ("convert w.svm a.fsnb --columns 3", "lies beyond n_features=3"), ("convert w.svm a.fsnb --label 3", "label is for "),
    ("convert w.svm no/such/a.fsnb", "no/such"), ("convert bad.svm a.fsnb", "bad.svm: line 2: a feature must be index:value"), ("convert w.svm", "required"), ("convert d.txt a.fsnb", "a data file ends in"),
    ("groups there.fsnb --test-size 0.3", "--test-size cannot be used"), ("groups there.fsnb --columns 9", "--columns cannot be used"), ("groups w.svm --resume", "resume must come with --checkpoint"),
    ("groups w.svm --checkpoint w.svm", "are one file"), ("groups w.svm --checkpoint no/such/c", "there is no folder"), ("groups w.svm --checkpoint old", "is there already: --resume goes on with a run that was stopped"),
    ("groups w.svm --checkpoint other.npz", "is there already"), ("groups w.svm --checkpoint other.npz --resume --quiet", "is damaged or no checkpoint"),
    ("survey w.svm --above 0.5", "above and pairs must come together"), ("survey w.svm --pairs a.parquet", "come together"),
    ("survey w.svm --above 0.5 --pairs a.csv", "ends in .parquet"), ("survey w.svm --out w.svm", "are one file"), ("survey w.svm --plot a.bmp", "a picture ends in"), ("survey bad.svm", "bad.svm: line 2"), ("survey w.svm --bins 0", "bins must lie in"),
])
def test_errands_that_are_refused(text, capsys, line, said):
    Path("folder").mkdir(); Path("old").write_text("PK"); Path("bad.svm").write_text("1 1:1\n0 1:x\n"); Path("d.txt").write_text("1 1:1\n")
    np.savez("other.npz", X=np.eye(4), y=[0, 1, 0, 1]); other = Path("other.npz").read_bytes()
    assert main("convert w.svm there.fsnb --quiet".split()) == 0
    capsys.readouterr()
    before = sorted(os.listdir())
    assert said in refused(capsys, line) and sorted(os.listdir()) == before and Path("old").read_text() == "PK" and Path("other.npz").read_bytes() == other

def test_a_store_is_replaced_when_that_is_said(text):
    assert [main("convert w.svm w.fsnb --quiet".split()), main("convert w.svm w.fsnb --quiet --overwrite".split())] == [0, 0]
    assert sorted(os.listdir()) == ["w.fsnb", "w.svm"]

def test_survey_counts_every_pair(text, capsys):
    import json
    assert main("convert w.svm w.fsnb --quiet".split()) == 0
    capsys.readouterr()
    tables = []
    for name in ("w.svm", "w.fsnb"):
        assert main(f"survey {name} --bins 4 --out s.json --plot s.png --above 0.2 --pairs s.parquet --quiet".split()) == 0
        tables.append(capsys.readouterr().out)
    noted, pairs = json.loads(Path("s.json").read_text()), pd.read_parquet("s.parquet")
    r = np.abs(np.corrcoef(text[0].toarray().T)[np.triu_indices(120, 1)])
    assert tables[0] == tables[1] and noted["counts"] == np.histogram(r, [0, .25, .5, .75, 1.01])[0].tolist() and noted["n_pairs"] == len(r)
    assert len(pairs) == (r >= .2).sum() > 0 and list(pairs) == ["first", "second", "correlation"] and Path("s.png").stat().st_size > 0
    assert "7,140 pairs" in tables[0] and len(tables[0].splitlines()) == 7

def test_a_store_of_text_is_surveyed_by_the_numbers_of_the_text(tmp_path, monkeypatch):
    import pandas as pd
    monkeypatch.chdir(tmp_path)
    (tmp_path/"a.svm").write_text("1 1:1 2:1 3:2\n0 1:2 2:2 3:1\n1 1:3 2:3.1 3:5\n")
    assert main(["convert", "a.svm", "a.fsnb", "--quiet"]) == 0
    for source in ("a.svm", "a.fsnb"):
        assert main(["survey", source, "--above", ".9", "--pairs", "pairs.parquet", "--quiet"]) == 0
        assert pd.read_parquet("pairs.parquet")[["first", "second"]].to_numpy().tolist() == [["1", "2"]]


def test_a_survey_asks_for_no_names_and_for_no_phenotype(tmp_path, monkeypatch, capsys):
    from fsnb import convert
    from fsnb.data.plink import write_bed
    monkeypatch.chdir(tmp_path)
    r = np.random.default_rng(0)
    convert(r.random((9, 4)), "bare.fsnb", verbose=0)
    assert main("survey bare.fsnb --quiet --bins 2".split()) == 0 and "6 pairs" in capsys.readouterr().out
    write_bed("m.bed", r.integers(0, 3, (9, 4)), chromosomes=["1"]*4, names=list("abcd"), positions=range(1, 5), phenotype=[-9]+[1, 2]*4)
    assert main("survey m.bed --quiet --bins 2".split()) == 0 and "6 pairs" in capsys.readouterr().out


def test_survey_needs_no_labels(capsys):
    np.savez("x.npz", X=np.random.default_rng(0).random((9, 4)))
    assert main("survey x.npz --quiet --bins 2".split()) == 0 and "6 pairs" in capsys.readouterr().out
    pd.DataFrame({"a": [1, 2, 4], "b": [2, 1, 5], "label": ["u", "v", "u"]}).to_csv("t.csv", index=False)
    assert main("survey t.csv --quiet --bins 2 --label label".split()) == 0 and "1 pairs" in capsys.readouterr().out
    assert "label" in refused(capsys, "survey t.csv")

@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_search_that_was_killed_goes_on(text):
    whole = found("w.svm --n-features 6 --n-per-iter 1")
    os.remove("g.json")
    code = ("import os, signal, sys\nfrom fsnb.gdm.checkpoint import Checkpoint\nsave, done = Checkpoint.save, []\n"
            "def struck(*args):\n    save(*args); done.append(1)\n    if len(done) == 3: os.kill(os.getpid(), signal.SIGKILL)\n"
            "Checkpoint.save = struck\nfrom fsnb.show.cli import main\nmain(sys.argv[1:])")
    line = "groups w.svm --n-features 6 --n-per-iter 1 --checkpoint c --out g.json --quiet"
    done = subprocess.run([sys.executable, "-c", code, *line.split()], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL and Path("c").exists() and not Path("g.json").exists(), done.stderr
    assert main(line.split()) == 2 and Path("c").exists()
    assert main((line+" --resume").split()) == 0 and not Path("c").exists()
    assert bare(FeatureGroups.from_json(Path("g.json"))) == bare(whole)

@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("sign, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_conversion_that_is_stopped(text, sign, code):
    struck = (f"import os, signal, sys\nif {int(sign)} != signal.SIGINT: signal.signal({int(sign)}, signal.SIG_DFL)\n"      # under nohup it is ignored
              "from fsnb.data import from_rows\n"
              f"def fill(*args): os.kill(os.getpid(), {int(sign)}); signal.pause()\nfrom_rows._fill_buckets = fill\n"
              "class Loud:\n    def __del__(self): raise ValueError('too late')\nloud = Loud()\nloud.self = loud\n"
              "from fsnb.show.cli import main\nsys.argv = ['fsnb', *sys.argv[1:]]\nsys.exit(main())")
    done = subprocess.run([sys.executable, "-c", struck, "convert", "w.svm", "w.fsnb"], capture_output=True, text=True)
    assert done.returncode == code and done.stdout == "" and done.stderr == "fsnb: interrupted; wrote no file\n"
    assert os.listdir() == ["w.svm"]

def test_a_conversion_that_is_stopped_says_how_to_go_on(text, capsys, monkeypatch):
    from fsnb.data import folder, store_writer
    assert (folder._HALF, folder._PROGRESS) == (_HALF_STORE, _HALF_NOTE)
    whole = store_writer.StoreWriter.append
    def struck(*args):
        whole(*args)
        raise KeyboardInterrupt
    with monkeypatch.context() as patch:
        patch.setattr(store_writer, "_SYNC_EVERY", 0)                # each block is noted
        patch.setattr(store_writer.StoreWriter, "append", struck)
        assert main("convert w.svm w.fsnb/ --quiet".split()) == 130
    far = "; w.fsnb.part holds 120 of 120 columns: --resume goes on with it\n"
    assert capsys.readouterr().err == "fsnb: interrupted; wrote w.fsnb.part"+far and Path("w.fsnb.part").is_dir()
    def at_once(*args): raise KeyboardInterrupt
    with monkeypatch.context() as patch:                           # the half store is older than this run
        patch.setattr("fsnb.show.errands.run_convert", at_once)
        assert main("convert w.svm w.fsnb --resume".split()) == 130 and capsys.readouterr().err == "fsnb: interrupted; wrote no file"+far
    assert main("convert w.svm w.fsnb --resume --quiet".split()) == 0 and sorted(os.listdir()) == ["w.fsnb", "w.svm"]

def test_help_shows_examples(capsys):
    for command in ("groups", "convert", "survey"):
        with pytest.raises(SystemExit): from_parser(command)
        assert f"  fsnb {command} " in capsys.readouterr().out

def from_parser(command):
    from fsnb.show.parser import make_parser
    make_parser().parse_args([command, "--help"])

def test_genotypes_from_the_command(capsys):
    from fsnb.data.plink import write_bed
    rng = np.random.default_rng(0)
    calls = np.repeat(rng.integers(0, 3, (200, 15)), 2, axis=1)
    y = (calls[:, 6]+rng.random(200) > 1.4).astype(int)
    write_bed("x.bed", calls, phenotype=y+1, positions=np.arange(30)*1000+1)
    write_bed("z.bed", calls)
    np.save("y.npy", y)
    whole = found("x.bed --n-features 2")
    assert whole.members[0].tolist() == [6, 7] and whole.names[0] == ["snp6", "snp7"]
    assert found("x.bed --n-features 2 --window 500").members[0].tolist() == [6]             # the twin lies 1000 away
    assert found("z.bed --labels y.npy --n-features 2").members[0].tolist() == [6, 7]
    capsys.readouterr()
    assert "labels" in refused(capsys, "groups z.bed") and "--label cannot be used" in refused(capsys, "groups x.bed --label y")
    assert main("survey x.bed --quiet --bins 2".split()) == 0 and "435 pairs" in capsys.readouterr().out


def test_a_table_of_people_is_no_list_of_labels(data, capsys):
    "Once: each line was a class of its own"
    from fsnb.data.plink import write_bed
    r = np.random.default_rng(0)
    y = np.arange(40) % 2
    write_bed("s.bed", np.c_[y, r.integers(0, 3, (40, 5))])
    lines = [f"f{i}\ti{i}\t{y[i]+1}\n" for i in range(40)]
    for head in ("", "FID\tIID\tcase\n"):
        Path("s.phe").write_text(head+"".join(lines))
        told = refused(capsys, "groups s.bed --n-features 2 --labels s.phe")
        assert "s.phe: this is a table of people, not one label on each line; begin it with a line of names, and name the column by --label" in told
    assert main("groups s.bed --n-features 1 --labels s.phe --label case --quiet".split()) == 0
    Path("s.txt").write_text("".join(f"type {label}\n" for label in y))
    assert main("groups s.bed --n-features 1 --labels s.txt --quiet".split()) == 0

"The command: results on stdout, one line for one error, exit codes, nothing lost on Ctrl-C."
import os, re, signal, subprocess, sys, time
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from pathlib import Path
import fsnb
from fsnb import cli
from fsnb.cli import accuracies, find_groups, held_out, main, table
from fsnb.groups import FeatureGroups
from fsnb.io import Data, write_data
from fsnb.synthetic import make_groups

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
    return subprocess.run([sys.executable, "-c", "import sys; from fsnb.cli import main; sys.exit(main())", *args], capture_output=True, text=True, **kwargs)

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
    lines = table(groups, width, most).split("\n")
    assert max(map(len, lines)) <= width and len(lines) == 1+min(len(groups), most)+(len(groups) > most)
    for line, members in zip(lines[1:], list(groups)[:most]):
        more, rest = re.search(r"and (\d+) more$", line), re.search(r"(\d+) features?$", line)
        shown = len(re.findall(r"\([+-]\d\.\d\d\)", line))
        if re.match(r"\s*\S+\s+\S+\s+\d+  .", line+" "):
            assert shown+(int(more[1]) if more else 0)+(int(rest[1]) if rest and not shown else 0) == len(members)-1
    if len(groups) > most: assert lines[-1] == f"and {len(groups)-most} more group"+"s"*(len(groups)-most > 1)

def test_table_in_full():
    groups = FeatureGroups([[4, 1, 0], [2]], [[1, .97, -.81], [1]], scores=[.41, .25], names=["e", "d", "c", "b", "a"])
    assert [line.split() for line in table(groups).split("\n")[1:]] == [["a", "0.41", "3", "d", "(+0.97),", "e", "(-0.81)"], ["c", "0.25", "1"]]

# ---- groups

def test_groups_says_what_the_selector_says(data, capsys):
    from fsnb.gdm import GDM
    assert main("groups d.npz --n-features 4 --tau 0.25 --C 0.5 --n-per-iter 2 --fit-on supports --out g.json --plot g.png".split()) == 0
    out, err = capsys.readouterr()
    gdm = GDM(4, tau=.25, C=.5, n_per_iter=2, fit_on="supports").fit(data.X, data.y)
    got = FeatureGroups.from_json(Path("g.json"))
    assert [m.tolist() for m in got] == [m.tolist() for m in gdm.groups_] and np.allclose(got.scores, gdm.groups_.scores)
    assert (got.parameters["tau"], got.parameters["source"], got.parameters["interrupted"]) == (.25, "d.npz", False)
    assert out.startswith(f"4 groups, {len(got.all_members)} of 120 features\n") and table(got, 90) in out
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
    shares = {w: float(s) for w, s in re.findall(r"^  (the larger class|supports|all members) +([\d.]+)%", out, re.M)}
    assert len(shares) == 3 and shares["all members"] > shares["the larger class"]

def test_held_out_samples_are_not_seen(made):
    whole = Data(made.X, made.y, None)
    for X in (made.X, sp.csc_matrix(made.X)):
        train, test = held_out(whole._replace(X=X), .25, 7)
        assert len(test.y) == 75 and len(train.y) == 225
        A, B = (d.X.toarray() if sp.issparse(d.X) else d.X for d in (train, test))
        rows = {tuple(r) for r in A}
        assert not any(tuple(r) in rows for r in B) and len(rows | {tuple(r) for r in B}) == 300
        assert abs(np.mean(train.y == 1)-np.mean(test.y == 1)) < .02
    with pytest.raises(ValueError, match=r"test_size must lie in \(0, 1\), got 1"): held_out(whole, 1)

def test_accuracies_against_chance(made):
    "Labels that have nothing to do with the features are guessed, others are learnt"
    groups = FeatureGroups([m for m in made.groups], n_features=120)
    real = accuracies(groups, *held_out(Data(made.X, made.y, None), .5))
    rng = np.random.default_rng(0)
    noise = accuracies(groups, *held_out(Data(made.X, rng.permutation(made.y), None), .5))
    assert real["all members"][1] > .85 and real["all members"][0] == 10 and real["supports"][0] == 4
    assert .3 < noise["all members"][1] < .7 and .4 < real["the larger class"][1] < .65

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
    ("groups d.npz --C -1", "C must lie in"), ("groups d.npz --n-features 0", "n_features_to_select"), ("groups d.npz --n-features 121", "got 121"),
    ("groups d.npz --mode best", "mode must be one of"), ("groups d.npz --fit-on all", "fit_on must be one of"), ("groups d.npz --n-jobs 0", "n_jobs"),
    ("groups d.npz --test-size 1.5", "test-size must lie in (0, 1), got 1.5"), ("groups d.npz --max-rows -1", "max-rows"),
    ("groups d.npz --out no/g.json", "cannot write no/g.json: there is no folder no"), ("groups d.npz --plot g.gif", "g.gif: a picture ends in"),
    ("groups d.npz --plot .", "it is a folder"), ("groups d.npz --truth no.json", "no.json: No such file"), ("groups d.npz --truth d.json", "not JSON"),
    ("groups d.npz --labels y.txt", "300 samples, got 2"), ("groups three.npz", "two classes, got 3"), ("groups one.npz", "two classes"),
    ("groups d.npz --wrong 1", "unrecognized arguments"),
    ("simulate", "required: --out"), ("simulate --out d.csv", "to write ends in .npz, .svm"), ("simulate --out no/d.npz", "there is no folder no"),
    ("simulate --out e.npz --preset x", "preset must be one of"), ("simulate --out e.npz --n-features 3", "n_features must be at least"),
    ("simulate --out e.npz --n-samples 20 --n-features 60 --sparse 2", "sparse must be"), ("simulate --out e.npz --seed one", "invalid int value"),
    ("demo --out-dir d.npz/x", "cannot make the folder"), ("demo --out-dir d.npz", "cannot make the folder"),
])
def test_one_line_for_one_error(data, capsys, line, words):
    Path("y.txt").write_text("1\n2\n"); Path("d.json").write_text("{"); Path("d.txt").write_text("")
    write_data("three.npz", np.eye(9), np.arange(9) % 3); write_data("one.npz", np.eye(9), np.ones(9))
    before = sorted(Path(".").rglob("*"))
    assert words in refused(capsys, line)
    assert sorted(Path(".").rglob("*")) == before

@pytest.mark.parametrize("option", ["--out no/g.json", "--plot no/g.png", "--plot g.bmp", "--test-size 7", "--truth no.json"])
def test_complaints_come_before_the_search(data, capsys, monkeypatch, option):
    def never(*args, **kwargs): raise AssertionError("the search began")
    monkeypatch.setattr(cli, "find_groups", never); monkeypatch.setattr(cli, "read_data", never)
    refused(capsys, f"groups d.npz {option}")

def test_version_and_help(capsys):
    assert main(["--version"]) == 0 and capsys.readouterr().out == f"fsnb {fsnb.__version__}\n"
    for line in ("--help", "groups --help", "simulate --help", "demo --help"):
        assert main(line.split()) == 0
        out, err = capsys.readouterr()
        assert out.startswith("usage: fsnb") and err == ""
    assert all(word in out for word in ("--out-dir", "--quick"))

def test_version_needs_no_heavy_import():
    code = "import sys; from fsnb.cli import main; main(['--version']); print([m for m in ('sklearn', 'numba', 'matplotlib', 'pandas', 'cvxpy') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == f"fsnb {fsnb.__version__}\n[]\n"

def test_out_of_memory_is_one_line(data, capsys, monkeypatch):
    def huge(*args, **kwargs): raise MemoryError
    monkeypatch.setattr(cli, "read_data", huge)
    assert "not enough memory" in refused(capsys, "groups d.npz")

def test_a_bug_is_not_hidden(data, monkeypatch):
    "Only what a person can have got wrong becomes one line"
    def broken(*args, **kwargs): raise ZeroDivisionError
    monkeypatch.setattr(cli, "find_groups", broken)
    with pytest.raises(ZeroDivisionError): main("groups d.npz".split())

# ---- Ctrl-C

def stop_after(monkeypatch, rounds):
    from fsnb import gdm
    step, done = gdm._Rounds.step, []
    def stops(self):
        if len(done) == rounds: raise KeyboardInterrupt
        done.append(1)
        return step(self)
    monkeypatch.setattr(gdm._Rounds, "step", stops)

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
    assert out == "" and err == "fsnb: interrupted before there was a result\n" and not Path("g.json").exists()

@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_from_outside():
    "The true signal, to a process in the middle of a long search"
    long = make_groups(400, 3000, group_sizes=(0,)*300, n_test=0, random_state=0)
    write_data("long.npz", long.X, long.y)
    p = subprocess.Popen([sys.executable, "-u", "-c", "import sys; from fsnb.cli import main; sys.exit(main())", "groups", "long.npz",
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
    code = "import sys; from fsnb.cli import main; sys.exit(main())"
    r = subprocess.run(["bash", "-c", f"set -o pipefail; {sys.executable} -c '{code}' groups d.npz --n-features 3 --quiet | true"], capture_output=True, text=True)
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
    from fsnb.io import read_data
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
    assert err == "" and "true features" in out and "3 against 8" in out and "row" in out
    files = sorted(p.name for p in Path("out/demo").iterdir())
    assert files == ["digits.json", "digits.png", "known.json", "known.png"]
    rate = int(re.search(r"beside the truth: (\d+) of 38", out)[1])
    known = FeatureGroups.from_json(Path("out/demo/known.json"))
    assert len(known) == 12 and rate >= 25
    share = {w: float(s) for w, s in re.findall(r"^  (the larger class|supports|all members) +([\d.]+)%", out, re.M)}
    assert share["supports"] > 85 and share["all members"] > 90 > share["the larger class"]

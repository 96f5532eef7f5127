"The command: answers on stdout, one line for one error, exit codes; nothing is lost, and nothing is half written"
import gzip, json, os, re, signal, subprocess, sys
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from pathlib import Path
import fsnb
from sklearn.feature_extraction.text import TfidfTransformer
from fsnb import GDM, FeatureGroups, make_groups
from fsnb.correlation import Positional, SymmetricalUncertainty
from fsnb.data.genotypes import write_bed
from fsnb.gdm.checkpoint import Checkpoint
from fsnb.data.writing import write_data
from fsnb.show import cli
from fsnb.show.cli import main

@pytest.fixture(scope="module")
def made(): return make_groups(300, 120, group_sizes=(3, 2, 1, 0), n_test=0, random_state=0)

@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "90")

@pytest.fixture
def data(made):
    write_data("d.npz", made.X, made.y)
    return made

@pytest.fixture
def text(made):
    "The data as svmlight, with counts in it"
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(np.where(rng.random(made.X.shape) < .3, np.round(np.abs(made.X)*3)+1, 0))
    y = (X[:, 0].toarray().ravel()+X[:, 5].toarray().ravel()+rng.random(X.shape[0]) > 2).astype(int)
    write_data("w.svm", X, y)
    return X, y

def read(name): return FeatureGroups.from_json(Path(name))

def found(line):
    assert main(f"groups {line} --quiet --out g.json".split()) == 0
    return read("g.json")

def same(groups, gdm, X, y):
    want = gdm.fit(X, y).groups_
    return [m.tolist() for m in groups] == [m.tolist() for m in want] and all(map(np.allclose, groups.correlations, want.correlations))

def refused(capsys, line):
    "Exit code 2, nothing on stdout, and one line of error; a remark on what was read may precede it"
    assert main(line if isinstance(line, list) else line.split()) == 2
    out, err = capsys.readouterr()
    assert out == "" and re.fullmatch(r"(\S+: \d+ samples, \d+ features\n)?fsnb: error: \S.*\n", err), err
    return err

# ---- groups

def test_groups_are_those_of_the_selector(data, capsys):
    assert main("groups d.npz --n-features 4 --tau 0.25 --C 0.5 --n-per-iter 2 --fit-on supports --out g.json --plot g.png".split()) == 0
    out, err = capsys.readouterr()
    got = read("g.json")
    assert same(got, GDM(4, tau=.25, C=.5, n_per_iter=2, fit_on="supports"), data.X, data.y)
    assert (got.parameters["tau"], got.parameters["source"], got.parameters["interrupted"]) == (.25, "d.npz", False)
    assert got.parameters["gap"] >= 0 and got.parameters["stop_reason"]
    assert out.startswith("4 groups, ") and "wrote g.json" in err and "wrote" not in out and max(map(len, out.split("\n"))) <= 90
    assert Path("g.png").read_bytes()[:4] == b"\x89PNG" and sorted(os.listdir()) == ["d.npz", "g.json", "g.png"]

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line, settings", [
    ("--n-features 4", dict(n_features_to_select=4)), ("--n-features 6 --no-groups", dict(n_features_to_select=6, tau=None)),
    ("--n-features auto --seed 4", dict(n_features_to_select="auto", random_state=4)),
    ("--n-features 4 --chance none", dict(n_features_to_select=4, chance=None)), ("--n-features 4 --chance 0.5", dict(n_features_to_select=4, chance=.5)),
    ("--n-features 4 --correlation su --tau .7", dict(n_features_to_select=4, tau=.7, correlation="su")),
    ("--n-features 4 --correlation su --tau .7 --bins 4 --binning frequency", dict(n_features_to_select=4, tau=.7, correlation=SymmetricalUncertainty(n_bins=4, binning="frequency"))),
    ("--n-features 4 --correlation positive", dict(n_features_to_select=4, correlation="positive")),
    ("--n-features 4 --positions index --window 9 --beta 30", dict(n_features_to_select=4, correlation=Positional("index", window=9, beta=30)))])
def test_options_are_parameters(data, line, settings):
    assert same(found(f"d.npz {line}"), GDM(**settings), data.X, data.y)

def test_every_format_gives_the_same_groups(data):
    names = [f"f{j}" for j in range(120)]
    frame = pd.DataFrame(data.X, columns=names).assign(kind=np.where(data.y > 0, "yes", "no"))
    frame.to_csv("d.csv", index=False, float_format="%.17g")
    frame.to_parquet("d.parquet")
    write_data("d.svm", data.X, data.y)
    sp.save_npz("s.npz", sp.csr_matrix(data.X))
    np.savetxt("y.txt", data.y)
    Path("words.txt").write_text("\n".join(names))
    first, named = found("d.npz --n-features 4"), 0
    assert first.names is None
    for line in ("d.csv --label kind", "d.parquet --label kind", "d.svm --names words.txt", "d.svm", "s.npz --labels y.txt"):
        got = found(f"{line} --n-features 4")
        assert [m.tolist() for m in got] == [m.tolist() for m in first], line
        if got.names: assert got.names == [[str(j+1) if line == "d.svm" else names[j] for j in m] for m in got]
        named += got.names is not None
    assert named == 4

def test_cells_of_an_h5ad(made):
    anndata = pytest.importorskip("anndata")
    obs = pd.DataFrame({"cell_type": pd.Categorical(np.where(made.y > 0, "T", "B"))}, index=[f"cell{i}" for i in range(len(made.y))])
    var = pd.DataFrame(index=[f"gene{j}" for j in range(120)])
    anndata.AnnData(made.X, obs, var, layers={"negative": -made.X}).write_h5ad("cells.h5ad")
    want = GDM(3).fit(made.X, made.y).groups_
    for line in ("cells.h5ad --label cell_type", "cells.h5ad --label cell_type --layer negative"):
        got = found(f"{line} --n-features 3")
        assert [m.tolist() for m in got] == [m.tolist() for m in want] and got.names[0][0] == f"gene{got.support[0]}"

def test_genotypes(capsys):
    rng = np.random.default_rng(0)
    calls = np.repeat(rng.integers(0, 3, (200, 15)), 2, axis=1)
    y = (calls[:, 6]+rng.random(200) > 1.4).astype(int)
    write_bed("x.bed", calls, phenotype=y+1, positions=np.arange(30)*1000+1)
    write_bed("z.bed", calls)
    np.save("y.npy", y)
    Path("people.tsv").write_text("FID\tIID\tcase\n"+"".join(f"f{i}\ti{i}\t{y[i]+1}\n" for i in rng.permutation(200)))
    whole = found("x.bed --n-features 2")
    assert whole.members[0].tolist() == [6, 7] and whole.names[0] == ["snp6", "snp7"]
    assert found("x.bed --n-features 2 --window 500").members[0].tolist() == [6]             # the twin lies 1000 away
    for labels in ("y.npy", "people.tsv --label case"): assert found(f"z.bed --labels {labels} --n-features 2").members[0].tolist() == [6, 7]
    assert main("groups x.bed --n-features 2 --window 500 --quiet --plot x.svg".split()) == 0
    capsys.readouterr()
    assert "there are no labels" in refused(capsys, "groups z.bed") and "--label cannot be used" in refused(capsys, "groups x.bed --label y")
    Path("list.txt").write_text("".join(f"f{i} i{i} {y[i]+1}\n" for i in range(200)))
    assert "each sample has a label of its own" in refused(capsys, "groups z.bed --labels list.txt")     # once: 200 classes

def test_a_table_of_positions(data, capsys):
    places = pd.DataFrame({"snp": [f"f{j}" for j in range(120)], "chr": np.repeat([1, 2], 60), "pos": np.arange(120) % 60})
    places.to_csv("map.tsv", sep="\t", index=False)
    pd.DataFrame(data.X, columns=places.snp).assign(y=data.y).to_csv("d.csv", index=False, float_format="%.17g")
    write_data("d.svm", data.X, data.y)             # whose numbers are no names
    near = Positional(places.pos, places.chr, window=20)
    for file in ("d.csv", "d.svm"): assert same(found(f"{file} --n-features 3 --positions map.tsv --window 20"), GDM(3, correlation=near), data.X, data.y)
    pd.DataFrame(data.X, columns=places.snp[::-1]).assign(y=data.y).to_csv("other.csv", index=False)
    capsys.readouterr()
    assert "map.tsv: line 2: this must be feature f119, got f0" in refused(capsys, "groups other.csv --positions map.tsv --window 2")

def test_held_out_samples_judge(data, capsys):
    data.groups.to_json("t.json")
    assert main("groups d.npz --n-features 4 --max-rows 1 --test-size 0.4 --seed 3 --truth t.json --quiet".split()) == 0
    out = capsys.readouterr().out
    assert "and 3 more groups" in out and "accuracy on 120 samples" in out and "of 10 true features" in out
    shares = dict(re.findall(r"^ *(the largest class|supports|all members) +\d+ +([\d.]+)%", out, re.M))
    assert float(shares["all members"]) > float(shares["the largest class"]) and len(shares) == 3

def test_nothing_is_an_answer(capsys):
    write_data("null.npz", np.random.default_rng(0).standard_normal((100, 300)), np.arange(100) % 2)
    assert main("groups null.npz --n-features auto --permutations 99 --test-size 0.3 --out n.json --plot n.png --quiet".split()) == 0
    out, err = capsys.readouterr()
    assert out.startswith("0 groups, 0 of 300 features") and "nothing was selected" in err and out.count("50.0%") == 3
    assert len(read("n.json")) == 0 and Path("n.png").stat().st_size > 0

def test_the_table_cuts_its_lines_on_a_screen_and_shows_no_control_character():
    told = FeatureGroups([[0, *range(2, 90)], [1]], [[1, *[.9]*88], [1]], scores=[2, 1], n_features=90, names=["a\x1b[31m\u202e"]*90)
    lines = cli._show_groups(told, 30).split("\n")
    assert max(map(len, lines)) == 90 and lines[3].endswith("...") and "\x1b" not in lines[3] and "\u202e" not in lines[3]

@pytest.mark.parametrize("kind", ["binary", "log", "tfidf"])
def test_counts_are_transformed_and_the_answer_says_so(text, kind):
    "As scikit-learn does it; a report of the same file applies it too, or it would be refused as of other data"
    X, y = text
    want = {"binary": lambda: (X > 0).astype(float), "log": X.log1p, "tfidf": lambda: TfidfTransformer().fit_transform(X)}[kind]()
    write_data("c.npz", X.toarray() if kind == "log" else X, y)
    got = found(f"c.npz --n-features 3 --transform {kind}")
    assert same(got, GDM(3), want.tocsc(), y) and got.parameters["transform"] == kind
    if kind == "log":
        assert main("report g.json --data c.npz --quiet".split()) == 0
        assert kind in Path("g.html").read_text(encoding="utf-8")
    if kind != "tfidf": return
    model = TfidfTransformer().fit(X[:200])                       # learnt from the first alone
    for part, own in zip(cli._transform(X[:200], X[200:], kind), (X[:200], X[200:])):
        assert abs(part-model.transform(own)).max() == 0

# ---- what is wrong is one line, and leaves nothing

WRONG = [
    ("grups d.npz", "Did you mean 'groups'?"), ("groups no.svm", "no.svm: No such file"), ("groups real.npz", "continuous"),
    ("groups d.npz --out no/g.json", "there is no folder no"), ("groups d.npz --plot g.gif", "g.gif: a picture ends in"),
    ("groups d.npz --transform log", "negative numbers"), ("groups d.fsnb --transform log", "--transform cannot be used"),
    ("groups d.npz --truth d.json", "d.json holds damaged fsnb.FeatureGroups"),
    ("groups d.npz --labels y.txt", "the 300 samples, a number or a word, got int64 of shape (2,)"),
    ("groups d.npz --bins 4", "go with --correlation su"), ("groups d.npz --resume", "--check"),
    ("groups d.npz --window 3", "go with --positi"), ("convert d.npz d.fsnb", "is there already"),
    ("groups d.npz --no-groups --tau 0.2", "no use for tau"), ("survey d.npz --above .5", "gether"),
    ("groups d.npz --checkpoint old", "old is there already"),
    ("groups d.fsnb --test-size .5", "--test-size cannot be used"),
    ("convert d.npz folder --overwrite", "folder"), ("report t.json --label y", "give --data FILE"),
    ("demo --out-dir d.npz/x", "d.npz")]

def contents(): return {path: path.read_bytes() for path in Path(".").rglob("*") if path.is_file()}

def test_one_line_for_one_error(data, capsys):
    os.mkdir("folder")
    FeatureGroups([[0]]).to_json("t.json")
    for name in ("d.json", "old", "folder/mine"): Path(name).write_text("{")
    Path("y.txt").write_text("1\n2\n")
    write_data("real.npz", data.X, data.X[:, 0])
    fsnb.convert("d.npz", "d.fsnb", verbose=0)
    before = contents()
    for line, words in WRONG:
        assert words in refused(capsys, line)
        assert contents() == before, line

LOSSES = [
    ("groups d.npz --out d.npz", "--out d.npz and FILE d.npz"), ("groups d.npz --out hard", "and FILE d.npz"),
    ("groups d.npz --labels y.txt --out y.txt", "--out y.txt and --labels y.txt"),
    ("groups d.npz --checkpoint d.npz --resume", "--checkpoint d.npz and FILE d.npz"), ("groups d.npz --out a.png --plot A.png", "--plot A.png and --out a.png"),
    ("groups d.npz --out new --plot dangling.png", "--plot dangling.png and --out new"), ("groups c.bed --out c.fam", "--out c.fam and .fam c.fam"),
    ("groups d.npz --out other.fsnb/mean.npy", "lies inside"),
    ("report t.json --out t.json", "--out t.json and GROUPS t.json"), ("report t.json --data d.npz --out hard", "--out hard and --data d.npz"),
    ("simulate --out x.npz --truth ./x.npz", "--truth ./x.npz and --out x.npz"), ("convert d.npz hard --overwrite", "hard"),
    ("convert d.npz other.fsnb --overwrite", "mine"), ("convert d.npz other.fsnb/in", "inside")]

def test_nothing_that_is_there_is_lost(data, capsys):
    os.mkdir("sub")
    os.link("d.npz", "hard")
    os.symlink("d.npz", "soft")
    os.symlink(Path("new").absolute(), "dangling.png")
    fsnb.convert("d.npz", "other.fsnb", verbose=0)
    write_bed("c.bed", np.arange(60).reshape(30, 2) % 3, phenotype=1+np.arange(30) % 2)
    for name in ("y.txt", "other.fsnb/mine"): Path(name).write_text("1\n")
    FeatureGroups([[0]], n_features=120).to_json("t.json")
    before = contents()
    for line, words in LOSSES:
        assert words in refused(capsys, line)
        assert contents() == before, line

@pytest.mark.parametrize("error", [MemoryError, ZeroDivisionError])
def test_no_memory_is_one_line_and_a_fault_is_not_hidden(data, capsys, monkeypatch, error):
    def fit(*args, **more): raise error
    monkeypatch.setattr(GDM, "fit", fit)
    if error is MemoryError: assert "not enough memory" in refused(capsys, "groups d.npz")
    else:
        with pytest.raises(ZeroDivisionError): main("groups d.npz".split())

# ---- streams and signals

STORIES = """if True:
    import os, signal, sys, time
    import numba, pandas, sklearn.utils.validation, typer       # once: each story is a process
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    def story(name, line, change, kill_after=None):
        files = [os.open(f"{name}.{kind}", os.O_CREAT | os.O_WRONLY) for kind in ("out", "err")]
        child = os.fork()
        if not child:
            os.dup2(files[0], 1), os.dup2(files[1], 2)
            sys.argv = f"fsnb groups {line} --out {name}.json".split()
            change()
            from fsnb.show.cli import main
            sys.exit(main())
        while kill_after and kill_after not in open(f"{name}.err").read(): time.sleep(.01)
        if kill_after: os.kill(child, signal.SIGTERM)
        print(name, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)

    class Strike:
        def find_spec(self, name, path=None, target=None):
            if name == "fsnb.gdm.gdm": os.kill(os.getpid(), signal.SIGINT)
    def strike_when_a_kernel_is_loaded():
        from numba.core.codegen import JITCodeLibrary
        from fsnb.show import cli
        owner = next(c for c in JITCodeLibrary.__mro__ if "_object_getbuffer_hook" in vars(c))
        answer, asked, show = vars(owner)["_object_getbuffer_hook"].__func__, [], cli._show_groups
        def struck(*args):
            asked.append(1)
            if len(asked) == 2: os.kill(os.getpid(), signal.SIGINT)
            return answer(*args)
        owner._object_getbuffer_hook = classmethod(struck)
        cli._show_groups = lambda *args: [time.sleep(2), show(*args)][1]        # else it may end before
    story("importing", "d.npz", lambda: sys.meta_path.insert(0, Strike()))
    story("loading", "d.npz --n-features 3 --quiet", strike_when_a_kernel_is_loaded)

    from fsnb.show import cli
    from fsnb import GDM, read_data
    data = read_data("d.npz")
    GDM(3).fit(data.X, data.y).groups_.summary()
    story("searching", "long.npz --n-features 300 --n-per-iter 1 --max-iter 300", lambda: None, "round 2")
    def close(): sys.stdout = os.close(1)       # as Python begins where a shell has closed it
    def nobody_reads():
        ours, theirs = os.pipe()
        os.dup2(theirs, 1), os.close(ours)
    def disk_is_full(): os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
    def ascii(): sys.stdout.reconfigure(encoding="ascii", errors="strict")
    ours, theirs = os.pipe()
    os.write(theirs, open("d.csv", "rb").read()), os.close(theirs)
    story("closed", "d.npz --n-features 3 --quiet", close)
    story("unread", "d.npz --n-features 3 --quiet", nobody_reads)
    story("ascii", f"/dev/fd/{ours} --n-features 3 --format csv --chance none --quiet", ascii)
    if os.path.exists("/dev/full"): story("full", "d.npz --n-features 3 --quiet", disk_is_full)
"""

@pytest.mark.skipif(os.name != "posix", reason="signals, and a shell's streams")
def test_signals_and_streams_that_fail_lose_nothing(data):
    "A signal in an import, in numba's callback (where it is dropped) and in a search; bad streams"
    assert main("groups d.npz --n-features 3 --quiet".split()) == 0    # the kernels are stored
    long = make_groups(300, 1500, group_sizes=(0,)*300, n_test=0, random_state=0)
    write_data("long.npz", long.X, long.y)
    frame = pd.DataFrame(data.X[:40, :3], columns=["größe", "重さ", "b"])
    frame.assign(y=[0, 1]*20).to_csv("d.csv", index=False)
    r = subprocess.run([sys.executable, "-c", STORIES], capture_output=True, text=True, timeout=300)
    assert r.returncode == 0 and r.stderr == "", r.stderr
    want = dict(importing=130, loading=130, searching=130, closed=0, unread=0, ascii=0, full=1)
    codes = {name: int(code) for name, code in map(str.split, r.stdout.splitlines())}
    assert codes == {name: want[name] for name in codes} and len(codes) >= 6
    out, err = ({name: Path(f"{name}.{kind}").read_text() for name in codes} for kind in ("out", "err"))
    assert err["importing"].replace("d.npz: 300 samples, 120 features\n", "") == "fsnb: interrupted\n"
    for name in ("loading", "searching"):
        assert err[name].endswith("fsnb: interrupted\n") and "Traceback" not in err[name]
    found = {path.stem: len(FeatureGroups.from_json(path)) for path in Path(".").glob("*.json")}
    rounds = found.pop("searching")
    assert 2 <= rounds < 300 and out["searching"].startswith(f"{rounds} groups")
    assert set(found) == set(codes)-{"importing", "loading", "searching"} and set(found.values()) == {3}
    assert err.pop("full", "") in ("", "fsnb: error: [Errno 28] No space left on device\n")
    assert err["closed"] == err["unread"] == err["ascii"] == out["closed"] == ""
    assert out["ascii"].startswith("3 groups") and "gr??e" in out["ascii"]

@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
def test_an_output_that_fails_costs_no_other(data, capsys):
    assert main("groups d.npz --n-features 3 --quiet --out /dev/full --plot g.png".split()) == 1
    out, err = capsys.readouterr()
    assert out.startswith("3 groups") and err == "fsnb: error: cannot write /dev/full: No space left on device\n" and Path("g.png").exists()

@pytest.mark.parametrize("rounds", [0, 2])
def test_ctrl_c_keeps_the_finished_rounds(data, capsys, monkeypatch, rounds):
    from fsnb.gdm import rounds as page
    whole, done = page._next_round, []
    def stops(*args):
        if len(done) == rounds: raise KeyboardInterrupt
        done.append(1)
        return whole(*args)
    monkeypatch.setattr(page, "_next_round", stops)
    assert main("groups d.npz --n-features 4 --n-per-iter 1 --out g.json --quiet".split()) == 130
    out, err = capsys.readouterr()
    assert err.endswith("fsnb: interrupted\n") and Path("g.json").exists() == bool(rounds) == out.startswith("2 groups")
    if rounds: assert read("g.json").parameters["interrupted"] and "2 groups of 2 finished rounds" in err

@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_search_that_was_killed_goes_on(text):
    whole = found("w.svm --n-features 6 --n-per-iter 1")
    os.remove("g.json")
    save, done = Checkpoint.save, []
    def struck(*args):
        save(*args)
        done.append(1)
        if len(done) == 3: os.kill(os.getpid(), signal.SIGKILL)
    line = "groups w.svm --n-features 6 --n-per-iter 1 --checkpoint c --out g.json --quiet"
    child = os.fork()
    if not child:
        try:
            Checkpoint.save = struck
            main(line.split())
        finally: os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert os.path.exists("c") and not os.path.exists("g.json")
    assert main(line.split()) == 2 and os.path.exists("c")
    assert main((line+" --resume").split()) == 0 and not os.path.exists("c")
    assert read("g.json") == whole

# ---- convert, survey, report, simulate, demo

def test_convert_says_what_it_wrote_and_replaces_when_asked(text, capsys):
    Path("w.svm.gz").write_bytes(gzip.compress(Path("w.svm").read_bytes()))
    assert main("convert w.svm.gz w.fsnb --check".split()) == 0
    assert capsys.readouterr().err == "wrote w.fsnb: 300 samples, 120 features, all checksums are right\n"
    np.save("y.npy", 1-text[1])
    assert main("convert w.svm w.fsnb --labels y.npy --overwrite --quiet".split()) == 0 and capsys.readouterr() == ("", "")
    assert np.array_equal(fsnb.data.read_store_labels("w.fsnb"), 1-text[1]) and sorted(os.listdir()) == ["w.fsnb", "w.svm", "w.svm.gz", "y.npy"]

def test_a_store_gives_the_groups_of_its_file_and_survey_counts_every_pair(text, capsys):
    assert main("convert w.svm w.fsnb --quiet".split()) == 0
    tables = []
    one, two = (found(f"{name} --n-features 5") for name in ("w.svm", "w.fsnb"))
    assert one.parameters.pop("source") != two.parameters.pop("source") and one == two
    assert one.names[0][0] == str(one.support[0]+1)
    capsys.readouterr()
    for name in ("w.svm", "w.fsnb"):
        assert main(f"survey {name} --bins 4 --out s.json --plot s.png --above 0.2 --pairs s.parquet --quiet".split()) == 0
        tables.append(capsys.readouterr().out)
    noted, pairs = json.loads(Path("s.json").read_text()), pd.read_parquet("s.parquet")
    r = np.abs(np.corrcoef(text[0].toarray().T)[np.triu_indices(120, 1)])
    assert tables[0] == tables[1] and "7,140 pairs" in tables[0] and noted["n_pairs"] == len(r)
    assert noted["counts"] == np.histogram(r, [0, .25, .5, .75, 1.01])[0].tolist()
    assert len(pairs) == (r >= .2).sum() > 0 and list(pairs) == ["first", "second", "correlation"] and pairs["first"].astype(int).min() >= 1
    np.savez("x.npz", X=np.random.default_rng(0).random((9, 4)))           # no labels are needed
    assert main("survey x.npz --quiet --bins 2".split()) == 0 and "6 pairs" in capsys.readouterr().out

def test_report(data, capsys):
    assert main("groups d.npz --n-features 3 --out g.json --quiet".split()) == 0
    assert main("report g.json --data d.npz --title Cells".split()) == 0
    page = Path("g.html").read_text(encoding="utf-8")
    assert "<h1>Cells</h1>" in page and "Prediction" in page and "wrote g.html" in capsys.readouterr().err
    np.savez("other.npz", X=np.eye(5), y=[0, 0, 1, 1, 1])
    assert "groups must be of data with 5 features" in refused(capsys, "report g.json --data other.npz --out o.html") and not Path("o.html").exists()

@pytest.mark.parametrize("options", ["--sparse 0.02", "--signed --label-noise 0.1"])
def test_simulate(capsys, options):
    line = f"simulate --n-samples 150 --n-features 400 --seed 5 {options} --out"
    assert main(f"{line} a.npz --truth t.json".split()) == 0 and main(f"{line} b.svm".split()) == 0
    out, err = capsys.readouterr()
    assert out == "" and "150 samples, 400 features, 12 groups with 38 features" in err
    made = make_groups(150, 400, n_test=0, random_state=5, preset="thesis2015", signed="--signed" in options, label_noise=.1 if "noise" in options else 0,
                       sparse=.02 if "sparse" in options else False)
    a, b = fsnb.read_data("a.npz"), fsnb.read_data("b.svm")
    dense = lambda X: X.toarray() if sp.issparse(X) else X
    assert sp.issparse(a.X) == ("sparse" in options) and np.array_equal(dense(a.X), dense(made.X)) and np.array_equal(a.y, made.y)
    assert np.allclose(dense(b.X), dense(made.X)[:, np.array(b.names)-1], rtol=1e-14) and np.array_equal(b.y, made.y)
    assert [m.tolist() for m in read("t.json")] == [m.tolist() for m in made.groups]

def test_demo(capsys):
    assert main("demo --quick --out-dir out/demo".split()) == 0
    out = capsys.readouterr().out
    assert int(re.search(r"beside the truth: (\d+) of 38", out)[1]) >= 25 and "Linking can add pixels below 0.5" in out
    assert {"digits.json", "digits.png", "known.json", "known.png"} <= set(os.listdir("out/demo"))
    share = {w: float(s) for w, s in re.findall(r"^ *(the largest class|supports|all members) +\d+ +([\d.]+)%", out, re.M)}
    assert share["supports"] >= 91 and share["all members"] >= 97 > 90 > share["the largest class"]
    digits = read("out/demo/digits.json")
    assert digits.p_values.max() <= .01 and digits.names is not None      # no group that chance explains

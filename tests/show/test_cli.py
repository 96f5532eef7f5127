"The command: answers on stdout, one line for one error, exit codes; nothing is lost"
import gzip, itertools, json, os, re, signal, subprocess, sys, tomllib
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from pathlib import Path
from doors import exit_of_fork
import fsnb
from sklearn.feature_extraction.text import TfidfTransformer
from fsnb import GDM, FeatureGroups, GDMRegressor, GDMSurvival, make_groups
from fsnb.correlation import Positional, SymmetricalUncertainty
from fsnb.data.genotypes import write_bed
from fsnb.gdm.checkpoint import Checkpoint
from fsnb.data.writing import write_data
from fsnb.gdm.losses import Cox
from fsnb.groups import group_p_values
from fsnb.show import cli
from fsnb.show.cli import main
from fsnb.show.group_plots import plot_groups
from fsnb.show.manhattan import association_p_values
from fsnb.show.report import _hold_out

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
    same_members = [m.tolist() for m in groups] == [m.tolist() for m in want]
    return same_members and all(map(np.allclose, groups.correlations, want.correlations))

def refused(capsys, line):
    "Exit code 2, nothing on stdout, one line of error; a remark on what was read may precede it"
    assert main(line.split()) == 2
    out, err = capsys.readouterr()
    remark = r"(\S+: \d+ samples, \d+ features\n)?"
    assert out == "" and re.fullmatch(remark+r"fsnb: error: \S.*\n", err), err
    return err

# ---- groups

def test_groups_are_those_of_the_selector(data, capsys):
    options = "--n-features 4 --tau 0.25 --C 0.5 --n-per-iter 2 --fit-on supports"
    assert main(f"groups d.npz {options} --out g.json --plot g.png".split()) == 0
    out, err = capsys.readouterr()
    got = read("g.json")
    assert same(got, GDM(4, tau=.25, C=.5, n_per_iter=2, fit_on="supports"), data.X, data.y)
    told = got.parameters
    assert (told["tau"], told["source"], told["interrupted"]) == (.25, "d.npz", False)
    assert told["gap"] >= 0 and told["stop_reason"]
    assert out.startswith("4 groups, ") and max(map(len, out.split("\n"))) <= 90
    assert "wrote g.json" in err and "wrote" not in out
    assert Path("g.png").read_bytes()[:4] == b"\x89PNG"
    assert sorted(os.listdir()) == ["d.npz", "g.json", "g.png"]

FREQUENT = SymmetricalUncertainty(n_bins=4, binning="frequency")
NEAR = Positional("index", window=9, beta=30)

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line, selector", [
    ("6 --no-groups", GDM(6, tau=None)), ("auto --seed 4", GDM("auto", random_state=4)),
    ("4 --chance none", GDM(4, chance=None)), ("4 --chance 0.5", GDM(4, chance=.5)),
    ("4 --correlation su --tau .7", GDM(4, tau=.7, correlation="su")),
    ("4 --correlation su --tau .7 --bins 4 --binning frequency",
     GDM(4, tau=.7, correlation=FREQUENT)),
    ("4 --correlation positive", GDM(4, correlation="positive")),
    ("4 --correlation spearman", GDM(4, correlation="spearman")),
    ("4 --positions index --window 9 --beta 30", GDM(4, correlation=NEAR))])
def test_options_are_parameters(data, line, selector):
    assert same(found(f"d.npz --n-features {line}"), selector, data.X, data.y)

def test_every_format_gives_the_same_groups(data):
    names = [f"f{j}" for j in range(120)]
    frame = pd.DataFrame(data.X, columns=names).assign(kind=np.where(data.y > 0, "yes", "no"))
    frame.to_csv("d.csv", index=False, float_format="%.17g")
    frame.to_parquet("d.parquet")
    write_data("d.svm", data.X, data.y)
    sp.save_npz("s.npz", sp.csr_matrix(data.X))
    np.savetxt("y.txt", data.y)
    Path("words.txt").write_text("\n".join(names))
    first = found("d.npz --n-features 4")
    for line, called in (("d.csv --label kind", names), ("d.parquet --label kind", names),
                         ("d.svm --names words.txt", names), ("s.npz --labels y.txt", None),
                         ("d.svm", [str(j+1) for j in range(120)])):
        got = found(f"{line} --n-features 4")
        assert [m.tolist() for m in got] == [m.tolist() for m in first], line
        assert got.names == (called and [[called[j] for j in m] for m in got])
    assert first.names is None

def test_cells_of_an_h5ad(made):
    anndata = pytest.importorskip("anndata")
    kinds = pd.Categorical(np.where(made.y > 0, "T", "B"))
    obs = pd.DataFrame({"cell_type": kinds}, index=[f"cell{i}" for i in range(300)])
    var = pd.DataFrame(index=[f"gene{j}" for j in range(120)])
    layers = {"negative": -made.X}
    anndata.AnnData(made.X, obs, var, layers=layers).write_h5ad("cells.h5ad")
    for layer in ("", "--layer negative"):
        got = found(f"cells.h5ad --label cell_type {layer} --n-features 3")
        assert [m.tolist() for m in got] == [m.tolist() for m in GDM(3).fit(made.X, made.y).groups_]
        assert got.names[0][0] == f"gene{got.support[0]}"

def test_genotypes(capsys):
    rng = np.random.default_rng(0)
    calls = np.repeat(rng.integers(0, 3, (200, 15)), 2, axis=1)
    y = (calls[:, 6]+rng.random(200) > 1.4).astype(int)
    write_bed("x.bed", calls, phenotype=y+1, positions=np.arange(30)*1000+1)
    write_bed("z.bed", calls)
    np.save("y.npy", y)
    people = [f"f{i}\ti{i}\t{y[i]+1}\n" for i in rng.permutation(200)]
    Path("people.tsv").write_text("FID\tIID\tcase\n"+"".join(people))
    Path("list.txt").write_text("".join(people))
    assert found("x.bed --n-features 2").names[0] == ["snp6", "snp7"]
    near = found("x.bed --n-features 2 --window 500 --plot x.svg")
    assert near.members[0].tolist() == [6]             # the twin lies 1000 away
    for word in ("0.5kb", "500bp"): assert found(f"x.bim --n-features 2 --window {word}") == near
    assert found("x --n-features 2 --window 1kb").members[0].tolist() == [6, 7]
    assert main("groups x --n-features 1 --clumped x.clumped --runners-up next.clumped --quiet".split()) == 0
    rows, more = (pd.read_csv(name, sep=r"\s+") for name in ("x.clumped", "next.clumped"))
    assert rows.SNP.tolist() == ["snp6"] and rows.SP2.tolist() == ["snp7(1)"] and rows.BP.tolist() == [6001]
    assert len(more) == 10 and more.P.is_monotonic_increasing and (more.TOTAL == 1).all() and "snp7" not in set(more.SNP)
    for labels in ("y.npy", "people.tsv --label case"):
        got = found(f"z.bed --labels {labels} --n-features 2")
        assert got.members[0].tolist() == [6, 7]
    capsys.readouterr()
    assert "z.fam says nothing of a phenotype: give --labels" in refused(capsys, "groups z.bed")
    assert "--label cannot be used" in refused(capsys, "groups x.bed --label y")
    told = refused(capsys, "groups z.bed --labels list.txt")            # once: 200 classes
    assert "each sample has a label of its own" in told

def test_a_table_of_positions(data, capsys):
    names, chromosomes, places = [f"f{j}" for j in range(120)], [1]*60+[2]*60, [*range(60)]*2
    table = pd.DataFrame({"snp": names, "chr": chromosomes, "pos": places})
    table.to_csv("map.tsv", sep="\t", index=False)
    frame = pd.DataFrame(data.X, columns=names).assign(y=data.y)
    frame.to_csv("d.csv", index=False, float_format="%.17g")
    write_data("d.svm", data.X, data.y)             # whose numbers are no names
    near = GDM(3, correlation=Positional(places, chromosomes, window=20))
    for file in ("d.csv", "d.svm"):
        got = found(f"{file} --n-features 3 --positions map.tsv --window 20")
        assert same(got, near, data.X, data.y)
    frame[[*names[::-1], "y"]].to_csv("other.csv", index=False)
    capsys.readouterr()
    told = refused(capsys, "groups other.csv --positions map.tsv --window 2")
    assert "map.tsv: line 2: this must be feature f119, got f0" in told

SHARES = r"^ *(the largest class|supports|all members) +\d+ +([\d.]+)%"

def test_held_out_samples_judge(data, capsys):
    data.groups.to_json("t.json")
    options = "--n-features 4 --max-rows 1 --test-size 0.4 --seed 3 --truth t.json --quiet"
    assert main(f"groups d.npz {options}".split()) == 0
    out = capsys.readouterr().out
    for told in ("and 3 more groups", "accuracy on 120 samples", "of 10 true features"):
        assert told in out
    shares = dict(re.findall(SHARES, out, re.M))
    assert float(shares["all members"]) > float(shares["the largest class"]) and len(shares) == 3

def test_messages_name_options_of_the_command(text, capsys, monkeypatch):
    monkeypatch.setattr("fsnb.data.checks._WARNED", set())
    X, y = text
    sp.save_npz("no_y.npz", X.tocsr())
    write_data("null.npz", np.random.default_rng(0).standard_normal((100, 200)), np.arange(100) % 2)
    assert "beyond --columns 9\n" in refused(capsys, "groups w.svm --columns 9")
    assert "give them by --labels" in refused(capsys, "groups no_y.npz")
    assert main(["groups", "null.npz"]) == 0
    assert "--n-features 1 keeps the best feature" in capsys.readouterr().err

def test_nothing_is_an_answer(capsys, monkeypatch):
    monkeypatch.setattr("fsnb.data.checks._WARNED", set())      # as in a process of its own
    write_data("null.npz", np.random.default_rng(0).standard_normal((100, 300)), np.arange(100) % 2)
    options = "--n-features auto --permutations 99 --test-size 0.3 --out n.json --plot n.png"
    assert main(f"groups null.npz {options} --quiet".split()) == 0
    out, err = capsys.readouterr()
    assert out.startswith("No group is significant (0 of 300 features)\n") and out.count("50.0%") == 3
    assert "nothing was selected" in err
    assert len(read("n.json")) == 0 and Path("n.png").stat().st_size > 0

def test_no_control_character_reaches_the_screen():
    shown = cli._show_groups(FeatureGroups([[0]], names=["a\x1b[31m\u202e"]), 30)
    assert not set("\x1b\u202e") & set(shown)

@pytest.mark.parametrize("kind", ["binary", "log", "tfidf"])
def test_counts_are_transformed_and_the_answer_says_so(text, kind):
    "As scikit-learn does it; a report of the same file applies it too"
    X, y = text
    want = {"binary": (X > 0).astype(float), "log": X.log1p(),
            "tfidf": TfidfTransformer().fit_transform(X)}[kind]
    write_data("c.npz", X.toarray() if kind == "log" else X, y)
    got = found(f"c.npz --n-features 3 --transform {kind}")
    assert same(got, GDM(3), want.tocsc(), y) and got.parameters["transform"] == kind
    assert main("report g.json --data c.npz --quiet".split()) == 0
    assert kind in Path("g.html").read_text(encoding="utf-8")

def test_weights_of_words_are_learnt_from_the_first_samples_alone(text):
    parts = text[0][:200], text[0][200:]
    model = TfidfTransformer().fit(parts[0])
    for part, own in zip(cli._transform(*parts, "tfidf"), parts):
        assert abs(part-model.transform(own)).max() == 0

# ---- covariates, strata, blocks; numbers and survival

@pytest.fixture
def study():
    "120 cells of 30 donors, 40 genes: gene 5 goes with score, state and death, gene 7 with the arm; PC1 with half of the genes"
    rng = np.random.default_rng(0)
    donor, centre = np.repeat(np.arange(30), 4), np.repeat([0, 1], 60)
    X, arm = rng.standard_normal((120, 40)), (np.arange(30) % 2)[donor]
    X[:, 7] += 2*arm
    X[:, 20:] += 2*centre[:, None]
    score = 2*X[:, 5]+3*centre+rng.standard_normal(120)
    about = pd.DataFrame(dict(
        state=(score > 1.5).astype(int), arm=arm, score=score, age=rng.integers(20, 80, 120),
        PC1=centre+.1*rng.standard_normal(120), PC2=rng.standard_normal(120), centre=np.where(centre, "north", "south"),
        donor=[f"d{i}" for i in donor], months=rng.exponential(np.exp(-score/2)), death=(rng.random(120) < .8).astype(int)))
    names = [f"cell{i}" for i in range(120)]
    return pd.DataFrame(X, names, [f"gene{j}" for j in range(40)]), about.set_axis(names)

def write_study(study, *held):
    "d.csv: the genes and the columns that are held; about.csv: all columns, in another order"
    study[0].join(study[1][list(held)]).to_csv("d.csv", index_label="cell", float_format="%.17g")
    study[1].sample(frac=1, random_state=0).to_csv("about.csv", index_label="name", float_format="%.17g")

def fitted(model, X, y, **design): return [m.tolist() for m in model.fit(X.to_numpy(), np.asarray(y), **design).groups_]

def members(line): return [m.tolist() for m in found(line)]

AUTO = "d.csv --index cell --n-features auto"

def test_a_table_of_covariates_is_matched_by_name(study, capsys):
    X, about = study
    write_study(study, "state")
    line = f"{AUTO} --label state --covariates about.csv --covar-name"
    want = fitted(GDM("auto"), X, about.state, covariates=about[["age", "PC1", "PC2"]])
    assert members(f"{line} age,PC1,PC2") == want == [[5]]
    assert read("g.json").parameters["covar_name"] == "age,PC1,PC2"
    assert fitted(GDM("auto"), X, about.state) != want
    assert members(f"{line} PC2 --strata centre") == fitted(GDM("auto"), X, about.state, covariates=about[["PC2"]],
                                                            strata=about.centre)
    pd.read_csv("about.csv")[["name", "age", "PC1", "PC2"]].to_parquet("about.parquet")
    assert members(f"{AUTO} --label state --covariates about.parquet") == want
    text, capture = Path("about.csv").read_text(), capsys.readouterr()
    def told(now, names="PC1"):
        Path("about.csv").write_text(now)
        return refused(capsys, f"groups {line} {names}")
    assert "about.csv: there is no line for 2 of 120 samples, the first is cell3\n" in told(re.sub("\ncell[37],.*", "", text))
    assert "about.csv: cell4 comes twice in the table" in told(text.replace("cell3,", "cell4,"))
    assert "no column and no file PC3; the columns are IID, state, arm" in told(text, "PC1,PC3")
    assert "no missing values, but sample 9 has one" in told(re.sub("\ncell9,[01]", "\ncell9,NA", text), "state")

def test_columns_of_the_data_are_no_features(study):
    X, about = study
    write_study(study, "arm", "centre", "donor", "age")
    X.join(about[["arm", "centre", "age"]]).to_csv("e.csv", index_label="cell", float_format="%.17g")
    about.donor.to_csv("donors.txt", index=False, header=False)
    line = f"{AUTO} --label arm --covariates age --strata centre --blocks"
    want = fitted(GDM("auto"), X, about.arm, covariates=about[["age"]], strata=about.centre, blocks=about.donor)
    assert members(f"{line} donors.txt".replace("d.csv", "e.csv")) == members(f"{line} donor") == want and want[0] == [7]
    assert read("g.json").n_features == 40

def test_cells_know_their_donors(study, capsys):
    anndata = pytest.importorskip("anndata")
    X, about = study
    counts = np.abs(np.round(X*3)).to_numpy()
    anndata.AnnData(counts, about, pd.DataFrame(index=X.columns)).write_h5ad("c.h5ad")
    about[["age"]].iloc[::-1].to_csv("ages.csv", index_label="cell")
    design = dict(covariates=np.c_[np.log1p(counts.sum(1)), about.PC1], blocks=about.donor)
    model = GDM("auto").fit(counts, about.arm.to_numpy(), **design)
    want = group_p_values(counts, about.arm.to_numpy(), model.groups_, 99, random_state=0, target="classes", **design)
    line = "c.h5ad --label arm --n-features auto --permutations 99 --blocks donor --covariates"
    assert members(f"{line} row_sums,PC1") == [m.tolist() for m in model.groups_] == [[7]]
    assert read("g.json").p_values.tolist() == want.tolist()
    assert members(f"{line} ages.csv") == [[7]]
    for told in ("--label months,dead --target survival", "--label arm --strata dead"):
        capsys.readouterr()
        assert "c.h5ad: there is no column dead; the columns are state" in refused(capsys, f"groups c.h5ad {told}")

def test_lines_in_order_are_said(study, capsys):
    X, about = study
    write_data("d.npz", X.to_numpy(), about.state.to_numpy())
    about[["PC1"]].to_csv("pc.csv", index=False, float_format="%.17g")
    np.save("w.npy", about.age)
    assert main("groups d.npz --n-features auto --covariates pc.csv --weights w.npy --out g.json".split()) == 0
    assert "pc.csv: lines in order, for d.npz has no names of samples\n" in capsys.readouterr().err
    want = fitted(GDM("auto"), X, about.state, covariates=about[["PC1"]], sample_weight=about.age)
    assert [m.tolist() for m in read("g.json")] == want
    about[["PC1"]].iloc[1:].to_csv("pc.csv", index=False)
    assert "one line for each of the 120 samples" in refused(capsys, "groups d.npz --covariates pc.csv")
    Path("few.txt").write_text("a\n"*119)
    assert "few.txt: Length of values (119)" in refused(capsys, "groups d.npz --strata few.txt")
    assert "--covar-name goes with --covariates FILE" in refused(capsys, "groups d.npz --covar-name PC1")

def test_numbers_and_survival(study, capsys):
    X, about = study
    design = dict(covariates=about[["PC1"]])
    options = "--n-features auto --covariates about.csv --covar-name PC1 --permutations 99"
    write_study(study, "score")
    numbers = f"d.csv --index cell --label score {options}"
    assert "continuous: --target numbers" in refused(capsys, f"groups {numbers}")
    assert "goes with --label TIME,EVENT" in refused(capsys, f"groups {numbers} --target survival")
    assert "--mode and --fit-on go with" in refused(capsys, f"groups {numbers} --target numbers --mode cut -n 2")
    assert members(f"{numbers} --target numbers") == fitted(GDMRegressor("auto"), X, about.score, **design) == [[5]]
    assert read("g.json").p_values.tolist() == [.01]
    assert main("report g.json --data d.csv --index cell --label score --quiet".split()) == 0
    assert "<th>R squared</th>" in Path("g.html").read_text(encoding="utf-8")
    write_study(study, "months", "death")
    survival = f"d.csv --index cell --label months,death --target survival {options} --strata centre"
    want = GDMSurvival("auto").fit(X.to_numpy(), about[["months", "death"]], strata=about.centre, **design)
    assert members(f"{survival} --plot g.png") == [m.tolist() for m in want.groups_]
    assert 5 in want.support_ and read("g.json").p_values[0] == .01

def test_held_out_samples_have_their_covariates(study, capsys):
    write_study(study, "score")
    line = f"groups {AUTO} --label score --target numbers --covariates about.csv --covar-name centre,PC1 --test-size .3"
    assert main(line.split()) == 0
    out = capsys.readouterr().out
    rows = dict(re.findall(r"^ *(supports|all members) +\d+ +([\d.-]+)$", out, re.M))
    assert "R squared on 36 samples" in out
    assert float(rows["supports"])+.1 < float(re.search("the model with the covariates: (.*)", out)[1]) < .95

def test_a_block_is_not_split():
    blocks, y = np.repeat(np.arange(20), 5), np.repeat(np.arange(20) % 2, 5)
    for target, share in itertools.product(("classes", "numbers", "survival"), (.2, .3)):
        own = {"classes": y, "numbers": y+np.arange(100)/7, "survival": np.c_[1+y, y]}[target]
        rows, held = _hold_out(100, own, share, 0, blocks)
        assert not set(blocks[rows]) & set(blocks[held]) and sorted([*rows, *held]) == list(range(100))
        assert 15 <= len(held) <= 35 and (target != "classes" or abs(y[held].mean()-.5) < .3)      # scikit-learn 1.6: .25

def test_phenotypes_as_plink_codes_them(capsys, monkeypatch):
    rng = np.random.default_rng(0)
    calls, stratum = np.repeat(rng.integers(0, 3, (200, 15)), 2, axis=1), rng.integers(0, 2, 200)
    calls[:, 20:] = np.clip(calls[:, 20:]+stratum[:, None]*rng.integers(0, 2, (200, 10)), 0, 2)
    height = np.round(170+4*calls[:, 6]+9*stratum+5*rng.standard_normal(200)).astype(int)
    case = 1+(height > np.median(height))
    order = rng.permutation(200)
    rows = [f"f{i} i{i} {1+i % 2} {stratum[i]+.1*rng.standard_normal():.6f}" for i in range(200)]
    table = "\n".join(["#FID IID SEX PC1", *(rows[i] for i in order), "f9 other 1 0"])+"\n"
    Path("covar.txt").write_text(table)
    Path("alone.csv").write_text(re.sub(r"(?m)^\S+ ", "", table).replace(" ", ","))
    frame = pd.DataFrame([row.split()[2:] for row in rows], columns=["SEX", "PC1"], dtype=float)
    write_bed("case.bed", calls, phenotype=case)
    write_bed("height.bed", calls, phenotype=height)
    for name, kind, y in (("case", GDM, case), ("height", GDMRegressor, height)):
        want = [m.tolist() for m in kind("auto").fit(calls, y, covariates=frame).groups_]
        for covariates in ("covar.txt", "alone.csv"):
            assert members(f"{name}.bed --n-features auto --covariates {covariates}") == want == [[6, 7]]
    capsys.readouterr()
    assert main("groups height.bed --n-features 1 --plot h.png".split()) == 0
    assert "other values than -9, 0, 1 and 2 and is taken as a number" in capsys.readouterr().err
    assert main("groups height.bed --n-features 1 --target classes --quiet".split()) == 0
    assert "different numbers" in capsys.readouterr().err
    people = [f"f{i}\ti{i}\t{height[i]/100}\t{i % 2}" for i in order]
    Path("people.tsv").write_text("FID\tIID\ttime\tevent\n"+"\n".join(people)+"\n")
    got = members("case.bed --labels people.tsv --label time,event --target survival --n-features auto --blocks SEX "
                  "--covariates covar.txt --covar-name PC1")
    times = np.c_[height/100, np.arange(200) % 2]
    assert got == fitted(GDMSurvival("auto"), pd.DataFrame(calls), times, covariates=frame[["PC1"]], blocks=frame.SEX)
    plain, told = association_p_values(calls, height, target="numbers"), []
    within = association_p_values(calls, height, target="numbers", covariates=frame)
    def spy(groups, p_values, places):
        told.append(p_values)
        return plot_groups(groups)
    monkeypatch.setattr("fsnb.show.manhattan.plot_manhattan", spy)
    line = "groups height.bed --n-features 1 --clumped x.clumped --runners-up next.clumped --plot h.png --quiet"
    for options, want in (("", plain), ("--covariates covar.txt", within)):
        told.clear()
        assert main(f"{line} {options}".split()) == 0 and np.allclose(told, [want], 1e-9)
        for name in ("x.clumped", "next.clumped"):
            rows = pd.read_csv(name, sep="\t", float_precision="round_trip")
            assert len(rows) and np.array_equal(rows.P, told[0][[int(snp[3:]) for snp in rows.SNP]])
    assert (plain[20:] < .01).sum() > 2*(within[20:] < .01).sum()
    Path("covar.txt").write_text(re.sub("\nf[37] .*", "", table))
    capsys.readouterr()
    told = refused(capsys, "groups case.bed --covariates covar.txt")
    assert "covar.txt: there is no line for 2 of 200 samples, the first is ('f3', 'i3')\n" in told
    Path("covar.txt").write_text(re.sub("(\nf9 i9 .*) .*", r"\1 -9", table))
    assert "no missing values, but sample 9 has one" in refused(capsys, "groups case.bed --covariates covar.txt")
    Path("covar.txt").write_text(table)
    np.save("centre.npy", stratum > 0)
    lost = np.arange(200) % 20 == 3
    write_bed("lost.bed", calls, phenotype=np.where(lost, -9, case))
    some = pd.DataFrame(calls[~lost]), case[~lost]
    capsys.readouterr()
    assert members("lost --n-features auto --covariates covar.txt") == fitted(GDM("auto"), *some, covariates=frame[~lost]) == [[6, 7]]
    assert "fsnb: warning: lost.fam: 10 of 200 people have no phenotype and are left out" in capsys.readouterr().err
    Path("people.tsv").write_text("IID case\n"+"".join(f"i{i} {case[i]}\n" for i in np.flatnonzero(~lost)))
    assert members("case --labels people.tsv --label case --n-features auto") == fitted(GDM("auto"), *some)
    capsys.readouterr()
    assert "does not match" in refused(capsys, "groups lost --strata centre.npy")

# ---- what is wrong is one line, and leaves nothing

REFUSED = tomllib.loads(Path(__file__).with_name("refused.toml").read_text(encoding="utf-8"))

def contents():
    return {path: path.read_bytes() for path in Path(".").rglob("*") if path.is_file()}

def refuse_all(lines, capsys):
    "Each line of a table of refused.toml is refused in its words, and no file is another one then"
    before = contents()
    for line, words in REFUSED[lines].items():
        assert words in refused(capsys, line)
        assert contents() == before, line

def test_one_line_for_one_error(data, capsys):
    os.mkdir("folder")
    FeatureGroups([[0]]).to_json("t.json")
    FeatureGroups([[0]], n_features=5).to_json("few.json")
    FeatureGroups([[0]], names=[["a"]]).to_json("named.json")
    for name in ("d.json", "old", "folder/mine"): Path(name).write_text("{")
    Path("y.txt").write_text("1\n2\n")
    Path("odd.csv").write_text("b\u202ex,c\x1b[31m,y\n,,0\n,,1\n", encoding="utf-8")
    write_data("real.npz", data.X, data.X[:, 0])
    fsnb.convert("d.npz", "d.fsnb", verbose=0)
    refuse_all("what is wrong", capsys)

def test_nothing_that_is_there_is_lost(data, capsys):
    os.mkdir("sub")
    os.link("d.npz", "hard")
    os.symlink("d.npz", "soft")
    os.symlink(Path("new").absolute(), "dangling.png")
    fsnb.convert("d.npz", "other.fsnb", verbose=0)
    write_bed("c.bed", np.arange(60).reshape(30, 2) % 3, phenotype=1+np.arange(30) % 2)
    for name in ("y.txt", "other.fsnb/mine"): Path(name).write_text("1\n")
    FeatureGroups([[0]], n_features=120).to_json("t.json")
    refuse_all("what would be lost", capsys)

def test_no_memory_is_one_line_and_a_fault_is_not_hidden(data, capsys, monkeypatch):
    def raising(error):
        def fit(*args, **more): raise error
        return fit
    monkeypatch.setattr(GDM, "fit", raising(MemoryError()))
    assert "not enough memory" in refused(capsys, "groups d.npz")
    monkeypatch.setattr(GDM, "fit", raising(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError): main("groups d.npz".split())

@pytest.fixture
def people():
    "t.csv: 60 people, of whom the ill are taller; sex is a word, and a dose is missing"
    rng, ill = np.random.default_rng(0), np.arange(60) % 2
    frame = pd.DataFrame({"height": rng.normal(size=60)+4*ill, "dose": rng.normal(size=60), "sex": rng.choice(["m", "f"], 60), "state": ill})
    frame.loc[3, "dose"] = np.nan
    frame.to_csv("t.csv", index=False)
    return frame

def test_options_are_checked_first_and_named_as_they_are_written(people, capsys):
    os.mkdir("folder")
    refuse_all("options are checked before anything is read", capsys)

def test_a_table_with_words_and_gaps(people, capsys):
    got = found("t.csv --label 3 --categories onehot --impute median")
    assert got.n_features == 3 and got.names == [["height"]] and got.parameters["categories"] == "onehot"
    assert main("report g.json --data t.csv --label state --quiet".split()) == 0
    assert main("replicate g.json t.csv --label state --permutations 19 --quiet".split()) == 0
    assert found("t.csv --label state --drop sex,1 -n 1").n_features == 1

def test_standard_input_and_json(people, capsys, monkeypatch):
    from types import SimpleNamespace
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=open("t.csv", "rb")))
    assert main("groups - --format csv --label state --drop sex,dose --json --test-size .3".split()) == 0
    out, err = capsys.readouterr()
    told = FeatureGroups.from_json(out)
    assert told.names == [["height"]] and told.parameters["source"] == "standard input"
    assert "standard input: 42 samples, 1 features" in err and "held out" in err and "round" not in err and "objective" not in err
    assert main("groups t.csv --label state --drop sex,dose --verbose".split()) == 0
    assert "round 1: " in capsys.readouterr().err

def test_the_command_alone_shows_its_help(capsys):
    assert main([]) == 0
    out, err = capsys.readouterr()
    assert "Usage: fsnb" in out and err == ""

# ---- streams and signals

STORIES = """if True:
    import os, signal, sys, time, warnings
    import numba, pandas, sklearn.utils.validation, typer       # once: each story is a process
    warnings.filterwarnings("ignore", ".*use of fork")          # Python 3.12: beside the threads of what is imported
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
        cli._show_groups = lambda *args: [time.sleep(2), show(*args)][1]    # else it may end before
    story("importing", "d.npz", lambda: sys.meta_path.insert(0, Strike()))
    story("loading", "d.npz --n-features 3 --quiet", strike_when_a_kernel_is_loaded)

    from fsnb.show import cli
    from fsnb import GDM, read_data
    data = read_data("d.npz")
    GDM(3).fit(data.X, data.y).groups_.summary()
    line = "long.npz --n-features 300 --n-per-iter 1 --max-iter 300 --verbose"
    story("searching", line, lambda: None, "round 2")
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
    out = {name: Path(f"{name}.out").read_text() for name in codes}
    err = {name: Path(f"{name}.err").read_text() for name in codes}
    assert re.fullmatch(r"(d\.npz: .*\n)?fsnb: interrupted\n", err["importing"])
    for name in ("loading", "searching"):
        assert err[name].endswith("fsnb: interrupted\n") and "Traceback" not in err[name]
    found = {path.stem: len(FeatureGroups.from_json(path)) for path in Path(".").glob("*.json")}
    rounds = found.pop("searching")
    assert 2 <= rounds < 300 and out["searching"].startswith(f"{rounds} groups")
    assert read("searching.json").parameters["interrupted"]
    assert set(found) == set(codes)-{"importing", "loading", "searching"}
    assert set(found.values()) == {3}
    assert err.pop("full", "") in ("", "fsnb: error: [Errno 28] No space left on device\n")
    assert err["closed"] == err["unread"] == err["ascii"] == out["closed"] == ""
    assert out["ascii"].startswith("3 groups") and "gr??e" in out["ascii"]

TERMINALS = """if True:
    import fcntl, json, os, pty, re, signal, struct, sys, termios, warnings
    import numba, pandas, sklearn.utils.validation, typer       # once: each command is a process
    warnings.filterwarnings("ignore", ".*use of fork")
    def on_terminal(line, interrupt_at=None):
        child, screen = pty.fork()
        if not child:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            sys.argv = ["fsnb", *line.split()]
            from fsnb.show.cli import main
            sys.exit(main())
        told = b""
        while True:
            try: piece = os.read(screen, 1 << 16)
            except OSError: break                   # the other end is closed
            if not piece: break
            told += piece
            if interrupt_at and re.search(interrupt_at.encode(), told): interrupt_at = os.write(screen, bytes([3])) and None
        os.close(screen)
        return told.decode(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps([on_terminal(*asked) for asked in json.loads(sys.argv[1])]))
"""

SOLVER = "objective", "solved to", "round 1", "dropped", "gap"

@pytest.mark.skipif(os.name != "posix", reason="a terminal of its own")
def test_a_bar_on_a_terminal_ends_with_its_line(data, monkeypatch):
    "Finished, silenced, interrupted, and ended by an error; rows are what the screen shows last of each line"
    monkeypatch.delenv("COLUMNS")
    long = make_groups(300, 1500, group_sizes=(0,)*300, n_test=0, random_state=0)
    write_data("long.npz", long.X, long.y)
    write_data("d.svm", data.X, data.y)
    Path("bad.svm").write_text(Path("d.svm").read_text()+"1 1:x\n")
    short, many = "groups d.npz -n 3 --n-per-iter 1 --max-rows 1", "groups long.npz -n 300 --n-per-iter 1 --max-iter 300 --chance none"
    asked = [short], [short+" --quiet"], [many, r" [1-9]\d*/300 "], ["convert d.svm d.fsnb"], ["convert bad.svm bad.fsnb"]
    r = subprocess.run([sys.executable, "-c", TERMINALS, json.dumps(asked)], capture_output=True, text=True, timeout=300)
    assert r.returncode == 0 and r.stderr == "", r.stderr
    texts, codes = zip(*json.loads(r.stdout))
    assert codes == (0, 0, 130, 0, 2)
    screens = [[row.split("\r")[-1] for row in text.replace("^C", "").replace("\r\n", "\n").split("\n")] for text in texts]
    whole, quiet, struck, made, failed = screens
    assert whole[0] == "d.npz: 300 samples, 120 features" and re.match(r"GDM: 100%\|.*\| 3/3 \[", whole[1])
    assert whole[2].startswith("3 groups, ") and max(map(len, whole)) <= 80
    assert not any(word in text for word in SOLVER for text in texts)
    assert quiet[0].startswith("3 groups, ") and "%|" not in texts[1]
    assert re.match(r"GDM: +\d+%\|.*/300 \[", struck[1]) and re.match(r"fsnb: kept: \d+ groups of \d+ finished", struck[2])
    assert struck[-2] == "fsnb: interrupted"
    assert re.match(r"d\.fsnb: 100%\|.*\|", made[0]) and made[1].startswith("wrote d.fsnb: ")
    assert failed[0].startswith("bad.fsnb: ") and failed[1].startswith("fsnb: error: bad.svm: line 301: ") and not os.path.exists("bad.fsnb")

@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
def test_an_output_that_fails_costs_no_other(data, capsys):
    assert main("groups d.npz --n-features 3 --quiet --out /dev/full --plot g.png".split()) == 1
    out, err = capsys.readouterr()
    assert err == "fsnb: error: cannot write /dev/full: No space left on device\n"
    assert out.startswith("3 groups") and Path("g.png").exists()

@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_search_that_was_killed_goes_on(text, monkeypatch):
    whole = found("w.svm --n-features 6 --n-per-iter 1")
    os.remove("g.json")
    save, done = Checkpoint.save, []
    def struck(*args):
        save(*args)
        done.append(1)
        if len(done) == 3: os.kill(os.getpid(), signal.SIGKILL)
    line = "groups w.svm --n-features 6 --n-per-iter 1 --checkpoint c --out g.json --quiet"
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "save", struck)
        assert exit_of_fork(lambda: main(line.split())) == -signal.SIGKILL
    assert os.path.exists("c") and not os.path.exists("g.json")
    assert main(line.split()) == 2 and os.path.exists("c")
    assert main((line+" --resume").split()) == 0 and not os.path.exists("c")
    assert read("g.json") == whole

# ---- convert, survey, report, simulate, demo

def test_convert_says_what_it_wrote_and_replaces_when_asked(text, capsys):
    Path("w.svm.gz").write_bytes(gzip.compress(Path("w.svm").read_bytes()))
    assert main("convert w.svm.gz w.fsnb --check".split()) == 0
    told = "wrote w.fsnb: 300 samples, 120 features, all checksums are right\n"
    assert capsys.readouterr().err == told
    np.save("y.npy", 1-text[1])
    assert main("convert w.svm w.fsnb --labels y.npy --overwrite --quiet".split()) == 0
    assert capsys.readouterr() == ("", "")
    assert np.array_equal(fsnb.data.read_store_labels("w.fsnb"), 1-text[1])
    assert sorted(os.listdir()) == ["w.fsnb", "w.svm", "w.svm.gz", "y.npy"]

def test_a_store_gives_the_groups_of_its_file_and_survey_counts_every_pair(text, capsys):
    assert main("convert w.svm w.fsnb --quiet".split()) == 0
    one, two = (found(f"{name} --n-features 5") for name in ("w.svm", "w.fsnb"))
    assert one.parameters.pop("source") != two.parameters.pop("source") and one == two
    assert one.names[0][0] == str(one.support[0]+1)
    options = "--bins 4 --out s.json --plot s.png --above 0.2 --pairs s.parquet --quiet"
    capsys.readouterr()
    for name in ("w.svm", "w.fsnb"): assert main(f"survey {name} {options}".split()) == 0
    noted, pairs = json.loads(Path("s.json").read_text()), pd.read_parquet("s.parquet")
    r = np.abs(np.corrcoef(text[0].toarray().T)[np.triu_indices(120, 1)])
    out = capsys.readouterr().out
    assert out[:len(out)//2] == out[len(out)//2:] and "7,140 pairs" in out
    assert noted["n_pairs"] == len(r)
    assert noted["counts"] == np.histogram(r, [0, .25, .5, .75, 1.01])[0].tolist()
    assert len(pairs) == (r >= .2).sum() > 0 and pairs["first"].astype(int).min() >= 1
    np.savez("x.npz", X=np.random.default_rng(0).random((9, 4)))           # no labels are needed
    pd.DataFrame(np.load("x.npz")["X"], columns=[*"abcd"]).to_csv("x.csv", index=False)
    for name in ("x.npz", "x.csv"):
        assert main(f"survey {name} --quiet --bins 2".split()) == 0
        assert "6 pairs" in capsys.readouterr().out

def test_report(data, capsys):
    found("d.npz --n-features 3")
    assert main("report g.json --data d.npz --title Cells".split()) == 0
    page = Path("g.html").read_text(encoding="utf-8")
    assert "<h1>Cells</h1>" in page and "Prediction" in page
    assert "wrote g.html" in capsys.readouterr().err
    np.savez("other.npz", X=np.eye(5), y=[0, 0, 1, 1, 1])
    told = refused(capsys, "report g.json --data other.npz --out o.html")
    assert "groups must be of data with 5 features" in told and not Path("o.html").exists()

def test_replicate(text, capsys):
    "The table is that of `fsnb.replicate`, whatever the order of the columns; a transform is applied again"
    X, y = text
    frame = pd.DataFrame(X.toarray(), columns=[f"w{j}" for j in range(X.shape[1])]).assign(label=y)
    frame[:150].to_csv("a.csv", index=False)
    second = frame[150:].iloc[:, ::-1].drop(columns="w5")
    second.to_csv("b.csv", index=False)
    first = found("a.csv --n-features 2 --transform log --permutations 19")
    assert main("replicate g.json b.csv --output t.csv --permutations 99 --seed 3".split()) == 0
    out, err = capsys.readouterr()
    table = fsnb.replicate(first, np.log1p(second.drop(columns="label")), second.label, n_permutations=99, random_state=3)
    assert Path("t.csv").read_text() == table.to_csv(index=False)
    assert "w5" in first and "w5" in out and (table.missing == "w5").any()
    assert re.search(r"\n[12] of 2 groups replicate", out) and "wrote t.csv" in err and "b.csv: 150 samples, 119 features" in err

def test_replicate_in_a_design(study):
    "Covariates, strata, blocks and what y is, as `fsnb.replicate` takes them"
    X, about = study
    write_study(study, "score", "months", "death")
    first = GDMRegressor(3, random_state=0).fit(X, about.score).groups_
    first.to_json("g.json")
    line = "replicate g.json d.csv --index cell --output t.csv --permutations 49 --covariates about.csv --covar-name PC1"
    given = dict(n_permutations=49, target="numbers", covariates=about[["PC1"]])
    residuals = Cox(about[["months", "death"]])(np.zeros(120))[1]
    for options, y, design in (
            ("--label score --target numbers", about.score, {}),
            ("--label score --target numbers --strata centre --blocks donor", about.score, dict(strata=about.centre, blocks=about.donor)),
            ("--label months,death --target survival", residuals, {})):
        assert main(f"{line} {options} --quiet".split()) == 0
        table, shown = fsnb.replicate(first, X, y, **given, **design), ["p_value", "effect"]
        assert np.allclose(pd.read_csv("t.csv")[shown], table[shown], 1e-9)
    plain = fsnb.replicate(first, X, about.score, n_permutations=49, target="numbers")
    assert not np.array_equal(plain.effect, fsnb.replicate(first, X, about.score, **given).effect)

@pytest.mark.parametrize("options, settings", [
    ("--sparse 0.02", dict(sparse=.02)),
    ("--signed --label-noise 0.1", dict(signed=True, label_noise=.1))])
def test_simulate(capsys, options, settings):
    line = f"simulate --n-samples 150 --n-features 400 --seed 5 {options} --out"
    for name in ("a.npz --truth t.json", "b.svm"): assert main(f"{line} {name}".split()) == 0
    out, err = capsys.readouterr()
    assert out == "" and "150 samples, 400 features, 12 groups with 38 features" in err
    made = make_groups(150, 400, n_test=0, random_state=5, preset="thesis2015", **settings)
    a, b = fsnb.read_data("a.npz"), fsnb.read_data("b.svm")
    dense = lambda X: X.toarray() if sp.issparse(X) else X
    assert sp.issparse(a.X) == ("sparse" in options) and np.array_equal(dense(a.X), dense(made.X))
    own = np.array(b.names)-1
    np.testing.assert_allclose(dense(b.X), dense(made.X)[:, own], rtol=1e-14)
    assert np.array_equal(a.y, made.y) and np.array_equal(b.y, made.y)
    assert [m.tolist() for m in read("t.json")] == [m.tolist() for m in made.groups]

def test_demo(capsys):
    assert main("demo --quick --out-dir out/demo".split()) == 0
    out = capsys.readouterr().out
    assert int(re.search(r"beside the truth: (\d+) of 38", out)[1]) >= 25
    assert "Linking can add pixels below 0.5" in out
    assert {"digits.json", "digits.png", "known.json", "known.png"} <= set(os.listdir("out/demo"))
    share = {words: float(of) for words, of in re.findall(SHARES, out, re.M)}
    assert share["supports"] >= 91 and share["all members"] >= 97 > 90 > share["the largest class"]
    digits = read("out/demo/digits.json")
    assert digits.p_values.max() <= .05 and digits.names is not None      # no group by chance, at the level of auto

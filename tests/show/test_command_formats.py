"Files of other fields through the command: h5ad, a vocabulary, genotypes with a table of people"
import json
import numpy as np, pytest
from fsnb.data.plink import write_bed
from fsnb.groups.synthetic import make_groups
from fsnb.show.cli import main

h5py = pytest.importorskip("h5py")
WORDS = [f"word{j}" for j in range(60)]


@pytest.fixture(scope="module")
def made(): return make_groups(200, 60, group_sizes=(3, 2, 1), n_test=0, random_state=0)
@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch): monkeypatch.chdir(tmp_path)


def write_cells(made):
    with h5py.File("cells.h5ad", "w") as file:
        file["X"], file["layers/negative"] = made.X, -made.X
        file["var/_index"], file["var"].attrs["_index"] = [f"gene{j}" for j in range(60)], "_index"
        file["obs/cell_type/categories"], file["obs/cell_type/codes"] = ["B", "T"], (made.y > 0).astype("i1")


def refused(capsys, line):
    assert main(line.split()) == 2
    told = capsys.readouterr().err.strip()
    assert told.startswith("fsnb: error: ") and "\n" not in told
    return told


def groups_of(line):
    assert main(["groups", *line.split(), "--n-features", "3", "--quiet", "--out", "g.json"]) == 0
    told = json.loads(open("g.json").read())
    names = told["names"] or [None]*len(told["members"])
    return [dict(members=own, names=called) for own, called in zip(told["members"], names)]


def test_h5ad(made, capsys):
    write_cells(made)
    np.savez("d.npz", X=made.X, y=made.y)
    plain, cells = groups_of("d.npz"), groups_of("cells.h5ad --label cell_type")
    assert [g["members"] for g in cells] == [g["members"] for g in plain]
    assert cells[0]["names"] == [f"gene{j}" for j in cells[0]["members"]]
    assert [g["members"] for g in groups_of("cells.h5ad --label cell_type --layer negative")] == [g["members"] for g in plain]
    assert main("report g.json --data cells.h5ad --label cell_type --layer negative --quiet".split()) == 0
    assert main("convert cells.h5ad cells.fsnb --label cell_type --quiet".split()) == 0
    assert [g["members"] for g in groups_of("cells.fsnb")] == [g["members"] for g in plain]
    assert main("survey cells.h5ad --layer negative --quiet".split()) == 0
    assert "1,770 pairs" in capsys.readouterr().out


def test_h5ad_that_is_wrong(made, capsys):
    write_cells(made)
    assert "cells.h5ad: label must name a column of obs; it has cell_type" in refused(capsys, "groups cells.h5ad")
    assert "/obs has no column kind; it has cell_type" in refused(capsys, "groups cells.h5ad --label kind")
    assert "got 'log'; it has negative" in refused(capsys, "groups cells.h5ad --label cell_type --layer log")
    open("cut.h5ad", "wb").write(open("cells.h5ad", "rb").read()[:5000])
    for command in ("groups cut.h5ad --label cell_type", "convert cut.h5ad x.fsnb", "survey cut.h5ad"):
        assert "cut.h5ad: " in refused(capsys, command)
    assert "layer is for" in refused(capsys, "convert cells.h5ad x.fsnb --format csv --layer log")


def test_a_vocabulary(made, capsys):
    from sklearn.datasets import dump_svmlight_file
    dump_svmlight_file(made.X, made.y, "d.svm", zero_based=False)
    open("words.txt", "w").write("\n".join(WORDS)+"\n")
    found = groups_of("d.svm --names words.txt")
    assert all(g["names"] == [WORDS[j] for j in g["members"]] for g in found)
    assert main("convert d.svm d.fsnb --names words.txt --quiet".split()) == 0
    assert [g["names"] for g in groups_of("d.fsnb")] == [g["names"] for g in found]
    assert main("report g.json --data d.svm --names words.txt --quiet".split()) == 0
    assert main("survey d.svm --names words.txt --above .7 --pairs p.parquet --quiet".split()) == 0
    open("words.txt", "w").write("\n".join(WORDS[:59]))
    for command in ("groups d.svm", "convert d.svm x.fsnb", "survey d.svm", "report g.json --data d.svm"):
        assert refused(capsys, f"{command} --names words.txt").endswith("words.txt: there must be one name for each of the 60 features, got 59")
    assert "--names cannot be used with d.fsnb" in refused(capsys, "groups d.fsnb --names words.txt")
    assert "--names goes with --data" in refused(capsys, "report g.json --names words.txt")
    assert "nothing.txt: No such file" in refused(capsys, "groups d.svm --names nothing.txt")


def test_genotypes_with_a_table_of_people(capsys):
    rng = np.random.default_rng(0)
    calls = rng.integers(0, 3, (60, 20))
    calls[:, 4] = calls[:, 3]
    case = np.where(calls[:, 3]+rng.random(60) > 1.5, "case", "control")
    write_bed("calls.bed", calls, phenotype=1+(case == "case"))
    order = rng.permutation(60)
    def write_people(rows, first="FID\tIID\tstatus\tage"): open("people.tsv", "w").write("\n".join([first, *(f"f{i}\ti{i}\t{case[i]}\t{i}" for i in rows)])+"\n")
    write_people(order)
    plain = groups_of("calls.bed")
    found = groups_of("calls.bed --labels people.tsv --label status")
    assert [g["members"] for g in found] == [g["members"] for g in plain] and {3, 4} <= set(found[0]["members"])
    capsys.readouterr()
    assert "people.tsv" in refused(capsys, "groups calls.bed --labels people.tsv --label weight")
    write_people(sorted(order)[3:])
    told = refused(capsys, "groups calls.bed --labels people.tsv --label status")
    assert "3 of 60 people" in told and "f0 i0, f1 i1, f2 i2" in told
    assert "goes with --labels TABLE" in refused(capsys, "groups calls.bed --label status")


def small_study(positions=None, chromosomes=None):
    "Genotypes of six variants, all alike"
    calls = np.repeat(np.random.default_rng(0).integers(0, 3, (60, 1)), 6, axis=1)
    write_bed("calls.bed", calls, positions=positions, chromosomes=chromosomes, phenotype=1+(calls[:, 0] > 0))


def test_an_unsorted_bim_is_named(capsys):
    small_study([1000, 3000, 2000, 4000, 5000, 6000])
    told = refused(capsys, "groups calls.bed --window 5000 --quiet")
    assert "calls.bim: positions must not decrease within a chromosome, got 2000 at column 2 (snp2) after 3000 at column 1 (snp1): sort" in told and "plink --make-bed" in told


def test_unplaced_variants_are_in_nobody_s_group():
    small_study([0, 0, 0, 4000, 5000, 6000], ["0"]*3+["1"]*3)
    found = groups_of("calls.bed --window 5000 --n-features 6 --chance none")
    assert sorted(len(g["members"]) for g in found)[-1] == 3
    assert all(len(g["members"]) == 1 for g in found if set(g["members"]) & {0, 1, 2})


def test_groups_by_a_window_are_of_their_genotypes(capsys):
    small_study()
    groups_of("calls.bed --window 5000 --n-features 1")
    capsys.readouterr()
    assert main("report g.json --data calls.bed --quiet".split()) == 0
    write_bed("other.bed", np.random.default_rng(1).integers(0, 3, (60, 6)), phenotype=1+np.arange(60) % 2)
    assert "the groups are of other data" in refused(capsys, "report g.json --data other.bed")


def test_a_phenotype_of_0_and_1_is_explained(capsys):
    small_study()
    for name, told in (("calls.fam", "calls.fam: the phenotype of"), ("p.tsv", "p.tsv: the phenotype of")):
        lines = [f"f{i} i{i} 0 0 0 {i % 2}\n" for i in range(60)]
        if name == "p.tsv": lines = ["FID IID PAT MAT SEX case\n", *lines]
        open(name, "w").writelines(lines)
        said = refused(capsys, "groups calls.bed"+" --labels p.tsv --label case"*(name == "p.tsv"))
        assert told in said and "first is that of i0" in said and "0 means unknown, 1 a control and 2 a case" in said and "give y" not in said


def test_a_measurement_is_refused_with_its_column(capsys):
    small_study()
    open("p.tsv", "w").write("IID weight\n"+"".join(f"i{i} {50.5+i}\n" for i in range(60)))
    told = refused(capsys, "groups calls.bed --labels p.tsv --label weight")
    assert "p.tsv, column weight: Unknown label type: continuous" in told and "y > np.median(y)" in told

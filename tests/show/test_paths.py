"Nothing that a command reads is overwritten by what it writes: every input against every output"
import os
import numpy as np
import pytest
from pathlib import Path
from fsnb.data.genotypes import write_bed
from fsnb.data.store import write_store
from fsnb.data.writing import write_data
from fsnb.groups.groups import FeatureGroups
from fsnb.groups.synthetic import make_groups
from fsnb.show.cli import main

INPUTS = {
    "groups": "FILE --labels --positions --truth --names",
    "survey": "FILE --names",
    "report": "GROUPS --data --labels --names",
    "convert": "FILE --labels --names",
}
OUTPUTS = {"groups": "--out --plot --checkpoint", "survey": "--out --plot --pairs", "report": "--out", "convert": "STORE"}
MUST = {"groups": {"FILE": "d.svm"}, "survey": {"FILE": "d.svm"}, "report": {"GROUPS": "g.json", "--data": "d.svm"}, "convert": {"FILE": "d.svm", "STORE": "e.fsnb"}}
PAIRS = [(command, one, other) for command, inputs in INPUTS.items() for one in inputs.split() for other in OUTPUTS[command].split()]

def make_line(command, given):
    words = [command]
    for option, value in {**MUST[command], **given}.items():
        words += [option, value] if option.startswith("-") else [value]
    return words

@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    "Data of every kind, in a folder of its own"
    monkeypatch.chdir(tmp_path)
    made = make_groups(60, 30, group_sizes=(2, 1), n_test=0, random_state=0)
    write_data("d.svm", made.X, made.y)
    write_store("d.fsnb", made.X, None, made.y)
    rng = np.random.default_rng(0)
    write_bed("c.bed", rng.integers(0, 3, (60, 30)), phenotype=made.y > 0)
    for sidecar in ("p.pgen", "p.pvar", "p.psam"): Path(sidecar).write_text("x\n")
    Path("g.json").write_text(FeatureGroups([[0, 1]], n_features=30).to_json())
    np.save("y.npy", made.y)
    Path("words.txt").write_text("".join(f"w{j}\n" for j in range(30)))

def content(): return {str(p): p.read_bytes() for p in Path(".").rglob("*") if p.is_file()}

def refused(capsys, words):
    "The one line of error; no file is another than before"
    before = content()
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert content() == before and out == "" and err.count("\n") == 1 and err.startswith("fsnb: error: "), err
    return err

@pytest.mark.parametrize("command, one, other", PAIRS)
def test_an_input_is_no_output(capsys, command, one, other):
    path = {"FILE": "d.svm", "GROUPS": "g.json", "--data": "d.svm"}.get(one, "both.parquet")
    if path == "both.parquet": Path(path).write_text("1\n"*30)
    said = refused(capsys, make_line(command, {one: path, other: os.path.join(".", path)}))
    assert f"{other} ./{path} and {one} {path} are one file, which would be overwritten" in said

def test_a_vocabulary_is_not_overwritten_by_a_survey(capsys):
    "The case that was lost"
    assert "--out words.txt and --names words.txt are one file" in refused(capsys, "survey d.svm --names words.txt --out words.txt".split())

@pytest.mark.parametrize("command", ["groups", "survey", "report"])
@pytest.mark.parametrize("calls, table", [("c.bed", "c.bim"), ("c.bed", "c.fam"), ("p.pgen", "p.pvar"), ("p.pgen", "p.psam")])
def test_tables_beside_genotypes_are_read_too(capsys, command, calls, table):
    option = "--data" if command == "report" else "FILE"
    said = refused(capsys, make_line(command, {option: calls, "--out": table}))
    assert f"--out {table} and {option}'s {table[1:]} {table} are one file, which would be overwritten" in said

@pytest.mark.parametrize("command, option, other", [(c, "--data" if c == "report" else "FILE", other) for c in ("groups", "survey", "report") for other in OUTPUTS[c].split()])
@pytest.mark.parametrize("name", ["d.fsnb/store.json", "d.fsnb/new.json", "linked/new.json", "d.fsnb/no/new.json"])
def test_nothing_is_written_into_a_store_that_is_read(capsys, command, option, other, name):
    os.symlink("d.fsnb", "linked")
    said = refused(capsys, make_line(command, {option: "d.fsnb", other: name}))
    assert f"{other} {name} lies inside {option} d.fsnb, a store; give it another place" in said

@pytest.mark.parametrize("option, name", [("FILE", "d.svm"), ("--labels", "y.npy"), ("--names", "words.txt")])
@pytest.mark.parametrize("through", ["d.fsnb", "linked"])
def test_a_store_that_is_replaced_takes_no_input_with_it(capsys, option, name, through):
    os.symlink("d.fsnb", "linked")
    os.rename(name, f"d.fsnb/{name}")
    said = refused(capsys, [*make_line("convert", {option: f"{through}/{name}", "STORE": "d.fsnb"}), "--overwrite"])
    assert f"{option} {through}/{name} lies inside STORE d.fsnb, which would be replaced" in said

def test_a_place_beside_is_good(capsys):
    os.mkdir("d.fsnb.more")
    assert main("groups d.fsnb --n-features 1 --out d.fsnb.more/g.json --quiet".split()) == 0
    assert main("groups c.bed --n-features 1 --out c.json --checkpoint c.fam.ckpt --quiet".split()) == 0
    assert main("survey d.svm --names words.txt --out more.txt --quiet".split()) == 0
    assert main("convert d.svm d.fsnb --overwrite --names words.txt --quiet".split()) == 0
    assert Path("c.json").exists() and len(Path("words.txt").read_text().split()) == 30

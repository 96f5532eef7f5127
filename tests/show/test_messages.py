"What a person typed wrong is told in one line, in the words of the command, before anything is read"
import json
from pathlib import Path
import numpy as np
import pytest
from fsnb.data.plink import write_bed
from fsnb.data.store import write_store
from fsnb.groups.groups import FeatureGroups
from fsnb.show import opening
from fsnb.show.cli import main
from fsnb.show.completion import _every_argument
from fsnb.show.errors import _OPTION_OF, _name_options
from fsnb.show.parser import make_parser

@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 6)), np.arange(30) % 2
    np.savez("d.npz", X=X, y=y)
    write_store("d.fsnb", X, None, y)
    write_bed("c.bed", rng.integers(0, 3, (30, 6)), phenotype=y+1)
    open("g.json", "w").write(FeatureGroups([[0, 1]], n_features=6).to_json())
    open("v.txt", "w").write("".join(f"w{j}\n" for j in range(6)))

def refused(capsys, words):
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("fsnb: error: ") and err.count("\n") == 1, err
    return err

@pytest.mark.parametrize("line, told", [
    ("--n-features 0", "--n-features must be a whole number"), ("--n-features -3", "got -3"), ("--tau 0", "tau must lie in (0, 1), got 0.0"), ("--tau nan", "got nan"),
    ("--C 0", "C must lie in"), ("--n-per-iter 0", "--n-per-iter must be a whole number"), ("--max-iter 0", "--max-iter must be"), ("--permutations 0", "--permutations must be"),
    ("--permutations -5", "got -5"), ("--chance 0", "chance must be"), ("--chance 1.5", "got 1.5"), ("--n-jobs 0", "--n-jobs must be"),
])
def test_numbers_out_of_range_are_told_before_the_data_are_read(capsys, monkeypatch, line, told):
    def never(*args, **kwargs): raise AssertionError("the data were read")
    monkeypatch.setattr(opening, "read_data", never)
    assert told in refused(capsys, f"groups d.npz {line}".split())

@pytest.mark.parametrize("line, told", [("--n-features 7", "--n-features must be a whole number in [1, n_features=6], got 7"), ("--n-features 3 --n-per-iter 4", "--n-per-iter must be a whole number in [1, --n-features 3], got 4")])
def test_a_parameter_is_called_by_its_option(capsys, line, told):
    assert main(f"groups d.npz {line}".split()) == 2
    assert told in capsys.readouterr().err

def test_every_option_that_errors_name_is_there():
    options = {o for a in _every_argument(make_parser()) for o in a.option_strings}
    assert set(_OPTION_OF.values()) <= options

def test_paths_are_not_renamed():
    for text in ("n_jobs.csv: no", "a/max_iter: no", "my-fit_on/x", "x_n_jobs", "n_jobs/max_iter.txt"): assert _name_options(text) == text

@pytest.mark.parametrize("words, told", [
    (["groups", "d.npz", "--out", ""], "--out must name a file"), (["groups", "d.npz", "--labels", ""], "--labels must name a file"), (["groups", ""], "FILE must name a file"),
    (["groups", "d.npz", "--checkpoint", ""], "--checkpoint must name"), (["survey", "d.npz", "--out", ""], "--out must name"), (["convert", "d.npz", ""], "STORE must name a file or a folder, got an empty text"),
    (["report", "g.json", "--data", ""], "--data must name"), (["report", "g.json", "--out", ""], "--out must name"),
    (["simulate", "--out", "s.npz", "--truth", ""], "--truth must name a file or a folder, got an empty text"), (["simulate", "--out", ""], "--out must name a file"),
    (["demo", "--out-dir", ""], "--out-dir must name"),
])
def test_an_empty_text_is_no_file(capsys, words, told): assert told in refused(capsys, words)

@pytest.mark.parametrize("line, told", [
    ("groups d.npz --nfeatures 3", "unrecognized arguments: --nfeatures 3; near it is --n-features (see fsnb groups --help)"), ("groups d.npz --n_features 3", "near it is --n-features"),
    ("survey d.npz --plots a.png", "near it is --plot (see fsnb survey --help)"), ("groups d.npz more.npz", "unrecognized arguments: more.npz (see fsnb groups --help)"), ("demo -k 3", "unrecognized arguments: -k 3 (see fsnb demo --help)"),
])
def test_an_option_that_is_not_known_is_told_with_the_nearest(capsys, line, told): assert told in refused(capsys, line.split())

@pytest.mark.parametrize("file", ["d.fsnb", "c.bed"])
@pytest.mark.parametrize("option", ["--label case", "--names v.txt", "--format csv", "--layer x", "--index 0", "--columns 6"])
@pytest.mark.parametrize("command", ["survey", "groups"])
def test_how_rows_are_read_is_no_matter_where_none_are(capsys, command, file, option):
    told = refused(capsys, f"{command} {file} {option}".split())
    assert f"{option.split()[0]} cannot be used with {file}, whose columns are read where they lie" in told
    assert ("--labels TABLE" in told) == (option == "--label case" and file == "c.bed")

@pytest.mark.parametrize("option", ["--label y", "--labels v.txt", "--names v.txt", "--format npz", "--layer x", "--index 0", "--columns 6"])
def test_a_report_without_data_has_no_use_for_how_they_are_read(capsys, option):
    assert f"{option.split()[0]} goes with --data" in refused(capsys, f"report g.json {option}".split())

def test_where_there_is_no_folder_no_store_is_begun(capsys):
    assert "cannot write no/such/x.fsnb: there is no folder no/such" in refused(capsys, "convert d.npz no/such/x.fsnb".split())
    assert "d.fsnb is there already: --overwrite replaces it" in refused(capsys, "convert d.npz d.fsnb".split())

@pytest.mark.parametrize("name", ["s", "s.csv", "s.bed", "s.vcf", "s.npz.gz"])
def test_data_that_are_written_are_told_what_can_be_written(capsys, name):
    told = refused(capsys, ["simulate", "--out", name])
    assert told == f"fsnb: error: {name}: a data file to write ends in .npz, .svm, .svmlight or .libsvm\n"

def test_one_array_is_pointed_to_the_command_that_takes_it(capsys):
    data = np.load("d.npz")
    np.save("x.npy", data["X"])
    np.save("y.npy", data["y"])
    for command in ("groups x.npy --labels y.npy", "survey x.npy"):
        told = refused(capsys, command.split())
        assert told.startswith("fsnb: error: x.npy: a .npy holds one array") and "a data file ends in .svm" in told
        assert "fsnb convert x.npy x.fsnb --labels FILE" in told and "np.savez('x.npz', X=X, y=y)" in told
    assert main("convert x.npy x.fsnb --labels y.npy --quiet".split()) == 0           # as it says
    assert main("groups x.fsnb --n-features 2 --quiet --out x.json".split()) == 0
    np.savez("x.npz", X=data["X"], y=data["y"])
    assert main("groups x.npz --n-features 2 --quiet --out z.json".split()) == 0
    stored, archived = FeatureGroups.from_json("x.json"), FeatureGroups.from_json("z.json")
    assert [m.tolist() for m in stored] == [m.tolist() for m in archived] and len(stored) == 2


def test_columns_of_an_svmlight_file_are_called_by_its_numbers(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x.svm").write_text("".join(f"{i % 2} 1:{i % 2+i/100} 2:1 3:{i*i} 5:2\n" for i in range(20)))
    assert main("convert x.svm x.fsnb --quiet".split()) == 0
    for file in ("x.svm", "x.fsnb"):
        assert main(["groups", file, "--n-features", "1", "--out", "g.json"]) == 0
        assert "3 constant columns are never selected: 2, 4, 5 (counted from 1)\n" in capsys.readouterr().err
        assert json.loads(Path("g.json").read_text())["members"][0][0] == 0

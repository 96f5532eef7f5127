"fsnb data: the registry shown, and sets fetched through it"
import os
import numpy as np
import pytest
import scipy.io
from fsnb.data import registry
from fsnb.data.registry import DataSet
from fsnb.show.cli import main

@pytest.fixture
def shelf(tmp_path, monkeypatch, capsys):
    "A registry of two local sets, a folder for them, and a way to call the command"
    for name in "ab": scipy.io.savemat(tmp_path/f"{name}.mat", dict(X=np.eye(3), Y=[[0], [1], [1]]))
    sets = {name: DataSet(name, ((tmp_path/f"{name}.mat").as_uri(),), "mat", (3, 3, 2), "none", {}) for name in "ab"}
    monkeypatch.setattr(registry, "all_sets", lambda: sets)
    (tmp_path/"home").mkdir()
    monkeypatch.setenv("FSNB_DATA", str(tmp_path/"home"))
    def call(line):
        code = main(["data", *line.split()])
        said = capsys.readouterr()
        return code, said.out, said.err
    return call, tmp_path/"home", tmp_path

def test_list_shows_what_is_there(shelf):
    call, home, _ = shelf
    (home/"b.npz").write_bytes(b"")
    code, out, err = call("list")
    rows = out.splitlines()
    assert code == 0 and err == "" and rows[0].split() == ["name", "samples", "features", "classes", "licence"]
    assert rows[1].split() == ["a", "3", "3", "2", "none"] and rows[2].split() == ["b", "3", "3", "2", "none", "here"]
    assert any(row.startswith("psoriasis: restricted") for row in rows)

def test_list_without_a_folder(shelf, monkeypatch):
    monkeypatch.delenv("FSNB_DATA")
    code, out, _ = shelf[0]("list")
    assert code == 0 and not [row for row in out.splitlines() if row.endswith(" here")]

def test_get_fetches_all_that_are_named(shelf):
    call, home, _ = shelf
    code, out, err = call("get a b")
    assert code == 0 and sorted(os.listdir(home)) == ["a.npz", "b.npz"] and err.count("wrote") == 2
    assert call("get a")[2].endswith("a.npz: it was there\n")
    assert "wrote" in call("get a --overwrite")[2] and call("get a --overwrite --quiet") == (0, "", "")

def test_get_goes_to_a_folder_and_from_an_address(shelf):
    call, home, tmp = shelf
    (tmp/"other").mkdir()
    code, *_ = call(f"get a --to {tmp/'other'} --from {(tmp/'b.mat').as_uri()}")
    assert code == 0 and os.listdir(tmp/"other") == ["a.npz"] and os.listdir(home) == []

def test_a_path_is_an_address(shelf, monkeypatch):
    "A file, a folder that holds it, a path from here, one with letters that an address spells in another way, home"
    call, home, tmp = shelf
    monkeypatch.chdir(tmp)
    monkeypatch.setenv("HOME", str(tmp))
    (tmp/"a b%20#?.mat").write_bytes((tmp/"b.mat").read_bytes())
    for given in (str(tmp/"b.mat"), str(tmp), ".", "b.mat", "./b.mat", "~/b.mat", "a b%20#?.mat"):
        assert main(["data", "get", "a", "--from", given, "--overwrite"]) == 0, given
        assert os.listdir(home) == ["a.npz"]
        os.remove(home/"a.npz")

def test_a_folder_stands_for_all_files_of_a_set(shelf, monkeypatch):
    call, home, tmp = shelf
    (tmp/"old").mkdir()
    for name in ("p.svm", "q.svm"): (tmp/"old"/name).write_text("1 1:1\n2 2:1\n")
    both = DataSet("both", ("https://not.here/x/p.svm", "https://not.here/x/q.svm"), "svm", (4, 2, 2), "none", {})
    monkeypatch.setattr(registry, "all_sets", lambda: {"both": both})
    assert call(f"get both --from {tmp/'old'}")[0] == 0 and os.listdir(home) == ["both.npz"]
    os.remove(tmp/"old"/"q.svm")
    code, out, err = call(f"get both --overwrite --from {tmp/'old'}")
    assert code == 2 and err.startswith("fsnb: error: file://") and err.endswith("/old/q.svm cannot be read: No such file or directory\n")

@pytest.mark.parametrize("line, words", [
    ("get a --from /no/a.mat", "/no/a.mat cannot be read: No such file"), ("get a --from nothing.mat", "/nothing.mat cannot be read: No such file"), ("get a --from gopher://x/a.mat", "unknown url type"),
    ("get", "needs a name"), ("get c", "there is no data set 'c'"), ("get RAC", "no source is known"), ("list a", "takes no names"),
    ("get a b --from file:///x", "--from goes with one name"), ("get a --to /no/where", "there is no folder /no/where"),
    ("get a --from file:///no/a.mat", "cannot be read: No such file"), ("put a", "invalid choice: 'put'")])
def test_what_is_wrong_is_one_line(shelf, line, words):
    call, home, _ = shelf
    code, out, err = call(line)
    assert code == 2 and out == "" and err.count("\n") == 1 and words in err and os.listdir(home) == []

def test_a_wrong_name_is_told_before_anything_is_fetched(shelf):
    call, home, _ = shelf
    assert call("get a c")[0] == 2 and os.listdir(home) == []

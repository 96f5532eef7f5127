"""A folder appears whole or not at all, whatever ends the process that writes it; what else stands there is not lost."""
import os, shutil
import pytest
import fsnb.data.folder as folder
import fsnb.data.store_writer as store_writer
from fsnb.data.convert import convert
from fsnb.data.folder import _OWN_FILES
from fsnb.data.store import open_store, write_store
from stores import bytes_of, random_sparse, write_blocks


@pytest.fixture
def often(monkeypatch):
    "Progress is noted after every block"
    monkeypatch.setattr(store_writer, "_SYNC_EVERY", 1)


def test_what_stands_there_is_not_lost(tmp_path, often):
    path = write_blocks(tmp_path/"x.fsnb", "sparse")
    whole = bytes_of(path)
    for resume in (False, True):
        with pytest.raises(FileExistsError, match="is there already: overwrite=True replaces it"):
            write_blocks(path, "sparse", resume=resume)
    with pytest.raises(KeyboardInterrupt): write_blocks(path, "dense", stop=3, overwrite=True)
    assert bytes_of(path) == whole
    with pytest.raises(FileExistsError, match="resume=True goes on with it, overwrite=True begins anew"):
        shutil.move(path, tmp_path/"old.fsnb")
        write_blocks(path, "dense")
    with pytest.raises(ValueError, match="was begun with another kind, dense and not sparse"):
        write_blocks(path, "sparse", resume=True)
    write_blocks(path, "sparse", overwrite=True)
    assert bytes_of(path) == whole and sorted(p.name for p in tmp_path.iterdir()) == ["old.fsnb", "x.fsnb"]


@pytest.mark.parametrize("moment", ["between the names", "while the old one is removed"])
def test_an_older_store_is_replaced_or_stays_and_leaves_nothing(tmp_path, often, monkeypatch, moment):
    path = write_blocks(tmp_path/"x.fsnb", "sparse")
    old = bytes_of(path)
    where, which = (os, "rename") if moment == "between the names" else (shutil, "rmtree")
    real, calls = getattr(where, which), []
    def interrupted(*args, **more):
        calls.append(args)
        if len(calls) == (2 if where is os else 1): raise KeyboardInterrupt
        return real(*args, **more)
    monkeypatch.setattr(where, which, interrupted)
    with pytest.raises(KeyboardInterrupt): write_blocks(path, "dense", overwrite=True)
    monkeypatch.undo()
    left = sorted(p.name for p in tmp_path.iterdir())
    if where is os:
        assert bytes_of(path) == old and left == ["x.fsnb", "x.fsnb.part"]
        write_blocks(path, "dense", resume=True, overwrite=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.fsnb"]
    assert open_store(path, True).record["kind"] == "dense"


def test_an_older_store_that_a_killed_run_set_aside_comes_back(tmp_path):
    path = write_blocks(tmp_path/"x.fsnb", "sparse")
    old = bytes_of(path)
    os.rename(path, tmp_path/"x.fsnb.old.part")
    with pytest.raises(FileExistsError, match="is there already: overwrite=True replaces it"):
        write_blocks(path, "dense")
    assert bytes_of(path) == old
    shutil.copytree(path, tmp_path/"x.fsnb.old.part")
    write_blocks(path, "dense", overwrite=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.fsnb"]


def test_only_stores_are_overwritten(tmp_path):
    (tmp_path/"home").mkdir()
    (tmp_path/"home"/"letter").write_text("dear")
    (tmp_path/"file").write_text("dear")
    for name in ("home", "file"):
        with pytest.raises(FileExistsError, match="and is no store"):
            write_store(tmp_path/name, random_sparse(), overwrite=True)
    assert (tmp_path/"home"/"letter").read_text() == (tmp_path/"file").read_text() == "dear"
    with pytest.raises(FileNotFoundError, match="cannot write .*there is no folder"):
        write_store(tmp_path/"none"/"x.fsnb", random_sparse())


def test_what_somebody_put_into_a_store_is_not_removed_with_it(tmp_path):
    path = write_store(tmp_path/"x.fsnb", random_sparse())
    assert {p.name for p in path.iterdir()} <= _OWN_FILES
    (path/"letter.svm").write_text("1 1:2\n0 2:3\n")
    with pytest.raises(FileExistsError, match="x.fsnb holds letter.svm, which is no part of a store and would be lost"):
        write_store(path, random_sparse(), overwrite=True)
    assert (path/"letter.svm").exists()
    with pytest.raises(FileExistsError, match="holds letter.svm"):
        convert(path/"letter.svm", path, overwrite=True, verbose=0)
    assert (path/"letter.svm").read_text().startswith("1 1:2")


def test_a_write_protected_store_is_not_replaced(tmp_path, monkeypatch):
    "Whoever may write into the folder around it may rename it, but not remove it: that is known before anything is written"
    path = write_store(tmp_path/"x.fsnb", random_sparse())
    whole = bytes_of(path)
    real = os.access
    monkeypatch.setattr(os, "access", lambda place, mode, **more: False if str(place) == str(path) and mode & os.W_OK else real(place, mode, **more))
    with pytest.raises(PermissionError, match="cannot write .*x.fsnb: it is write-protected"):
        convert(random_sparse(seed=1), path, overwrite=True, verbose=0)
    assert bytes_of(path) == whole and os.listdir(tmp_path) == ["x.fsnb"]


def refuse_removal(monkeypatch, name):
    "The disk does not remove the folder of that name"
    real = shutil.rmtree
    def remove(place, *given, **more):
        if str(place).endswith(name): raise PermissionError(13, "Permission denied", str(place))
        return real(place, *given, **more)
    monkeypatch.setattr(shutil, "rmtree", remove)


def test_a_replaced_store_that_cannot_be_removed_is_a_warning_and_stops_the_next_run_at_once(tmp_path, monkeypatch):
    path = write_blocks(tmp_path/"x.fsnb", "sparse")
    with monkeypatch.context() as patch:
        refuse_removal(patch, ".old.part")
        with pytest.warns(UserWarning, match="x.fsnb.old.part is left of the store that was replaced, and cannot be removed: "
                                             "Permission denied; the new store is whole"):
            write_blocks(path, "dense", overwrite=True)
        assert open_store(path, True).record["kind"] == "dense"
        new = bytes_of(path)
        with pytest.raises(OSError, match="cannot write .*x.fsnb.old.part is left of the store that was replaced"):
            write_blocks(path, "sparse", overwrite=True)
        assert bytes_of(path) == new
    write_blocks(path, "sparse", overwrite=True)
    assert os.listdir(tmp_path) == ["x.fsnb"] and open_store(path, True).record["kind"] == "sparse"


@pytest.mark.parametrize("is_old", [False, True])
def test_a_name_that_the_disk_does_not_keep_is_taken_back(tmp_path, often, monkeypatch, is_old):
    "A run that says that it failed has replaced nothing, and goes on later"
    path = tmp_path/"x.fsnb"
    if is_old: write_blocks(path, "sparse")
    old = bytes_of(path) if is_old else None
    def refuse(place):
        if place == tmp_path: raise OSError(5, "Input/output error")
    with monkeypatch.context() as patch:
        patch.setattr(folder, "_sync_folder", refuse)
        with pytest.raises(OSError, match="cannot write .*Input/output error; what was written is in .*resume=True goes on"):
            write_blocks(path, "dense", overwrite=is_old)
    assert sorted(os.listdir(tmp_path)) == ["x.fsnb"]*is_old+["x.fsnb.part"]
    if is_old: assert bytes_of(path) == old
    write_blocks(path, "dense", resume=True, overwrite=is_old)
    assert os.listdir(tmp_path) == ["x.fsnb"] and open_store(path, True).record["kind"] == "dense"


def test_nothing_is_written_into_a_store(tmp_path):
    path = write_store(tmp_path/"x.fsnb", random_sparse())
    whole = bytes_of(path)
    for target in (path/"sub", path/"more"/"sub"):
        with pytest.raises(ValueError, match="sub lies inside of the store .*x.fsnb: give it a place elsewhere"):
            convert(random_sparse(seed=1), target, verbose=0)
        with pytest.raises(ValueError, match="lies inside of the store"): write_store(target, random_sparse(), overwrite=True)
    assert bytes_of(path) == whole


# ---- gone before every call of the system

CALLS = [(os, "mkdir"), (os, "fsync"), (os, "replace"), (os, "rename"), (os, "unlink"), (shutil, "rmtree")]


def gone_before(step, write):
    "Run it in a process that is gone before its call of that number; the call, or None where it came to its end"
    child = os.fork()
    if not child:
        code, left = 99, iter(range(step))
        for number, (where, name) in enumerate(CALLS, 1):
            def counted(*given, number=number, real=getattr(where, name), **more):
                if next(left, None) is None: os._exit(number)
                return real(*given, **more)
            setattr(where, name, counted)
        try:
            write()
            code = 0
        finally: os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code <= len(CALLS), "the writer failed"
    return CALLS[code-1][1] if code else None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
@pytest.mark.parametrize("is_old", [False, True])
def test_gone_before_every_call_of_the_system(tmp_path, monkeypatch, is_old):
    "The older store or the new one, whole, at every moment but one; and the next run ends with the new one alone"
    monkeypatch.setattr(store_writer, "_SYNC_EVERY", 400_000)
    old, new = (bytes_of(write_blocks(tmp_path/f"{kind}.fsnb", kind)) for kind in ("dense", "sparse"))
    kept, seen, unnamed = tmp_path/"dense.fsnb", [], 0
    for step in range(500):
        place = tmp_path/str(step)
        place.mkdir()
        path = place/"x.fsnb"
        if is_old: shutil.copytree(kept, path)
        call = gone_before(step, lambda: write_blocks(path, "sparse", overwrite=is_old))
        seen.append(call)
        if path.exists():
            found = bytes_of(path)
            found.pop("progress.json", None)          # gone right after the store had its name
            assert found in ([old, new] if is_old else [new])
        elif is_old:
            unnamed += 1
            assert bytes_of(place/"x.fsnb.old.part") == old
        assert set(os.listdir(place)) <= {"x.fsnb", "x.fsnb.part", "x.fsnb.old.part"}
        if is_old or not path.exists():
            write_blocks(path, "sparse", resume=step % 2 == 0, overwrite=is_old or step % 2 == 1)
            assert bytes_of(path) == new and os.listdir(place) == ["x.fsnb"]
        shutil.rmtree(place)
        if call is None: break
    assert {"mkdir", "fsync", "replace", "rename", "unlink"} <= set(seen) and seen[-1] is None
    assert unnamed == (1 if is_old else 0) and ("rmtree" in seen) == is_old

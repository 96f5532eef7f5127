"""Blocks become a store: a bad one is refused, and a run that is stopped or killed goes on and ends with the same bytes."""
import json, os, signal, subprocess, sys, time
import numpy as np
import pytest
import fsnb.data.store_writer as store_writer
from fsnb.data.folder import PartFolder
from fsnb.data.store import open_store
from fsnb.data.store_writer import StoreWriter
from stores import BLOCKS, ROWS, WIDTH, bytes_of, write_blocks


@pytest.fixture
def often(monkeypatch):
    "Progress is noted after every block"
    monkeypatch.setattr(store_writer, "_SYNC_EVERY", 1)


# ---- what a block must be

@pytest.mark.parametrize("data, indices, counts, said", [
    ([1., 2], [1, 1], [2], "column 1 has row 1 twice"), ([1., 2], [2, 1], [2], "column 1 has row 1 out of order"),
    ([1.], [5], [1], r"column 1 has row 5 outside \[0, 5\)"), ([1.], [-1], [1], "column 1 has row -1 outside"),
    ([1., 2, 3], [2, 0, 0], [1, 2], "column 2 has row 0 twice"),
    ([np.nan], [0], [1], "column 1 holds nan"), ([1., -np.inf], [0, 1], [1, 1], "column 2 holds -inf"),
    ([1.], [0, 1], [2], "data must have as many values as indices, 2"), ([1.], [0], [2], "indices must be 2 rows"),
    ([1.], [0.5], [1], "indices must be 1 rows"), ([1.], [0], [-1], "counts must be"), ([1.], [0], [1.], "counts must be"),
    ([1.], [0], [[1]], "counts must be"), ([1.]*4, [0, 0, 0, 0], [1]*4, "a store of 4 columns cannot take 4 more after 1")])
def test_a_bad_block_is_refused_and_nothing_stays(tmp_path, data, indices, counts, said):
    with pytest.raises(ValueError, match=said), StoreWriter(tmp_path/"x.fsnb", (5, 4), np.float64) as writer:
        writer.append(np.array([3.]), [2], [1])
        writer.append(np.array(data), np.array(indices), np.array(counts))
    assert list(tmp_path.iterdir()) == []


def test_a_bad_dense_block_is_refused(tmp_path):
    for block, said in ((np.ones((4, 2)), r"a block must have shape \(5, k\)"), (np.ones(5), "must have shape"),
                        (np.full((5, 1), np.nan), "column 0 holds nan"), (np.ones((5, 9)), "cannot take 9 more after 0")):
        with pytest.raises(ValueError, match=said), StoreWriter(tmp_path/"x.fsnb", (5, 4), float, "dense") as writer:
            writer.append(block)
    assert list(tmp_path.iterdir()) == []


def test_values_are_not_cut_to_another_type(tmp_path):
    with pytest.raises(ValueError, match="1.5 does not fit"), StoreWriter(tmp_path/"x.fsnb", (5, 4), np.int8) as writer:
        writer.append(np.array([1.5]), [0], [1])
    with pytest.raises(ValueError, match="does not fit"), StoreWriter(tmp_path/"x.fsnb", (5, 4), np.int8) as writer:
        writer.append(np.array([300]), [0], [1])
    with pytest.raises(ValueError, match="does not fit"), StoreWriter(tmp_path/"x.fsnb", (5, 4), np.uint8) as writer:
        writer.append(-1, [0], [1])
    assert list(tmp_path.iterdir()) == []


def test_an_end_before_the_last_column_is_refused(tmp_path):
    with pytest.raises(ValueError, match="a store of 4 columns cannot end after 1"), \
            StoreWriter(tmp_path/"x.fsnb", (5, 4), np.float64) as writer:
        writer.append(np.array([3.]), [2], [1])
        writer.finish()


@pytest.mark.parametrize("shape, said", [((2**31, 5), "n_samples must be a whole number in"), ((5, 0), "n_features"),
                                         ((1, 5), "n_samples"), ((5, 2.5), "n_features")])
def test_a_shape_that_cannot_be(tmp_path, shape, said):
    with pytest.raises(ValueError, match=said): StoreWriter(tmp_path/"x.fsnb", shape, np.float64)
    assert list(tmp_path.iterdir()) == []


# ---- killed, and resumed

@pytest.mark.parametrize("kind", ["sparse", "dense"])
@pytest.mark.parametrize("stop", range(BLOCKS))
def test_resume_equals_uninterrupted_byte_for_byte(tmp_path, kind, stop, often):
    whole = bytes_of(write_blocks(tmp_path/"whole.fsnb", kind))
    with pytest.raises(KeyboardInterrupt): write_blocks(tmp_path/"x.fsnb", kind, stop=stop)
    assert not (tmp_path/"x.fsnb").exists() and (tmp_path/"x.fsnb.part").exists() == (stop > 0)
    if stop:
        for array in (tmp_path/"x.fsnb.part").glob("*.npy"):             # what a crash leaves behind the noted length
            with open(array, "ab") as file: file.write(b"torn")
    done = []
    old = StoreWriter.append
    StoreWriter.append = lambda self, *a: done.append(self.done) or old(self, *a)
    try: write_blocks(tmp_path/"x.fsnb", kind, resume=True)
    finally: StoreWriter.append = old
    assert done[0] == stop*WIDTH
    assert bytes_of(tmp_path/"x.fsnb") == whole and not (tmp_path/"x.fsnb.part").exists()


def noted_columns(folder):
    "How many columns the half-written store says that it has; the note is written anew, so it may be half there"
    try: return json.loads((folder/"x.fsnb.part"/"progress.json").read_text())["columns"]
    except (FileNotFoundError, NotADirectoryError, json.JSONDecodeError): return 0


def wait_for(happened, seconds=20.):
    "Looked at often: kills at times of a clock would fall together on a machine that is fast or slow"
    until = time.monotonic()+seconds
    while not happened() and time.monotonic() < until: time.sleep(.0002)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
@pytest.mark.parametrize("kind", ["sparse", "dense"])
def test_killed_at_random_moments(tmp_path, kind, often):
    "SIGKILL, again and again, until one run comes to its end; at no moment is there a store that is not whole"
    whole, path = bytes_of(write_blocks(tmp_path/"whole.fsnb", kind)), tmp_path/"x.fsnb"
    r, reached = np.random.default_rng(0 if kind == "sparse" else 1), [0]
    for trial in range(40):
        child = os.fork()
        if not child:
            try: write_blocks(path, kind, resume=True, pause=.02)
            finally: os._exit(0)
        if trial % 2: wait_for(lambda: path.exists() or noted_columns(tmp_path) > reached[-1])
        time.sleep(r.uniform(0, .003))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        if path.exists(): break
        with pytest.raises((ValueError, FileNotFoundError)): open_store(path)
        if (tmp_path/"x.fsnb.part").exists():
            with pytest.raises(ValueError, match="it is written half only"): open_store(tmp_path/"x.fsnb.part")
            reached.append(noted_columns(tmp_path))
    assert reached == sorted(reached) and len(set(reached)) > 1
    if not path.exists(): write_blocks(path, kind, resume=True)
    found = bytes_of(path)
    found.pop("progress.json", None)          # a run that was killed right after the store had its name
    assert found == whole and open_store(path, True).shape == (ROWS, BLOCKS*WIDTH)


def test_killed_between_the_record_and_the_name(tmp_path, monkeypatch, often):
    whole = bytes_of(write_blocks(tmp_path/"whole.fsnb", "sparse"))
    def stop(self): raise KeyboardInterrupt
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(PartFolder, "take_place", stop)
        write_blocks(tmp_path/"x.fsnb", "sparse")
    with pytest.raises(ValueError, match="it is written half only"): open_store(tmp_path/"x.fsnb.part")
    assert bytes_of(write_blocks(tmp_path/"x.fsnb", "sparse", resume=True)) == whole


def test_two_writers_of_one_store(tmp_path):
    with StoreWriter(tmp_path/"x.fsnb", (5, 4), np.float64) as first:
        first.append(np.array([3.]), [2], [1]).sync()
        for how in (dict(), dict(resume=True), dict(overwrite=True)):
            with pytest.raises(BlockingIOError, match="cannot write .*another process is writing it"):
                StoreWriter(tmp_path/"x.fsnb", (5, 4), np.float64, **how)
        first.append(4., [1, 2, 3], [1, 2, 0]).finish()
    assert open_store(tmp_path/"x.fsnb", True).take([2]).toarray().ravel().tolist() == [0, 0, 4, 4, 0]


FULL = """
import resource, sys
import numpy as np, fsnb.data.store_writer as store
store._SYNC_EVERY = 1 << 16
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    with store.StoreWriter(sys.argv[1], (1000, 100), np.float64, "dense", resume=True) as writer:
        for j in range(writer.done, 100): writer.append(np.full((1000, 1), j+.5)+np.arange(1000)[:, None])
        writer.finish()
except OSError as error: print(type(error).__name__, error)
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no such limit")
def test_a_full_disk_is_one_error_and_room_made_later_is_enough(tmp_path, root):
    def run(limit):
        return subprocess.run([sys.executable, "-c", FULL, str(tmp_path/"x.fsnb"), str(limit)], cwd=root,
                              capture_output=True, text=True)
    done = run(300_000)
    assert done.stderr == "" and done.stdout.startswith(f"OSError cannot write {tmp_path/'x.fsnb'}: ")
    assert done.stdout.endswith("resume=True goes on from there\n") and "Traceback" not in done.stdout
    assert [p.name for p in tmp_path.iterdir()] == ["x.fsnb.part"]
    assert run(10_000_000).stdout == ""
    assert open_store(tmp_path/"x.fsnb", True).X[5, 7] == 12.5
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path/"y.fsnb"), "1000"], cwd=root, capture_output=True, text=True)
    assert done.stdout.startswith("OSError cannot write") and not (tmp_path/"y.fsnb.part").exists()


def test_what_is_left_of_a_stopped_run_is_looked_at_before_it_is_gone_on_with(tmp_path):
    "An array that is shorter than was noted, a note that is none, and a file of somebody else: nothing is lost or made up"
    path, part = tmp_path/"x.fsnb", tmp_path/"x.fsnb.part"
    def begin(**more): return StoreWriter(path, (4, 6), np.float64, **more)
    writer = begin()
    writer.append(np.arange(6.), [0, 1, 0, 2, 1, 3], [2, 2, 2])
    writer.sync()
    writer.close()
    whole = (part/"indices.npy").read_bytes()
    (part/"indices.npy").write_bytes(whole[:-4])
    with pytest.raises(ValueError, match="indices.npy is damaged: it is shorter than was noted; overwrite=True begins anew"): begin(resume=True)
    (part/"indices.npy").write_bytes(whole)
    (part/"mine").write_text("keep")
    with pytest.raises(FileExistsError, match="holds mine, which is no part of a store and would be lost"): begin(overwrite=True)
    with begin(resume=True) as writer:
        assert writer.done == 3
        writer.append([1.], [3], [1, 0, 0])
        (part/"mine").unlink()
        writer.finish()
    np.testing.assert_array_equal(open_store(path, check=True).whole().toarray()[:, 3], [0, 0, 0, 1])

"""Stores, genotypes and checkpoints: folders and sets of files of which one is cut off, changed or gone, and stores whose writing is ended.

A store gives the same columns, or one clear error that names the folder; with `check=True` every change of its arrays is
noticed. A store that is not whole does not open, and what was there before stays until the new one is whole.
"""
import json, os, random, shutil, signal, subprocess, sys, tempfile, time
from functools import lru_cache
from pathlib import Path
import numpy as np
import scipy.sparse as sp
from bad_files import table
from outcomes import Outcome, call, short_place, where

CUTS, FLIPS, MOMENTS = 12, 24, 40
KINDS = {"sparse": lambda X: sp.csc_matrix(np.where(X > 0, X, 0)), "equal": lambda X: sp.csc_matrix((X > 0)*1.), "dense": lambda X: X}
NAMES = list("abcde")


def write(path, kind):
    "A store, or genotypes, of the little table"
    X, y = table()
    if kind == "genotypes":
        from fsnb.data.plink import write_bed
        path.mkdir()
        write_bed(path/"x.bed", np.clip(np.round(X+1), 0, 2), NAMES)
        return path/"x.bed"
    from fsnb.data.store import write_store
    return write_store(path, KINDS[kind](X), NAMES, y)


def open_again(path, kind, check=True):
    "Names, labels and all numbers, as text"
    if kind == "genotypes":
        from fsnb.data.plink import open_genotypes
        columns = open_genotypes(path/"x.bed")
        return repr([columns.names.tolist(), columns.whole().tolist(), list(columns.chromosomes), list(columns.positions)])
    from fsnb.data.store import open_store, read_store_labels
    columns = open_store(path, check=check)
    whole = columns.whole()
    return repr([None if columns.names is None else list(columns.names), (whole.toarray() if sp.issparse(whole) else whole).tolist(), read_store_labels(path).tolist(), columns.moments()[0].tolist()])


@lru_cache(None)
def parts(kind):
    "The files of a set, and their bytes"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"x.fsnb"
        write(path, kind)
        return {file.name: file.read_bytes() for file in sorted(path.iterdir())}, open_again(path, kind)


RECORD_VALUES = {"null": None, "true": True, "x": "x", "-1": -1, "0": 0, "1.5": 1.5, "10**30": 10**30, "[]": [], "{}": {}, "[5, 16]": [5, 16], "nested": [[1]]}


def places_of(record, path=()):
    "Every place in a record"
    for key, value in record.items():
        yield (*path, key)
        if isinstance(value, dict): yield from places_of(value, (*path, key))


def changed(content, name, how, number):
    "The bytes of one file of a case, or None where it is gone"
    if how == "gone": return None
    if how == "cut": return content[:int(number)]
    if how == "more": return content+bytes(int(number))
    if how == "flip":
        bit = int(np.random.default_rng([7, int(number), len(content)]).integers(0, 8*len(content)))
        return b"".join([content[:bit//8], bytes([content[bit//8] ^ 1 << bit % 8]), content[bit//8+1:]])
    if how == "noise": return np.random.default_rng(0).bytes(len(content))
    record = json.loads(content)
    place, _, told = number.partition("=")
    *keys, last = place.split("/")
    own = record
    for key in keys: own = own[key]
    if told == "missing": del own[last]
    else: own[last] = RECORD_VALUES[told]
    return json.dumps(record).encode()


def judge_folder(kind, name, how, number):
    "One changed file of a set"
    whole, expected = parts(kind)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"x.fsnb"
        path.mkdir()
        for file, content in whole.items():
            content = changed(content, name, how, number) if file == name else content
            if content is not None: (path/file).write_bytes(content)
        before = sorted(os.listdir(path))
        ran = call(lambda: open_again(path, kind))
        calm = call(lambda: open_again(path, kind, check=False)) if how in ("gone", "cut", "more", "field") else ran
        if sorted(os.listdir(path)) != before: return Outcome("silent", "files were made or removed")
    return told_of(ran, kind, name, how, expected, path) if ran.error is None or calm is ran else worse(ran, calm, kind, name, how, expected, path)


def worse(ran, calm, *about):
    "Of opening with all checks and without them, the one that is not right"
    found = [told_of(some, *about) for some in (ran, calm)]
    return next((told for told in found if not told.right), found[0])


def told_of(ran, kind, name, how, expected, path):
    "What became of it"
    if ran.bad: return Outcome("RuntimeWarning", ran.bad[0])
    if ran.error is None:
        if ran.answer == expected: return Outcome("same")
        if kind == "genotypes" and name != "x.bed" or kind == "genotypes" and how in ("flip", "noise"): return Outcome("same", "read as it stands: there is no checksum")
        return Outcome("silent", f"other columns from {name}: {ran.answer[:100]}")
    told = f"{type(ran.error).__name__}: {str(ran.error)[:200]} ({short_place(where(ran.error))})"
    if not isinstance(ran.error, (ValueError, OSError)) or isinstance(ran.error, UnicodeError): return Outcome("traceback", told)
    return Outcome("refused" if str(path) in str(ran.error) else "unclear error", told)


# ---- writers that are ended

PROGRAM = """
import sys, numpy as np
from fsnb.data.store import StoreWriter, open_store
path, resume = sys.argv[1], sys.argv[2] == "resume"
if sys.argv[2] == "ready": open_store; sys.exit()
print("ready", flush=True)
with StoreWriter(path, (1000, 4000), float, overwrite=True, resume=resume) as writer:
    for j in range(writer.done, 4000, 40):
        rng = np.random.default_rng(j)
        counts = np.full(40, 50)
        rows = np.sort(np.argsort(rng.random((40, 1000)), axis=1)[:, :50], axis=1)
        writer.append(rng.random(2000), rows.ravel().astype(np.int32), counts)
        if j % 400 == 0: writer.sync()
    writer.finish()
"""


def begin(path, how="new"):
    "A process that writes a store"
    return subprocess.Popen([sys.executable, "-c", PROGRAM, str(path), how], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


def sums(path):
    "Checksums of the arrays, after every check"
    from fsnb.data.store import open_store
    return {name: about["crc32"] for name, about in open_store(path, check=True).record["arrays"].items()}


@lru_cache(None)
def whole_store():
    "(seconds that it takes, checksums)"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"x.fsnb"
        begin(path).communicate()
        shutil.rmtree(path)
        process = begin(path)
        process.stdout.readline()
        began = time.perf_counter()
        process.communicate()
        return time.perf_counter()-began, sums(path)


def judge_writer(what, name, number):
    "A writer that is ended at one moment: no half store; what was there stays; another run goes on to the same store"
    seconds, expected = whole_store()
    with tempfile.TemporaryDirectory() as folder:
        path, is_old = Path(folder)/"x.fsnb", int(number) % 2
        if is_old: write(path, "sparse")
        process = begin(path)
        process.stdout.readline()
        time.sleep(random.Random(f"{name} {number}").random()*seconds)
        process.send_signal(getattr(signal, name))
        process.communicate(timeout=60)
        left = set(os.listdir(folder))
        if left-{"x.fsnb", "x.fsnb.part"}: return Outcome("silent", f"debris: {sorted(left)}")
        if is_old and "x.fsnb" not in left: return Outcome("silent", "the older store is gone")
        if path.exists():
            is_new = sums(path) == expected
            if not is_new and not (is_old and open_again(path, "sparse") == parts("sparse")[1]): return Outcome("silent", "half a store has the name of a whole one")
        from fsnb.data.store import open_store
        part = Path(f"{path}.part")
        if part.exists() and call(lambda: open_store(part)).error is None: return Outcome("silent", "a part opens as a whole store")
        again = begin(path, "resume" if int(number) % 4 < 2 else "new")
        told = again.communicate(timeout=60)[1]
        if again.returncode: return Outcome("traceback", told[-200:])
        if sums(path) != expected or os.listdir(folder) != ["x.fsnb"]: return Outcome("silent", f"another store after the second run: {os.listdir(folder)}")
    return Outcome("same")


# ---- checkpoints: files of fits that were ended, cut off, changed, of another version or of other data

SEARCHES = {"GDM": lambda **more: _model("GDM")(5, n_per_iter=1, **more), "GDMCV": lambda **more: _model("GDMCV")(4, n_per_iter=1, cv=3, **more),
            "OneClassGDM": lambda **more: _model("OneClassGDM")(4, n_per_iter=1, **more)}
OTHERS = ("X", "y", "X sparse", "n_per_iter", "tau", "C", "version", "state list", "no identity", "another selector")


def _model(name):
    import fsnb
    return getattr(fsnb, name)


@lru_cache(None)
def searched():
    "Little data whose search takes some rounds"
    r = np.random.default_rng(5)
    base = r.standard_normal((60, 6))
    X = np.repeat(base, 4, axis=1)+.3*r.standard_normal((60, 24))+1
    return X, (base[:, :3].sum(1) > 0).astype(int)


def told_by(model): return repr([model.support_.tolist(), [own.tolist() for own in model.groups_.members], model.coef_.tolist(), model.n_iter_])


@lru_cache(None)
def ended(name):
    "The bytes of the file that a fit leaves which is ended after two rounds, and the answer of one that is not"
    import warnings
    from fsnb.gdm.checkpoint import Checkpoint
    X, y = searched()
    save, written = Checkpoint.save, []
    def struck(*about):
        save(*about)
        written.append(1)
        if len(written) == 2: raise KeyboardInterrupt
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder)/"search"
        Checkpoint.save = struck
        try: SEARCHES[name]().fit(X, y, checkpoint=path)
        except KeyboardInterrupt: pass
        finally: Checkpoint.save = save
        return path.read_bytes(), told_by(SEARCHES[name]().fit(X, y))


def retold(content, what):
    "The bytes of a checkpoint whose JSON says something else"
    import io
    with np.load(io.BytesIO(content)) as file:
        arrays = {key: file[key] for key in file.files}
    told = json.loads(bytes(arrays["content"]).decode())
    if what == "version": told["identity"]["fsnb"] = "0.0.1"
    elif what == "state list": told["state"] = []
    elif what == "no identity": del told["identity"]
    arrays["content"] = np.frombuffer(json.dumps(told).encode(), dtype=np.uint8)
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def judge_checkpoint(name, how, number):
    "A fit that goes on from a file: the answer of a whole fit, or one clear error that names it and leaves it as it is"
    content, expected = ended(name)
    (X, y), settings, model = searched(), {}, name
    if how == "other":
        if number == "X": X = np.where(np.arange(X.size).reshape(X.shape) == 77, X+1, X)
        elif number == "y": y = y[::-1]
        elif number == "X sparse": X = sp.csc_matrix(np.where(X > 1, X, 0))
        elif number in ("n_per_iter", "tau", "C"): settings = {number: {"n_per_iter": 2, "tau": .25, "C": 2.}[number]}
        elif number == "another selector": model = "GDMCV" if name != "GDMCV" else "GDM"
        else: content = retold(content, number)
    else: content = changed(content, name, how, number)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"search"
        if content is not None: path.write_bytes(content)
        ran = call(lambda: told_by(SEARCHES[model]().set_params(**settings).fit(X, y, checkpoint=path)))
        left = sorted(os.listdir(folder))
        if ran.bad: return Outcome("RuntimeWarning", ran.bad[0])
        if ran.error is None:
            if how == "other" and not (name == "OneClassGDM" and number == "y"): return Outcome("silent", f"goes on from a file of another fit: {number}")
            if left: return Outcome("silent", f"left after the fit: {left}")
            return Outcome("same") if ran.answer == expected else Outcome("silent", f"another answer: {ran.answer[:100]}")
        told = f"{type(ran.error).__name__}: {str(ran.error)[:200]} ({short_place(where(ran.error))})"
        if not isinstance(ran.error, (ValueError, OSError)) or isinstance(ran.error, UnicodeError): return Outcome("traceback", told)
        if left != ["search"] or path.read_bytes() != content: return Outcome("silent", "the file was changed or removed")
    return Outcome("refused" if str(path) in str(ran.error) else "unclear error", told)


def list_checkpoints():
    "All cases: (checkpoint, selector, how, number)"
    cases = []
    for name in SEARCHES:
        size = len(ended(name)[0])
        cases += [("checkpoint", name, "gone", ""), ("checkpoint", name, "noise", ""), ("checkpoint", name, "more", "8")]
        cases += [("checkpoint", name, "cut", str(n)) for n in range(0, size, max(1, size//CUTS))]
        cases += [("checkpoint", name, "flip", str(i)) for i in range(4*FLIPS)]
        cases += [("checkpoint", name, "other", what) for what in OTHERS]
    return cases


def list_folders():
    "All cases: (folder, kind, file, how, number) and (writer, what it writes, signal, number)"
    cases = []
    for kind in (*KINDS, "genotypes"):
        for name, content in parts(kind)[0].items():
            size = len(content)
            cases += [("folder", kind, name, "gone", ""), ("folder", kind, name, "noise", ""), ("folder", kind, name, "more", "8")]
            cases += [("folder", kind, name, "cut", str(n)) for n in range(0, size, max(1, size//CUTS))]
            cases += [("folder", kind, name, "flip", str(i)) for i in range(FLIPS)]
        if kind != "genotypes":
            record = json.loads(parts(kind)[0]["store.json"])
            cases += [("folder", kind, "store.json", "field", f"{'/'.join(place)}={told}") for place in places_of(record) for told in (*RECORD_VALUES, "missing")]
    return cases+list_checkpoints()+[("writer", "a store", name, str(i)) for i in range(MOMENTS) for name in ("SIGINT", "SIGKILL")]

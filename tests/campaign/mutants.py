"""Faults planted in a copy of the package, one at a time: the campaign must see each of them.

A mutant is a text of a file and what takes its place, and the cases that should fail then. `alive` are those that no case
has seen: a hole in the campaign, or a check that nobody needs.
"""
import json, os, shutil, subprocess, sys, tempfile, time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent.parent/"fsnb"
MOST = 40          # cases of a mutant, at most


class Mutant(NamedTuple):
    "One planted fault"
    file: str       # in the package
    old: str        # text that stands there once or more; the first is changed
    new: str
    part: str       # of the campaign
    words: tuple    # cases whose name holds one of these

V, A, R, N, T, W, S = ("data/checks.py", "data/inputs.py", "groups/groups.py", "data/npz.py", "data/tables.py", "data/writing.py", "data/inputs.py")
MUTANTS = {
    "an open end is closed": Mutant(V, "above = value >= low if", "above = value >= low or", "parameters", ("GDM / tau / 0", "GDM / tol / 0")),
    "no upper end": Mutant(V, "return bool(above and below)", "return bool(above)", "parameters", ("GDM / tau / inf", "GDM / tau / 1e50")),
    "a number of 309 digits": Mutant(V, "except OverflowError: return False", "except ZeroDivisionError: return False", "parameters", ("GDM / tau / 10**400",)),
    "a word for a number": Mutant(V, "if is_number(value) and _in_interval", "if not isinstance(value, float) or _in_interval", "parameters", ("GDM / tau / ",)),
    "numbers go uncounted": Mutant(V, "if is_number(value) and _in_interval(value, interval): return float(value)", "return value", "parameters", ("GDM / tau / ", "GDM / tol / ")),
    "a bool is a count": Mutant(V, "isinstance(value, (int, np.integer)) and not isinstance(value, bool)", "isinstance(value, (int, np.integer))", "parameters", ("GDM / max_iter / True", "GDM / n_features_to_select / True")),
    "a count from 0": Mutant(V, "least <= value", "least <= value+1", "parameters", ("GDM / max_iter / 0", "GDM / n_features_to_select / 0")),
    "a count without a name": Mutant(V, 'f"{name} must be {choice}a whole number', 'f"it must be {choice}a whole number', "parameters", ("GDM / max_iter / -1",)),
    "a value that is not shown": Mutant(V, "got {show_value(value)}{_advise_type(value)}", "got another", "parameters", ("GDM / tau / -1",)),
    "np.int8 stays what it is": Mutant(V, "else most): return int(value)", "else most): return value", "parameters", ("GDM / max_iter / np.", "make_groups / n_samples / np.", "make_groups / n_test / np.")),
    "any choice": Mutant(V, "if same_type and value == choice: return choice", "return value", "parameters", ("GDM / mode / ", "MMFS / kernel")),
    "any seed": Mutant(V, "raise ValueError(\"random_state must be None, a RandomState", "return np.random.RandomState(0)\n    raise ValueError(\"random_state must be None, a RandomState", "parameters", ("GDMCV / random_state",)),
    "indices beyond the end": Mutant(V, "if low >= 0 and high < size", "if low >= 0", "parameters", ("correlation_table / a / ",)),
    "byte order stays": Mutant(V, "return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder(\"=\"))", "return values", "inputs", ("GDM / dtype >", "MMFS su / dtype >")),
    "float16 stays": Mutant(A, "X.dtype.itemsize == 2", "X.dtype.itemsize == 1", "inputs", ("GDM / dtype float16",)),
    "longdouble stays": Mutant(A, "or X.dtype.itemsize > 8", "or X.dtype.itemsize > 80", "inputs", ("GDM / dtype longdouble", "MMFS su / dtype longdouble")),
    "bool stays": Mutant(A, "if X.dtype == bool: return", "if X.dtype == float: return", "inputs", ("GDM / dtype ", "GDM / sparse")),
    "structure unchecked": Mutant(A, "if sp.issparse(X): _check_structure(X)\n    elif", "if", "inputs", ("GDM / broken", "as_columns / broken")),
    "dates are numbers": Mutant(A, "_check_odd_columns(X)", "None", "inputs", ("GDM / pandas datetime", "GDM / polars dates", "group_p_values / pandas", "GDM / polars")),
    "masks are not seen": Mutant(A, "elif np.ma.is_masked(X)", "elif False", "inputs", ("GDM / masked",)),
    "NaN is a number": Mutant(A, "    _check_finite(numbers, names, allow_nan)\n", "", "inputs", ("GDM / one NaN", "as_columns / one NaN", "MMFS / one inf")),
    "JSON: any format": Mutant(R, "if not isinstance(record, dict) or record.pop(\"format\", None) != _FORMAT:", "if record.pop(\"format\", None) is True:", "files", ("groups.json / wrong / json", "groups.json / field / format")),
    "JSON: no path": Mutant(R, "raise ValueError(f\"{where} holds damaged", "raise ValueError(f\"damaged", "files", ("groups.json / cut",)),
    "JSON: deep nesting": Mutant(R, "                RecursionError) as error:", "                ZeroDivisionError) as error:", "files", ("groups.json / wrong / json deep",)),
    "JSON: members that are cut to whole numbers": Mutant(R, "_read_numbers(f\"members[{i}]\", own, \"iu\")", "np.asarray(own)", "files", ("groups.json / field / members",)),
    "npz: structure unchecked": Mutant(N, "    X.check_format(full_check=True)\n", "", "files", ("x.npz / archive / indices", "x.npz / archive / indptr")),
    "npz: fractions are cut off": Mutant(N, "    if array.dtype.kind in \"iu\" and array.ndim == 1: return array\n", "    return array.astype(int)\n", "files", ("x.npz / archive / in", "x.npz / archive / shape")),
    "npz: any member": Mutant(N, "if isinstance(array, np.ndarray): return array", "return array", "files", ("x.npz / archive / members",)),
    "csv: any column is a label": Mutant(T, "if len(found) == 1: return found[0]", "return -1", "files", ("x.csv / wrong / csv",)),
    "csv: an index is a feature": Mutant(T, "if _UNNAMED.fullmatch(name) and i not in taken", "if False", "files", ("x.csv / wrong / csv",)),
    "files: values unchecked": Mutant("data/files.py", "    _check_values(X, y, names)\n", "", "files", ("x.npz / archive / X of", "x.svm / wrong / svm value")),
    "files: shapes unchecked": Mutant("data/files.py", "    _check_shapes(X, y, names)\n", "", "files", ("x.npz / archive / ",)),
    "files: errors without the path": Mutant("data/formats.py", "raise ValueError(text if told else f\"{path}: {text}\") from None", "raise ValueError(text) from None", "files", ("x.svm / wrong",)),
    "files: a cut gzip is an error of a program": Mutant("data/formats.py", "except (EOFError, zlib.error) as error", "except ZeroDivisionError as error", "files", ("x.csv.gz / cut", "x.svm.bz2 / cut")),
    "writing: straight to the target": Mutant(W, "        os.replace(part, target)\n", "        target.write_bytes(part.read_bytes()[:-9])\n", "kills", ("stdout full", "stdout closed")),
    "writing: the part stays": Mutant(W, "        os.replace(part, target)\n    finally:\n        part.unlink(missing_ok=True)\n", "        __import__('shutil').copy(part, target)\n    finally:\n        pass\n", "kills", ("long name", "stdout full")),
    "far columns are taken": Mutant(S, "_EPS*np.abs(mean) > _LOST*std", "_EPS*np.abs(mean) > std/_LOST", "inputs", ("correlation_table / plus 1e15", "group_columns / plus 1e15", "Pearson / plus 1e15", "GDM / plus 1e15")),
    "columns without squares are taken": Mutant(S, "np.flatnonzero(~np.isfinite(columns.moments()[1]))", "np.flatnonzero(columns.moments()[1] < 0)", "inputs", ("GDM / scale 1e300", "correlation_table / scale 1e300", "Pearson / scale 1e300", "GDM / one column 1e300")),
    "small columns are constant": Mutant(S, "if varies.any(): return some[varies]", "if False: return some[varies]", "inputs", ("GDM / one column 1e 300", "correlation_table / scale 1e 300", "GDM / scale 1e 300")),
    "functions do not look": Mutant(S, "if not getattr(columns, \"is_checked\", False): check_scale(columns)", "", "inputs", ("correlation_table / scale", "correlation_table / plus 1e", "correlation_table / one column", "Pearson / scale", "correlation_with / scale")),
    "a number for a list": Mutant(V, "if given is not None and given.ndim == 1:", "if given is not None:", "parameters", ("correlation_table / a / ", "correlation_table / b / ")),
    "stores: a record is not sealed": Mutant("data/store_record.py", "if _seal_record(record) == record: return record", "return record", "folders", ("sparse / store.json / field", "equal / store.json / field")),
    "stores: bytes are not compared": Mutant("data/store_record.py", "if _checksum_file(Path(path)/name, start) != crc:", "if False:", "folders", ("sparse / data.npy / flip", "dense / X.npy / flip")),
    "y of one class": Mutant("correlation/target.py", "if len(classes) > 1: return", "return", "inputs", ("GDM / y one class", "MMFS / y one class", "FCBF / y one class")),
}


def plant(copy, mutant):
    "Change the file; gives its text before"
    path = copy/"fsnb"/mutant.file
    text = path.read_text(encoding="utf-8")
    if mutant.old not in text: raise LookupError(f"{mutant.file} does not hold {mutant.old!r}: the mutant is out of date")
    path.write_text(text.replace(mutant.old, mutant.new, 1), encoding="utf-8")
    return text


def copy_package(folder):
    "The package with its compiled kernels, in another place"
    shutil.copytree(PACKAGE, Path(folder)/"fsnb")
    return Path(folder)


def cases_of(mutant):
    "Names of the cases that should see it"
    from cases import list_cases, name_of, sample_of
    found = [c for c in list_cases(mutant.part) if any(w in name_of(c) if w.startswith(" ") else name_of(c).startswith(w) for w in mutant.words)]
    return sample_of(found, MOST if mutant.part != "kills" else 4)


def is_killed(copy, cases):
    "Whether a process that uses the copy says of one of the cases that it is not right"
    environment = os.environ | {"PYTHONPATH": str(copy)}
    done = subprocess.run([sys.executable, str(HERE/"mutants.py")], input=json.dumps(cases), env=environment, cwd=copy,
                          capture_output=True, text=True, timeout=600)
    if done.returncode == 0: return False, ""
    return True, (done.stdout.strip().splitlines() or [f"exit code {done.returncode}"])[-1]


def run_mutants(names=None, show=print):
    "Plant each; gives how many were killed, and the names of those alive"
    alive, began = [], time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_package(folder)
        if is_killed(copy, [c for m in list(MUTANTS.values())[::6] for c in cases_of(m)[:3] if m.part != "kills"])[0]:
            show("the campaign is not right without a planted fault: mutants tell nothing")
        for name in names or MUTANTS:
            mutant = MUTANTS[name]
            text = plant(copy, mutant)
            killed, why = is_killed(copy, cases_of(mutant))
            (copy/"fsnb"/mutant.file).write_text(text, encoding="utf-8")
            if not killed: alive.append(name)
            show(f"{'killed' if killed else 'ALIVE':8}{name}{': ' if why else ''}{why[:110]}")
    total = len(names or MUTANTS)
    show(f"mutants: {total-len(alive)} of {total} killed, {time.perf_counter()-began:.0f} s")
    return {"killed": total-len(alive), "of": total, "alive": alive}


def serve_cases():
    "Try cases from standard input; ends with 1 at the first that is not right"
    import fsnb
    if Path(fsnb.__file__).is_relative_to(PACKAGE): raise RuntimeError("this is not the copy")
    from cases import judge, name_of
    from known import known_line
    for case in json.load(sys.stdin):
        outcome = judge(case)
        if outcome.right or known_line(name_of(case)): continue
        print(outcome.word, name_of(case), " ".join(outcome.told.split()))
        sys.exit(1)


if __name__ == "__main__": serve_cases()

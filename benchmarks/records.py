"Files of results: what was measured, by which commit, on which machine, with the keys of the answers that it rests on."
import datetime
import importlib.metadata
import json
import os
import platform
import subprocess
from pathlib import Path

from .answers import USES, find_keys

RESULTS = Path(__file__).parent/"results"


def read_result(name):
    "What is written of a benchmark; nothing where it has not been run"
    path = RESULTS/f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def machine():
    "What the figures were measured on"
    versions = {p: importlib.metadata.version(p) for p in ("numpy", "scipy", "numba", "scikit-learn")}
    return dict(python=platform.python_version(), threads=int(os.environ.get("OMP_NUM_THREADS", 0)), **versions)


def origin():
    "Of which commit the code was, and on which day it ran; no commit outside a repository"
    root = Path(__file__).parent
    asked = subprocess.run(["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    return dict(commit=asked.stdout.strip() or None, date=datetime.date.today().isoformat())


def write_json(path, values):
    "All or nothing"
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".part")
    half.write_text(json.dumps(values, indent=1, default=float)+"\n")
    half.replace(path)


def find_larger(result, stored):
    "In what the stored result is larger than this one: its size, or a table that has more rows; '' if in nothing"
    if stored.get("size") == "full" != result.get("size"): return "its size is full"
    counts = {key: (len(rows), len(result.get(key, ()))) for key, rows in stored.items() if isinstance(rows, list)}
    return ", ".join(f"{key} has {old} rows, not {new}" for key, (old, new) in counts.items() if old > new)


def write_result(name, result, whole=True, minutes=None, over=True):
    """benchmarks/results/<name>.json, with what made it and the keys of its answers

    The parts of a long run go when the whole of it is written. `minutes`: of the processor; `over=False` keeps a file that holds more.
    """
    path = RESULTS/f"{name}.json"
    larger = "" if over or not path.exists() else find_larger(result, json.loads(path.read_text()))
    if larger:
        print(f"kept {path.name}, which holds more ({larger}): delete it to write this run in its place")
        return
    keys = dict(answers=find_keys(name)) if name in USES else {}
    made = origin() if minutes is None else dict(origin(), cpu_minutes=round(minutes, 1))
    write_json(path, dict(result, machine=machine(), made=made, **keys))
    if whole: (RESULTS/"parts"/f"{name}.json").unlink(missing_ok=True)
    print("wrote", path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def write_part(name, title, **found):
    "Puts a part into the results file that is there, with the commit and the day of this part"
    path = RESULTS/f"{name}.json"
    known = json.loads(path.read_text())
    made = known.get("made_parts", {}) | {title: origin()}
    write_json(path, known | found | dict(made_parts=made))

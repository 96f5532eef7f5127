"Files of results: what was measured, by which commit, on which machine, with the keys of the answers that it rests on."
import datetime, importlib.metadata, json, os, platform, subprocess
from pathlib import Path
from .answers import USES, find_keys

RESULTS = Path(__file__).parent/"results"

def read_result(name):
    "What is written of a benchmark; nothing where it has not been run"
    path = RESULTS/f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else {}

def origin():
    "Of which commit the code was, and on which day it ran; no commit outside a repository"
    root = Path(__file__).parent
    asked = subprocess.run(["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    return dict(commit=asked.stdout.strip() or None, date=datetime.date.today().isoformat())

def write_json(name, values):
    "All or nothing"
    path = RESULTS/f"{name}.json"
    half = path.with_suffix(".part")
    half.write_text(json.dumps(values, indent=1, default=float)+"\n")
    half.replace(path)

def write_result(name, result, minutes):
    "benchmarks/results/<name>.json, with what made it in how many minutes of the processor; a file that holds more is kept"
    counts = {key: (len(rows), len(result.get(key, ()))) for key, rows in read_result(name).items() if isinstance(rows, list)}
    larger = ", ".join(f"{key} has {old} rows, not {new}" for key, (old, new) in counts.items() if old > new)
    if larger:
        print(f"kept {name}.json, which holds more ({larger}): delete it to write this run in its place")
        return
    keys = dict(answers=find_keys(name)) if name in USES else {}
    versions = {p: importlib.metadata.version(p) for p in ("numpy", "scipy", "numba", "scikit-learn")}
    machine = dict(python=platform.python_version(), threads=int(os.environ.get("OMP_NUM_THREADS", 0)), **versions)
    write_json(name, dict(result, machine=machine, made=dict(origin(), cpu_minutes=round(minutes, 1)), **keys))
    print(f"wrote {name}.json")

def write_part(name, result):
    "Puts sections into the results file that is there, with the commit and the day of these sections"
    known = read_result(name)
    made = known.get("made_parts", {}) | {", ".join(result): origin()}
    write_json(name, known | result | dict(made_parts=made))

"""Planted faults: each of mutants.toml is put into a copy of the package, and the tests named beside it must fail.

    python tests/mutants.py                all of them; a quarter of an hour
    python tests/mutants.py "NaN" store    those whose names hold one of these words

Not a test itself: `make mutants` runs it. A fault that no test sees is a hole in the tests, or a check that nobody needs.
"""
import os, shutil, subprocess, sys, tempfile, tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent

class Mutant(NamedTuple):
    "One planted fault"
    file: str       # in the package
    old: str        # text that stands there; the first is changed
    new: str
    tests: str      # arguments of pytest that must fail then

TABLE = tomllib.loads((ROOT/"tests/mutants.toml").read_text(encoding="utf-8"))
MUTANTS = {name: Mutant(**own) for name, own in TABLE.items()}

def survives(copy, mutant):
    "Whether its tests pass with the fault in place"
    path = copy/"fsnb"/mutant.file
    text = path.read_text(encoding="utf-8")
    if mutant.old not in text: raise LookupError(f"{mutant.file} does not hold {mutant.old!r}: the mutant is out of date")
    path.write_text(text.replace(mutant.old, mutant.new, 1), encoding="utf-8")
    told = subprocess.run(f"{sys.executable} -P -m pytest -q -x -p no:cacheprovider {mutant.tests}", shell=True, cwd=ROOT,
                          env=os.environ | {"PYTHONPATH": str(copy)}, capture_output=True, text=True)
    path.write_text(text, encoding="utf-8")
    if told.returncode in (2, 3, 4, 5): raise RuntimeError(told.stdout[-2000:]+told.stderr[-2000:])
    return told.returncode == 0         # a crash is seen, too

def main(words):
    "Plant all, or those that are asked for; the exit code counts the survivors"
    names = [name for name in MUTANTS if not words or any(word in name for word in words)]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        shutil.copytree(ROOT/"fsnb", copy/"fsnb")
        found = subprocess.run([sys.executable, "-P", "-c", "import fsnb; print(fsnb.__file__)"], cwd=ROOT, text=True, check=True,
                               env=os.environ | {"PYTHONPATH": str(copy)}, capture_output=True).stdout
        if not Path(found.strip()).is_relative_to(copy): raise RuntimeError(f"this is not the copy: {found}")
        alive = []
        for name in names:
            if survives(copy, MUTANTS[name]): alive.append(name)
            print(f"{'ALIVE' if name in alive else 'killed':8}{name}", flush=True)
    print(f"{len(names)-len(alive)} of {len(names)} planted faults are seen")
    return len(alive)

if __name__ == "__main__": sys.exit(main(sys.argv[1:]))

"""Run the benchmarks and write benchmarks/results/<name>.json, one file a benchmark.

    python -m benchmarks                   all of them
    python -m benchmarks groups speed      some
    python -m benchmarks papers            those that print the papers' tables and figures again: two hours
    python -m benchmarks --quick           fewer seeds, smaller sizes, nothing written: to see that they run
    python -m benchmarks fdr --only few    some sections of a benchmark that has them (chance, fdr, rivals, scale), nothing written
    python -m benchmarks fdr --seeds 5     as many data sets a row (fdr, rivals), nothing written
    python -m benchmarks fdr --only few --write     those sections take the place of the file's, with a commit of their own
    python -m benchmarks fdr --keys        the keys of today's answers, without a run: only where the commit that made it gives the same

A file that holds more than the run (sets that FSNB_DATA lacks here) is kept, and a sentence says so.
"""
import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import argparse, functools, importlib, inspect, time, warnings
import pandas as pd
from .answers import USES, find_keys
from .records import read_result, write_json, write_part, write_result

PAPERS = "icml2012", "table42", "discovery", "learning", "mmfs_rivals", "fsir2_rivals", "fcbf_rivals"     # what `make papers` runs
MODULES = {
    "chance": "chance", "compare": "compare", "correlation": "correlation membership", "exact": "exact bound",
    "fcbf": "fcbf fcbf_rivals", "fdr": "fdr", "front": "front", "fsir2": "fsir2 fsir2_rivals", "gdm": "groups decoys speed sparse real",
    "genotypes": "genotypes survey", "icml2012": "icml2012", "mkl": "mkl", "mmfs": "mmfs mmfs_rivals qpfs",
    "packages": "embedded spectral fused", "rivals": "rivals", "scale": "scale", "significance": "significance stability",
    "thesis2015": "table42 discovery learning", "variants": "classes folds oneclass sensitivity"}
WHERE = {name: module for module, names in MODULES.items() for name in names.split()}
NAMES = tuple(WHERE)

def find_run(name):
    "The function of a benchmark, `run_NAME` of its file or `run` of a file that has no other: without warnings, rows are collected"
    found = importlib.import_module(f"benchmarks.{WHERE[name]}")
    run = getattr(found, f"run_{name}", None) or found.run
    @functools.wraps(run)
    def collected(**given):
        with warnings.catch_warnings(action="ignore"):                       # constants in a half, few samples
            return {key: list(part) if inspect.isgenerator(part) else part for key, part in run(**given).items()}
    return collected

def show(value, title):
    "Print the tables of a result, but for columns that hold lists"
    for key, part in value.items() if isinstance(value, dict) else (): show(part, f"{title}, {key}")
    if not (isinstance(value, list) and value and isinstance(value[0], dict)): return
    shown = [{key: cell for key, cell in row.items() if not isinstance(cell, (list, dict))} for row in value]
    print(title, pd.DataFrame(shown).to_string(index=False, float_format="{:.4g}".format), "", sep="\n", flush=True)

def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=NAMES, metavar="name", help=", ".join(NAMES))
    parser.add_argument("--quick", action="store_true", help="small sizes, nothing written")
    parser.add_argument("--only", nargs="+", metavar="section", help="some sections, nothing written")
    parser.add_argument("--seeds", type=int, help="data sets a row, nothing written")
    parser.add_argument("--write", action="store_true", help="write the sections of --only into the file")
    parser.add_argument("--keys", action="store_true", help="give the files the keys of today's answers, without a run")
    args = parser.parse_args()
    names = [name for given in args.names for name in (PAPERS if given == "papers" else [given])]
    unknown = sorted(set(names)-set(NAMES))
    if unknown: parser.error(f"unknown benchmark {unknown[0]!r}; there are {', '.join(NAMES)}")
    if args.keys:
        for name in names:
            if name in USES: write_json(name, read_result(name) | dict(answers=find_keys(name)))
        return
    for name in names:
        print(f"\n== {name} ==", flush=True)
        run, asked = find_run(name), dict(only=args.only, seeds=args.seeds)
        known, start = inspect.signature(run).parameters, time.process_time()
        given = {option: value for option, value in asked.items() if value and option in known}
        result = run(quick=args.quick, **given)
        minutes = (time.process_time()-start)/60
        show(result, name)
        if not (args.quick or args.only or args.seeds): write_result(name, result, minutes)
        if args.only and args.write: write_part(name, result)

if __name__ == "__main__": main()

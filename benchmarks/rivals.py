"""Who finds the groups: GDM beside PLINK's clumps, SuSiE, CluDL, SmartCorrelatedSelection and an L1-SVM, the number of groups unknown to all.

    OMP_NUM_THREADS=1 python -m benchmarks.rivals                                           about 6 minutes
    OMP_NUM_THREADS=1 python -m benchmarks.rivals --only GDM --seeds 50 --budget 600        some methods, more seeds
    OMP_NUM_THREADS=1 python -m benchmarks.rivals --full --seeds 50 --budget 600            everything, hours

A run puts its rows in the place of the old ones in benchmarks/results/rivals.json. SuSiE, CluDL, the L1-SVM and SmartCorrelatedSelection
as it comes are slow, and none of our code changes them: what was measured of them stands until --only names them, or --full is given.
`--only CluDL` runs the methods whose names contain CluDL; the settings that an earlier run chose are used again, unless --retune is given.
Every method has one setting for each kind of data, the best of its grid over all settings with an effect, on seeds of 1000 and more,
which it is not judged by; GDM("auto") runs as it comes.
"""
import argparse
import json
import resource
import shutil
import subprocess
import sys
import time
import numpy as np
from .common import RESULTS, table, write_result
from .rivaldata import KINDS, N_GROUPS, SETTINGS, plant
from .rivalmethods import METHODS, answers_of

WIDE = ("r=.8", "null")                         # settings at p = 1e5
FIRST_TUNING_SEED = 1000
PACKAGES = "pysusie", "hidimstat", "feature-engine"


def cpu():
    "CPU seconds of this process and of its children that have ended"
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time()+children.ru_utime+children.ru_stime


# scores

def best_overlap(group, reported):
    "The reported group that shares most members with a true one, the smaller of two that share as many; None where none does"
    shared = [(len(np.intersect1d(group, other)), -len(other), -i) for i, other in enumerate(reported)]
    most = max(shared, default=(0,))
    return reported[-most[2]] if most[0] else None


def score(reported, data):
    "What one answer found of the truth; sums over the true groups that it found"
    truth = data.truth
    answering = [best_overlap(group, reported) for group in truth]
    found = [(group, own) for group, own in zip(truth, answering) if own is not None]
    shared = [len(np.intersect1d(group, own)) for group, own in found]
    planted, held = np.concatenate([*truth, np.empty(0, int)]), np.concatenate([*reported, np.empty(0, int)])
    return dict(found=len(found), reported=len(reported), false=sum(not np.isin(own, planted).any() for own in reported),
                precision=sum(s/len(own) for s, (_, own) in zip(shared, found)), recall=sum(s/len(group) for s, (group, _) in zip(shared, found)),
                f1=sum(2*s/(len(own)+len(group)) for s, (group, own) in zip(shared, found)), covered=sum(group[0] in held for group, _ in found),
                masked=sum(answering[i] is not None for i in data.masked), features=len(np.unique(held)))


def merit(s):
    "What the settings are chosen by: the mean of discovery (F1), membership (F1) and coverage, where a group that is not found counts as 0"
    discovery = 2*s["found"]/(N_GROUPS+s["found"]+s["false"])
    return (discovery+s["f1"]/N_GROUPS+s["covered"]/N_GROUPS)/3


# settings

def tune(method, kind, p, n_seeds):
    "The setting of the grid with the best mean merit over data sets with an effect, and how many these were"
    settings = [s for s in SETTINGS if s != "null"] if not method.slow else ["r=.6", "unequal"]
    seeds = range(FIRST_TUNING_SEED, FIRST_TUNING_SEED+(1 if method.slow else n_seeds))
    merits = []
    for setting in settings:
        for seed in seeds:
            data = plant(kind, setting, p, seed)
            merits.append([merit(score(own, data)) for own in answers_of(method, data, method.grid)[0]])
    mean = np.mean(merits, axis=0)
    return dict(setting=method.grid[int(mean.argmax())], merit=float(mean.max()), tried=len(method.grid), data_sets=len(merits))


# rows

def summary(runs, of):
    "Means over the seeds; membership and coverage over the true groups that were found"
    total = {name: sum(run[name] for run in runs) for name in runs[0]}
    n, found = len(runs), total["found"]
    share = lambda name: round(total[name]/found, 4) if found else None
    row = dict(seeds=n, found=total["found"]/n, of=of, false=total["false"]/n, reported=total["reported"]/n, features=total["features"]/n,
               precision=share("precision"), recall=share("recall"), coverage=share("covered"), masked=total["masked"]/n,
               found_error=np.std([run["found"] for run in runs])/np.sqrt(n), any_false=float(np.mean([run["false"] > 0 for run in runs])),
               seconds=float(np.median([run["seconds"] for run in runs])), megabytes=max(run["bytes"] for run in runs)/2**20)
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()}


def judge(method, kind, setting, p, setting_of_method, seeds, seconds):
    "Rows of one method on one kind of data: seeds 0, 1, ... until `seconds` of CPU are spent, at least one"
    runs, start = [], cpu()
    for seed in range(seeds):
        data = plant(kind, setting, p, seed)
        begun = cpu()
        answers, _, peak = answers_of(method, data, [setting_of_method])
        runs.append(score(answers[0], data) | dict(seconds=cpu()-begun, bytes=peak))
        if cpu()-start > seconds: break
    return summary(runs, len(data.truth))


def cells(quick, widths, chosen=SETTINGS):
    "(kind, p, setting), narrow ones first; of the chosen settings"
    if quick: return [(kind, 1000, setting) for kind in KINDS for setting in ("r=.8", "null")]
    return [(kind, p, setting) for p in widths for kind in KINDS for setting in (SETTINGS if p < 100000 else WIDE) if setting in chosen]


def why_not(method, kind, p, setting):
    "None where the method can run; '' where nobody would expect it to; else the reason"
    if kind not in method.kinds: return ""
    if method.only and setting not in method.only: return ""
    return (method.cannot or {}).get((kind, p))


def warm_up(method, kind):
    "Compile and import what the clock should not see"
    data = plant(kind, "r=.8", 600, 999)
    answers_of(method, data, method.grid[:1])


def compare(method, places, best, args):
    "Rows of one method"
    rows, share = [], args.budget/max(1, len(places))
    for kind, p, setting in places:
        reason = why_not(method, kind, p, setting)
        if reason == "": continue
        row = dict(kind=kind, p=p, setting=setting, method=method.name)
        seeds = args.seeds if p < 100000 else min(args.seeds, args.wide_seeds)
        try: row |= dict(note=reason) if reason else judge(method, kind, setting, p, best[kind]["setting"], seeds, share) | dict(note=method.note())
        except Exception as error: row |= dict(note=f"failed: {type(error).__name__}: {error}"[:160])
        rows.append(row)
    return rows


def one_method(method, places, known, args):
    "(rows, {kind: setting}); settings are chosen where none are known"
    best = dict(known or {})
    for kind in KINDS:
        if kind not in method.kinds: continue
        warm_up(method, kind)
        if kind not in best or args.retune and len(method.grid) > 1:
            best[kind] = dict(setting=method.grid[0], tried=1, data_sets=0) if len(method.grid) == 1 or args.quick else tune(method, kind, 10000, args.tuning_seeds)
    return compare(method, places, best, args), best


def merged(old, new):
    "Old rows, with new ones in their places; in the order of the cells and of the methods"
    key = lambda row: (row["p"], KINDS.index(row["kind"]), SETTINGS.index(row["setting"]), list(METHODS).index(row["method"]))
    rows = {key(row): row for row in [*old, *new] if row["method"] in METHODS}
    return [rows[k] for k in sorted(rows)]


def versions():
    "Of the rivals that are installed"
    import importlib.metadata as md
    found = {}
    for name in PACKAGES:
        try: found[name] = md.version(name)
        except md.PackageNotFoundError: found[name] = None
    program = shutil.which("plink1.9")
    return found | dict(plink=program and subprocess.run([program, "--version"], capture_output=True, text=True).stdout.strip())


def show(rows):
    "A table for each cell"
    shown = ("method", "seeds", "found", "of", "false", "any_false", "precision", "recall", "coverage", "seconds", "megabytes", "note")
    for kind, p, setting in dict.fromkeys((row["kind"], row["p"], row["setting"]) for row in rows):
        own = [row for row in rows if (row["kind"], row["p"], row["setting"]) == (kind, p, setting)]
        names = (*shown[:5], "masked", *shown[5:]) if setting == "masked" else shown
        title = f"{kind}, p = {p:,}, {setting}: groups found, false groups, members, coverage of the causal feature, CPU seconds, MB of resident memory"
        table([{name: row.get(name, "") for name in names} for row in own], title)


def read_results():
    path = RESULTS/"rivals.json"
    return json.loads(path.read_text()) if path.exists() else {}


def arguments(words):
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rivals", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", metavar="TEXT", help="methods whose name contains one of these")
    parser.add_argument("--seeds", type=int, default=50, help="at most so many at p = 1e4")
    parser.add_argument("--wide-seeds", type=int, default=5, help="at most so many at p = 1e5")
    parser.add_argument("--widths", type=int, nargs="*", default=[10000, 100000])
    parser.add_argument("--settings", nargs="*", default=SETTINGS, choices=SETTINGS)
    parser.add_argument("--budget", type=float, default=60, help="CPU seconds for each method, tuning apart; every cell gets one seed at least")
    parser.add_argument("--full", action="store_true", help="the slow methods too")
    parser.add_argument("--tuning-seeds", type=int, default=2)
    parser.add_argument("--retune", action="store_true")
    parser.add_argument("--quick", action="store_true")
    return parser.parse_args(words)


def is_asked(method, args, rows):
    "Is the method to be run? A slow one that has rows only where it is named, or all are"
    if args.only is not None: return any(text in method.name for text in args.only)
    known = any(row["method"] == method.name for row in rows)
    return args.full or args.quick or not (method.stands and known)


def put(own, name, setting, old):
    "The results with one method's rows and setting in the place of its old ones"
    best = {known: own for known, own in old.get("best", {}).items() if known in METHODS}
    return dict(rows=merged(old.get("rows", []), own), best=best | {name: setting}, rivals=versions())


def run(quick=False, words=()):
    "All methods that are installed, the rest by name; what stands is written after each method, unless quick"
    args = arguments([*words, *(["--quick", "--seeds", "1"] if quick else [])])
    old = {} if quick else read_results()
    best, places, result, new = old.get("best", {}), cells(quick, args.widths, args.settings), old, []
    for name, method in METHODS.items():
        if not is_asked(method, args, old.get("rows", [])): continue
        if not method.needs():
            print(f"skipped, not installed: {name}", flush=True)
            continue
        own, best[name] = one_method(method, places, best.get(name), args)
        new += own
        print(f"{name}: {len(own)} rows", flush=True)
        result = put(own, name, best[name], {} if quick else read_results())
        if not quick: write_result("rivals", result)
    show(merged([], new))
    return result


if __name__ == "__main__": run("--quick" in sys.argv, [word for word in sys.argv[1:] if word != "--quick"])

"""Planted faults: each is put into a copy of the package, and the tests named beside it must fail.

    python tests/mutants.py                all of them; a quarter of an hour
    python tests/mutants.py "NaN" store    those whose names hold one of these words

Not a test itself: `make mutants` runs it. A fault that no test sees is a hole in the tests, or a check that nobody needs.
"""
import os, shutil, subprocess, sys, tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent

class Mutant(NamedTuple):
    "One planted fault"
    file: str       # in the package
    old: str        # text that stands there; the first is changed
    new: str
    tests: str      # arguments of pytest that must fail then

CHECKS, FILES, STORES = "tests/data/test_checks.py", "tests/data/test_files.py", "tests/data/test_store.py"
WRITING, CONVERT = "tests/data/test_writing.py", "tests/data/test_convert.py"
INPUTS = "tests/test_inputs.py -k 'becomes or [GDM] or damaged'"
SCALE = "tests/data/test_inputs_scale.py"
AUTO, FEW = "tests/gdm/test_auto.py", "tests/groups/test_few_samples.py"
TRUTH = "tests/test_ground_truth.py"
CHANCE, E_VALUES = "tests/gdm/test_gdm_chance.py", "tests/gdm/test_e_values.py -k chance"
STEP, SCREEN = " -k 'plain_loops'", "tests/data/test_sparse.py -k plain_loop"
SELDOM = "tests/correlation/test_cooccurrence_ranks.py -k seldom_called"
MUTANTS = {
    "number: an open end is closed": Mutant("data/checks.py", 'above = number >= low if interval[0] == "["', 'above = number >= low if True', CHECKS),
    "number: no upper end": Mutant("data/checks.py", 'if above and below: return number', 'if above or below: return number', CHECKS),
    "number: 309 digits": Mutant("data/checks.py", "except OverflowError: number", "except ZeroDivisionError: number", CHECKS),
    "count: a bool counts": Mutant("data/checks.py", "isinstance(value, (int, np.integer)) and not isinstance(value, bool)", "isinstance(value, (int, np.integer))", CHECKS),
    "count: from one less": Mutant("data/checks.py", "is_whole(value) and least <= value", "is_whole(value) and least <= value+1", CHECKS),
    "choice: 1 is True": Mutant("data/checks.py", "if same_type and value == choice", "if value == choice", CHECKS),
    "indices beyond the end": Mutant("data/checks.py", "if low >= 0 and high < size", "if low >= 0", CHECKS),
    "byte order stays": Mutant("data/inputs.py", "return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder(\"=\"))", "return values", INPUTS),
    "float16 stays": Mutant("data/inputs.py", "X.dtype.itemsize == 2", "X.dtype.itemsize == 1", INPUTS),
    "longdouble stays": Mutant("data/inputs.py", "or X.dtype.itemsize > 8", "or X.dtype.itemsize > 80", INPUTS),
    "structure unchecked": Mutant("data/inputs.py", "if sp.issparse(X): _check_structure(X)\n    elif", "if", INPUTS),
    "entries twice": Mutant("data/sparse.py", "    X.sum_duplicates()\n", "", INPUTS),
    "dates are numbers": Mutant("data/inputs.py", "return kind.startswith(_NO_NUMBERS)", "return False", INPUTS),
    "masks are not seen": Mutant("data/inputs.py", "elif np.ma.is_masked(X)", "elif False", INPUTS),
    "NaN is a number": Mutant("data/inputs.py", "    _check_finite(numbers, names, allow_nan)\n", "", SCALE),
    "far columns are taken": Mutant("data/inputs.py", "_EPS*np.abs(mean) > _LOST*std", "_EPS*np.abs(mean) > std/_LOST", SCALE),
    "columns without squares are taken": Mutant("data/inputs.py", "np.flatnonzero(~np.isfinite(std))", "np.flatnonzero(std < 0)", SCALE),
    "functions do not look": Mutant("data/inputs.py", "        check_scale(columns, mean, std)\n", "", SCALE),
    "JSON: any format": Mutant("groups/groups.py", "if not isinstance(record, dict) or record.pop(\"format\", None) != _FORMAT:", "if record.pop(\"format\", None) is True:", FILES+" tests/groups/test_groups.py"),
    "JSON: no path": Mutant("groups/groups.py", "raise ValueError(f\"{where} holds damaged", "raise ValueError(f\"damaged", FILES),
    "JSON: deep nesting": Mutant("groups/groups.py", "                RecursionError) as error:", "                ZeroDivisionError) as error:", FILES),
    "JSON: fractions are cut off": Mutant("groups/groups.py", "_read_numbers(f\"members[{i}]\", own, \"iu\")", "np.asarray(own)", FILES),
    "npz: pickles": Mutant("data/files.py", "np.load(file, allow_pickle=False) as archive", "np.load(file, allow_pickle=True) as archive", FILES),
    "npz: structure unchecked": Mutant("data/files.py", "        _check_structure(X)\n", "", FILES),
    "files: values unchecked": Mutant("data/files.py", "    _check_finite(X, names, allow_nan)\n", "", FILES),
    "files: numbers of labels unchecked": Mutant("data/files.py", "if y.shape not in ((n_samples,), (n_samples, 1)) or y", "if y", FILES),
    "files: errors without the path": Mutant("data/writing.py", "raise ValueError(text if text.startswith(str(path)) else f\"{path}: {text}\") from None", "raise ValueError(text) from None", FILES),
    "files: a cut gzip is an error of a program": Mutant("data/writing.py", "_NONSENSE = (EOFError, ", "_NONSENSE = (", FILES),
    "writing: straight to the target": Mutant("data/writing.py", "            os.replace(part, target)\n", "            target.write_bytes(part.read_bytes()[:-9])\n", WRITING),
    "stores: a record is not sealed": Mutant("data/store.py", "if _seal_record(record) != record:", "if False:", STORES),
    "stores: nonsense in a record": Mutant("data/store.py", "if arrays != right: raise", "if False: raise", STORES),
    "stores: files of others go": Mutant("data/store.py", "if file.name in own and file.is_file()", "if file.is_file()", STORES),
    "stores: links are followed": Mutant("data/store.py", "if file.is_file() and not file.is_symlink(): return file", "if file.is_file(): return file", STORES),
    "stores: the older one is not found": Mutant("data/store.py", "return next((old for old in older if (old/_RECORD).is_file()), path)", "return path", STORES),
    "stores: of two pieces": Mutant("data/store.py", "if _identify_folder(path) != before: continue", "pass", STORES),
    "stores: synced through a reader": Mutant("data/store.py", "os.O_RDONLY if is_folder else os.O_RDWR", "os.O_RDONLY", STORES),
    "stores: names of another store": Mutant("data/store.py", "is_own = f\"{zlib.crc32(content):08x}\" == about.get(\"crc32\") and", "is_own =", STORES),
    "conversion: the memory is no limit": Mutant("data/convert.py", "if _BYTES_EACH*(n+p) <= memory: return", "return", CONVERT),
    "conversion: a full disk is the input's": Mutant("data/writing.py", "if error.errno in _FULL: raise", "pass", CONVERT),
    "checkpoints: no digest": Mutant("gdm/checkpoint.py", "if str(file[\"seal\"]) != _digest(file[\"content\"], *arrays):", "if False:", "tests/gdm/test_checkpoint.py -k whatever"),
    "stores: bytes are not compared": Mutant("data/store.py", "if f\"{found:08x}\" == crc: continue", "continue", STORES),
    "replication: all columns compete": Mutant("groups/replication.py", "fixed_groups=True", "fixed_groups=False", "tests/groups/test_replication.py -k 'hand or fixed'"),
    "replication: mirror images are kept": Mutant("groups/replication.py", "r*np.sign(before)", "np.abs(r)", "tests/groups/test_replication.py -k signs"),
    "replication: a stand-in has the support's sign": Mutant("groups/replication.py", "signs[i]*groups.correlations[i][lead]", "signs[i]", "tests/groups/test_replication.py -k signs"),
    "classes: half of two pairs is enough": Mutant("gdm/gdm.py", "max(2, n_classes//2)", "max(1, n_classes//2)", "tests/gdm/test_gdm_classes.py"),
    "FSIR2: ties bring a higher column": Mutant("spectral/fsir2.py", "ties and comes > leaves", "ties and comes < leaves", "tests/spectral/test_fsir2.py -k exchanges"),
    "stores: another one under the name": Mutant("data/store.py", "if columns.fingerprint == fingerprint: return columns", "return columns", STORES),
    "auto: any later score will do": Mutant("gdm/auto.py", "    for agreement in np.arange(10)/10:", "    for agreement in [0.]:\n        return agreement", AUTO+" -k 'share_a_factor or agreement'"),
    "auto: marks know their own number only": Mutant("gdm/auto.py", "evidence >= bar(max(accepted, 1))", "evidence >= bar(1)", AUTO+" -k marks"),
    "auto: a shortened list stays as it is": Mutant("gdm/auto.py", "stays[best] = _stay_consistent(evidence[best], rounds[best], bar_of)", "stays[best] = True", AUTO+" -k sheds"),
    "few samples: twice the step": Mutant("groups/few_samples.py", "SupportRule(statistics, p_values, _largest_step(", "SupportRule(statistics, p_values, 2*_largest_step(", FEW),
    "truth: Proposition 1 forgets one sign": Mutant("gdm/bound.py", "for sign in (-1, 1):", "for sign in (-1,):", TRUTH+" -k proposition"),
    "truth: CRM loses members that are turned": Mutant("gdm/cut.py", "direct = np.abs(correlations) >= 1-tau-SLACK", "direct = correlations >= 1-tau-SLACK", TRUTH+" -k planted_member"),
    "one effect: a step that lowers its evidence stays": Mutant("groups/single_effects.py", "if tried.evidence < now.evidence: tried", "if False: tried", "tests/groups/test_single_effects.py -k never_falls"),
    "truth: CRM takes partners of a support": Mutant("gdm/cut.py", "mask[taken] = True", "mask[z] = True", TRUTH+" -k best_of_all"),
    "truth: the upper bound leaves out a clique": Mutant("gdm/exact_cut.py", "return _cut_value(scores, np.r_[heads, alone])", "return _cut_value(scores, np.r_[heads[1:], alone])", TRUTH+" -k all_masks"),
    "truth: MMFS, no feature resembles another": Mutant("margin/similarity.py", 'return np.multiply(correlation, correlation, out=correlation)', 'return np.floor(correlation*correlation+1e-9, out=correlation)', TRUTH+" -k mmfs"),
    "truth: FSIR2 counts half the redundancy": Mutant("spectral/fsir2.py", "RelevanceRedundancy(features, cost, graph.average, free)", "RelevanceRedundancy(features, cost, graph.average/2, free)", TRUTH+" -k fsir2"),
    "truth: FCBF, a peer need not share so much": Mutant("filters/fcbf.py", "is_peer = su >= relevance[left[asked]]-_SU_TIE", "is_peer = su >= relevance[best]-_SU_TIE", TRUTH+" -k fcbf"),
    "truth: GDM takes again what is in a group": Mutant("gdm/modes.py", "Cut(supports, found, _exclude(banned, supports, found), state", "Cut(supports, found, banned, state", TRUTH+" -k two_supports"),
    "truth: auto spends ten times its level": Mutant("gdm/auto.py", "return self.chance*_FIRST_SHARE", "return 10*self.chance*_FIRST_SHARE", TRUTH+" -k auto"),
    "truth: icml2012 keeps those that rank before": Mutant("gdm/paper_cuts.py", "behind.append(_select_neighbours(group, keep))", "behind.append(_select_neighbours(group, ~keep))", TRUTH+" -k icml2012"),
    "truth: thesis2015 loses members that are turned": Mutant("gdm/paper_cuts.py", "near = np.abs(table) >= 1-tau-SLACK", "near = table >= 1-tau-SLACK", TRUTH+" -k thesis2015"),
    "auto: a level that knows no number of features": Mutant("groups/few_samples.py", "return np.minimum(self.step*(k+_AHEAD), _LARGEST)", "return np.full(np.shape(k), .05)", CHANCE+" -k 'noise and permutations'"),
    "auto: e-values that know no number of features": Mutant("gdm/e_values.py", "np.log(number)-np.log(level*k)", "-np.log(.05)+0*k", CHANCE+" -k 'noise and values'"),
    "auto: features count, and not supports": Mutant("gdm/e_values.py", "return int(passes[-1])+1 if len(passes) else 0", "return len(smallest)", CHANCE+" -k wide_block"),
    "e-values: the spread of V is left out": Mutant("gdm/e_values.py", "return total[0], total[1]*n, total[2]*n", "return total[0], 0., 0.", E_VALUES),
    "e-values: no prior in the root": Mutant("gdm/e_values.py", "exponent-.5*np.log(ratio)", "exponent", E_VALUES),
    "cutting planes: no exact search": Mutant("gdm/cutting_plane.py", "found = better_cut(scores, graph, settings.n_per_iter, least)", "found = better_cut(scores, graph, settings.n_per_iter, least)._replace(supports=[], value=0., bound=np.inf, complete=False)", "tests/gdm/test_cutting_plane.py -k greedy_alone"),
    "few samples: the bound counts no supports ahead": Mutant("groups/few_samples.py", "np.ceil(openings/step-_AHEAD)", "np.ceil(openings/step)", FEW+STEP),
    "few samples: no share is cut off at 1": Mutant("groups/few_samples.py", "np.minimum(share, 1).sum()", "share.sum()", FEW+STEP),
    "few samples: y itself does not count": Mutant("groups/few_samples.py", "(1+np.minimum(share", "(0+np.minimum(share", FEW+STEP),
    "few samples: only the first opening counts": Mutant("groups/few_samples.py", "place/supports", "1/supports", FEW+STEP),
    "few samples: one correlated member is enough": Mutant("groups/few_samples.py", "[~own[:i]], minlength=len(opened))\n                fits = np.flatnonzero(apart == 0)", "[own[:i]], minlength=len(opened))\n                fits = np.flatnonzero(apart > 0)", FEW+STEP),
    "few samples: features that may count are left out": Mutant("groups/few_samples.py", "/(1+_AHEAD)*(most+_AHEAD)", "/(1+_AHEAD)", FEW+STEP),
    "screen: more is needed": Mutant("data/screen.py", "needed=(threshold-2*SLACK)", "needed=1.3*(threshold-2*SLACK)", SCREEN),
    "screen: largest values are less": Mutant("data/screen.py", "largest=np.concatenate(", "largest=.8*np.concatenate(", SCREEN),
    "screen: one row more in common": Mutant("data/screen.py", "np.array([least[i] for i in number])", "np.array([least[i]+1 for i in number])", SCREEN),
    "screen: means are forgotten": Mutant("data/screen.py", "shift=n*mean", "shift=0*mean", SCREEN),
    "screen: tops count twice": Mutant("data/screen.py", "by_top=np.array([1/", "by_top=np.array([2/", SCREEN),
    "screen: lengths count twice": Mutant("data/screen.py", "by_length=np.array([1/", "by_length=np.array([2/", SCREEN),
    "screen: no rows in common": Mutant("data/screen.py", "np.packbits(words != 0", "np.packbits(words < 0", SCREEN),
    "screen: no rows at all": Mutant("data/screen.py", "words=words,", "words=0*words,", SCREEN),
    "screen: signs are forgotten": Mutant("data/screen.py", "is_signed=bool(is_signed)", "is_signed=False", SCREEN),
    "members: rows are taken as alike": Mutant("correlation/cooccurrence.py", "if len(levels[0]) == 1: return hyper", "if len(levels[0]): return hyper", SELDOM),
    "members: nine samples are taken as normal": Mutant("correlation/ranks.py", "(2 if n >= 20 else 2.5)", "1", "tests/correlation/test_cooccurrence_ranks.py -k nine_samples"),
    "FCBF: the search for cuts does not count": Mutant("filters/fcbf.py", 'searched = getattr(self.discretizer, "method", self.discretizer) == "mdl"', "searched = False", "tests/filters/test_fcbf_discretizer.py -k search_for_cuts"),
    "stability: one group more is chosen": Mutant("groups/stability.py", "return top(sizes, q)", "return top(sizes, q+1)", "tests/groups/test_stability.py -k transcription"),
}

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

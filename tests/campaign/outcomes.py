"""What became of a case, in one word and one sentence.

Right: `same` as the reference; `warned`: right, with a warning of ours; `refused` with one clear error.
Wrong: everything else, under the name of what is wrong with it.
"""
import re, traceback, warnings, zlib
from decimal import Decimal
from fractions import Fraction
from numbers import Number
from pathlib import Path
from typing import NamedTuple
import fsnb, sklearn
import numpy as np
from inputs import ANSWER, EITHER, KINDS, REFUSED, SAME, base_data
from subjects import MORE, SUBJECTS, comment_of, default_of, not_finite, same
from values import ENORMOUS, INDICES, LARGE_IS_WORK, VALUES, WORDS_TOO

LOOSE = ("MMFS",)      # of a programme that is solved nearly, the order of what is left out is not told
RIGHT = ("same", "warned", "refused")
WRONG = ("silent", "unclear error", "traceback", "RuntimeWarning", "refused without reason", "not finite", "hang", "crash")
CLEAR = (ValueError, TypeError, IndexError)
NEVER = (RuntimeWarning, DeprecationWarning, FutureWarning, PendingDeprecationWarning, BytesWarning, ResourceWarning, ImportWarning)
# places whose errors are read by users every day: scikit-learn's own checks of what comes in
PACKAGE, SKLEARN = (Path(package.__file__).parent for package in (fsnb, sklearn))
OWN_SENTENCES = (PACKAGE, SKLEARN/"utils", SKLEARN/"base.py")


class Outcome(NamedTuple):
    "What became of a case"
    word: str
    told: str = ""
    @property
    def right(self): return self.word in RIGHT


class Ran(NamedTuple):
    "What a call did"
    answer: object = None
    error: Exception = None
    bad: tuple = ()           # warnings that must not be
    said: tuple = ()          # warnings that may be
    @property
    def sentence(self): return f"{type(self.error).__name__}: {self.error}"


def call(run):
    "Run it, and keep what it answers, raises and warns of"
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        answer, error = None, None
        try: answer = run()
        except Exception as problem: error = problem
    bad = tuple(f"{w.category.__name__}: {w.message} ({short_place(w.filename)}:{w.lineno})" for w in heard if issubclass(w.category, NEVER))
    said = tuple(str(w.message) for w in heard if not issubclass(w.category, NEVER))
    return Ran(answer, error, bad, said)


def short_place(path): return "/".join(str(path).split("/")[-3:])


def where(error):
    "File of the innermost frame"
    frames = traceback.extract_tb(error.__traceback__)
    return frames[-1].filename if frames else ""


def fault_of_error(error, words):
    "'' for a clear sentence; else what is wrong with it. `words`: one of them must be in it"
    place = where(error)
    told = f"{type(error).__name__}: {str(error)[:200]} ({short_place(place)})"
    if not isinstance(error, CLEAR) or isinstance(error, (np.linalg.LinAlgError, UnicodeError)): return "traceback", told
    if not any(Path(place).is_relative_to(own) for own in OWN_SENTENCES): return "traceback", told
    text = str(error)
    if not any(re.search(rf"(?<![\w]){re.escape(w)}(?![\w])", text) for w in words): return "unclear error", told
    return "", told


# ---- inputs

INPUT_WORDS = ("X", "y", "column", "columns", "feature", "features", "samples", "sample", "sample(s)", "feature(s)", "label", "labels",
               "n_samples", "n_features", "class", "classes", "groups", "indices", "var_names")
REFERENCES = {}

def reference(subject, plain_data, key):
    "What the subject does with the same data as plain arrays; that of the plain data is asked once"
    if key is not None and key in REFERENCES: return REFERENCES[key]
    ran = call(lambda: subject(*plain_data))
    if key is not None: REFERENCES[key] = ran
    return ran


def is_path(X): return isinstance(X, (str, Path))


def fault_of_path(error, path):
    "A path that cannot be opened may be an error of the system, and is named; what is wrong with its columns is told as ever"
    told = f"{type(error).__name__}: {str(error)[:200]} ({short_place(where(error))})"
    if str(path) in str(error) and isinstance(error, (ValueError, OSError)): return "", told
    return fault_of_error(error, INPUT_WORDS)


def relevant(subject, kind):
    "Whether the subject reads what is special in this kind"
    return subject.wants_y or kind not in {"y "+k for k in ()} and not kind.startswith("y ")


def labels_of(told):
    "An answer without what the labels are called"
    if not isinstance(told, dict): return told
    return {k: v for k, v in told.items() if k not in ("classes_", "predicted")}


def judge_input(name, kind):
    "One subject on one kind of input"
    subject, plain_data = SUBJECTS[name], base_data()
    given = KINDS[kind](*(part.copy() for part in plain_data))
    ran = call(lambda: subject(given.X, given.y))
    if ran.bad: return Outcome("RuntimeWarning", ran.bad[0])
    if calls_constant(ran) and not has_constants(given): return Outcome("silent", "a column that varies is called constant")
    if ran.error is not None:
        path = given.X if is_path(given.X) else given.y if subject.name == "convert" and is_path(given.y) else None      # labels in a file
        word, told = fault_of_path(ran.error, path) if path is not None else fault_of_error(ran.error, INPUT_WORDS)
        if word: return Outcome(word, told)
        may_ask_for_a_list = kind == "y one column" and not hasattr(subject, "model")      # a selector takes it, as all of scikit-learn's do
        if given.expected is SAME and not may_ask_for_a_list: return refused_too(subject, given, ran)
        return Outcome("refused", told)
    if given.expected is REFUSED and not may_be_read(subject, kind): return Outcome("silent", f"accepted: {str(ran.answer)[:120]}")
    if given.expected is REFUSED: return Outcome("same")
    return compare(subject, given, ran, kind)


def calls_constant(ran):
    "Whether an error or a warning speaks of constant columns"
    return any("constant column" in text or "columns are constant" in text for text in (*ran.said, str(ran.error)))


def has_constants(given):
    "Whether there are any in what was given; where that is not known, there may be"
    if given.plain is None: return given.expected is REFUSED
    return bool((np.ptp(given.plain[0], axis=0) == 0).any())


def may_be_read(subject, kind):
    "What is refused by others may be right for a subject that says so"
    takes_missing = "missing" in subject.name
    if takes_missing and any(word in kind.lower() for word in ("nan", "missing", "null", "na", "none")) and not kind.startswith("y "): return True
    if "constants only" in kind or kind in ("empty csc", "store of constants"): return subject.name in CONSTANTS_ARE_FINE or subject.name.startswith("Discretizer")
    return kind == "y one class" and subject.name == "convert"

CONSTANTS_ARE_FINE = {"as_columns", "group_columns", "find_duplicates", "correlation_table", "pair_correlations", "correlation_with",
                      "group_p_values", "group_p_values max", "feature_p_values", "redundancy_rate", "Pearson", "SymmetricalUncertainty",
                      "SymmetricalUncertainty frequency", "Positional", "Measured", "spec", "spec neighbors", "laplacian_score",
                      "stable_groups", "fisher_scores", "relieff_scores", "survey_pairs", "convert"}      # which chooses no group of constants: the frequency of each is 0


def refused_too(subject, given, ran):
    "An error where an answer was expected is right only where the plain data are refused in the same words"
    base = reference(subject, given.plain or base_data(), None if given.plain else subject.name)
    if base.error is not None and str(base.error) == str(ran.error): return Outcome("refused", ran.sentence)
    return Outcome("refused without reason", ran.sentence)


TAKES_CATEGORIES = ("FCBF", "CFS", "ConsistencyFilter", "Discretizer", "SymmetricalUncertainty", "QPFS mutual_info")
TAKES_BOTH = {"GDM su", "FilterBruteForce su", "MMFS su"}     # numbers for the scores, categories for who goes with whom

def seen_by(subject, given):
    "The input whose reference is what the subject makes of missing values: means, most frequent values, or a category of its own"
    if given.categories is None: return given
    if not subject.name.startswith(TAKES_CATEGORIES): return given
    X, y = given.categories
    often = [np.bincount(column[column == column].astype(int)).argmax() for column in X.T]
    return given._replace(plain=(X if "missing" in subject.name else np.where(np.isnan(X), often, X), y))


def compare(subject, given, ran, kind):
    "The answer beside that of the same data as plain arrays"
    if given.categories is not None and subject.name in TAKES_BOTH:        # which no plain array is
        fault = not_finite(ran.answer) or ill_formed(ran.answer)
        return Outcome("silent", fault) if fault else Outcome("same")
    given = seen_by(subject, given)
    base = reference(subject, given.plain or base_data(), None if given.plain else subject.name)
    answer, expected = ran.answer, base.answer
    if kind.startswith("y "): answer, expected = labels_of(answer), labels_of(expected)
    if base.error is not None:
        if given.expected is EITHER and given.plain is None: return Outcome("same")
        return Outcome("silent", f"answered where the plain array is refused: {base.sentence[:150]}")
    if subject.name.startswith(LOOSE): answer, expected = ({k: v for k, v in told.items() if k != "ranking_"} for told in (answer, expected))
    is_other_data = given.plain is None and given.expected is EITHER and kind.startswith("y ")
    if not is_other_data and not same(answer, expected, given.close):
        return Outcome("silent", f"another answer: {difference(answer, expected)}")
    wrong = not_finite(ran.answer)
    if wrong and not not_finite(base.answer): return Outcome("not finite", wrong)
    fault = ill_formed(ran.answer)
    if fault: return Outcome("silent", fault)
    return Outcome("warned", ran.said[0]) if ran.said else Outcome("same")


def ill_formed(answer):
    "What cannot be an answer, whatever the data"
    if not isinstance(answer, dict): return ""
    if answer.get("gap is a number") is False: return "gap_ is not finite"
    support = answer.get("support_")
    if support is None: return ""
    if len(set(support)) < len(support): return f"a support twice: {support}"
    held = [j for m in answer.get("groups_", {}).get("members", []) for j in m]
    if len(set(held)) < len(held): return "a member of two groups"
    where = not_finite(answer.get("groups_", {}))
    return f"NaN in {where}" if where else ""


def difference(a, b, path=""):
    "The first place where two answers differ"
    if isinstance(a, dict) and isinstance(b, dict):
        for k in a.keys() | b.keys():
            if k not in a or k not in b: return f"{path}.{k} is missing"
            if not same(a[k], b[k]): return difference(a[k], b[k], f"{path}.{k}")
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (u, v) in enumerate(zip(a, b)):
            if not same(u, v): return difference(u, v, f"{path}[{i}]")
    return f"{path}: {str(a)[:70]} for {str(b)[:70]}"


# ---- parameters

def judge_parameter(name, parameter, value_name):
    "One parameter of one subject set to one value"
    subject = SUBJECTS.get(name) or MORE[name]
    value, plain_data = VALUES[value_name](), base_data()
    ran = call(lambda: subject(*plain_data, **{parameter: value}))
    if ran.bad: return Outcome("RuntimeWarning", ran.bad[0])
    if isinstance(ran.error, MemoryError) and parameter in LARGE_IS_WORK: return Outcome("refused", ran.sentence)
    if ran.error is None: return judge_accepted(subject, parameter, value, ran, plain_data)
    is_store = parameter in ("columns", "labels", "names") and is_path(value)      # a text is the path of a store, or of a file
    fault, told = fault_of_path(ran.error, value) if is_store else fault_of_error(ran.error, (parameter, *WORDS_TOO.get(parameter, ())))
    if is_store and not fault: return Outcome("refused", told)
    if fault: return Outcome(fault, told)
    is_default = value is None and default_of(subject.source, parameter) is None      # then another argument is at fault
    if not is_default and not tells_value(str(ran.error), value): return Outcome("unclear error", "the value is missing: "+told)
    return Outcome("refused", told)


def tells_value(text, value):
    "Whether a sentence says what came: the value, its type, or its size"
    kinds = type(value).__name__
    shown = {repr(value)[:40], str(value)[:40], kinds, " ".join(repr(value).split())[:40]}
    is_empty = value.size == 0 if isinstance(value, np.ndarray) else isinstance(value, (list, dict, tuple)) and not value
    if is_empty: shown |= {"empty", "got 0", "none", "got []", "no ", "0 "}
    shown |= told_by_shape(value)
    if isinstance(value, np.ndarray): shown |= {str(v) for v in value.ravel()[:4]} | {f"shape {value.shape}"}
    if isinstance(value, Number) and not isinstance(value, (bool, complex, np.bool_)):
        try: shown |= {f"{float(value):g}", str(float(value))}
        except (TypeError, ValueError, OverflowError): pass
        if isinstance(value, int) and value > 10**17: shown |= {"1e+30", repr(value)[:12]}
    return any(part in text for part in shown)


def told_by_shape(value):
    "Where a list or a table is wanted, its shape says what came"
    if isinstance(value, (str, bytes)): return {"shape ()", "got ()"}
    try: array = np.asarray(value)
    except ValueError: return set()
    lengths = {f"got {len(value)}"} if array.ndim else set()
    if isinstance(value, list) and len(value) == 1 and array.dtype.kind == "i": lengths |= {f"got {value[0]}"}
    if array.ndim > 1: lengths |= {repr(array[0]), f"{array.dtype} of shape {array[0].shape}"}      # the first row that is at fault
    return lengths | {f"shape {array.shape}", f"got {array.shape}", repr(array)}


def canonical(value):
    "The plain Python number that a value stands for; None for what is no number"
    if isinstance(value, (bool, np.bool_)): return None
    if isinstance(value, np.ndarray) and value.ndim == 0: value = value[()]
    if isinstance(value, (int, np.integer)): return int(value)
    if isinstance(value, (float, np.floating, Fraction, Decimal)): return float(value)
    return None


def judge_accepted(subject, parameter, value, ran, plain_data):
    "A value that is taken must be allowed, and mean what the plain number means"
    comment, default = comment_of(subject.source, parameter), default_of(subject.source, parameter)
    wrong = not_finite(ran.answer)
    if wrong and not not_finite(reference(subject, plain_data, subject.name).answer): return Outcome("not finite", wrong)
    told = f"accepted: {value!r:.60}"
    if isinstance(value, (bool, np.bool_)):
        fits = isinstance(default, bool) or re.search(r"\b(True|False|bool)\b", comment) or parameter == "verbose"
        return Outcome("same" if fits else "silent", told)
    if value is None:
        return Outcome("same" if default is None or "None" in comment else "silent", told)
    number = canonical(value)
    if number is not None and number == number:
        if is_outside(number, comment, default) and not is_idle(subject, parameter, number): return Outcome("silent", f"{told}, outside of what its comment says:{comment}")
        if type(value) is type(number): return Outcome("same", told)
        plain_ran = call(lambda: subject(*plain_data, **{parameter: number}))
        if plain_ran.error is not None: return Outcome("silent", f"{told}, but {number!r} is refused")
        return Outcome("same", told) if same(ran.answer, plain_ran.answer) else Outcome("silent", f"{told} is not {number!r}: {difference(ran.answer, plain_ran.answer)}")
    if is_free_form(parameter, value): return Outcome("same", told)
    return Outcome("silent", told)


def is_idle(subject, parameter, number):
    "A number of neighbours beyond n is right where the graph has none: n = 5 must not fail for a default of 5"
    return parameter == "n_neighbors" and "neighbors" not in subject.name and type(number) is int and number >= 1


SIZES = {"p": 12, "n": 60, "n_features": 12}
INTERVAL = re.compile(r"(?:in |, |^ ?)([\[(])(-?[\d.e-]+|smallest class), (-?[\d.e]+|p|n|n_features)([\])])")

def is_outside(number, comment, default):
    "Whether a number is not what the comment beside the parameter allows, or where a flag or a word belongs"
    if type(default) in (int, float) and number == default: return False
    if isinstance(default, bool) and "float" not in comment: return True
    found, positive = INTERVAL.search(comment), re.search(r"(>=?) (\d+)", comment)
    if isinstance(default, str) and not found and not positive: return True
    if abs(number) == float("inf"): return True
    if positive and not found: return number < float(positive[2]) or number == float(positive[2]) and positive[1] == ">"
    if not found: return False
    low, high = (float(SIZES.get(end, end)) for end in found.group(2, 3))
    return number < low or number > high or number == low and found[1] == "(" or number == high and found[4] == ")"


def is_free_form(parameter, value):
    "Parameters that take more than numbers and words: names, settings that are only kept, groups of no features, one number a group"
    if parameter == "parameters" and isinstance(value, dict): return True
    if parameter == "columns" and np.ndim(value) == 2: return True
    if parameter in ("scores", "rounds", "refused", "p_values"): return is_list_of_numbers(value)
    if parameter in ("groups", "members", "selections", "found", "truth") and isinstance(value, (list, np.ndarray)): return True
    if parameter in ("a", "b", "indices", "names", "group_sizes", "shared", "counts", "strata", "positions", "chromosomes", "weights"):
        return isinstance(value, (list, np.ndarray)) and not any(v != v for v in np.ravel(np.asarray(value, dtype=object)))
    if parameter == "version" and isinstance(value, str): return True
    if parameter == "unplaced": return isinstance(value, (str, int, np.integer)) and not isinstance(value, bool)     # the label of a chromosome
    return False


def is_list_of_numbers(value):
    "A row of finite numbers: a list, an array or a Series; numbers of rounds and of refused members may be floats without a fraction"
    try: numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError): return False
    return numbers.ndim == 1 and bool(np.isfinite(numbers).all())


def list_inputs():
    "All cases of input"
    return [("input", s.name, k) for s in SUBJECTS.values() for k in KINDS if relevant(s, k)]


def list_parameters():
    "All cases of parameters"
    subjects = [*SUBJECTS.values(), *MORE.values()]
    return [("parameter", s.name, p, v) for s in subjects for p in s.defaults for v in VALUES if is_tried(s, p, v)]


def is_tried(subject, parameter, value):
    "All values for the first subject of a class, and for the settings of others; of the rest every ninth"
    if parameter in LARGE_IS_WORK and value in ENORMOUS or value == "[99]" and parameter not in INDICES: return False
    first = next(s for s in [*SUBJECTS.values(), *MORE.values()] if s.source is subject.source)
    is_own = subject is first or repr(subject.defaults[parameter]) != repr(first.defaults.get(parameter))
    return is_own or zlib.crc32(f"{subject}{parameter}{value}".encode()) % 9 == 0

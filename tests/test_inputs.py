"""One table of inputs for every selector and function of columns: what must give the answer of plain arrays, what must be refused.

Right is the answer of the same data as a float64 array, or one ValueError or TypeError. All of them read X by `as_columns` and y by
one reader of classes, and every form is tried there. Beyond that each selector meets a third of the forms, the next one another third;
FSNB_WHOLE=1 runs the whole table, as is wise after a change of data/inputs or groups/selector.
"""
import os, warnings
from functools import lru_cache
from tempfile import TemporaryDirectory
import numpy as np, pandas as pd, polars as pl, pytest, scipy.sparse as sp
from sklearn.base import clone
from doors import backwards, twice, unnamed, with_zeros
from fsnb import (FCBF, FSIR2, GDM, GDMCV, MMFS, MRMR, QPFS, GDMRegressor, GroupLasso, NcFGS, NcTFGS, ReliefF, as_columns,
                  group_columns, group_p_values, groups_around, joint_groups, stable_groups)
from fsnb.correlation import Positional, correlation_table, survey_pairs
from fsnb.correlation.target import correlation_with
from fsnb.data import find_duplicates, pair_correlations
from fsnb.data.store import open_store, write_store
from fsnb.margin import Kernel

GROUPS = [[0, 1, 2], [3, 4, 5], [9]]
NAMES = [f"g{j}" for j in range(12)]
SELECTORS = {
    "GDM": GDM(3), "GDM auto": GDM("auto", chance=.5), "GDM cut": GDM(3, mode="cut"), "GDM paper": GDM.thesis2015(3, n_per_iter=2),
    "GDM su": GDM(3, correlation="su", tau=.6), "GDM positions": GDM(3, correlation=Positional(np.arange(12.), window=4.)), "GDMCV": GDMCV(3, cv=3),
    "MMFS": MMFS(3), "MMFS rbf": MMFS(3, kernel="rbf"), "MMFS dcd": MMFS(3, kernel=Kernel("linear", solver="dcd"), gamma=.5, C=1., max_iter=2000),
    "MMFS mutual information": MMFS(3, relevance="mutual_info"), "QPFS": QPFS(3, random_state=0),
    "FCBF": FCBF(min_su=0.), "MRMR": MRMR(3), "MRMR mutual information": MRMR(3, measure="mutual_info"),
    "ReliefF": ReliefF(3, n_neighbors=4, random_state=0), "NcFGS": NcFGS(None, alpha=.3), "NcTFGS": NcTFGS(None, alpha=.3),
    "GroupLasso": GroupLasso(2, groups=GROUPS), "FSIR2": FSIR2(3), "FSIR2 rbf": FSIR2(3, graph="rbf"),
    "GDMRegressor": GDMRegressor(3), "GDMRegressor auto": GDMRegressor("auto", chance=.5),
}
SELECTORS |= unnamed(SELECTORS.values(), 3)
WITHOUT_Y = {"OneClassGDM", "LinearOneClassSVM", "EVSC", "FSIR2 rbf"}
FUNCTIONS = {
    "group_columns": lambda X, y: group_columns(X).members, "groups_around": lambda X, y: groups_around(X, [0, 5]).members,
    "group_p_values": lambda X, y: group_p_values(X, y, GROUPS, n_permutations=39, random_state=0),
    "stable_groups": lambda X, y: stable_groups(X, y, GROUPS, n_pairs=6, random_state=0, q=2),
    "joint_groups": lambda X, y: joint_groups(X, y, n_permutations=19),
    "correlation_table": lambda X, y: correlation_table(as_columns(X), [0, 3, 9]), "find_duplicates": lambda X, y: find_duplicates(as_columns(X)),
    "correlation_with": lambda X, y: correlation_with(as_columns(X), y), "pair_correlations": lambda X, y: pair_correlations(as_columns(X), [0, 1, 2], [1, 5, 9]),
    "survey_pairs": lambda X, y: survey_pairs(as_columns(X), above=.5),
}
OWN_Y = {"group_columns", "groups_around", "correlation_table", "find_duplicates", "pair_correlations", "survey_pairs", "correlation_with"}

def plain(value):
    "Lists and numbers, whatever came; members of a group in any order"
    if sp.issparse(value): return plain(value.toarray())
    if hasattr(value, "_asdict"): return plain(list(value._asdict().values()))
    if hasattr(value, "members") and hasattr(value, "support"): return [sorted(map(int, own)) for own in value.members]
    if hasattr(value, "to_numpy"): return plain(value.to_numpy())
    if isinstance(value, dict): return plain(list(value.values()))
    if isinstance(value, (list, tuple, np.ndarray)): return [plain(v) for v in value]
    if hasattr(value, "__dict__"): return plain({k: v for k, v in vars(value).items() if k != "names" and not k.startswith("_")})
    return value

def answer(name, X, y):
    "Plain values that the selector or function gives"
    with warnings.catch_warnings(action="ignore"):
        warnings.simplefilter("error", RuntimeWarning)
        if name in FUNCTIONS: return plain(FUNCTIONS[name](X, y))
        if name == "GDMSurvival": y = np.c_[1+y+np.arange(len(y))/99, np.arange(len(y)) % 3 > 0]
        model = clone(SELECTORS[name]).fit(X, None if name in WITHOUT_Y else y)
        told = [plain(getattr(model, a)) for a in ("support_", "groups_", "classes_") if hasattr(model, a)]
        told.append(list(model.transform(X).shape))
        if name in MEASURED: return [*told, plain(model.predict(X).round(5))]
        return told+([plain(model.predict(X))] if hasattr(model, "predict") else [])

def same(a, b, close=1e-6):
    "Whether two plain answers agree: numbers closely, all else exactly"
    if isinstance(a, list): return isinstance(b, list) and len(a) == len(b) and all(same(v, w, close) for v, w in zip(a, b))
    if isinstance(a, (int, float, np.number)) and isinstance(b, (int, float, np.number)):
        return a == b or a != a and b != b or abs(a-b) <= close*max(abs(a), abs(b), 1e-3)
    return a == b

@lru_cache(None)
def data():
    "Counts in four groups of three, in two classes"
    r = np.random.default_rng(3)
    base = r.poisson(1.6, (60, 4))
    X = np.repeat(base, 3, axis=1)+r.poisson(.2, (60, 12))
    y = (base[:, 0]-base[:, 1]+.4*r.standard_normal(60) > 0).astype(np.int64)
    return np.minimum(X, 15).astype(float), y

def changed(X, value, row=3, column=4):
    "X with one other value"
    X = X.copy()
    X[row, column] = value
    return X

def stored_as(dtype):
    "CSC whose values have this type"
    def form(X):
        A = sp.csc_matrix(X)
        A.data = A.data.astype(dtype)
        return A
    return form

def long_indices(X):
    A = sp.csr_matrix(X)
    A.indices, A.indptr = A.indices.astype(np.int64), A.indptr.astype(np.int64)
    return A

def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X

def stored(X):
    "Columns on a disk, which stay open"
    with TemporaryDirectory() as folder: return open_store(write_store(f"{folder}/x.fsnb", X))

def frame(X): return pd.DataFrame(X, columns=NAMES)
def of_frame(column): return lambda X: frame(X).assign(g4=column(X))

SAME_X = {
    "float32": lambda X: X.astype(np.float32), "float16": lambda X: X.astype(np.float16), "int8": lambda X: X.astype(np.int8),
    "uint64": lambda X: X.astype(np.uint64), "big endian": lambda X: X.astype(">f8"), "longdouble": lambda X: X.astype(np.longdouble),
    "objects": lambda X: X.astype(int).astype(object), "Fortran": np.asfortranarray, "strided": lambda X: np.repeat(X, 2, 0)[::2],
    "read-only": read_only, "list": lambda X: X.tolist(), "csr": sp.csr_matrix, "csc": sp.csc_matrix, "coo array": sp.coo_array,
    "lil": sp.lil_matrix, "int8 csc": lambda X: sp.csc_matrix(X.astype(np.int8)), "float32 csr": lambda X: sp.csr_array(X.astype(np.float32)),
    "float16 csc": stored_as("f2"), "big endian csc": stored_as(">f8"), "longdouble csc": stored_as("longdouble"), "entries twice": twice, "unsorted": backwards, "stored zeros": with_zeros, "int64 indices": long_indices, "pandas": frame,
    "pandas Int64": lambda X: frame(X).astype("Int64"), "pandas of Arrow": lambda X: frame(X).astype("double[pyarrow]"),
    "pandas sparse": lambda X: pd.DataFrame.sparse.from_spmatrix(sp.csc_matrix(X), columns=NAMES),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES), "columns": as_columns, "three threads": lambda X: as_columns(sp.csc_matrix(X), n_jobs=3),
    "store": lambda X: stored(X), "sparse store": lambda X: stored(sp.csc_matrix(X)),
}
REFUSED_X = {
    "NaN": lambda X: changed(X, np.nan), "inf": lambda X: changed(X, np.inf), "NaN csc": lambda X: sp.csc_matrix(changed(X, np.nan)),
    "complex": lambda X: X+1j, "words": lambda X: np.full(X.shape, "a"), "None inside": lambda X: changed(X.astype(object), None),
    "masked": lambda X: np.ma.masked_array(X, X > 3), "dates": lambda X: X.astype("datetime64[D]"), "one dimension": lambda X: X[:, 0],
    "three dimensions": lambda X: X[:, :, None], "no samples": lambda X: X[:0], "no features": lambda X: X[:, :0],
    "constants": lambda X: X*0+2, "empty csc": lambda X: sp.csc_matrix(X.shape), "a number": lambda X: 3., "None": lambda X: None,
    "no such file": lambda X: "nowhere.fsnb", "too large to square": lambda X: X*1e300, "far from zero": lambda X: X+1e17,
    "one far": lambda X: X+1e15*(np.arange(12) == 2), "one far csc": lambda X: sp.csc_matrix(X+1e15*(np.arange(12) == 2)),
    "category": of_frame(lambda X: pd.Categorical(["3", "10"]*30)), "words in a frame": of_frame(lambda X: ["red", "green"]*30),
    "dates in a frame": of_frame(lambda X: pd.date_range("2020", periods=60)), "missing in a frame": lambda X: frame(changed(X, np.nan)).astype("Float64"),
    "polars words": lambda X: pl.DataFrame(X, schema=NAMES).with_columns(pl.lit("a").alias("g3")),
}
SAME_Y = {
    "words": lambda y: np.where(y == 1, "b", "a"), "objects": lambda y: np.where(y == 1, "b", "a").astype(object), "-1 and 1": lambda y: 2*y-1,
    "bool": lambda y: y == 1, "float": lambda y: y.astype(float), "uint8": lambda y: y.astype(np.uint8), "list": lambda y: y.tolist(),
    "Series": lambda y: pd.Series(y, index=np.arange(60)[::-1]), "categorical": lambda y: pd.Series(pd.Categorical(np.where(y == 1, "b", "a"))),
    "read-only": read_only, "big endian": lambda y: y.astype(">i4"),
}
REFUSED_Y = {
    "one class": lambda y: y*0, "NaN": lambda y: np.where(np.arange(60) == 4, np.nan, y), "too short": lambda y: y[:-1], "too long": lambda y: np.r_[y, 1],
    "two columns": lambda y: np.c_[y, y], "a number": lambda y: 1, "complex": lambda y: y+1j, "words and numbers": lambda y: np.array(["a", 1]*30, dtype=object),
    "None among words": lambda y: np.array([None, *np.where(y == 1, "b", "a")[1:]], dtype=object),
}
SUBJECTS = [*SELECTORS, *FUNCTIONS]
MEASURED = {"GDMRegressor", "GDMRegressor auto", "GDMSurvival"}      # whose y is no class: tests/gdm/test_measured.py
WITH_Y = [name for name in SUBJECTS if name not in WITHOUT_Y | OWN_Y | MEASURED]

def damaged(change):
    "CSC whose structure is damaged after it was made"
    A = sp.csc_matrix(data()[0])
    change(A)
    return A

DAMAGES = {"row too large": lambda A: A.indices.__setitem__(7, 10**6), "negative row": lambda A: A.indices.__setitem__(7, -1),
           "beginnings fall": lambda A: A.indptr.__setitem__(4, 1), "end too large": lambda A: A.indptr.__setitem__(-1, 10**7),
           "first not 0": lambda A: A.indptr.__setitem__(0, 2), "values too few": lambda A: setattr(A, "data", A.data[:-5])}

@lru_cache(None)
def expected(name): return answer(name, *data())

def third(name, forms):
    "Every third form, from a place that moves with the subject: any three in a row meet all"
    step = 1 if "FSNB_WHOLE" in os.environ else 3
    return list(forms)[SUBJECTS.index(name) % step::step]

@pytest.mark.parametrize("form", SAME_X)
def test_any_form_of_x_becomes_the_same_columns(form):
    X, _ = data()
    columns, v = as_columns(SAME_X[form](X)), np.arange(60.)-20
    whole = columns.whole()
    kind = whole.dtype
    assert kind.isnative and (kind.kind in "biu" or kind.itemsize in (4, 8))      # compiled code takes no other
    np.testing.assert_array_equal(whole.toarray() if sp.issparse(whole) else whole, X)
    np.testing.assert_allclose(columns.moments(), (X.mean(0), X.std(0)), rtol=1e-12)
    np.testing.assert_allclose(columns.scores(v), as_columns(X).scores(v), atol=1e-10)

@pytest.mark.parametrize("form", [form for form in REFUSED_X if form not in ("constants", "empty csc", "far from zero")])
def test_bad_x_becomes_no_columns(form):
    from fsnb.data.inputs import open_columns
    with pytest.raises((ValueError, TypeError, OSError)): open_columns(REFUSED_X[form](data()[0]))

@pytest.mark.parametrize("name", SUBJECTS)
def test_any_form_of_x_gives_the_answer_of_the_array(name):
    X, y = data()
    found = {form: answer(name, SAME_X[form](X), y) for form in third(name, SAME_X)}
    assert [form for form, told in found.items() if not same(told, expected(name))] == []

@pytest.mark.parametrize("name", WITH_Y)
def test_any_form_of_y_gives_the_answer_of_whole_numbers(name):
    X, y = data()
    def but_classes(told): return told[:2]+told[3:4] if name in SELECTORS else told
    found = {form: answer(name, X, SAME_Y[form](y)) for form in third(name, SAME_Y)}
    assert [form for form, told in found.items() if not same(but_classes(told), but_classes(expected(name)))] == []

@pytest.mark.parametrize("name", [name for name in SUBJECTS if not name.endswith(("OneClassGDM", "LinearOneClassSVM"))])   # which need the means
def test_columns_far_from_zero_give_the_answer_of_near_ones(name):
    "Once in many places: products of what is stored had no digits left, and rounding chose neighbours, partners or an end of descent"
    X, y = data()
    for far in (1e9, 1e8*(np.arange(12) % 5 > 0)):
        for store in (np.asarray, sp.csc_matrix): assert same(answer(name, store(X+far), y), expected(name), 1e-4), (far, store)

# those that select nothing where all columns are alike, whose folds differ, and whose descent decides
NO_INDEX = {"GDM auto", "GDMRegressor auto", "FCBF", "CFS", "ConsistencyFilter", "SuSiE", "Discretizer", "GDMCV", "MMFS dcd", "L1SVM", "ElasticNet", "GroupLasso", "OSCAR"}

@pytest.mark.parametrize("name", [name for name in SELECTORS if name not in NO_INDEX])
def test_columns_that_are_alike_go_by_index_in_any_storage(name):
    "One entry each, of one class: nothing but rounding tells them apart, and storage decides rounding"
    y = np.arange(60) > 29
    target = np.c_[1.+y, np.ones(60)] if name == "GDMSurvival" else None if name in WITHOUT_Y else y*1
    for store in (np.asarray, np.asfortranarray, sp.csc_matrix, sp.csr_matrix):
        with warnings.catch_warnings(action="ignore"): model = clone(SELECTORS[name]).fit(store(np.eye(60)[:, :12]), target)
        assert model.support_[:3].tolist() == [0, 1, 2], store

# functions answer for constants (and X+1e17 holds nothing else); categories need neither squares nor differences
CONSTANT, CUT = {"constants", "empty csc", "far from zero"}, {"too large to square", "one far", "one far csc"}
ANSWERED = dict.fromkeys(FUNCTIONS, CONSTANT) | {"FCBF": CUT, "Discretizer": CONSTANT | CUT}

def accepted(name, pairs):
    "Which of the inputs are not refused in one sentence"
    out = []
    for form, X, y in pairs:
        try: answer(name, X, y)
        except (ValueError, TypeError, OSError) as error:
            if not str(error) or isinstance(error, UnicodeError): out.append(f"{form}: {error!r}")
        except Exception as error: out.append(f"{form}: {error!r}")
        else: out.append(form)
    return out

@pytest.mark.parametrize("name", SUBJECTS)
def test_bad_x_is_refused(name):
    X, y = data()
    refused = set(REFUSED_X)-ANSWERED.get(name, set())
    assert accepted(name, [(form, REFUSED_X[form](X), y) for form in third(name, REFUSED_X) if form in refused]) == []

@pytest.mark.parametrize("name", SUBJECTS)
def test_damaged_structure_is_refused(name):
    "Unchecked, compiled code would read beyond the end"
    y = data()[1]
    assert accepted(name, [(form, damaged(DAMAGES[form]), y) for form in third(name, DAMAGES)]) == []

@pytest.mark.parametrize("name", WITH_Y)
def test_bad_y_is_refused(name):
    X, y = data()
    assert accepted(name, [(form, X, REFUSED_Y[form](y)) for form in third(name, REFUSED_Y)]) == []

"""Kinds of input: what X and y may be, and what must be refused.

A kind is a function of (X, y), whole numbers of small size in two classes, that gives an `Input`: what goes in, the
same as plain float64 arrays, and whether the answer must be the same, must be refused, or may be either.
"""
import atexit, shutil, tempfile, zlib
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
import numpy as np
import pandas as pd
import scipy.sparse as sp

SAME, REFUSED, EITHER, ANSWER = "same", "refused", "either", "an answer"


class Input(NamedTuple):
    "What goes in, and what must come out"
    X: Any
    y: Any
    expected: str = SAME      # SAME: as the reference; REFUSED: one clear error; EITHER; ANSWER: a finite answer, no reference
    plain: Any = None         # (X, y) of the reference: float64 array; None: that of the plain data
    close: float = 1e-6       # relative difference of fractions that is allowed
    categories: Any = None    # (X, y) of the reference of who takes values as categories, with NaN where they are missing


def base_data(n=60, seed=3, n_classes=2):
    "Counts in four groups of three, small whole numbers; two groups tell of the class"
    r = np.random.default_rng(seed)
    base = r.poisson(1.6, (n, 4))
    X = np.repeat(base, 3, axis=1)+r.poisson(.2, (n, 12))
    value = base[:, 0]-base[:, 1]+.4*r.standard_normal(n)
    y = np.digitize(value, np.quantile(value, np.linspace(0, 1, n_classes+1)[1:-1]))
    return np.minimum(X, 15).astype(np.float64), y.astype(np.int64)


KINDS = {}

def kind(function):
    "A kind of input, under its name"
    KINDS[function.__name__.replace("_", " ").strip()] = function
    return function


def many(prefix, options):
    "One kind for each option: the function takes (X, y, option)"
    def keep(function):
        for option, told in options.items():
            KINDS[f"{prefix} {option}"] = lambda X, y, told=told: function(X, y, told)
        return function
    return keep


# ---- dense: types, orders, places

@many("dtype", {name: name for name in (
    "float16", "float32", "float64", "longdouble", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
    "uint64", ">f8", ">f4", ">i4", ">i8", ">u2", "<f8")})
def dtype(X, y, name): return Input(X.astype(name), y)

@kind
def dtype_bool(X, y): return Input(X > 1, y, plain=((X > 1).astype(float), y))
@kind
def object_of_ints(X, y): return Input(X.astype(int).astype(object), y)
@kind
def object_of_floats(X, y): return Input(X.astype(object), y)
@kind
def object_of_bools(X, y): return Input((X > 1).astype(object), y, plain=((X > 1).astype(float), y))
@kind
def object_of_decimals(X, y): return Input(np.vectorize(lambda v: Decimal(int(v)), otypes=[object])(X), y, EITHER)
@kind
def object_of_huge_ints(X, y): return Input(X.astype(int).astype(object)*10**400, y, REFUSED)
@kind
def object_with_a_word(X, y):
    X = X.astype(object)
    X[3, 2] = "m"
    return Input(X, y, REFUSED)
@kind
def object_with_None(X, y):
    X = X.astype(object)
    X[3, 2] = None
    return Input(X, y, REFUSED)
@kind
def object_with_NA(X, y):
    X = X.astype(object)
    X[3, 2] = pd.NA
    return Input(X, y, REFUSED)
@kind
def object_with_lists(X, y):
    X = X.astype(object)
    X[3, 2] = [1, 2]
    return Input(X, y, REFUSED)
@kind
def strings_of_numbers(X, y): return Input(X.astype(str), y, EITHER)
@kind
def strings(X, y): return Input(np.array([["a", "b"]]*len(X)), y, REFUSED)
@kind
def bytes_(X, y): return Input(X.astype("S4"), y, EITHER)
@kind
def complex_(X, y): return Input(X+1j, y, REFUSED)
@kind
def datetimes(X, y): return Input(X.astype("datetime64[D]"), y, REFUSED)
@kind
def timedeltas(X, y): return Input(X.astype("timedelta64[D]"), y, REFUSED)
@kind
def structured(X, y): return Input(np.zeros(len(X), dtype=[("a", float), ("b", float)]), y, REFUSED)
@kind
def order_F(X, y): return Input(np.asfortranarray(X), y)
@kind
def order_F_float32(X, y): return Input(np.asfortranarray(X.astype(np.float32)), y)
@kind
def negative_rows(X, y): return Input(X[::-1].copy()[::-1], y)
@kind
def negative_columns(X, y): return Input(X[:, ::-1].copy()[:, ::-1], y)
@kind
def every_second(X, y): return Input(np.repeat(np.repeat(X, 2, 0), 3, 1)[::2, ::3], y)
@kind
def every_second_float32(X, y): return Input(np.repeat(np.repeat(X.astype(np.float32), 2, 0), 3, 1)[::2, ::3], y)
@kind
def read_only(X, y):
    X = X.copy()
    X.flags.writeable = y.flags.writeable = False
    return Input(X, y)
@kind
def not_aligned(X, y):
    held = np.empty(X.nbytes+1, dtype=np.uint8)
    own = held[1:].view(np.float64).reshape(X.shape)
    own[:] = X
    return Input(own, y)

def on_disk(X, order):
    "A memory map of a file without a name"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)/"x"
        path.write_bytes(X.tobytes(order))
        return np.memmap(path, X.dtype, "r", shape=X.shape, order=order)

@kind
def memmap_C(X, y): return Input(on_disk(X, "C"), y)
@kind
def memmap_F(X, y): return Input(on_disk(X, "F"), y)
@kind
def memmap_big_endian(X, y): return Input(on_disk(X.astype(">f4"), "C"), y)
@kind
def list_of_lists(X, y): return Input(X.tolist(), y.tolist())
@kind
def ragged_lists(X, y): return Input([*X.tolist()[:-1], [1.]], y, REFUSED)
@kind
def masked(X, y): return Input(np.ma.masked_array(X, X > 3), y, REFUSED)
@kind
def matrix(X, y): return Input(np.asmatrix(X), y, EITHER)
@kind
def none(X, y): return Input(None, y, REFUSED)
@kind
def a_number(X, y): return Input(3., y, REFUSED)
@kind
def a_word(X, y): return Input("data.csv", y, REFUSED)
@kind
def one_dimension(X, y): return Input(X[:, 0], y, REFUSED)
@kind
def three_dimensions(X, y): return Input(X[:, :, None], y, REFUSED)

# ---- sparse

FORMATS = {f"{f}_{what}": (f, what) for f in ("csr", "csc", "coo", "bsr", "lil", "dok", "dia") for what in ("matrix", "array")}

@many("sparse", FORMATS)
def sparse(X, y, told): return Input(getattr(sp, f"{told[0]}_{told[1]}")(X), y)

@many("csc", {name: name for name in ("float32", "int8", "uint8", "int16", "int64", "uint64", "longdouble", "bool")})
def csc(X, y, name):
    if name == "bool": return Input(sp.csc_matrix(X > 1), y, plain=((X > 1).astype(float), y))
    return Input(sp.csc_matrix(X.astype(name)), y)

@many("csr", {name: name for name in ("float32", "int16", "uint64")})
def csr(X, y, name): return Input(sp.csr_matrix(X.astype(name)), y)

@many("csc values", {">f8": ">f8", ">i4": ">i4", "float16": "float16"})
def csc_values(X, y, name):
    A = sp.csc_matrix(X)
    A.data = A.data.astype(name)
    return Input(A, y)

@many("int64 indices", {"csc": sp.csc_matrix, "csr": sp.csr_matrix})
def long_indices(X, y, make):
    A = make(X)
    A.indices, A.indptr = A.indices.astype(np.int64), A.indptr.astype(np.int64)
    return Input(A, y)

def halves(X):
    "Every entry twice, at half its size; pieces of one entry are not next to each other"
    A = sp.csc_matrix(X)
    parts = [[np.concatenate([part[a:b]]*2) for a, b in zip(A.indptr, A.indptr[1:])] for part in (A.data/2, A.indices)]
    return sp.csc_matrix((np.concatenate(parts[0]), np.concatenate(parts[1]), A.indptr*2), A.shape)

@kind
def duplicates_csc(X, y): return Input(halves(X), y)
@kind
def duplicates_csr(X, y):
    A = halves(X.T)
    return Input(sp.csr_matrix((A.data, A.indices, A.indptr), X.shape), y)
@kind
def duplicates_coo(X, y):
    A = sp.coo_matrix(X)
    return Input(sp.coo_matrix((np.r_[A.data, A.data]/2, (np.r_[A.row, A.row], np.r_[A.col, A.col])), A.shape), y)
@many("unsorted", {"csc": sp.csc_matrix, "csr": sp.csr_matrix})
def unsorted(X, y, make):
    A = make(X)
    for a, b in zip(A.indptr, A.indptr[1:]): A.indices[a:b], A.data[a:b] = A.indices[a:b][::-1].copy(), A.data[a:b][::-1].copy()
    return Input(make((A.data, A.indices, A.indptr), A.shape), y)
@many("explicit zeros", {"csc": sp.csc_matrix, "csr": sp.csr_matrix})
def explicit_zeros(X, y, make):
    A = make(X+1)
    A.data -= 1
    return Input(A, y)
@kind
def read_only_csc(X, y):
    A = sp.csc_matrix(X)
    for part in (A.data, A.indices, A.indptr): part.flags.writeable = False
    return Input(A, y)
@kind
def complex_csc(X, y): return Input(sp.csc_matrix(X+0j), y, REFUSED)
@kind
def empty_csc(X, y): return Input(sp.csc_matrix(X.shape), y, REFUSED)

def broken(change, make=sp.csc_matrix):
    "A kind of sparse matrix whose structure is damaged after it is made"
    def build(X, y, _=None):
        A = make(X)
        change(A)
        return Input(A, y, REFUSED)
    return build

def set_index(value):
    "A change of one row number"
    def change(A): A.indices[7] = value
    return change
def set_pointer(at, value):
    "A change of one beginning"
    def change(A): A.indptr[at] = value
    return change
def cut_values(A): A.data = A.data[:-5]

for name, make in (("csc", sp.csc_matrix), ("csr", sp.csr_matrix)):
    KINDS[f"broken {name} index too large"] = broken(set_index(10**6), make)
    KINDS[f"broken {name} index far too large"] = broken(set_index(2**31-1), make)
    KINDS[f"broken {name} index negative"] = broken(set_index(-1), make)
    KINDS[f"broken {name} beginning too large"] = broken(set_pointer(3, 10**7), make)
    KINDS[f"broken {name} end too large"] = broken(set_pointer(-1, 10**7), make)
    KINDS[f"broken {name} beginnings fall"] = broken(set_pointer(4, 1), make)
    KINDS[f"broken {name} first not 0"] = broken(set_pointer(0, 2), make)
    KINDS[f"broken {name} values too few"] = broken(cut_values, make)

# ---- stores, and columns that were opened already

NAMES = [f"g{j}" for j in range(12)]

@lru_cache(None)
def shelf():
    "A folder for stores, which goes with the process"
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)

def stored(X, *more):
    "The path of a store of X, the same for the same X"
    from fsnb.data.store import write_store
    about = [sp.issparse(X), str(X.dtype), str(more), X.toarray().tolist() if sp.issparse(X) else X.tolist()]
    path = shelf()/f"{zlib.crc32(repr(about).encode())}.fsnb"
    return path if path.exists() else write_store(path, X, *more)

@kind
def store_of_an_array(X, y): return Input(str(stored(X)), y)
@kind
def store_of_float32_by_Path(X, y): return Input(Path(stored(X.astype(np.float32))), y)
@kind
def store_of_csc(X, y): return Input(str(stored(sp.csc_matrix(X))), y)
@kind
def store_of_int8_with_names_and_labels(X, y): return Input(str(stored(sp.csc_matrix(X.astype(np.int8)), NAMES, y)), y)
@kind
def store_of_equal_values(X, y): return Input(str(stored(sp.csc_matrix((X > 1)*1.))), y, plain=((X > 1).astype(float), y))
@kind
def store_that_is_open(X, y):
    from fsnb.data.store import open_store
    return Input(open_store(stored(sp.csc_matrix(X))), y)
@kind
def store_of_constants(X, y): return Input(str(stored(sp.csc_matrix(X*0+2))), y, REFUSED)
@kind
def store_far_from_zero(X, y): return Input(str(stored(X+1e15)), y, EITHER, plain=(X+1e15, y))
@kind
def store_that_is_not_there(X, y): return Input(str(shelf()/"none.fsnb"), y, REFUSED)
@kind
def store_that_is_half_written(X, y):
    path = shelf()/"half.fsnb"
    path.mkdir(exist_ok=True)
    (path/"progress.json").write_text("{}")
    return Input(str(path), y, REFUSED)
@kind
def folder_that_is_no_store(X, y): return Input(str(shelf()), y, REFUSED)
@kind
def columns_of_an_array(X, y):
    from fsnb import as_columns
    return Input(as_columns(X), y)
@kind
def columns_of_csc_with_names(X, y):
    from fsnb import as_columns
    return Input(as_columns(sp.csc_matrix(X), NAMES), y)
@many("entries", {"float64": np.float64, "int8": np.int8, "float32": np.float32})
def entries(X, y, dtype):
    from fsnb.data.sparse import SparseColumns, StoredEntries
    A = sp.csc_matrix(X.astype(dtype))
    return Input(SparseColumns(StoredEntries(A.data, A.indices, A.indptr, A.shape)), y)
@kind
def entries_that_are_equal(X, y):
    from fsnb.data.sparse import SparseColumns, StoredEntries
    A = sp.csc_matrix(X > 1)
    return Input(SparseColumns(StoredEntries(np.broadcast_to(np.ones(1), A.data.shape), A.indices, A.indptr, A.shape)), y, plain=((X > 1).astype(float), y))

# ---- genotypes

def calls(X): return np.minimum(X, 2)

@kind
def genotypes(X, y):
    from fsnb.data.calls import pack_calls
    from fsnb.data.genotypes import GenotypeColumns
    return Input(GenotypeColumns(pack_calls(calls(X)), len(X), NAMES), y, plain=(calls(X), y))
@kind
def genotypes_with_missing_calls(X, y):
    from fsnb.data.calls import pack_calls
    from fsnb.data.genotypes import GenotypeColumns
    X = calls(X)
    X[3, 2] = X[10:14, 5] = np.nan
    return Input(GenotypeColumns(pack_calls(X), len(X)), y, plain=(np.where(np.isnan(X), np.nanmean(X, 0), X), y), categories=(X, y))
@kind
def genotypes_of_a_file(X, y):
    from fsnb.data.plink import open_genotypes, write_bed
    path = shelf()/"x.bed"
    if not path.exists(): write_bed(path, calls(X), NAMES)
    return Input(open_genotypes(path), y, plain=(calls(X), y))

# ---- frames

def frame(X, **more): return pd.DataFrame(X, columns=NAMES, **more)

@kind
def pandas(X, y): return Input(frame(X), y)
@kind
def pandas_and_series(X, y): return Input(frame(X, index=np.arange(len(X))[::-1]), pd.Series(y))
@many("pandas", {name: name for name in ("float32", "Int64", "Float64", "UInt8", "double[pyarrow]", "int64[pyarrow]", "float16")})
def pandas_of(X, y, name): return Input(frame(X).astype(name), y)
@kind
def pandas_mixed(X, y): return Input(frame(X).astype({"g0": "Int64", "g1": "float32", "g2": "int8", "g3": "double[pyarrow]"}), y)
@kind
def pandas_boolean(X, y): return Input(frame(X > 1).astype("boolean"), y, plain=((X > 1).astype(float), y))
@kind
def pandas_sparse(X, y): return Input(pd.DataFrame.sparse.from_spmatrix(sp.csc_matrix(X), columns=NAMES), y)
@many("pandas missing", {"Int64": "Int64", "Float64": "Float64", "double[pyarrow]": "double[pyarrow]", "float64": "float64"})
def pandas_missing(X, y, name):
    told = frame(X).astype(name)
    told.iloc[4, 5] = None
    return Input(told, y, REFUSED)
@kind
def pandas_categorical(X, y): return Input(frame(X.astype(int)).astype("category"), y, EITHER)
@kind
def pandas_one_categorical(X, y): return Input(frame(X).astype({"g3": "category"}), y, EITHER)
@kind
def pandas_categories_of_words(X, y):
    told = frame(X)
    told["g4"] = pd.Categorical(["red", "green"]*(len(X)//2))
    return Input(told, y, REFUSED)
@kind
def pandas_words(X, y):
    told = frame(X)
    told["g4"] = ["red", "green"]*(len(X)//2)
    return Input(told, y, REFUSED)
@kind
def pandas_numbers_as_words(X, y):
    told = frame(X)
    told["g4"] = told["g4"].astype(str)
    return Input(told, y, EITHER)
@kind
def pandas_datetime(X, y):
    told = frame(X)
    told["g4"] = pd.date_range("2020", periods=len(X))
    return Input(told, y, REFUSED)
@kind
def pandas_all_datetime(X, y): return Input(frame(X.astype("datetime64[s]")), y, REFUSED)
@kind
def pandas_timedelta(X, y):
    told = frame(X)
    told["g4"] = pd.to_timedelta(X[:, 4], unit="s")
    return Input(told, y, REFUSED)
@kind
def pandas_period(X, y):
    told = frame(X)
    told["g4"] = pd.period_range("2020", periods=len(X))
    return Input(told, y, REFUSED)
@kind
def pandas_objects(X, y): return Input(frame(X).astype(object), y)
@kind
def pandas_repeated_names(X, y): return Input(pd.DataFrame(X, columns=["a", "b", "a", *NAMES[3:]]), y, REFUSED)
@kind
def pandas_MultiIndex(X, y):
    return Input(pd.DataFrame(X, columns=pd.MultiIndex.from_product([list("abcd"), [1, 2, 3]])), y, EITHER)
@kind
def pandas_numbered(X, y): return Input(pd.DataFrame(X), y)
@kind
def pandas_names_and_numbers(X, y): return Input(pd.DataFrame(X, columns=["a", 1, *NAMES[2:]]), y, EITHER)
@kind
def pandas_complex(X, y): return Input(frame(X+1j), y, REFUSED)
@kind
def pandas_inf(X, y):
    X = X.copy()
    X[2, 3] = np.inf
    return Input(frame(X), y, REFUSED)
@kind
def pandas_series_as_X(X, y): return Input(pd.Series(X[:, 0]), y, REFUSED)
@kind
def polars(X, y):
    import polars as pl
    return Input(pl.DataFrame(X, schema=NAMES), y)
@kind
def polars_whole_numbers(X, y):
    import polars as pl
    return Input(pl.DataFrame(X.astype(np.int16), schema=NAMES), pl.Series(y))
@kind
def polars_lazy(X, y):
    import polars as pl
    return Input(pl.DataFrame(X, schema=NAMES).lazy(), y)
@kind
def polars_lazy_with_words(X, y):
    import polars as pl
    return Input(pl.DataFrame(X, schema=NAMES).lazy().with_columns(pl.lit("a").alias("g3")), y, REFUSED)
@kind
def polars_null(X, y):
    import polars as pl
    told = pl.DataFrame(X, schema=NAMES).with_columns(pl.when(pl.col("g2") > 2).then(None).otherwise(pl.col("g2")).alias("g2"))
    return Input(told, y, REFUSED)
@kind
def polars_words(X, y):
    import polars as pl
    return Input(pl.DataFrame(X, schema=NAMES).with_columns(pl.lit("a").alias("g3")), y, REFUSED)
@kind
def polars_dates(X, y):
    import polars as pl
    return Input(pl.DataFrame(X, schema=NAMES).with_columns(pl.col("g3").cast(pl.Int32).cast(pl.Date)), y, REFUSED)
@kind
def polars_categorical(X, y):
    import polars as pl
    return Input(pl.DataFrame(X, schema=NAMES).with_columns(pl.lit("a").cast(pl.Categorical).alias("g3")), y, REFUSED)
@kind
def polars_decimal(X, y):
    import polars as pl
    return Input(pl.DataFrame(X, schema=NAMES).with_columns(pl.col("g3").cast(pl.Decimal(10, 2))), y, EITHER)
@kind
def polars_boolean(X, y):
    import polars as pl
    return Input(pl.DataFrame(X > 1, schema=NAMES), y, plain=((X > 1).astype(float), y))
@kind
def pyarrow_table(X, y):
    import pyarrow as pa
    return Input(pa.table({n: X[:, j] for j, n in enumerate(NAMES)}), y, EITHER)

def arrow(X, **more):
    "A table of Arrow with one column of another type"
    import pyarrow as pa
    columns = {n: pa.array(X[:, j]) for j, n in enumerate(NAMES)}
    return pa.table(columns | {n: make(pa) for n, make in more.items()})

@kind
def pyarrow_dictionary(X, y): return Input(arrow(X, g3=lambda pa: pa.array(["a", "b"]*(len(X)//2)).dictionary_encode()), y, REFUSED)
@kind
def pyarrow_dates(X, y): return Input(arrow(X, g3=lambda pa: pa.array(np.arange(len(X)), pa.int32()).cast(pa.date32())), y, REFUSED)
@kind
def pyarrow_words(X, y): return Input(arrow(X, g3=lambda pa: pa.array(["a"]*len(X))), y, REFUSED)
@kind
def pyarrow_null(X, y): return Input(arrow(X, g3=lambda pa: pa.array([None, *X[1:, 3]])), y, REFUSED)
@kind
def pyarrow_whole_numbers(X, y): return Input(arrow(X, g3=lambda pa: pa.array(X[:, 3].astype(np.int16))), y)

# ---- AnnData: what has its attributes

class Annotated:
    "What an AnnData has"
    def __init__(self, X, obs=None, names=NAMES, layers=None):
        self.X, self.obs, self.layers, self.shape = X, obs, layers or {}, X.shape
        self.var = pd.DataFrame(index=names)
    @property
    def var_names(self): return self.var.index

def observed(y): return pd.DataFrame({"kind": y, "words": np.where(y == 1, "b", "a")}, index=[f"cell{i}" for i in range(len(y))])

@many("annotated", {"array": np.array, "csr": sp.csr_matrix, "csc": sp.csc_matrix, "csr array of float32": lambda X: sp.csr_array(X.astype(np.float32))})
def annotated(X, y, make): return Input(Annotated(make(X), observed(y)), y)
@kind
def annotated_layer(X, y):
    from fsnb import from_anndata
    return Input(from_anndata(Annotated(X*0, observed(y), layers={"counts": sp.csr_matrix(X)}), layer="counts"), y)
@kind
def annotated_without_observations(X, y): return Input(Annotated(sp.csr_matrix(X)), y)
@kind
def annotated_without_X(X, y):
    told = Annotated(X, observed(y))
    told.X = None
    return Input(told, y, REFUSED)
@kind
def annotated_names_twice(X, y): return Input(Annotated(X, observed(y), ["a", "a", *NAMES[2:]]), y, REFUSED)
@kind
def annotated_NaN(X, y):
    X = X.copy()
    X[3, 4] = np.nan
    return Input(Annotated(X, observed(y)), y, REFUSED)
# y is a word there: a function without a door of its own may ask for labels
@many("y of obs", {name: name for name in ("kind", "words")})
def y_of_obs(X, y, name): return Input(Annotated(sp.csr_matrix(X), observed(y)), name, EITHER)
@kind
def y_of_obs_not_there(X, y): return Input(Annotated(X, observed(y)), "nothing", REFUSED)
@kind
def y_of_obs_missing(X, y): return Input(Annotated(X, observed(y).assign(kind=[None, *y[1:]])), "kind", REFUSED)
@kind
def y_of_obs_without_obs(X, y): return Input(Annotated(X), "kind", REFUSED)
@kind
def y_word_and_array(X, y): return Input(X, "kind", REFUSED)

# ---- sizes

@many("samples", {0: 0, 1: 1})
def too_few(X, y, n): return Input(X[:n], y[:n], REFUSED)
@many("samples", {2: 2, 3: 3, 4: 4})
def few(X, y, n): return Input(X[:n], np.arange(n) % 2, EITHER, plain=(X[:n], np.arange(n) % 2))
@many("samples csc", {0: 0, 1: 1})
def too_few_csc(X, y, n): return Input(sp.csc_matrix(X[:n]), y[:n], REFUSED)
@many("samples csc", {2: 2, 3: 3, 4: 4})
def few_csc(X, y, n): return Input(sp.csc_matrix(X[:n]), np.arange(n) % 2, EITHER, plain=(X[:n], np.arange(n) % 2))
@kind
def features_0(X, y): return Input(X[:, :0], y, REFUSED)
@kind
def features_0_csc(X, y): return Input(sp.csc_matrix((len(X), 0)), y, REFUSED)
@kind
def features_1(X, y): return Input(X[:, :1], y, EITHER, plain=(X[:, :1], y))
@kind
def features_1_csc(X, y): return Input(sp.csc_matrix(X[:, :1]), y, EITHER, plain=(X[:, :1], y))
@kind
def features_2_csc(X, y): return Input(sp.csc_matrix(X[:, 2:4]), y, EITHER, plain=(X[:, 2:4], y))

# ---- values: what is said of an array holds for CSC too

STORES = {"array": np.array, "csc": sp.csc_matrix, "float32": np.float32}

def values(change, expected=ANSWER, stores=("array", "csc")):
    "Kinds in which X is changed first; the answer on CSC must be that on the array"
    def keep(function): return function
    name = change.__name__.replace("_", " ").strip()
    for store in stores:
        def build(X, y, store=store):
            with np.errstate(all="ignore"): changed = change(X.copy())
            told = expected
            if told is SAME: return Input(STORES[store](changed), y, SAME)
            return Input(STORES[store](changed), y, told, plain=None if told is REFUSED else (changed, y))
        KINDS[f"{name} ({store})"] = build
    return keep

def constants_only(X): return X*0+2
def one_constant(X): X[:, 4] = 3; return X
def one_column_of_zeros(X): X[:, 4] = 0; return X
def duplicate_columns(X): X[:, 4] = X[:, 0]; return X
def copies_of_one_column(X): return np.repeat(X[:, :1], 12, axis=1)
def opposite_columns(X): X[:, 4] = -X[:, 0]; return X
def the_class_itself(X): X[:, 4] = np.arange(len(X)) % 2; return X
def scale_1e300(X): return X*1e300
def scale_1e_300(X): return X*1e-300
def scale_1e150(X): return X*1e150
def scale_1e_150(X): return X*1e-150
def scale_1e100(X): return X*1e100
def scale_1e_100(X): return X*1e-100
def scale_1e_320(X): return X*1e-320
def one_column_1e100(X): X[:, 4] *= 1e100; return X
def one_column_1e300(X): X[:, 4] *= 1e300; return X
def one_column_1e_300(X): X[:, 4] *= 1e-300; return X
def scales_of_each(X): return X*10.**np.arange(-150, 150, 25)
def plus_1e8(X): return X+1e8
def plus_1e17(X): return X+1e17
def plus_1e15(X): return X+1e15
def one_column_plus_1e17(X): X[:, 4] += 1e17; return X
def one_NaN(X): X[3, 4] = np.nan; return X
def column_of_NaN(X): X[:, 4] = np.nan; return X
def one_inf(X): X[3, 4] = np.inf; return X
def one_minus_inf(X): X[3, 4] = -np.inf; return X
def one_entry_each(X): X[:] = 0; X[np.arange(12), np.arange(12)] = 1; return X
def outlier_1e30(X): X[0, 4] = 1e30; return X
def negative_zeros(X): X[X == 0] = -0.; return X

for change in (one_constant, one_column_of_zeros, duplicate_columns, copies_of_one_column, opposite_columns,
               the_class_itself, negative_zeros): values(change, EITHER)
for change in (scale_1e_100, scale_1e100, plus_1e8, scale_1e150, scale_1e_150, scales_of_each, plus_1e15, one_column_1e100,
               scale_1e_300, scale_1e300, scale_1e_320, one_column_1e300, one_column_1e_300, outlier_1e30, one_entry_each,
               plus_1e17, one_column_plus_1e17):
    values(change, EITHER)
for change in (constants_only, one_NaN, column_of_NaN, one_inf, one_minus_inf): values(change, REFUSED)

@many("imbalance", {"array": np.asarray, "csc": sp.csc_matrix})
def imbalance(X, y, make):
    X, y = base_data(1001, 4)
    y = np.zeros(1001, dtype=int)
    y[500] = 1
    X[500, :3] += 20
    return Input(make(X), y, EITHER, plain=(X, y))

# ---- labels

@many("y", {name: name for name in ("int8", "uint8", "uint64", "float32", "float64", ">i4", ">f8", "bool", "float16")})
def y_of(X, y, name): return Input(X, y.astype(name))
def renamed(change, expected=SAME):
    "Labels of another kind; the classes in the same order"
    def build(X, y): return Input(X, change(y), expected)
    return build
def spoilt(y, value):
    y = y.astype(float)
    y[4] = value
    return y
LABELS = {
    "words": (lambda y: np.where(y == 1, "b", "a"), SAME), "bytes": (lambda y: np.where(y == 1, b"b", b"a"), EITHER),
    "objects": (lambda y: np.where(y == 1, "b", "a").astype(object), SAME), "-1 and 1": (lambda y: 2*y-1, SAME),
    "0 and 255": (lambda y: (255*y).astype(np.uint8), SAME), "huge": (lambda y: y*(2**62)+1, SAME),
    "list": (lambda y: y.tolist(), SAME), "tuple": (lambda y: tuple(y), SAME), "one column": (lambda y: y[:, None], SAME),
    "Series": (lambda y: pd.Series(y), SAME), "Series of words": (lambda y: pd.Series(np.where(y == 1, "b", "a")), SAME),
    "categorical": (lambda y: pd.Series(pd.Categorical(np.where(y == 1, "b", "a"))), SAME), "Int64": (lambda y: pd.Series(y, dtype="Int64"), SAME),
    "Arrow words": (lambda y: pd.Series(np.where(y == 1, "b", "a"), dtype="string[pyarrow]"), SAME),
    "read-only": (lambda y: np.frombuffer(y.tobytes(), dtype=y.dtype), SAME), "reversed twice": (lambda y: y[::-1].copy()[::-1], SAME),
    "1e-9 apart": (lambda y: 1+1e-9*y, EITHER), "halves": (lambda y: y/2, EITHER),
    "one class": (lambda y: y*0, REFUSED), "NaN": (lambda y: spoilt(y, np.nan), REFUSED), "inf": (lambda y: spoilt(y, np.inf), REFUSED),
    "Int64 with NA": (lambda y: pd.Series(spoilt(y, np.nan)).astype("Int64"), REFUSED), "None among words": (lambda y: np.array([None, *np.where(y == 1, "b", "a")[1:]], dtype=object), REFUSED),
    "too short": (lambda y: y[:-1], REFUSED), "too long": (lambda y: np.r_[y, 1], REFUSED), "empty": (lambda y: y[:0], REFUSED), "two columns": (lambda y: np.c_[y, y], REFUSED),
    "a number": (lambda y: 1, REFUSED), "complex": (lambda y: y+1j, REFUSED), "words and numbers": (lambda y: np.array(["a", 1]*(len(y)//2), dtype=object), REFUSED),
    "dates": (lambda y: y.astype("datetime64[D]"), EITHER), "sets": (lambda y: [{int(v)} for v in y], REFUSED), "missing": (lambda y: None, EITHER),
    "twelve classes": (lambda y: np.arange(len(y)) % 12, EITHER), "a word a pair": (lambda y: np.array([f"w{i//2 % 8}" for i in range(len(y))]), EITHER),
    "numbers": (lambda y: y+np.sin(np.arange(len(y))), EITHER), "1e300": (lambda y: y*1e300, EITHER), "longdouble": (lambda y: y.astype(np.longdouble), EITHER),
}
for name, (change, expected) in LABELS.items(): KINDS[f"y {name}"] = renamed(change, expected)

@many("three classes", {"array": np.asarray, "csc": sp.csc_matrix, "float16": np.float16, ">i4": lambda X: X.astype(">i4")})
def three_classes(X, y, make):
    X, y = base_data(90, 5, 3)
    return Input(make(X), y, EITHER, plain=(X, y))

ONLY_Y = {name for name in KINDS if name.startswith("y ")}

"""A store is read back and checked: whatever is damaged is named by its file."""
import json, zlib
import numpy as np
import pytest
import scipy.sparse as sp
from fsnb import GDM, as_columns
from fsnb.data.folder import _HEADER, _seal_record
from fsnb.data.store import open_store, read_store_labels, read_store_names, write_store
from stores import make


ARRAYS = {"sparse": ["data", "indices", "indptr", "mean", "std", "peak"], "dense": ["X", "mean", "std"]}
EACH = [(kind, name) for kind in ARRAYS for name in ARRAYS[kind]]


@pytest.mark.parametrize("kind, name", EACH)
def test_what_is_cut_short_or_gone_is_named(tmp_path, kind, name):
    path = make(tmp_path, kind)
    file = path/f"{name}.npy"
    content = file.read_bytes()
    for kept in (len(content)-1, len(content)//2, _HEADER, 60, 0):
        file.write_bytes(content[:kept])
        with pytest.raises(ValueError, match=f"{path} is damaged: {name}.npy is cut short, {kept} bytes and not {len(content)}"):
            open_store(path)
    file.write_bytes(content+b"\0")
    with pytest.raises(ValueError, match=f"is damaged: {name}.npy is not an array of"): open_store(path)
    file.write_bytes(content.replace(b"NUMPY", b"NUMPX"))
    with pytest.raises(ValueError, match=f"is damaged: {name}.npy is not an array of"): open_store(path)
    file.unlink()
    with pytest.raises(ValueError, match=f"is damaged: {name}.npy is not there"): open_store(path)


@pytest.mark.parametrize("kind, name", EACH+[("sparse", "labels"), ("dense", "names")])
def test_any_byte_that_changes_is_found_by_check(tmp_path, kind, name):
    path = make(tmp_path, kind)
    file = path/(f"{name}.npy" if name != "names" else "names.json")
    content, start = bytearray(file.read_bytes()), _HEADER if name != "names" else 0
    assert open_store(path, check=True).n_features == 60
    for at in np.random.default_rng(0).integers(start, len(content), 9):
        changed = bytearray(content)
        changed[at] ^= 1 << at % 8
        file.write_bytes(changed)
        with pytest.raises(ValueError, match=f"is damaged: the bytes of {file.name} are not those that were written"):
            open_store(path, check=True)


def rewrite(path, name, change):
    "Change an array and its checksum, as somebody else's program would that writes stores"
    array = np.load(path/f"{name}.npy")
    change(array)
    content = (path/f"{name}.npy").read_bytes()[:_HEADER]+array.tobytes()
    (path/f"{name}.npy").write_bytes(content)
    record = json.loads((path/"store.json").read_text())
    record["arrays"][name]["crc32"] = f"{zlib.crc32(content[_HEADER:]):08x}"
    (path/"store.json").write_text(json.dumps(_seal_record(record)))


def test_rows_and_pointers_are_looked_at_by_check(tmp_path):
    def swap(x): x[[1, 0]] = x[[0, 1]]
    def double(x): x[1] = x[0]
    def far(x): x[-1] = 40
    def below(x): x[0] = -1
    def fall(x): x[7] = x[8]+1
    def start(x): x[0] = 1
    for name, change, said in (("indices", swap, "out of order"), ("indices", double, "twice"),
                               ("indices", far, r"has row 40 outside \[0, 40\)"), ("indices", below, "has row -1 outside"),
                               ("indptr", fall, "indptr.npy must begin with 0 and never fall"), ("indptr", start, "never fall")):
        path = make(tmp_path, overwrite=True)
        rewrite(path, name, change)
        with pytest.raises(ValueError, match=f"is damaged: .*{said}"): open_store(path, check=True)


def test_the_record(tmp_path):
    path = make(tmp_path)
    good = json.loads((path/"store.json").read_text())
    def refused(said, text=None, **changes):
        (path/"store.json").write_text(json.dumps(_seal_record(good | changes)) if text is None else text)
        for opened in (open_store, as_columns):
            with pytest.raises(ValueError, match=said): opened(path)
    refused(r"was written by fsnb 9.1 in format 2, and this fsnb reads format 1: update it", version=2, package="9.1")
    for text in ("", "{", "[]", "3", json.dumps(good)[:-9]): refused("store.json is damaged", text)
    refused("store.json is damaged", format="zarr")
    for key in ("shape", "kind", "arrays", "entries", "dtype", "value", "least", "names"):
        refused("store.json is damaged", text=json.dumps({k: v for k, v in good.items() if k != key}))
        for wrong in (7.5, "x", [1], {"a": 1}, None, -1, True):
            if wrong is None and key in ("value", "least", "names") or key in ("value", "least") and not isinstance(wrong, (str, list, dict)):
                continue
            refused("is damaged", **{key: wrong})
    (path/"store.json").write_text(json.dumps(good | {"least": -5.}))
    with pytest.raises(ValueError, match="store.json is damaged: it does not say what was written"): open_store(path)
    refused("is damaged: .*npy", shape=[40, 61])
    refused("is damaged: .*npy", shape=[40, 60], entries=5)
    for name in good["arrays"]:
        if name != "labels": refused("is damaged", arrays={k: v for k, v in good["arrays"].items() if k != name})


@pytest.mark.parametrize("dtype", ["<,4", "(4", "f4,f4", "<U99999999999", "f", "O"])
def test_a_type_that_cannot_be_is_told_as_every_other_damage(tmp_path, dtype):
    "Once: what numpy raises for some of them, without the name of the store"
    path = make(tmp_path)
    record = json.loads((path/"store.json").read_text())
    record["arrays"]["mean"]["dtype"] = dtype
    (path/"store.json").write_text(json.dumps(_seal_record(record)))
    with pytest.raises(ValueError, match=f"^{path}[/ ].*is damaged: "): open_store(path)


def test_names_without_a_checksum_are_told(tmp_path):
    "Once: a KeyError"
    path = make(tmp_path)
    record = json.loads((path/"store.json").read_text())
    del record["names"]["crc32"]
    (path/"store.json").write_text(json.dumps(_seal_record(record)))
    with pytest.raises(ValueError, match="store.json is damaged: it says nothing that can be of names"): open_store(path, check=True)


def test_what_is_no_store(tmp_path):
    (tmp_path/"file").write_text("1")
    (tmp_path/"empty").mkdir()
    for opened in (open_store, as_columns, read_store_labels, read_store_names):
        with pytest.raises(FileNotFoundError, match="there is no such file or folder"): opened(tmp_path/"none")
        with pytest.raises(NotADirectoryError, match="a store is a folder, and this is none"): opened(tmp_path/"file")
        with pytest.raises(ValueError, match="is no store: there is no store.json in it"): opened(str(tmp_path/"empty"))


def test_pointers_that_end_elsewhere_name_the_store(tmp_path):
    "Once: a changed last pointer was told without the folder"
    path = write_store(tmp_path/"x.fsnb", sp.csc_matrix(np.eye(6)[:, :4]))
    file = path/"indptr.npy"
    content = bytearray(file.read_bytes())
    content[-7] ^= 8
    file.write_bytes(content)
    with pytest.raises(ValueError, match=f"^{path} is damaged: indptr.npy ends with 2052 and not with 4$"): open_store(path)


def test_a_file_in_the_place_of_a_store_is_told_what_to_do(tmp_path):
    (tmp_path/"x.h5ad").write_text("")
    with pytest.raises(NotADirectoryError, match="a store is a folder, and this is none: make one of it .*read_data.*anndata"): GDM().fit(tmp_path/"x.h5ad", "cell_type")

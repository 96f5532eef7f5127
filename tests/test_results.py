"""Results rest on answers of today's code: the keys that each file stores are computed again.

A page that shows a file whose keys differ is stale. `BEFORE_KEYS` lists files that were made before
keys were stored; the list only shrinks.
"""
import json, sys
from pathlib import Path
import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT/"tools")]
import book, figures
from benchmarks import answers
from benchmarks.__main__ import NAMES
from fsnb import GDM

RESULTS = {path.stem: path for path in sorted((ROOT/"benchmarks/results").glob("*.json"))}
BEFORE_KEYS = ("chance", "classes", "compare", "decoys", "discovery", "embedded", "fcbf", "fcbf_rivals",
               "folds", "fsir2", "fsir2_rivals", "groups", "icml2012", "learning", "membership",
               "mmfs", "mmfs_rivals", "oneclass", "real", "rivals", "sensitivity", "significance",
               "stability", "table42")

def stored_keys(name):
    return json.loads(RESULTS[name].read_text(encoding="utf-8")).get("answers", {})

def pages_that_show(name):
    "The pages that read or link to a results file"
    texts = {path: "\n".join(book.cells(path)) for path in book.on_disk()}
    return [path.relative_to(book.nbs).with_suffix("").as_posix() for path, text in texts.items()
            if RESULTS[name] in figures.results_named(text)]

def find_stale_pages(stored):
    "{results file: the pages that show it} of files whose keys are not today's; `stored` by file"
    return {name: pages_that_show(name) for name in stored if answers.find_stale(name, stored[name])}

def test_every_benchmark_has_keys_or_only_times():
    assert sorted([*answers.USES, *answers.TIMED]) == sorted(NAMES) == sorted(RESULTS)

@pytest.mark.parametrize("name", BEFORE_KEYS)
def test_the_list_of_files_without_keys_shrinks(name):
    assert not stored_keys(name)

def test_no_page_is_stale():
    keys = {name: stored_keys(name) for name in answers.USES if name not in BEFORE_KEYS}
    assert find_stale_pages(keys) == {}

def test_a_changed_default_makes_the_right_pages_stale(monkeypatch):
    keys = {name: answers.find_keys(name) for name in answers.USES}
    answers.find_key.cache_clear()
    monkeypatch.setitem(GDM.__init__.__kwdefaults__, "tau", .1)
    stale = find_stale_pages(keys)
    answers.find_key.cache_clear()
    assert "papers/02_gdm_variants" in stale["sensitivity"] and "papers/01_gdm" in stale["real"]
    assert not {"oneclass", "fsir2", "fcbf"} & set(stale)

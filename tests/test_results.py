"""Results rest on answers of today's code: the keys that each file stores are computed again.

A page that shows a file whose keys differ is stale.
"""
import inspect, json, re
from pathlib import Path
import pytest

ROOT = Path(__file__).resolve().parent.parent
import book, doors, figures, outputs
from benchmarks import answers
from benchmarks.__main__ import NAMES, find_run
from fsnb import GDM
from fsnb.gdm import cutting_plane

RESULTS = {path.stem: path for path in sorted((ROOT/"benchmarks/results").glob("*.json"))}

def stored(name): return json.loads(RESULTS[name].read_text(encoding="utf-8"))

def keys_of(name): return stored(name).get("answers", {})

def pages_that_show(name):
    "The pages that read or link to a results file"
    texts = {path: "\n".join(book.cells(path)) for path in book.on_disk()}
    return [path.relative_to(book.nbs).with_suffix("").as_posix() for path, text in texts.items()
            if name in text and RESULTS[name] in figures.results_named(text) or f'"{name}"' in text]

def find_stale_pages(keys):
    "{results file: the pages that show it} of files whose keys are not today's; `keys` by file"
    return {name: pages_that_show(name) for name in keys if answers.find_stale(name, keys[name])}

def test_what_is_compared_is_at_the_door():
    assert set(answers.METHODS) < set(doors.selectors()), "FAMILIES of benchmarks/answers.py names what is at no door"

def test_every_benchmark_can_be_run_and_has_keys_or_only_times():
    assert sorted([*answers.USES, *answers.TIMED]) == sorted(NAMES) == sorted(RESULTS), "a benchmark stands in benchmarks/__main__.py and in answers.toml, and has a file in results/"
    for name in NAMES: assert "quick" in inspect.signature(find_run(name)).parameters

@pytest.mark.parametrize("name", RESULTS)
def test_a_file_says_its_commit_and_its_day(name):
    assert {"commit", "date"} <= set(stored(name)["made"])
    assert bool(keys_of(name)) == (name in answers.USES), "files of answers.toml have keys, the timed ones none: python -m benchmarks NAME --keys"

def test_no_page_is_stale():
    "If this fails: run python -m benchmarks NAME again, then these pages, and correct their sentences"
    assert find_stale_pages({name: keys_of(name) for name in answers.USES}) == {}

def test_pages_were_run_on_the_files_that_are_here():
    "A page prints the commit of each file that it shows; if this fails, run it again and read its sentences"
    known = "".join(path.read_text(encoding="utf-8") for path in RESULTS.values())
    shown = {commit for path in book.on_disk() for text in outputs.texts(path).values()
             for commit in re.findall(r"commit (\w{12}) of [-\d]{10}", text)}
    assert len(shown) > 15 and {commit for commit in shown if commit not in known} == set()

def test_a_changed_default_makes_the_right_pages_stale(monkeypatch):
    keys = {name: answers.find_keys(name) for name in ("sensitivity", "real", "oneclass", "fsir2", "exact", "bound")}
    monkeypatch.setattr(answers, "find_key", answers.find_key.__wrapped__)
    monkeypatch.setitem(GDM.__init__.__kwdefaults__, "tau", .1)
    stale = find_stale_pages(keys)
    assert set(stale) == {"sensitivity", "real", "exact"}
    assert "papers/02_gdm_variants" in stale["sensitivity"] and "papers/01_gdm" in stale["real"]
    assert "papers/07_rounds" in stale["exact"]

def test_a_cut_that_excludes_linked_features_makes_the_rounds_stale(monkeypatch):
    "As a rebuild did once, when no key was there to tell"
    keys, walk = {"exact": answers.find_keys("exact")}, cutting_plane._cut_greedily
    monkeypatch.setattr(answers, "find_key", answers.find_key.__wrapped__)
    monkeypatch.setattr(cutting_plane, "_cut_greedily", lambda *args, direct, **given: walk(*args, **given))
    assert "papers/07_rounds" in find_stale_pages(keys)["exact"]

def test_the_probes_tell_settings_apart():
    "but for a support's group, on dense data a pair's, and where two methods select the same: two keys are one there"
    found = {name: {tuple(key) for key in answers.find_keys(name).values()} for name in answers.USES}
    alike = {name: len(answers.USES[name])-len(keys) for name, keys in found.items()}
    assert {name for name, n in alike.items() if n} <= {"compare", "fcbf", "fcbf_rivals", "mmfs", "significance"}

def test_a_key_forgives_last_digits_and_nothing_else():
    now = answers.find_keys("oneclass")
    def changed(at, factor): return {e: [v*factor if i == at else v for i, v in enumerate(key)] for e, key in now.items()}
    assert answers.find_stale("oneclass", changed(1, 1+1e-6)) == []
    assert len(answers.find_stale("oneclass", changed(1, 1.01))) == len(now) == len(answers.find_stale("oneclass", changed(2, 2)))
    assert len(answers.find_stale("oneclass", {})) == len(now)

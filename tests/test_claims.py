"The ledger: every claim has its place, its value and its row"
import sys
from pathlib import Path
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT/"tools"))
import book, claims

RECORDS = claims.collect()
PAGE = book.nbs/"papers/20_claims.ipynb"
GOOD = dict(paper="mmfs", place="Section 2", says="it is so", holds=True, why="it was seen", evidence="proof")

def told(capsys, **changes):
    "What a registered claim says in plain text"
    claims.claim(**(GOOD | changes))
    return capsys.readouterr().out

# ---- the function

@pytest.mark.parametrize("given, verdict", [
    (dict(holds=True), "holds"), (dict(holds=np.bool_(False)), "fails"), (dict(holds=None), "cannot be tested"),
    (dict(holds=np.float64(1) > 0), "holds"),
    (dict(holds=False, when="n is large", holds_then=True), "holds with a condition"),
    (dict(holds=False, when="n is large", holds_then=False), "fails"),
    (dict(holds=True, when="n is large", holds_then=True), "holds")])
def test_the_verdict_follows_from_values(given, verdict):
    assert claims.verdict_of(**(dict(when="", holds_then=None) | given)) == verdict

def test_a_page_keeps_the_record(capsys):
    assert "holds" in told(capsys) and "gap 2" in told(capsys, figure="gap 2")

def test_a_verdict_that_changed_is_refused_when_asked(monkeypatch):
    record = next(r for r in RECORDS if r["verdict"] == "fails")
    monkeypatch.chdir((book.nbs/record["page"]).parent)
    monkeypatch.setenv(claims.CHECK, "check")
    again = {name: record[name] for name in ("paper", "place", "says", "why", "figure")}
    claims.claim(**again, holds=False)
    with pytest.raises(ValueError, match="was 'fails' when the page was run, and is 'holds' now"): claims.claim(**again, holds=True)

def test_what_is_typed_is_seen():
    source = 'claim("mmfs", "Section 1", "a", True, "b", "gap 4")\nclaim("mmfs", "Section 1", "a", holds=x < 1, why="b", figure=f"{x} 4")'
    assert list(claims.typed(source)) == ["holds=True is typed", "figure='gap 4' is typed"]
    assert list(claims.typed('claim("mmfs", "Section 1", "a", holds=None, why="b")')) == []

@pytest.mark.parametrize("heading, anchor", [
    ("Where it fails", "where-it-fails"), ("Folds (thesis, section 5.2)", "folds-thesis-section-5.2"),
    ("The `x` of [GDM](a.ipynb)'s cut?", "the-x-of-gdms-cut"), ("2 things", "things")])
def test_anchors_are_those_of_pandoc(heading, anchor): assert claims.slug(heading) == anchor

# ---- the ledger

def test_each_is_there_once_and_a_verdict_says_what_it_rests_on():
    assert len(RECORDS) >= 60
    for of in (claims.key, claims.shared_place):
        keys = list(map(of, RECORDS))
        assert sorted({k for k in keys if keys.count(k) > 1}) == []
    judged = [r for r in RECORDS if r["verdict"] != claims.UNTESTED]
    assert [r["says"] for r in judged if not r.get("evidence")] == []
    assert {r["paper"] for r in RECORDS} == set(claims.PAPERS)
    assert {r["verdict"] for r in RECORDS} >= {claims.HOLDS, claims.CONDITION, claims.FAILS}

@pytest.mark.parametrize("record", RECORDS, ids=lambda r: f"{r['page']}-{r['says'][:40]}")
def test_a_claim_leads_to_a_section(record):
    claims.check_record({name: record[name] for name in ("paper", "place", "says", "verdict", "why", "figure", "when", "see")})
    assert record["verdict"] in claims.VERDICTS and bool(record["when"]) == (record["verdict"] == claims.CONDITION)
    path, _, anchor = claims.target(record).removeprefix("../").partition("#")
    page = book.nbs/path
    assert page.exists()
    there = [claims.slug(h) for cell in claims.cells_of(page) for h in claims.headings(cell)]
    assert (not anchor and record["see"]) or anchor in there

def test_values_decide_and_nothing_is_typed():
    found = {f"{p.stem}: {fault}" for p in book.on_disk() for cell in claims.cells_of(p) if cell["cell_type"] == "code"
             for fault in claims.typed("".join(cell["source"])) if "claim(" in "".join(cell["source"])}
    assert found == set()

def test_every_call_left_a_record():
    for path in book.on_disk():
        sources = ["".join(cell["source"]) for cell in claims.cells_of(path) if cell["cell_type"] == "code"]
        asked = sum(len(claims.calls(source)) for source in sources if "claim(" in source)
        if asked: assert len(list(claims.claims_on(path))) >= asked, path.name

def test_the_page_shows_the_collection():
    "If this fails: run nbs/papers/20_claims again"
    assert claims.shown_on(PAGE) == RECORDS

"The ledger: every claim has its place, its value and its row"
import re, tomllib
from pathlib import Path
import numpy as np, pytest

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

# ---- one row a claim

with open(Path(__file__).with_name("claims.toml"), "rb") as file: SUBJECTS = tomllib.load(file)     # words that tell rows apart

def section_of(record):
    "The section of a claim; without one its first table or figure"
    parts = re.findall(r"(Section|Appendix|Equations?|Theorem|Table|Figure) ([\w.-]*\w(?: \([ab]\))?)", record["place"])
    return " ".join(([part for part in parts if part[0] in ("Section", "Appendix")] or parts or [[record["place"]]])[0])

def find_doubles(records):
    "Rows that share a place with another row, or with a part of it, and are not told apart"
    at = {(r["paper"], r["place"], r["says"]): section_of(r) for r in records}
    def is_beside(a, b): return a[0] == b[0] and a != b and re.match(re.escape(at[a])+r"(?![\w])", at[b])
    for row in at:
        paper, _, says = row
        own = [words for words in SUBJECTS[paper].get(at[row], ()) if words in says]
        shared = any(is_beside(row, other) for other in at)
        told = len(own) == 1 and sum(own[0] in other[2] for other in at if other[0] == paper) == 1
        if shared and not told: yield says

WERE_DOUBLE = [
    ("thesis2015", "Section 4.5, page 82", "GDM is powerless where all features are duplicates of one"),
    ("thesis2015", "Appendix i, Figure i.1, page 103", "storage by feature makes GDM and the filter faster than storage by sample"),
    ("thesis2015", "Figure 4.5, Section 4.4.3, page 75", "on kdd2010 and webspam themselves GDM is the most accurate"),
    ("fsir2", "Section II, before Equation 5", "the mean eigenvalue is a rough estimate of the average relevance"),
    ("mmfs", "Section 2.5", "coordinate descent takes O(log 1/epsilon) passes"), ("mmfs", "Section 4.4.1", "QPFS and FCBF cannot handle sparse data")]

def test_no_two_rows_share_paper_place_and_subject():
    assert list(find_doubles(RECORDS)) == []
    known = {words for papers in SUBJECTS.values() for listed in papers.values() for words in listed}
    assert {words for words in known if not any(words in r["says"] for r in RECORDS)} == set()

@pytest.mark.parametrize("double", WERE_DOUBLE, ids=lambda double: double[2][:40])
def test_a_paraphrase_is_seen(double):
    again = dict(zip(("paper", "place", "says"), double))
    assert list(find_doubles([*RECORDS, again])) != []

# ---- the ledger

def test_each_is_there_once_and_a_verdict_says_what_it_rests_on():
    assert len(RECORDS) >= 60
    keys = list(map(claims.key, RECORDS))
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

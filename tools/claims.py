"""The ledger: what the five papers claim, and what came out.

A page registers a verdict in a cell, beside the value that decides it:

    from tools.claims import claim                                          # a cell of its own
    claim("thesis2015", "Proposition 2, page 31", "the greedy cut solves (6) to its global optimum",
          holds=greedy >= exact, why="it builds an independent set, one place after another",
          figure=f"greedy {greedy:.3f}, exact {exact:.3f}", evidence="counterexample")

The page shows it, and its output keeps it. `collect` reads the outputs of all pages, and
nbs/papers/20_claims.ipynb shows what it finds. `python tools/claims.py` lists them.
"""
import ast
import json
import os
import re
import sys
from pathlib import Path

from tools import book

PAPERS = {"icml2012": "GDM, ICML 2012", "thesis2015": "GDM, thesis 2015", "mmfs": "MMFS",
          "fsir2": "FSIR², ICDM 2015", "fcbf": "FCBF, ICML 2003"}
HOLDS, CONDITION, FAILS, UNTESTED = "holds", "holds with a condition", "fails", "cannot be tested"
VERDICTS = HOLDS, CONDITION, FAILS, UNTESTED
EVIDENCE = "proof", "counterexample", "measured on the paper's data", "measured on other data"
PARTS = ("Proposition|Theorem|Lemma|Definition|Algorithm|Table|Figure|Equation|Section|Abstract|Chapter|Appendix|"
         "Heuristic|page")
LEVEL = .005     # half a point of an accuracy or a rate: what is nearer than that is level
KIND = "application/vnd.fsnb.claim+json"
LEDGER = "application/vnd.fsnb.ledger+json"
CHECK = "FSNB_CLAIMS"       # set to check: a verdict that is not the one in the committed output is an error

# ---- a claim

def claim(paper,            # one of icml2012, thesis2015, mmfs, fsir2, fcbf
          place,            # where it is printed: "Proposition 2, page 31"
          says,             # what it says, in words of ours
          holds,            # is it so, as printed? A value that the cell computed; None: cannot be tested
          why,              # why it is or is not so, or why it cannot be tested
          figure="",        # what was measured, made of values: f"gap {gap:.3f}"
          *, when="",       # where it does not hold as printed: the condition under which it does
          holds_then=None,  # is it so under that condition? A value that the cell computed
          evidence="",      # one of `EVIDENCE`: what the verdict rests on
          see="",           # the page with the proof, where it is another one: "gdm/01_cut#where-it-fails"
         ):
    "Register a verdict: shows it, and the output of the cell keeps it"
    from IPython.display import display
    verdict = verdict_of(holds, when, holds_then)
    record = dict(paper=paper, place=place, says=says, verdict=verdict, why=why, figure=str(figure),
                  when=when if verdict == CONDITION else "",
                  evidence=evidence, see=see)
    check_record(record)
    if os.environ.get(CHECK) == "check": check_committed(record)
    shown = {"text/plain": f"{verdict}: {figure}" if figure else verdict,
             "text/markdown": as_markdown(record), KIND: record}
    display(shown, raw=True)

def is_truth(value):
    "True, False or a boolean of numpy"
    return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_") and getattr(value, "ndim", 1) == 0

def verdict_of(holds, when, holds_then):
    "One of `VERDICTS`. Raises TypeError or ValueError"
    if holds is not None and not is_truth(holds): raise TypeError(f"holds must be True, False or None, got {holds!r}")
    if bool(when) != (holds_then is not None): raise ValueError("when and holds_then come together")
    if holds_then is not None and not is_truth(holds_then):
        raise TypeError(f"holds_then must be True or False, got {holds_then!r}")
    if holds is None: return UNTESTED
    if holds: return HOLDS
    return CONDITION if holds_then else FAILS

def check_record(record):
    "Raise ValueError for a record that the ledger cannot show"
    if record["paper"] not in PAPERS:
        raise ValueError(f"paper must be one of {', '.join(PAPERS)}, got {record['paper']!r}")
    for key in ("place", "says", "why"):
        if not record[key].strip(): raise ValueError(f"{key} must say something")
    if record.get("evidence", "") not in ("", *EVIDENCE):
        raise ValueError(f"evidence must be one of {', '.join(EVIDENCE)}, got {record['evidence']!r}")
    if not re.search(rf"\b(?:{PARTS})\b", record["place"]):
        raise ValueError(f"place must name a part of the paper, got {record['place']!r}")
    for key, value in record.items():
        if "|" in value or "\n" in value: raise ValueError(f"{key} stands in a table: no | and one line, got {value!r}")

def as_markdown(record):
    "What a page shows of a claim"
    condition = f", if {record['when']}" if record["when"] else ""
    measured = f" ({record['figure']})" if record["figure"] else ""
    rests = f" *{record['evidence'].capitalize()}.*" if record["evidence"] else ""
    return (f"**Claim** ({PAPERS[record['paper']]}, {record['place']}): {record['says']}. "
            f"**{record['verdict'].capitalize()}**{condition}: {record['why']}{measured}.{rests}")

# ---- the collection

def slug(heading):
    "The anchor of a heading, as pandoc makes it"
    plain = re.sub(r"`|\*|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    kept = re.sub(r"[^\w\s.-]", "", plain)
    return re.sub(r"^[^a-z]+", "", re.sub(r"\s+", "-", kept.strip()))

def headings(cell):
    "The headings below the title in a cell of text"
    if cell["cell_type"] != "markdown": return []
    text = re.sub(r"```.*?```", "", "".join(cell["source"]), flags=re.S)
    return re.findall(r"^##+ +(.+?) *$", text, re.M)

def cells_of(path): return json.loads(path.read_text(encoding="utf-8"))["cells"]

def claims_on(path):
    "The claims that a page's outputs hold, each with its page and section"
    section = ""
    for cell in cells_of(path):
        section = (headings(cell) or [section])[-1]
        for output in cell.get("outputs", []):
            record = output.get("data", {}).get(KIND)
            if record is None: continue
            page = path.relative_to(book.nbs).with_suffix("").as_posix()
            yield dict(record, page=page, section=section)

def collect(folder=book.nbs):
    "The claims of all pages, paper by paper, in the order of the book"
    found = [record for path in book.on_disk(folder) for record in claims_on(path)]
    return sorted(found, key=lambda record: list(PAPERS).index(record["paper"]))

def key(record): return record["paper"], record["place"], record["says"]

def check_committed(record):
    "Raise ValueError where a page in the working folder has another verdict on this claim"
    for path in sorted(Path().glob("*.ipynb")):
        for old in claims_on(path.resolve()):
            if key(old) == key(record) and old["verdict"] != record["verdict"]:
                raise ValueError(f"{path}: {record['says']!r} was {old['verdict']!r} when the page was run, "
                                 f"and is {record['verdict']!r} now: run the page and papers/20_claims again")

def target(record):
    "The link to a claim's proof, from a page of a chapter"
    page, _, anchor = (record["see"] or f"{record['page']}#{slug(record['section'])}").partition("#")
    return f"../{page}.ipynb"+(f"#{anchor}" if anchor else "")

def table(records):
    "A table of claims, as markdown"
    head = ("| where | what is claimed | verdict | why | measured | evidence | page |\n"
            "|---|---|---|---|---|---|---|\n")
    return head+"\n".join(row(record) for record in records)+"\n"

def verdict_cell(record): return f"**{record['verdict']}**"+(f": if {record['when']}" if record["when"] else "")

def page_cell(record): return f"[{book.title((record['see'] or record['page']).partition('#')[0])}]({target(record)})"

def row(record):
    return (f"| {record['place']} | {record['says']} | {verdict_cell(record)} | {record['why']} | {record['figure']} "
            f"| {record.get('evidence', '')} | {page_cell(record)} |")

def show_claims(paper,    # one of `PAPERS`
                records,  # of `collect`
               ):
    "Show the table of a paper's claims; the output of the cell keeps the records"
    from IPython.display import display
    own = [record for record in records if record["paper"] == paper]
    display({"text/plain": f"{len(own)} claims", "text/markdown": table(own), LEDGER: own}, raw=True)

def show_chosen(chosen,   # (paper, words of the claim, why it matters) of each row
                records,  # of `collect`
               ):
    "Show the rows of some claims, the paper and why it matters beside each"
    from IPython.display import display
    lines = ["| paper | what is claimed | verdict | measured | why it matters | page |", "|---|---|---|---|---|---|"]
    for paper, words, matters in chosen:
        own, = [record for record in records if record["paper"] == paper and words in record["says"]]
        verdict, page = verdict_cell(own), page_cell(own)
        lines.append(f"| {PAPERS[paper]}, {own['place']} | {own['says']} | {verdict} | {own['figure']} | {matters} | {page} |")
    display({"text/plain": f"{len(chosen)} claims", "text/markdown": "\n".join(lines)}, raw=True)

def shown_on(path):
    "The records that the tables of a page hold"
    data = [output.get("data", {}) for cell in cells_of(path) for output in cell.get("outputs", [])]
    return [record for bundle in data for record in bundle.get(LEDGER, [])]

def counts(records):
    "How many claims of each paper have which verdict"
    return {paper: {v: sum(r["paper"] == paper and r["verdict"] == v for r in records) for v in VERDICTS}
            for paper in PAPERS}

# ---- what a page types instead of computing

def calls(source):
    "The calls of `claim` in a cell"
    tree = ast.parse(re.sub(r"^\s*[%!].*$", "", source, flags=re.M))
    return [n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "claim"]

def typed(source):
    "What a cell types where a value should decide, a sentence each"
    for call in calls(source):
        given = dict(zip(("paper", "place", "says", "holds", "why", "figure"), call.args))
        given |= {keyword.arg: keyword.value for keyword in call.keywords}
        for name in ("holds", "holds_then"):
            value = given.get(name)
            if isinstance(value, ast.Constant) and value.value is not None: yield f"{name}={value.value} is typed"
        figure = given.get("figure")
        if isinstance(figure, ast.Constant) and re.search(r"\d", str(figure.value)): yield f"figure={figure.value!r} is typed"

def main():
    records = collect()
    for record in records: print(record["paper"], "|", record["page"], row(record))
    print(len(records), "claims;", counts(records))

if __name__ == "__main__": sys.exit(main())

"""The figures in a page's prose, and what holds them.

    python tools/figures.py                       how many figures of each page nothing holds
    python tools/figures.py nbs/gdm/06_*.ipynb    which, and the nearest number that the page holds
"""
import ast
import html
import json
import operator
import re
import sys
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import book

# ---- what is no prose is masked by dots of the same length, so that places in the text stay

FENCE = r"```.*?```"
MATHS = r"\$\$.*?\$\$|\$[^$]*?\$"
CODE = r"``.+?``|`[^`]*`"
IMAGE = r"!\[[^\]]*\]\([^)]*\)"
LINK = r"\]\([^)]*\)|https?://\S+"
PAGE = r"\b\d\d_\w+|\[\d\d\](?=\()"
TAG = r"</?[a-z][^>\n]*>"
HEADING = r"^#+ [^\n]*"
NO_PROSE = re.compile("|".join((FENCE, MATHS, CODE, IMAGE, LINK, PAGE, TAG, HEADING)), re.S | re.M)

NUMBERED = (r"Sections?|Sec|Chapters?|Tables?|Figures?|Figs?|Equations?|Eqs?|Algorithms?|Theorems?|Lemmas?|"
            r"Propositions?|Corollar(?:y|ies)|Definitions?|Lines?|Steps?|Pages?|pp?|Slips?|Appendix|Python|"
            r"Versions?|Seeds?|Rounds?|Rows?|Columns?|Problems?|Parts?|Rules?|Items?|Apache")
ONE = r"\(?\d+(?:\.\d+)*[a-z]?\)?"
MORE = rf"(?:(?:,| to| and| or|, and|–)[ \n]?{ONE})*"
REFERENCE = re.compile(rf"\b(?:{NUMBERED})\b\.?[ \n-]{ONE}{MORE}|§ ?\d+(?:\.\d+)*", re.I)
EQUATION = re.compile(r"\([1-9]\d?(?:\.[1-9]\d?)?[a-z]?\)")
ANNO = r"(?:19[5-9]\d|20(?:0[1-9]|[12]\d))(?![\d%]|[.,]\d| ?%)"
NO_NAME = r"(?:At|In|With|Of|On|For|By|From|The|And|Among|Over|Up|To|Some|Each|About|After)\b"
YEAR = re.compile(rf"(?:\b(?!{NO_NAME})[A-Z][A-Za-z]*|\bal\.|thesis of|forecasts for)[*,\s(]+{ANNO}|"
                  rf"\b{ANNO}(?=[ \n](?:thesis|paper))")

def mask(text):
    "The text with dots where code, maths, links, headings, years and the numbers of a paper's parts stand"
    for pattern in (NO_PROSE, REFERENCE, EQUATION, YEAR):
        text = pattern.sub(lambda found: re.sub(r"[^\n]", "·", found[0]), text)
    return text

# ---- figures

NUMBER = r"(?:\d{1,3}(?:[ ,]\d{3})+(?!\d)(?:\.\d+)?|\d+\.\d+|\.\d+|\d+)(?:e[+-]?\d+)?"
TIMES = r"(?:[x×](?!\w)|[ -]?fold\b|[ \n]times\b)"
FIGURE = re.compile(rf"(?<![\w.·])(?<![A-Za-z]-)(?P<number>{NUMBER})"
                    rf"(?P<unit>[ \n]?%|[ \n]per ?cent\b|{TIMES}|[kM](?!\w)|[ \n](?:million|billion)\b)?(?!\w|\.\d)(?!-bit|-byte)")
SCALE = {"k": 1e3, "M": 1e6, "million": 1e6, "billion": 1e9}
COUNT = re.compile(rf"(?<![\w.])({NUMBER})[ \n](?:out[ \n])?of[ \n](?:the[ \n]|all[ \n])?({NUMBER})(?![\w%]|\.\d)")
LEAST = 13          # whole numbers below it, alone, are words

UNITS = "one two three four five six seven eight nine ten eleven twelve".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
WORDS = {w: i for i, w in enumerate(UNITS, 1)} | {w: 10*i for i, w in enumerate(TENS, 2)} | {"a": 1}
THAN = ("as|the|that|what|our|its|faster|slower|longer|shorter|larger|smaller|cheaper|dearer|"
        "more|less|fewer")
SPELLED = re.compile(rf"\b(?<!half )(?:(?P<few>{'|'.join(WORDS)})[ \n])?(?P<many>hundred[ \n]|thousand[ \n])?"
                     rf"(?P<unit>times[ \n](?:{THAN})|per ?cent)\b", re.I)
COUNTED = re.compile(rf"\b(?:{'|'.join(list(WORDS)[3:-1])})\b(?![ \n-](?:times|per|hundred|thousand|million))", re.I)

ABOUT = r"about|nearly|almost|some|around|roughly|hardly|close to|approximately"
ABOVE = r"above|over|more than|at least|exceeds?|beyond|past|from"
BELOW = r"below|under|less than|at most|up to|within|fewer than"
OTHER = {"above": "below", "below": "above"}    # what `no` makes of them
NO = re.compile(r"\b(?:no|not|none|never|nothing)\b[^.,;:]*$", re.I)

LABEL = re.compile(r"\*\*(?:[^*\n]*?\b)?(?<!not )(Proved|Measured)\b[^*\n]*\*\*", re.I)
BLOCK = re.compile(r"(?:(?!\n[ \t]*\n|\n[ \t]*(?:[-*]|\d+\.) ).)+", re.S)

@dataclass(frozen=True)
class Figure:
    "A number that a sentence claims"
    text: str        # as it stands
    value: float
    step: float      # one unit of its last digit
    kind: str        # plain, percent, times or count
    bound: str       # about, above or below, where a word before it says so
    sentence: str
    at: int          # its place in the sentence
    column: str      # head of its column, where it stands in a table
    place: int       # its place in the cell
    label: str       # proved or measured, where its sentence is called so

def digits(number):
    "Value and the unit of the last digit"
    plain = re.sub(r"[ ,]", "", number)
    mantissa, _, power = plain.partition("e")
    decimals = len(mantissa.partition(".")[2])
    return float(plain), float(f"1e{int(power or 0)-decimals}")

def last_place(value):
    "The unit of the last digit of a whole number that is not zero: 1 of 12, 100 of 4500"
    unit = 1.
    while value and value % (10*unit) == 0: unit *= 10
    return unit

def sentences(masked):
    "(first, last) of each sentence, row of a table or item of a list"
    end = r"\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.) ?)|[.?!:;][*_\")]*\s+(?=[^a-z\s])"
    cuts = [m.end() for m in re.finditer(end, masked)]
    return list(zip([0]+cuts, cuts+[len(masked)]))

def bound_before(masked, place):
    "Which kind of word stands before a number; `no` in front of it turns it round"
    before = masked[max(0, place-90):place]
    for bound, pattern in (("about", ABOUT), ("above", ABOVE), ("below", BELOW)):
        word = re.search(rf"\b(?:{pattern})\s+(?:an?\s+|the\s+|of\s+)?$", before, re.I)
        if word: return OTHER.get(bound, bound) if NO.search(before[:word.start()]) else bound
    return ""

def labelled(text, spans):
    """(first, last, label) of what is called Proved or Measured: the paragraph that a label opens,
    else its sentence; of a label that stands alone the sentence before it"""
    for found in LABEL.finditer(text):
        first, last = next(m.span() for m in BLOCK.finditer(text) if m.start() <= found.start() < m.end())
        if re.sub(r"^\s*(?:[-*]|\d+\.) ", "", text[first:found.start()]).strip():
            k = next(k for k, (a, b) in enumerate(spans) if a <= found.start() < b)
            alone = not re.sub(r"\([^)]*\)|\W", "", text[slice(*spans[k])].replace(found[0], ""))
            first, last = spans[k-alone][0], spans[k][1]
        yield first, last, found[1].lower()

def read_number(found, counts, least=LEAST):
    "(value, unit of the last digit, kind) of a number in digits; None where it claims nothing"
    value, step = digits(found["number"])
    unit = (found["unit"] or "").strip()
    scale = SCALE.get(unit, 1.)
    kind = "percent" if unit[:1] in ("%", "p") else "times" if unit and scale == 1 else "plain"
    if kind == "plain" and found.start() in counts: kind = "count"
    bare = kind == "plain" and step == 1 and scale == 1
    if bare and value < least: return None
    return value*scale, step*scale, kind

def read_spelled(found):
    "The same of a multiple or a percentage in words, such as `eight times as` and `four percent`"
    if not (found["few"] or found["many"]): return None
    many = {"hundred": 100., "thousand": 1000.}.get((found["many"] or "").strip().lower(), 1.)
    value = WORDS[(found["few"] or "a").lower()]*many
    return value, last_place(value), "percent" if found["unit"][0] in "pP" else "times"

def heads(text, masked):
    "(first, last, heads) of each table: its rows, and the text over each column"
    rule = re.compile(r"^(\|.*\|)[ \t]*\n\|[ :|-]+\|[ \t]*\n((?:\|.*(?:\n|$))*)", re.M)
    return [(m.start(2), m.end(2), text[slice(*m.span(1))].split("|")) for m in rule.finditer(masked)]

def column_over(place, masked, tables):
    "The head of the column that a place stands in, or nothing"
    for first, last, over in tables:
        if not first <= place < last: continue
        number = masked.count("|", masked.rfind("\n", 0, place)+1, place)
        return over[number] if number < len(over) else ""
    return ""

def figures(text):
    "The figures of a text cell"
    masked, out = mask(text), []
    tables = heads(text, masked)
    counts = {m.start(g) for m in COUNT.finditer(masked) for g in (1, 2)}
    spans = sentences(masked)
    labels = list(labelled(text, spans))
    label_of = lambda m: next((label for a, b, label in labels if a <= m.start() < b), "")
    proved = lambda m: label_of(m) == "proved"
    read = [(m, read_number(m, counts, 4 if proved(m) else LEAST)) for m in FIGURE.finditer(masked)]
    read += [(m, read_spelled(m)) for m in SPELLED.finditer(masked)]
    read += [(m, (WORDS[m[0].lower()], 1., "plain")) for m in COUNTED.finditer(masked) if proved(m)]
    for found, said in read:
        if said is None: continue
        value, step, kind = said
        bound = bound_before(masked, found.start())
        if step == 1 and bound: step = last_place(value)
        first, last = next(s for s in spans if s[0] <= found.start() < s[1])
        out.append(Figure(" ".join(text[found.start():found.end()].split()), value, step, kind, bound,
                          text[first:last], found.start()-first,
                          column_over(found.start(), masked, tables), found.start(), label_of(found)))
    return sorted(out, key=lambda figure: figure.place)

# ---- the numbers that a page holds

PRINTED = r"(?:\d+\.\d+|\.\d+|\d+)(?:e[+-]?\d+)?"
WITH_COMMAS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?"
IN_OUTPUT = [re.compile(rf"(?<![\w.]){pattern}(?!\w|\.\d)") for pattern in (PRINTED, WITH_COMMAS)]

def numbers_of_text(text):
    "Numbers as code prints them; 1,234 may be one or two"
    return [digits(number)[0] for pattern in IN_OUTPUT for number in pattern.findall(text)]

SUMS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
        ast.Pow: operator.pow, ast.LShift: operator.lshift}

def literal(node):
    "The number that a literal is, or two of them with an operator between; or None"
    if isinstance(node, ast.Constant): return node.value if type(node.value) in (int, float) else None
    if not isinstance(node, ast.BinOp) or type(node.op) not in SUMS: return None
    sides = [side for side in (node.left, node.right) if isinstance(side, ast.Constant)]
    pair = [side.value for side in sides if type(side.value) in (int, float)]
    steep = isinstance(node.op, (ast.Pow, ast.LShift))
    if len(pair) < 2 or steep and abs(pair[1]) > 400: return None
    try: return SUMS[type(node.op)](*pair)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError): return None

@cache
def numbers_of_code(source):
    "Literals, and sums, products, quotients and powers of two literals"
    tree = ast.parse(re.sub(r"^\s*[%!].*$", "", source, flags=re.M))
    found = [literal(node) for node in ast.walk(tree)]
    return [float(n) for n in found if n is not None and abs(n) < 1e300]

@cache
def asserted(source):
    "(literals of assertions, those that something must be below, above) of a cell"
    tree = ast.parse(re.sub(r"^\s*[%!].*$", "", source, flags=re.M))
    checks = [node for node in ast.walk(tree) if isinstance(node, ast.Assert)
              or isinstance(node, ast.Call) and re.match("test_|claim$", getattr(node.func, "id", ""))]
    inside = [node for check in checks for node in ast.walk(check)]
    pairs = [pair for node in inside if isinstance(node, ast.Compare)
             for pair in zip([node.left, *node.comparators], node.ops, node.comparators)]
    less = [(a, b) for a, sign, b in pairs if isinstance(sign, (ast.Lt, ast.LtE))]
    less += [(b, a) for a, sign, b in pairs if isinstance(sign, (ast.Gt, ast.GtE))]
    found = [map(literal, nodes) for nodes in (inside, [b for _, b in less], [a for a, _ in less])]
    return [[float(n) for n in some if n is not None and abs(n) < 1e300] for some in found]

def numbers_of_output(cell):
    "What a cell printed or showed"
    out = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        table = re.sub(r"<style.*?</style>|<[^>]+>", " ", "".join(data.get("text/html", "")), flags=re.S)
        for text in ("".join(output.get("text", "")), "".join(data.get("text/plain", "")), html.unescape(table)):
            out += numbers_of_text(text)
    return out

def words(text): return set(re.findall(r"[a-z]{2,}|\d{2,}", text.lower()))

def records(value, names=()):
    "(number, names) of every number in a JSON value; names are the strings beside it and around it"
    if isinstance(value, dict):
        names += tuple(v for v in value.values() if isinstance(v, str))
        for inner in value.values(): yield from records(inner, names)
    elif isinstance(value, list):
        for inner in value: yield from records(inner, names)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield float(value), names

@lru_cache
def records_of(path):
    "(number, words of each name) of a results file"
    found = records(json.loads(path.read_text(encoding="utf-8")))
    return [(n, tuple(map(words, names))) for n, names in found]

def numbers_of_results(path, told):
    "The numbers of a results file in rows that a section names: of each string in the row it has a word"
    return [n for n, names in records_of(path) if all(not name or name & told for name in names)]

class Pool:
    "Numbers, sorted, that may hold a figure"
    def __init__(self, numbers): self.numbers = sorted({abs(n) for n in numbers if abs(n) < float("inf")})

    def near(self, value):
        "The nearest number, or None"
        at = bisect_left(self.numbers, value)
        return min(self.numbers[max(0, at-1):at+1], key=lambda n: abs(n-value), default=None)

    def between(self, low, high):
        at = bisect_left(self.numbers, low)
        return at < len(self.numbers) and self.numbers[at] <= high

    def holds(self, figure):
        "Does a number round to the figure? Shares may stand as percent"
        shares = figure.kind == "percent" or re.search(r"%|\bpoints?\b|percent", figure.sentence)
        return any(self.between(*interval(figure, ratio)) for ratio in ((1, 100) if shares else (1,)))

def interval(figure, ratio=1):
    "The numbers that a figure stands for: those that round to it; of a bound one unit on its side"
    value, step = figure.value/ratio, figure.step/ratio
    down, up = dict(below=(1, 0), above=(0, 1)).get(figure.bound, (.5, .5))
    return value-(down+1e-6)*step, value+(up+1e-6)*step

# ---- a page and its sections

RESULTS = book.root/"benchmarks/results"
NAMED = re.compile(r"\b([a-z]\w*)\.json\b|\b(?:results|rows|table)\(\s*[\"'](\w+)[\"']")
LEARNED = re.compile(r"^## What we learned", re.M)

def results_named(text):
    "Results files that a text links to, or that a cell reads"
    names = {a or b for a, b in NAMED.findall(text)}
    return sorted(RESULTS/f"{name}.json" for name in names if (RESULTS/f"{name}.json").exists())

def sections(cells):
    "The number of each cell's section; 0 is what stands before the first heading below the title"
    number, out = 0, []
    for cell in cells:
        number += cell["cell_type"] == "markdown" and bool(re.match(r"##+ ", "".join(cell["source"])))
        out.append(number)
    return out

def numbers_held(cells, of_code=numbers_of_code):
    "Literals and outputs of some cells, and the rows of results files that they name"
    sources = ["".join(cell["source"]) for cell in cells]
    told = words("\n".join(sources))
    out = [n for source in sources for file in results_named(source) for n in numbers_of_results(file, told)]
    for cell, source in zip(cells, sources):
        if cell["cell_type"] == "code": out += of_code(source)+numbers_of_output(cell)
    return out

@dataclass(frozen=True)
class Loose:
    "A figure that nothing holds"
    cell: int
    figure: Figure
    nearest: float

    def __str__(self):
        near = "no number there" if self.nearest is None else f"nearest {self.nearest:.6g}"
        return f"cell {self.cell}: {self.figure.text!r} ({near}) in: {' '.join(self.figure.sentence.split())}"

class Strict(Pool):
    "Outputs, results and literals of assertions: they hold what is called Proved or Measured"
    def __init__(self, cells):
        super().__init__(numbers_held(cells, lambda source: asserted(source)[0]))
        each = [asserted("".join(cell["source"])) for cell in cells if cell["cell_type"] == "code"]
        self.limits = {"below": sum((b for _, b, _ in each), []), "above": sum((a for *_, a in each), [])}

    def holds(self, figure):
        "Not where an assertion's limit is looser than the bound that is said, by less than its digit"
        sign = -1 if figure.bound == "above" else 1
        steps = [sign*(limit*ratio-figure.value)/figure.step for limit in self.limits.get(figure.bound, ())
                 for ratio in ((100, 1) if figure.kind == "percent" else (1,))]
        looser = any(1e-6 < step < 1-1e-6 for step in steps) and not any(abs(step) < 1e-6 for step in steps)
        return not looser and super().holds(figure)

def held_in(cells, strict=False):
    "For each cell its pool: its section's; the page's for what was learned, and, unless strict, for the opening"
    section, pool = sections(cells), Strict if strict else lambda some: Pool(numbers_held(some))
    whole = pool(cells)
    of = {s: pool([c for c, t in zip(cells, section) if t == s]) for s in set(section)}
    if not strict: of[0] = whole
    return [whole if LEARNED.search("".join(c["source"])) else of[s] for c, s in zip(cells, section)]

def in_code(figure):
    "Does the sentence repeat a number of its own inline code?"
    return Pool(numbers_of_text(" ".join(re.findall(CODE, figure.sentence)).replace("=", " "))).holds(figure)

def loose_figures(cells):
    "The figures that nothing holds"
    for i, (cell, pool, strict) in enumerate(zip(cells, held_in(cells), held_in(cells, strict=True))):
        if cell["cell_type"] != "markdown": continue
        for figure in figures("".join(cell["source"])):
            own = strict if figure.label else pool
            if not (own.holds(figure) or in_code(figure) or of_a_paper(figure)):
                yield Loose(i, figure, own.near(figure.value))

# ---- figures of a paper

ROMAN = r"[IVX]+\b"
PARTS = r"Tables?|Figures?|Fig\.|Equations?|Eq\.|Sections?|Pages?|p\.|Chapters?|Theorem|Algorithm|Example"
PLACE = re.compile(rf"\b(?:{PARTS})[ \n](?:\(?\d|{ROMAN})", re.I)
THEIRS = r"printed|prints?|papers?|thesis|theirs"
OURS = r"we|ours?|us|here|measured|measures|fsnb"

def of_a_paper(figure):
    """Its sentence names a place of the paper, and the word before the figure that tells whose it is
    says the paper's; or the head of its column does both"""
    if PLACE.search(figure.column): return bool(re.search(rf"\b(?:{THEIRS})\b", figure.column, re.I))
    if not PLACE.search(figure.sentence): return False
    whose = list(re.finditer(rf"\b(?:({THEIRS})|({OURS}))\b", figure.sentence, re.I))
    before = [m for m in whose if m.start() < figure.at]
    return bool(whose) and bool((before[-1] if before else whose[0])[1])

def names_source(text):
    "Table or figure, row or column, and page or section"
    table = re.search(rf"\b(?:Tables?|Figures?)[ \n](?:\d|{ROMAN})", text)
    row = re.search(r"\b(?:rows?|columns?|lines?|bars?|curves?)\b", text, re.I)
    place = re.search(r"\b(?:pages?|p\.|pp\.|sections?)[ \n]*(?:\d|[IVX]+\b)", text, re.I)
    return bool(table and row and place)

def shows_printed(cell):
    "Does an output have a column called printed?"
    tables = "".join("".join(o.get("data", {}).get("text/html", "")) for o in cell.get("outputs", []))
    return bool(re.search(r"<th[^>]*>[^<]*printed[^<]*</th>", tables))

def unnamed_columns(cells):
    "Cells with a column called printed where the text before it does not say from where"
    told = ""
    for i, cell in enumerate(cells):
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            head = re.search(r"^\|.*\bprinted\b.*\|[ \t]*\n\|[ :|-]+\|", text, re.M)
            before = text[:head.start()] if head else ""
            if head and not names_source((before if before.strip() else told)+head[0]): yield i
            told = text
        elif shows_printed(cell) and not names_source(told): yield i

# ---- a page

def faults(cells):
    "What is wrong with a page's figures, a sentence each"
    columns = ("a column is called printed, and the text before it does not name the paper's table, "
               "its row or column, and its page or section")
    return [*map(str, loose_figures(cells)), *(f"cell {i}: {columns}" for i in unnamed_columns(cells))]

def read(path): return json.loads(Path(path).read_text(encoding="utf-8"))["cells"]

def main(paths):
    for path in map(Path, paths) if paths else book.on_disk():
        found = faults(read(path))
        if found: print(f"{path.resolve().relative_to(book.nbs).as_posix()}: {len(found)}")
        for line in found if paths else (): print("  "+line)

if __name__ == "__main__": main(sys.argv[1:])

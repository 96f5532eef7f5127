"The page of questions knows every warning of the package, and has no words that nothing says any more."
import ast
import json
import re
from functools import cache
from itertools import product
from pathlib import Path
import pytest

ROOT = Path(__file__).resolve().parents[2]
FAQ = ROOT/"nbs/guides/10_faq.ipynb"
GAP = "\N{HORIZONTAL ELLIPSIS}"         # what a message fills in
NOT_FOR_USERS = {"AttributeError", "NotImplementedError", "KeyboardInterrupt", "StopIteration"}
NOT_OURS = {        # words of scikit-learn, Python and the system, which the page explains too
    "y should be a 1d array", "Found input variables with inconsistent numbers of samples",
    "... got an unexpected keyword argument", "... is not fitted yet", "... No such file", "The feature names should match", "Permission denied"}

# ---- what the package says

def counts_in(node, names):
    "The calls of `count_out` that an expression is, or that its name stands for"
    values = names.get(node.id, []) if isinstance(node, ast.Name) else [node]
    return [v for v in values if isinstance(v, ast.Call) and getattr(v.func, "id", "") == "count_out"]

def inserted(node, names):
    "What a sentence inserts: its words where it is a sentence itself, or counts by `count_out`; a gap otherwise"
    counted = [f"{GAP} {words}" for call in counts_in(node, names) for noun in call.args[1:] for words in template(noun, names)]
    if counted: return counted
    is_format = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format"
    texts = template(node, names) if is_format else []
    return [t for t in texts if t.strip(GAP)] or [GAP]

def template(node, names):
    "The words of an expression, with a gap for what is filled in; a list, as a name may stand for several"
    if isinstance(node, ast.Constant): return [node.value] if isinstance(node.value, str) else [GAP]
    if isinstance(node, ast.JoinedStr):
        parts = [[v.value] if isinstance(v, ast.Constant) else inserted(v.value, names) for v in node.values]
        return ["".join(chosen) for chosen in product(*parts)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [a+b for a in template(node.left, names) for b in template(node.right, names)]
    if isinstance(node, ast.IfExp): return template(node.body, names)+template(node.orelse, names)
    if isinstance(node, ast.Dict): return [t for value in node.values for t in template(value, names)]
    if isinstance(node, (ast.Tuple, ast.List)):
        return [t for one in node.elts for t in template(one, names)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return [re.sub(r"\{[^}]*\}", GAP, t) for t in template(node.func.value, names)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        return template(node.func.value, names)
    if isinstance(node, ast.Name) and node.id in names:
        rest = {k: v for k, v in names.items() if k != node.id}
        return [t for value in names[node.id] for t in template(value, rest)]
    return [GAP]

def assigned(tree):
    "Name -> the expressions that it is set to anywhere in the tree"
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign): targets, value = node.targets, node.value
        elif isinstance(node, ast.For): targets, value = [node.target], node.iter
        else: continue
        for target in targets:
            for one in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(one, ast.Name): names.setdefault(one.id, []).append(value)
    return names

def said_by(call):
    "(kind, the expression of its words) of a call that warns; None otherwise"
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    return "warning" if name in ("warn_caller", "warn") and call.args else None

def sentence(node):
    "(kind, the expression of its words) of a raise or of a call that warns; None otherwise"
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
        return ast.unparse(node.exc.func), node.exc.args[0]
    if isinstance(node, ast.Call) and said_by(node): return "warning", node.args[0]

def spoken(node, inside=()):
    "(the functions that it stands in, the node) of all that is raised or warned of"
    if sentence(node): yield inside, node
    within = (*inside, node) if isinstance(node, ast.FunctionDef) else inside
    for child in ast.iter_child_nodes(node): yield from spoken(child, within)

def messages_of(text):
    "(kind, line, words) of every raise and every warning in a module's text"
    tree, found = ast.parse(text), []
    top = assigned(ast.Module([n for n in tree.body if isinstance(n, ast.Assign)], []))
    for inside, node in spoken(tree):
        kind, words = sentence(node)
        if kind in NOT_FOR_USERS: continue
        names = dict(top)
        for function in inside: names.update(assigned(function))
        found += [(kind, node.lineno, told) for told in template(words, names)]
    return found

@cache
def messages():
    "(place, kind, words) of the whole package; words that only pass others on are left out"
    found = []
    for path in sorted((ROOT/"fsnb").rglob("*.py")):
        if path.name == "naive.py": continue
        said = messages_of(path.read_text(encoding="utf-8"))
        place = path.relative_to(ROOT).as_posix()
        found += [(f"{place}:{line}", kind, words) for kind, line, words in said
                  if len(re.findall("[a-z]", words)) > 3]
    return found

# ---- what the page knows

def page():
    return ["".join(c["source"]) for c in json.loads(FAQ.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "markdown"]

def phrases_in(text):
    "The words of messages that a cell lists: under a heading of the third order, or in a line of the index"
    listed = re.findall(r"^### .*\n(`[^`\n]+`(?: · `[^`\n]+`)*)$|^- \*\*.*?\*\*: (`.*)$", text, re.M)
    return [p for pair in listed for line in pair for p in re.findall(r"`([^`]+)`", line)]

@cache
def phrases(): return [p for text in page() for p in phrases_in(text)]

@cache
def pattern(phrase): return re.compile(".*".join(map(re.escape, map(str.strip, phrase.split("...")))), re.S)

def is_general(phrase):
    "A phrase such as `... must be ..., got ...`, which tells no more than that a parameter is wrong"
    return phrase.startswith("... must") and len(re.sub(r"\.\.\.|must|be|hold|have|not|got|lie in", "", phrase).strip(" ,")) < 3

def known(words, listed):
    "Whether the page has these words, and not only for parameters of any kind"
    return any(pattern(p).search(words) for p in listed if not is_general(p))

# ---- the tests

def test_every_warning_of_the_package_is_explained():
    missing = [f"{place}: {words}" for place, kind, words in messages() if kind == "warning" and not known(words, phrases())]
    assert not missing, "warnings that nbs/guides/10_faq.ipynb does not explain:\n"+"\n".join(missing)

def test_every_word_on_the_page_is_of_some_message():
    said = [words for _, _, words in messages()]
    stale = [p for p in phrases() if p not in NOT_OURS and not any(pattern(p).search(words) for words in said)]
    assert not stale, "words on nbs/guides/10_faq.ipynb that nothing says any more"

def test_each_warning_is_found_where_it_is_put_together():
    "Also those whose sentence stands in a table or in a name"
    said = [words for _, kind, words in messages() if kind == "warning"]
    for start in ("no feature is significantly associated with y", "max_iter="+GAP+" ended the run", "restricted problem stopped",
                  "only "+GAP): assert any(words.startswith(start) for words in said), start

@pytest.mark.parametrize("code", [
    "def f(a):\n    warn_caller(f'the moon must be {a}, got a cheese')",
    "WHY = {'a': 'the sun {rises} late'}\ndef f(a):\n    told = WHY.get(a)\n    warn_caller(told.format(rises=1))"])
def test_a_new_warning_is_noticed(code):
    (kind, _, words), = messages_of(code)
    assert kind == "warning" and not known(words, phrases()), words

def test_each_entry_shows_its_message_or_says_what_to_do():
    entries = [text for text in page() if text.startswith("### ") and phrases_in(text)]
    assert len(entries) >= 30
    for text in entries: assert "**Do**" in text, text.split("\n")[0]

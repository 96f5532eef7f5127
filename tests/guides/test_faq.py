"The page of questions knows every warning of the package, and has no words that no message has any more."
import ast, json, re
from functools import cache
from itertools import product
from pathlib import Path
import pytest

ROOT = Path(__file__).resolve().parents[2]
GAP = "\N{HORIZONTAL ELLIPSIS}"         # what a message fills in
NOT_OURS = {        # words of scikit-learn and Python, which the page explains too
    "Found input variables with inconsistent numbers of samples", "The feature names should match",
    "... got an unexpected keyword argument", "... is not fitted yet"}

# ---- what the package says

def method(node):
    "Name of the method that a call calls, or None"
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return node.func.attr if called else None

def inserted(node, names):
    "What a sentence inserts: its words where it is a sentence, or counts by `count_out`; else a gap"
    values = names.get(node.id, []) if isinstance(node, ast.Name) else [node]
    counts = [v for v in values if getattr(getattr(v, "func", None), "id", "") == "count_out"]
    counted = [f"{GAP} {words}" for call in counts for noun in call.args[1:]
               for words in template(noun, names)]
    texts = template(node, names) if method(node) == "format" else []
    return counted or [t for t in texts if t.strip(GAP)] or [GAP]

def template(node, names):
    "The words of an expression with gaps for what is filled in; a name may stand for several"
    if isinstance(node, ast.Constant) and isinstance(node.value, str): return [node.value]
    if isinstance(node, ast.JoinedStr):
        parts = [[v.value] if isinstance(v, ast.Constant) else inserted(v.value, names)
                 for v in node.values]
        return ["".join(chosen) for chosen in product(*parts)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [a+b for a in template(node.left, names) for b in template(node.right, names)]
    if method(node) == "format":
        return [re.sub(r"\{[^}]*\}", GAP, t) for t in template(node.func.value, names)]
    if method(node) == "get": return template(node.func.value, names)
    if isinstance(node, ast.Name) and node.id in names:
        rest = {k: v for k, v in names.items() if k != node.id}
        return [t for value in names[node.id] for t in template(value, rest)]
    several = {ast.IfExp: lambda: [node.body, node.orelse], ast.Dict: lambda: node.values,
               ast.Tuple: lambda: node.elts, ast.List: lambda: node.elts}.get(type(node))
    return [t for one in several() for t in template(one, names)] if several else [GAP]

def assigned(tree):
    "Name -> the expressions that it is set to anywhere in the tree"
    names = {}
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Assign, ast.For)): continue
        assigns = isinstance(node, ast.Assign)
        for target in node.targets if assigns else [node.target]:
            for one in target.elts if isinstance(target, ast.Tuple) else [target]:
                value = node.value if assigns else node.iter
                if isinstance(one, ast.Name): names.setdefault(one.id, []).append(value)
    return names

def sentence(node):
    "(whether it warns, the expression of its words) of a raise or a warning; None otherwise"
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
        return False, node.exc.args[0]
    name = getattr(node.func, "id", method(node)) if isinstance(node, ast.Call) else ""
    return (True, node.args[0]) if name in ("warn_caller", "warn") and node.args else None

def spoken(node, inside=()):
    "(the functions that it stands in, the node) of all that is raised or warned of"
    if sentence(node): yield inside, node
    within = (*inside, node) if isinstance(node, ast.FunctionDef) else inside
    for child in ast.iter_child_nodes(node): yield from spoken(child, within)

def messages_of(text):
    "(line, whether it warns, words) of every raise and every warning in a module's text"
    tree = ast.parse(text)
    top = assigned(ast.Module([n for n in tree.body if isinstance(n, ast.Assign)], []))
    for inside, node in spoken(tree):
        warns, words = sentence(node)
        names = dict(top)
        for function in inside: names.update(assigned(function))
        yield from ((node.lineno, warns, told) for told in template(words, names))

@cache
def messages():
    "(place, whether it warns, words) of the package; words that only pass others on are left out"
    return [(f"{path.relative_to(ROOT)}:{line}", warns, words)
            for path in sorted((ROOT/"fsnb").rglob("*.py")) if path.name != "naive.py"
            for line, warns, words in messages_of(path.read_text(encoding="utf-8"))
            if len(re.findall("[a-z]", words)) > 3]

# ---- what the page knows

def entries():
    "Entry -> the words of messages that it lists under its heading"
    nb = json.loads((ROOT/"nbs/guides/10_faq.ipynb").read_text(encoding="utf-8"))
    texts = ["".join(c["source"]) for c in nb["cells"] if c["cell_type"] == "markdown"]
    listed = [re.match(r"### .*\n((?:`[^`\n]+`(?: · )?)+)$", t, re.M) for t in texts]
    return {m.string: re.findall(r"`([^`]+)`", m[1]) for m in listed if m}

PHRASES = [phrase for listed in entries().values() for phrase in listed]

def says(words, phrase):
    return re.search(".*".join(map(re.escape, map(str.strip, phrase.split("...")))), words, re.S)

def unknown(found):
    return [f"{place}: {words}" for place, warns, words in found
            if warns and not any(says(words, p) for p in PHRASES)]

# ---- the tests

def test_every_warning_of_the_package_is_explained():
    assert sum(warns for _, warns, _ in messages()) > 30
    assert not unknown(messages()), "warnings that nbs/guides/10_faq.ipynb does not explain"

def test_every_word_on_the_page_is_of_some_message():
    said = [words for _, _, words in messages()]
    stale = [p for p in PHRASES if p not in NOT_OURS and not any(says(w, p) for w in said)]
    assert not stale, "words on nbs/guides/10_faq.ipynb that no message has any more"

@pytest.mark.parametrize("code", [
    "def f(a):\n    warn_caller(f'the moon must be {a}, got a cheese')",
    "WHY = {'a': 'the sun {rises} late'}\ndef f(a):\n    told = WHY.get(a)\n"
    "    warn_caller(told.format(rises=1))"])
def test_a_new_warning_is_noticed(code):
    assert len(unknown(messages_of(code))) == 1

def test_each_entry_says_what_to_do():
    assert len(entries()) >= 25
    for text in entries(): assert "**Do**" in text, text.split("\n")[0]

"The page of questions knows every warning of the package, and no words that no message has."
import ast, json, re
from pathlib import Path
import pytest

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {        # words of scikit-learn and Python, which the page explains too
    "Found input variables with inconsistent numbers of samples", "The feature names should match",
    "... got an unexpected keyword argument", "... is not fitted yet"}

# ---- what the package says

def assigned(nodes):
    "Name -> the expressions that these nodes set it to"
    names = {}
    for node in nodes:
        if not isinstance(node, (ast.Assign, ast.For)): continue
        value = node.value if isinstance(node, ast.Assign) else node.iter
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            for one in ast.walk(target):
                if isinstance(one, ast.Name): names.setdefault(one.id, []).append(value)
    return names

def words(node, names, which):
    "Texts of an expression in their order; a name stands for all that it is set to"
    if isinstance(node, ast.Constant): return node.value if isinstance(node.value, str) else ""
    parts = ast.iter_child_nodes(node)
    if isinstance(node, ast.Name):
        parts, names = names.get(node.id, []), {k: v for k, v in names.items() if k != node.id}
    if isinstance(node, ast.IfExp): parts = [(node.body, node.orelse)[which]]
    if called(node) == "format_count": parts = [node.args[1:][-which]]    # one, or the last: many
    return "".join(words(part, names, which) for part in parts)

def called(node): return ast.unparse(node.func) if isinstance(node, ast.Call) else ""

def messages(text):
    "(line, whether it warns, words) of all raises and warnings in functions; as one, then as many"
    tree = ast.parse(text)
    top = assigned(tree.body)
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef): continue
        names = top | assigned(ast.walk(function))
        for node in ast.walk(function):
            warns = called(node) in ("warn_caller", "warnings.warn")
            call = node.exc if isinstance(node, ast.Raise) else node if warns else None
            if not called(call) or not call.args: continue
            for which in (0, 1): yield node.lineno, warns, words(call.args[0], names, which)

SAID = [(f"{path.relative_to(ROOT)}:{line}", warns, told)
        for path in sorted((ROOT/"fsnb").rglob("*.py")) if path.name != "naive.py"
        for line, warns, told in messages(path.read_text(encoding="utf-8"))
        if len(re.findall("[a-z]", told)) > 3]

# ---- what the page knows

def entries():
    "Entry -> the words of messages that it lists under its heading"
    nb = json.loads((ROOT/"nbs/guides/10_faq.ipynb").read_text(encoding="utf-8"))
    texts = ["".join(c["source"]) for c in nb["cells"] if c["cell_type"] == "markdown"]
    listed = [re.match(r"### .*\n((?:`[^`\n]+`(?: · )?)+)$", t, re.M) for t in texts]
    return {m.string: re.findall(r"`([^`]+)`", m[1]) for m in listed if m}

PHRASES = [phrase for listed in entries().values() for phrase in listed]

def says(told, phrase):
    return re.search(".*".join(map(re.escape, map(str.strip, phrase.split("...")))), told, re.S)

# ---- the tests

def unknown(found):
    return [f"{place}: {told}" for place, warns, told in found
            if warns and not any(says(told, phrase) for phrase in PHRASES)]

def test_every_warning_of_the_package_is_explained():
    assert sum(warns for _, warns, _ in SAID) > 60
    assert not unknown(SAID), "warnings that nbs/guides/10_faq.ipynb does not explain"

def test_every_word_on_the_page_is_of_some_message():
    stale = [p for p in PHRASES if p not in NOT_OURS and not any(says(t, p) for _, _, t in SAID)]
    assert not stale, "words on nbs/guides/10_faq.ipynb that no message has any more"

@pytest.mark.parametrize("code", [
    "def f(a):\n    warn_caller(f'the moon must be {a}, got a cheese')",
    "WHY = {'a': 'the sun {rises} late'}\ndef f(a):\n    told = WHY.get(a)\n"
    "    warn_caller(told.format(rises=1))"])
def test_a_new_warning_is_noticed(code):
    assert len(set(unknown(messages(code)))) == 1

def test_each_entry_says_what_to_do():
    assert len(entries()) >= 25
    for text in entries(): assert "**Do**" in text, text.split("\n")[0]

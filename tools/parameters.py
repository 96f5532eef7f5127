"""Write the Parameters and Returns sections of public docstrings, from the comments beside them.

A parameter of a name at a door is described once, in a comment on its line of the notebook. `help`, editors,
`GDM?` and the site read docstrings, so after an export this step moves the comments there, as numpy-style
sections, and joins the signature to as few lines as it needs; helpers keep theirs. The claim that opens a module is wrapped. Running it again changes nothing.
Usage: python tools/parameters.py [fsnb/gdm/gdm.py ...]
"""
import ast
import io
import re
import sys
import textwrap
import tokenize
from pathlib import Path

root = Path(__file__).resolve().parent.parent
SECTIONS = re.compile(r"\n\s*\n[ \t]*(Parameters|Returns)\n[ \t]*-+\n.*\Z", re.S)
LITERAL = re.compile(r'([rRuU]?)("""|\'\'\'|"|\')(.*)\2', re.S)
WIDTH = 96

# ---- what the comments say

def comments_by_line(source):
    """Line number -> text of the comment that ends that line

    Comment lines that follow, further to the right than the line begins, continue it, and have none of their own.
    """
    found = [t for t in tokenize.generate_tokens(io.StringIO(source).readline) if t.type == tokenize.COMMENT]
    texts, first, last, margin = {}, 0, 0, 0
    for token in found:
        (line, column), text = token.start, token.string.lstrip("#").strip()
        code = token.line[:column]
        if not code.strip() and line == last+1 and column > margin: texts[first] += " "+text
        else:
            texts[line] = text
            first, margin = line, len(code)-len(code.lstrip()) if code.strip() else column
        last = line
    return texts

def comment_of(line, comments, first, taken):
    "The comment on a line; where it has none, the comment lines above, after the line of the name"
    if line in comments: return comments[line]
    above = []
    while line-1 > first and line-1 in comments and line-1 not in taken:
        line -= 1
        above.insert(0, comments[line])
    return " ".join(above)

def arguments(function):
    "(name as it is called, node, default) of each parameter but `self` and `cls`"
    a = function.args
    plain = a.posonlyargs+a.args
    defaults = [None]*(len(plain)-len(a.defaults))+a.defaults
    listed = [(arg.arg, arg, default) for arg, default in zip(plain, defaults)]
    if a.vararg: listed.append(("*"+a.vararg.arg, a.vararg, None))
    listed += [(arg.arg, arg, default) for arg, default in zip(a.kwonlyargs, a.kw_defaults)]
    if a.kwarg: listed.append(("**"+a.kwarg.arg, a.kwarg, None))
    return [entry for entry in listed if entry[0] not in ("self", "cls")]

def is_dataclass(cls): return any("dataclass" in ast.unparse(d) for d in cls.decorator_list)

def fields(name, classes):
    "Field -> (node, comment) of a dataclass, those of its bases first; classes: as `classes_of` finds them"
    if name not in classes: return {}
    cls, comments = classes[name]
    found = {}
    for base in reversed(cls.bases): found |= fields(ast.unparse(base), classes)
    if not is_dataclass(cls): return found
    annotated = {n.target.id: n for n in cls.body if isinstance(n, ast.AnnAssign) and n.target.id != "_"}   # _: KW_ONLY
    taken = {n.lineno for n in annotated.values()}
    return found | {field: (n, comment_of(n.lineno, comments, cls.lineno, taken)) for field, n in annotated.items()}

def entry(head, text):
    "One parameter: its name, and under it what the comment says"
    body = textwrap.wrap(text, WIDTH-8, initial_indent="    ", subsequent_indent="    ")
    return [head, *body]

def heading(name, node, default):
    "`name : type, default=value`, as much of it as the signature tells"
    kind = [ast.unparse(node.annotation)] if node.annotation else []
    if default is not None: kind.append(f"default={ast.unparse(default)}")
    return f"{name} : {', '.join(kind)}" if kind else name

def sections(first, listed, returns, comments, known):
    "Lines of the sections, none where no comment stands beside a parameter; known: those of a dataclass"
    taken = {node.lineno for _, node, _ in listed}
    last_on_line = {node.lineno: name for name, node, _ in listed}
    lines, told = [], False
    for name, node, default in listed:
        alone = last_on_line[node.lineno] == name
        text = known.get(name) or (comment_of(node.lineno, comments, first, taken) if alone else "")
        told |= bool(text)
        lines += entry(heading(name, node, default), text)
    out = ["Parameters", "----------", *lines] if told else []
    said = comments.get(returns.end_lineno, "") if returns is not None else ""
    if said: out += [""]*bool(out)+["Returns", "-------", *entry(ast.unparse(returns), said)]
    return out

# ---- where they go

def names_at_doors(folder):
    "What the package and its chapters give: the names that their `__init__.py` import"
    trees = (ast.parse(door.read_text(encoding="utf-8")) for door in Path(folder).rglob("__init__.py*"))
    imports = (n for tree in trees for n in ast.walk(tree) if isinstance(n, ast.ImportFrom))
    return {alias.name for n in imports for alias in n.names}

def with_bases(names, folder):
    "The names, and the classes of the package from which they inherit: `help` shows their methods too"
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in exported(folder))
    bases = {n.name: {ast.unparse(b) for b in n.bases} for tree in trees for n in tree.body if isinstance(n, ast.ClassDef)}
    found, new = set(), set(names)
    while new:
        found |= new
        new = {base for name in new for base in bases.get(name, ()) if base in bases}-found
    return found

def classes_of(paths):
    "Name -> (node, comments of its file) of every class"
    sources = (path.read_text(encoding="utf-8") for path in paths)
    return {n.name: (n, comments) for source in sources for comments in [comments_by_line(source)]
            for n in ast.parse(source).body if isinstance(n, ast.ClassDef)}

def public_nodes(tree, doors, public, classes):
    "(owner of a docstring, function or class of the names, parameters, return annotation, comments known): a base gives its methods alone"
    for node in tree.body:
        if getattr(node, "name", None) not in public: continue
        if isinstance(node, ast.FunctionDef): yield node, node, arguments(node), node.returns, {}
        if not isinstance(node, ast.ClassDef): continue
        methods = [n for n in node.body if isinstance(n, ast.FunctionDef)]
        start = next((m for m in methods if m.name == "__init__"), None)
        if node.name not in doors: pass
        elif start: yield node, start, arguments(start), None, {}
        elif found := fields(node.name, classes):
            listed = [(name, field, field.value) for name, (field, _) in found.items()]
            yield node, node, listed, None, {name: text for name, (_, text) in found.items()}
        for method in methods:
            if method.name.startswith("_"): continue
            yield method, method, arguments(method), method.returns, {}

def with_sections(literal, lines, indent):
    "A docstring's literal with its sections written anew"
    parts = LITERAL.fullmatch(literal)
    if parts is None: raise ValueError(f"a docstring is one literal, got {literal}")
    prefix, quotes, text = parts.groups()
    told = SECTIONS.sub("", text)
    if told == text and not lines: return literal
    if not lines: return f"{prefix}{quotes}{told.rstrip()}{quotes}"
    pad = " "*indent
    block = "\n".join((pad+line).rstrip() for line in lines)
    return f'{prefix}"""{told.rstrip()}\n\n{block}\n{pad}"""'

def offsets(source):
    "Where each line begins, in bytes: the parser counts columns in bytes"
    starts, total = [], 0
    for line in source.encode().splitlines(keepends=True):
        starts.append(total)
        total += len(line)
    return starts

def joined(signature, indent):
    "A signature in as few lines as it needs, without its comments: `def` to the colon"
    tokens = tokenize.generate_tokens(io.StringIO(signature).readline)
    ends = {t.start[0]: t.start[1] for t in tokens if t.type == tokenize.COMMENT}
    rows = [row[:ends.get(i)].strip() for i, row in enumerate(signature.split("\n"), 1)]
    text = " ".join(row for row in rows if row).replace("( ", "(", 1)
    head, end = re.fullmatch(r"(.*?),? *(\)[^()]*:)", text).groups()
    lines = textwrap.wrap(head+end.replace(" ", "\0"), WIDTH+4, initial_indent=" "*indent,
                          subsequent_indent=" "*(indent+head.index("(")+1), break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ").lstrip()

def rewrite(source, doors, public, classes):
    "The text of a module with a Parameters section in the docstring of each of these names"
    raw, starts, comments, changes = source.encode(), offsets(source), comments_by_line(source), []
    def place(line, column): return starts[line-1]+column
    for node, function, listed, returns, known in public_nodes(ast.parse(source), doors, public, classes):
        if ast.get_docstring(node) is None: continue
        doc = node.body[0].value
        begin, end = place(doc.lineno, doc.col_offset), place(doc.end_lineno, doc.end_col_offset)
        lines = sections(function.lineno, listed, returns, comments, known)
        if not lines and SECTIONS.search(raw[begin:end].decode()): continue       # they moved before
        indent = doc.col_offset if doc.lineno > node.lineno else node.col_offset+4
        changes.append((begin, end, with_sections(raw[begin:end].decode(), lines, indent)))
        if lines and isinstance(function, ast.FunctionDef):
            first = function.body[0]
            begin, end = place(function.lineno, function.col_offset), place(first.lineno, first.col_offset)
            signature = raw[begin:end].rstrip()
            changes.append((begin, begin+len(signature), joined(signature.decode(), function.col_offset)))
    for begin, end, text in sorted(changes, reverse=True): raw = raw[:begin]+text.encode()+raw[end:]
    return raw.decode()

def wrapped_claim(source):
    "The text of a module whose first line, the page's claim, is no longer than a line may be"
    claim, rest = source.partition("\n")[::2]
    if len(claim) <= WIDTH+4 or not re.fullmatch(r'"""(.*)"""', claim): return source
    return "\n".join(textwrap.wrap(claim, WIDTH+4))+"\n"+rest

def exported(folder):
    "The files that nbdev wrote: all but those whose name begins with an underscore"
    return sorted(p for p in Path(folder).rglob("*.py") if not p.name.startswith("_"))

def write(paths):
    "Rewrite these files; those that changed"
    changed, doors = [], names_at_doors(root/"fsnb")
    public = with_bases(doors, root/"fsnb")
    classes = classes_of(exported(root/"fsnb"))
    for path in paths:
        source = path.read_text(encoding="utf-8")
        if (text := wrapped_claim(rewrite(source, doors, public, classes))) != source:
            path.write_text(text, encoding="utf-8")
            changed.append(path)
    return changed

def main(names):
    for path in write(map(Path, names) if names else exported(root/"fsnb")):
        print(f"parameters written: {path}")

if __name__ == "__main__": main(sys.argv[1:])

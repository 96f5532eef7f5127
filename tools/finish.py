"""What a built site still lacks, whichever renderer built it: nothing is fetched from elsewhere, maths is set by files of
its own, signatures are tables of parameters, long sources are folded, pictures are told in words, each page has its
notebook, a footer with the version, a link that skips the menus.

Each step is a function of a page's text, or of the site; `_finish` takes them in turn. Quarto and smalldocs write other
pages, so the steps look for what both have: head, body, main, and the classes of cells.

Usage: python tools/finish.py _docs      says what the pages of a finished site would fetch from elsewhere; exit code 1 if anything
"""
import ast
import html
import json
import re
import shutil
import subprocess
import sys
import tarfile
from html.parser import HTMLParser
from pathlib import Path

HERE = Path(__file__).parent/"site"          # style, script and icon of our own
KATEX = "0.16.11"
LONGEST = 14                                 # lines of a source that is not folded
MOST_IMPORTS = 3                             # lines of imports that are not folded
CDN = re.compile(r"https://cdn\.jsdelivr\.net/npm/katex@[\d.]+/dist")
TYPESETTER = re.compile(r"https://cdn\.jsdelivr\.net/npm/(?:katex|mathjax)@|https://[\w.]+/polyfill/")      # what is fetched where npm is not
FONT_IMPORT = re.compile(r"""@import\s*(?:url\(\s*["']?https?://[^)]*\)|"https?://[^"]*"|'https?://[^']*')[^;]*;""")      # an address may hold a semicolon
OUTSIDE_SCRIPT = re.compile(r"<script[^>]*\bsrc=\"https?://[^\"]*\"[^>]*>\s*</script>")
PRE = r'<pre class="[^"]*\bsourceCode\b[^"]*">(?:(?!</pre>).)*</pre>'
BOX = rf'<div class="sourceCode[^"]*"[^>]*>\s*{PRE}\s*</div>'
BLOCK = re.compile(rf'<div class="code-copy-outer-scaffold">\s*{BOX}\s*<button[^>]*>(?:(?!</button>).)*</button>\s*</div>|{BOX}|{PRE}', re.S)
EXPORTED = r'<details[^>]*class="code-fold"[^>]*>\s*<summary>Exported source</summary>'      # nbdev's own fold, always open
FOLDABLE = re.compile(rf'{EXPORTED}\s*({BLOCK.pattern})\s*</details>|{BLOCK.pattern}', re.S)
DEFINITION = re.compile(r"(?:@.*\n)*(?:def|class)\s+(\w+)")
FETCHING = {"stylesheet", "preload", "modulepreload", "prefetch", "preconnect", "dns-prefetch", "icon", "shortcut", "apple-touch-icon", "manifest"}
FETCHED_CSS = re.compile(r"(?:@import\s*(?:url\()?|url\()\s*[\"']?((?:https?:)?//[^\"')]+)")
OUTPUT_PICTURE = re.compile(r'<img(?=[^>]*\bsrc="(?:data:image|[^"]*_files/figure-html/))[^>]*>')


# ---- nothing from elsewhere

def without_fonts(css):
    "A style sheet without the fonts that it would fetch: the next family in its list is on the reader's machine"
    return FONT_IMPORT.sub("", css)

def without_outside_scripts(page, up):
    "A page whose maths is set by KaTeX of the site; what else was fetched to set maths is dropped"
    page = CDN.sub(f"{up}site_libs/katex", page)
    if "<script" not in page or not OUTSIDE_SCRIPT.search(page): return page
    page = OUTSIDE_SCRIPT.sub("", page)
    if 'class="math' not in page or "katex.min.js" in page: return page
    libs = f"{up}site_libs/katex"
    return page.replace("</head>", f'<link rel="stylesheet" href="{libs}/katex.min.css"><script src="{libs}/katex.min.js" defer></script></head>', 1)

class Fetched(HTMLParser):
    "Addresses of other places that a browser would fetch when it opens a page"

    def __init__(self, page):
        super().__init__()
        self.found, self.in_style = [], False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        told = {name: value or "" for name, value in attributes}
        self.in_style = tag == "style"
        links = [told.get("src", ""), told.get("poster", "")] if tag != "a" else []
        links += [part.split()[0] for part in told.get("srcset", "").split(",") if part.strip()]
        if tag == "link" and FETCHING & set(told.get("rel", "").lower().split()): links.append(told.get("href", ""))
        if tag == "object": links.append(told.get("data", ""))
        self.found += [link for link in links if re.match(r"(https?:)?//", link)]
        self.found += FETCHED_CSS.findall(told.get("style", ""))

    def handle_data(self, data):
        if self.in_style: self.found += FETCHED_CSS.findall(data)

    def handle_endtag(self, tag): self.in_style = False

def fetched(site):
    "(file, address) of everything that a browser would fetch from another place"
    for path in sorted(site.rglob("*")):
        if path.suffix not in (".html", ".css"): continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found = Fetched(text).found if path.suffix == ".html" else FETCHED_CSS.findall(text)
        for address in found: yield path.relative_to(site), address

def katex_files():
    "The folder of KaTeX's files, fetched once with npm and kept in .venv; None where npm fails"
    store = Path(sys.prefix)/"katex"/KATEX
    if (store/"package/dist/katex.min.js").exists(): return store/"package/dist"
    if not shutil.which("npm"): return None
    store.mkdir(parents=True, exist_ok=True)
    got = subprocess.run(["npm", "pack", "--silent", f"katex@{KATEX}"], cwd=store, capture_output=True, text=True)
    packed = list(store.glob("*.tgz"))
    if got.returncode or not packed: return None
    with tarfile.open(packed[0]) as t: t.extractall(store, filter="data")
    return store/"package/dist"

def copy_katex(site):
    "KaTeX's files into the site; False where they cannot be had"
    dist = katex_files()
    if dist is None: return False
    libs = site/"site_libs/katex"
    shutil.copytree(dist, libs, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.mjs", "*.ttf", "*.woff", "katex.js", "katex.css", "contrib"))
    (libs/"contrib").mkdir(exist_ok=True)
    shutil.copy(dist/"contrib/auto-render.min.js", libs/"contrib")
    shutil.copy(dist.parent/"LICENSE", libs)
    return True


# ---- a page

def code_of(block):
    "The code that a block of a page shows"
    return html.unescape(re.sub(r"<[^>]+>", "", re.sub(r"<button.*?</button>", "", block, flags=re.S))).strip("\n")

def lines_defined(text):
    "How many lines of a cell its functions, classes and constants take, before the code that uses them"
    try: parts = ast.parse(text).body
    except SyntaxError: return text.count("\n")+1
    n_lines = 0
    for part in parts:
        if isinstance(part, (ast.FunctionDef, ast.ClassDef)): n_lines = part.end_lineno
        elif any(isinstance(node, ast.Call) for node in ast.walk(part)): return n_lines
        elif not isinstance(part, ast.Assign): return n_lines
    return n_lines

def cut_block(block, n_lines):
    "A block of code as two: its first lines, and the others without the blank ones above them"
    opening, code, closing = re.fullmatch(r"(.*?<code[^>]*>\n*)(.*?)(</code>.*)", block, re.S).groups()
    lines = code.split("\n")
    rest = "\n".join(lines[n_lines:]).lstrip("\n")
    if not rest: return block, ""
    return opening+"\n".join(lines[:n_lines])+closing, re.sub(r' id="[^"]*"', "", opening)+rest+closing

def has_only_imports(text):
    "Does a cell import and do nothing else?"
    try: parts = ast.parse(text).body
    except SyntaxError: return False
    return bool(parts) and all(isinstance(part, (ast.Import, ast.ImportFrom)) for part in parts)

def folded(page):
    "Imports and long sources of functions and classes stand in a fold that says what is in it; code that uses them stands open"
    def fold(found):
        block = found[1] or found[0]
        text = code_of(block)
        if len(text.splitlines()) > MOST_IMPORTS and has_only_imports(text):
            return f'<details class="code-fold"><summary>Imports</summary>{block}</details>'
        named = DEFINITION.match(text)
        n_lines = lines_defined(text) if named else 0
        if n_lines <= LONGEST: return block
        source, use = cut_block(block, n_lines)
        return f'<details class="code-fold"><summary>Source of <code>{named[1]}</code>, {n_lines} lines</summary>{source}</details>{use}'
    return FOLDABLE.sub(fold, page)

def comment_html(text):
    "A comment beside a parameter: its back-ticked names as code, the links that nbdev wrote as links"
    text = html.escape(text, quote=False)
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", re.sub(r"\[(`[^`\]]+`)\]\(([^()\s]+)\)", r'<a href="\2">\1</a>', text))

def parameter(line):
    """(name, type, default, comment) of one line of a signature; None where it is no one parameter.
    nbdev gives the type of None to a parameter that has None for a default and says nothing"""
    told, _, comment = line.strip().partition(" # ")
    told = told.strip().rstrip(",")
    if told in ("*", "/"): return told, "", "", ""
    thing = re.search(r"=<(.*)>$", told)      # a default that Python shows in angle brackets
    if thing: told = f"{told[:thing.start()]}={'a_function' if 'lambda' in thing[1] or 'function' in thing[1] else 'an_object'}"
    try: a = ast.parse(f"def f({told}): pass").body[0].args
    except SyntaxError: return None
    listed = a.args+([a.vararg] if a.vararg else [])+([a.kwarg] if a.kwarg else [])
    if len(listed) != 1: return None
    kind = ast.unparse(listed[0].annotation) if listed[0].annotation else ""
    name = ("*" if a.vararg else "**" if a.kwarg else "")+listed[0].arg
    return name, "" if kind == "NoneType" else kind, ast.unparse(a.defaults[0]).replace("a_function", "a function").replace("an_object", "an object") if a.defaults else "", comment.strip()

def signature(text):
    "(name, its parameters, what it returns) of a signature that nbdev wrote, a definition without a body; None for other code"
    found = re.fullmatch(r"(?:def|class) ([\w.]+)\(\n((?:    .*\n)+)\)(?: *-> *([^#\n]+?))? *:? *(?:# *(.*))?", text)
    if not found: return None
    rows = [parameter(line) for line in found[2].splitlines()]
    if None in rows or not any(row[3] for row in rows): return None
    return found[1], rows, ((found[3] or "").rstrip(": "), found[4] or "")

def api_table(name, rows, returns):
    "A signature as a line, and its parameters as a table"
    called = ", ".join(row[0]+(f"={row[2]}" if row[2] else "") for row in rows)
    code = lambda text: f"<code>{html.escape(text, quote=False)}</code>" if text else ""
    lines = [f"<tr><th scope=\"row\">{code(n)}</th><td>{code(kind)}</td><td>{code(default)}</td><td>{comment_html(comment)}</td></tr>"
             for n, kind, default, comment in rows if n not in ("*", "/")]
    if any(returns): lines.append(f'<tr><th scope="row">returns</th><td>{code(returns[0])}</td><td></td><td>{comment_html(returns[1])}</td></tr>')
    head = '<thead><tr><th scope="col">parameter</th><th scope="col">type</th><th scope="col">default</th><th scope="col">what it is</th></tr></thead>'
    return (f'<p class="fsnb-signature">{code(f"{name}({called})")}</p>'
            f'<table class="fsnb-api">{head}<tbody>{"".join(lines)}</tbody></table>')

def with_tables(page):
    "Signatures whose parameters are told in comments become tables"
    def table(found):
        text = code_of(found[0])
        if not DEFINITION.match(text): return found[0]
        read = signature(text)
        return api_table(*read) if read else found[0]
    return BLOCK.sub(table, page)

ATTRIBUTES = re.compile(r"<p>Attributes: ((?:<a [^>]*>)?<code>.*?)</p>", re.S)

def attribute_rows(listed):
    "(name, what it is) of each attribute of a list that semicolons part, in HTML"
    for part in re.split(r";\s+(?=(?:<a [^>]*>)?<code>)", listed):
        name, _, words = part.partition("</code>")
        yield name+"</code>", words.removeprefix("</a>").strip(" ,\n")

def with_attributes(page):
    "The attributes of a fitted selector, a paragraph of its docstring, as a table; sentences after them stay"
    def table(found):
        listed, end, rest = re.match(r"(.*?)(\.\s+|\.?$)(?![^(]*\))(.*)", found[1], re.S).groups()
        rows = "".join(f'<tr><th scope="row">{name}</th><td>{words}</td></tr>' for name, words in attribute_rows(listed))
        head = '<thead><tr><th scope="col">attribute</th><th scope="col">what it is</th></tr></thead>'
        after = f"<p>{rest}</p>" if rest else ""
        return f'<table class="fsnb-api fsnb-attributes">{head}<tbody>{rows}</tbody></table>{after}'
    return ATTRIBUTES.sub(table, page)

def picture_words(notebook):
    "What the cells of a notebook say about their pictures, in the order of the pictures"
    words = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if re.search(r"^#\| *hide\s*$", source, re.M): continue
        n_pictures = sum(any(kind.startswith("image/") for kind in out.get("data", {})) for out in cell.get("outputs", []))
        said = re.search(r"^#\| *fig-alt: *(.+?) *$", source, re.M)
        words += [said[1].strip("\"'") if said else ""]*n_pictures
    return words

def with_words(page, notebook):
    "Pictures that cells drew, with the words of their cells where the renderer left them out"
    if not notebook: return page
    words, drawn = picture_words(notebook), OUTPUT_PICTURE.findall(page)
    if len(words) != len(drawn): return page
    left = iter(words)
    def tell(found):
        said = next(left)
        if not said or re.search(r'\balt="[^"]', found[0]): return found[0]
        return re.sub(r'\s*\balt=""', "", found[0]).replace("<img", f'<img alt="{html.escape(said)}"', 1)
    return OUTPUT_PICTURE.sub(tell, page)

def titled(page):
    "The words of its title"
    found = re.search(r'<h1[^>]*class="title"[^>]*>(.*?)</h1>', page, re.S) or re.search(r"<title>(.*?)</title>", page, re.S)
    return re.sub(r"<[^>]+>", "", found[1]).strip() if found else ""

def with_head(page, address, up, cfg):
    "Where the page is at home, a card for those who share it, an icon, our style and script"
    site_title, home = cfg.lib_name, f"{cfg.doc_host}{cfg.doc_baseurl}"
    said = re.search(r'<meta name="description" content="([^"]*)"', page)
    tags = [f'<link rel="canonical" href="{address}">' if 'rel="canonical"' not in page else "",
            f'<link rel="icon" type="image/svg+xml" href="{up}site_libs/fsnb/icon.svg">' if 'rel="icon"' not in page else "",
            f'<link rel="stylesheet" href="{up}site_libs/fsnb/site.css">', f'<script src="{up}site_libs/fsnb/site.js" defer></script>',
            f'<script src="{up}site_libs/fsnb/search.js" defer></script>']
    if 'property="og:title"' not in page:
        card = {"title": titled(page) or site_title, "type": "article", "url": address, "site_name": site_title,
                "description": said[1] if said else html.escape(cfg.description), "image": f"{home}/images/genes.png"}
        tags += [f'<meta property="og:{key}" content="{value}">' for key, value in card.items() if value]
    return page.replace("</head>", "".join(tags)+"</head>", 1)

def with_skip_link(page):
    "The first thing that the tabulator key reaches leads past the menus"
    main = re.search(r'<main[^>]*\bid="([^"]+)"', page)
    if not main: return page
    return re.sub(r"(<body[^>]*>)", rf'\1<a class="fsnb-skip" href="#{main[1]}">Skip to the text</a>', page, count=1)

def runs_elsewhere(notebook):
    "Whether a page is one to try in the browser: it exports code, or tells a method in one sitting"
    text = notebook.read_text(encoding="utf-8")
    return "#| default_exp" in text or notebook.stem.endswith("one_sitting")

def with_notebook(page, notebook, place, cfg):
    "Beside the title: the notebook itself, where it is edited, and for methods where it can be run"
    header = re.search(r'<header id="title-block-header".*?</header>', page, re.S)
    if not notebook or not header: return page
    links = [f'<a href="{notebook.name}" download>Download this notebook</a>',
             f'<a href="{cfg.git_url}/blob/{cfg.branch}/{place}">on GitHub</a>']
    if runs_elsewhere(notebook):
        home = f"{cfg.user}/{cfg.repo}"
        links += [f'<a href="https://mybinder.org/v2/gh/{home}/{cfg.branch}?labpath={place}">on Binder</a>',
                  f'<a href="https://colab.research.google.com/github/{home}/blob/{cfg.branch}/{place}">on Colab</a>']
    return page.replace(header[0], f'{header[0]}<p class="fsnb-notebook">{" · ".join(links)}</p>', 1)

def with_footer(page, version, up, repository):
    "The version that the page was built of"
    footer = (f'<footer class="fsnb-footer">fsnb {version} · <a href="{up}changelog.html">Changes</a> · <a href="{repository}">Repository</a> · '
              'Apache License 2.0</footer>')
    return page.replace("</main>", footer+"</main>", 1)

def page_of(notebook):
    "gdm/06_gdm.ipynb -> gdm/gdm.html: nbdev drops the number"
    return notebook.with_name(re.sub(r"^\d+[a-z]?_", "", notebook.stem)+".html")

def finish(site, cfg, root):
    "All steps, on all pages of a site; (file, address) of what they would still fetch from elsewhere"
    has_katex = copy_katex(site)
    if not has_katex: print("maths: npm is not here, so pages fetch KaTeX from its public address")
    shutil.copytree(HERE, site/"site_libs/fsnb", dirs_exist_ok=True)
    for css in site.rglob("*.css"):
        text = css.read_text(encoding="utf-8", errors="replace")
        if FONT_IMPORT.search(text): css.write_text(without_fonts(text), encoding="utf-8")
    notebooks = {page_of(nb.relative_to(root/"nbs")): nb for nb in (root/"nbs").rglob("*.ipynb") if ".ipynb_checkpoints" not in nb.parts}
    for path in site.rglob("*.html"): finish_page(path, site, cfg, root, notebooks, has_katex)
    return [(file, address) for file, address in fetched(site) if has_katex or not TYPESETTER.match(address)]

def finish_page(path, site, cfg, root, notebooks, has_katex):
    "All steps on one page"
    place = path.relative_to(site)
    up = "../"*len(place.parent.parts)
    page = path.read_text(encoding="utf-8")
    if "site_libs/fsnb/site.css" in page: return      # it is finished
    if has_katex: page = without_outside_scripts(page, up)
    notebook = notebooks.get(place)
    if notebook: shutil.copy(notebook, path.parent/notebook.name)
    page = with_words(folded(with_attributes(with_tables(page))), notebook)
    page = with_notebook(page, notebook, notebook and notebook.relative_to(root).as_posix(), cfg)
    page = with_head(page, f"{cfg.doc_host}{cfg.doc_baseurl}/{place.as_posix()}", up, cfg)
    path.write_text(with_footer(with_skip_link(page), cfg.version, up, cfg.git_url), encoding="utf-8")

def main(folder):
    "Of a finished site: what it fetches from elsewhere"
    outside = list(fetched(Path(folder)))
    for file, address in outside: print(f"{file} fetches {address}", file=sys.stderr)
    return int(bool(outside))

if __name__ == "__main__": sys.exit(main(sys.argv[1]))

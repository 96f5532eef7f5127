"The book: its order, and how its pages are written. Each rule keeps a page readable."
import ast, graphlib, importlib, json, re
from pathlib import Path
import pytest, yaml

ROOT = Path(__file__).resolve().parent.parent
import book

PAGES = book.on_disk()
MODULE = {p: book.module_of(p) for p in PAGES}
ORDER = [MODULE[p] for p in PAGES if MODULE[p]]
NO_NEXT = {"index.ipynb", book.sidebar()[-1]}

def name(path): return path.relative_to(book.nbs).as_posix()

def pages(test): return pytest.mark.parametrize("path", PAGES, ids=name)(test)

# ---- the order

def test_sidebar_lists_every_notebook_once_and_in_order_within_a_section():
    assert sorted(book.sidebar()) == sorted(map(name, PAGES))
    for pages in book.sections().values(): assert pages == sorted(pages), "the order of reading"

def test_site_config_is_reached_from_the_notebooks():
    linked, own = ROOT/"nbs/_quarto.yml", ROOT/"_quarto.yml"
    assert linked.read_text(encoding="utf-8") == own.read_text(encoding="utf-8")

def test_a_page_exports_to_the_module_of_its_own_name():
    for path, module in MODULE.items():
        if module is None or module == "naive": continue
        chapter, room = module.split(".")
        assert path.parent.name == chapter and re.fullmatch(rf"\d\d[a-z]?_{room}", path.stem), (name(path), module)

def inside(package, shown):
    "The module that `from package import shown` reaches, as the package's stub has it"
    stub = Path(importlib.import_module(package).__file__).with_suffix(".pyi")
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    homes = {a.name: n.module for n in tree.body if n.module for a in n.names}
    return f"{package}.{homes.get(shown, shown)}"

def imported(tree, module):
    "(module of the package, line) of everything that a module's code imports from the package, wherever it stands"
    package = ("fsnb."+module).split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((a.name, node.lineno) for a in node.names if a.name.split(".")[0] == "fsnb")
        if not isinstance(node, ast.ImportFrom): continue
        base = package[:len(package)-node.level+1] if node.level else []
        source = ".".join(base+([node.module] if node.module else []))
        if source.split(".")[0] != "fsnb" or source == "fsnb._cache": continue
        if source.removeprefix("fsnb.") in ORDER: yield source, node.lineno
        else: yield from ((inside(source, a.name), node.lineno) for a in node.names)

CHAPTERS = "data", "correlation", "groups", "gdm", "margin", "spectral", "filters", "linear", "show"

def imports_of(module):
    "Modules of the package that a module uses; methods named plot and report may call for `fsnb.show`"
    tree = ast.parse((ROOT/"fsnb"/(module.replace(".", "/")+".py")).read_text(encoding="utf-8"))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    lazy = {line for n in functions if n.name in ("plot", "report")
            for line in range(n.lineno, n.end_lineno+1)}
    for target, line in imported(tree, module):
        short = target.removeprefix("fsnb.")
        if short in ("__version__", "_cache", "naive") or short.split(".")[0] == "show" and line in lazy: continue
        yield short

@pytest.mark.parametrize("module", [m for m in ORDER if "." in m])
def test_chapters_import_from_chapters_below(module):
    chapter = module.split(".")[0]
    for target in imports_of(module):
        assert target in ORDER, f"{module} imports {target}, which is no module of the book"
        assert CHAPTERS.index(target.split(".")[0]) <= CHAPTERS.index(chapter), f"{module} imports {target}"

def test_no_module_imports_itself_by_a_circle():
    tuple(graphlib.TopologicalSorter({m: set(imports_of(m)) for m in ORDER if "." in m}).static_order())

def test_the_checks_of_imports_and_labels_see_what_they_should():
    code = """from ..margin import qpfs
from .bound import f
def g():
    import fsnb.show.group_plots
    from .. import GDM
    from fsnb.correlation import Pearson"""
    found = [target for target, _ in imported(ast.parse(code), "gdm.greedy")]
    assert sorted(found) == ["fsnb.correlation.pearson", "fsnb.gdm.bound", "fsnb.gdm.gdm",
                             "fsnb.margin.qpfs", "fsnb.show.group_plots"]
    text = "[01_cut](01_cut.ipynb) [the cut](gdm/01_cut.ipynb) [02](a.ipynb) [gdm/06_gdm](b.ipynb)"
    assert [l for l, _ in labels(text) if FILE_NAME.fullmatch(l)] == ["01_cut", "02", "gdm/06_gdm"]

def test_a_transcription_is_written_once():
    "two cells that export one name into naive overwrite each other without a word"
    tree = ast.parse((ROOT/"fsnb/naive.py").read_text(encoding="utf-8"))
    names = [n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
    assert sorted(names) == sorted(set(names))

# ---- a page

@pages
def test_a_page_opens_with_its_title_and_one_claim(path):
    title = book.cells(path, "markdown")[0].split("\n")
    assert title[0].startswith("# "), "a notebook opens with its title"
    claim = [line for line in title[1:] if line.startswith(">")]
    lost = [line for line in title[1:] if line and not line.startswith(">")]
    assert not lost, f"nbdev shows nothing of the title's cell but title and claim: a cell of its own for {lost[0]!r}"
    assert len(claim) == 1, "the claim is one line that begins with >; a page shows only the first"

@pages
def test_code_cells(path):
    for source in book.cells(path, "code"):
        assert "nbdev_export()" not in source, "exporting is not a notebook's business"
        assert "#|" not in re.sub(r"\A(#\|.*\n?)+", "", source), f"directives stand above the code of a cell:\n{source}"
        top = ast.parse(re.sub(r"^\s*[%!].*$", "", source, flags=re.M)).body
        imports = [isinstance(node, (ast.Import, ast.ImportFrom)) for node in top]
        assert all(imports) or not any(imports), f"imports stand in cells of their own:\n{source}"
        long = [line for line in source.split("\n") if len(line) > 100 and not line.startswith("#|")]
        assert long == [], "a page shows 100 characters of a line"
        for option in re.findall(r"^#\| *([\w-]+:.*)", source, re.M):      # as `fig-alt: ...`
            try: read = yaml.safe_load(option)
            except yaml.YAMLError: read = None
            assert isinstance(read, dict), f"both renderers read YAML, put the words into quotes: {option}"
        # pages share a process when they are tested: a filter left behind hides the warnings of the next
        held = {id(n) for tree in top for w in ast.walk(tree) if isinstance(w, ast.With) for n in ast.walk(w)}
        assert not [n for tree in top for n in ast.walk(tree) if isinstance(n, ast.Attribute)
                    and n.attr in ("simplefilter", "filterwarnings") and id(n) not in held], source

@pages
def test_text_cells(path):
    for text in book.cells(path, "markdown"):
        assert not re.search(r"^#+ .*\$", text, re.M), "no maths in a heading: the page's table of contents shows it raw"
        assert not re.search(r"\\begin\{(align|equation)\*?\}|\{#eq-", text), "displayed maths is $$ \\begin{aligned} ... $$"
        assert len(text.split()) <= 150, f"a text cell is one thought:\n{text[:200]}"

@pages
def test_outputs_are_without_errors_and_pictures_are_told_in_words(path):
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source, outputs = "".join(cell["source"]), cell.get("outputs", [])
        assert not [o for o in outputs if o["output_type"] == "error"], source
        kinds = {kind.split("/")[0] for out in outputs for kind in out.get("data", {})}
        if "image" in kinds: assert re.search(r"^#\| *fig-alt: *\S", source, re.M), source

FILE_NAME = re.compile(r"`?(?:\w+/)*(?:\d\d[a-z]?(?:_\w+)?|\w+\.(?:ipynb|html|py))`?")

def labels(text):
    "Words of the links of a text, and where they lead"
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    return re.findall(r"(?<![!\]`])\[([^\[\]]+)\]\(([^)\s]+)\)", text)

@pages
def test_links_lead_to_pages_and_are_words(path):
    for text in book.cells(path, "markdown"):
        for target in re.findall(r"\]\(([^)\s#]+\.(?:ipynb|json))", text):
            if ":" not in target: assert (path.parent/target).resolve().exists(), target
        for label, to in labels(text):
            assert to.startswith("http") or not FILE_NAME.fullmatch(label), "a link says what it leads to"
            # nbdev links every back-ticked name of the package: inside another link both break
            assert not re.search(r"`[A-Za-z_.]+`", label), "write the label without back-ticks"

def test_links_to_results_lead_to_the_repository():
    "The site has no results files: a link that stays relative would lead nowhere there"
    import docs
    cfg = docs.get_config()
    home = f"{cfg.git_url}/blob/{cfg.branch}/benchmarks/results/real.json"
    for text, of in (("[a](%s)", "../../benchmarks/"), ('<a href="%s">', "../benchmarks/")):
        assert docs.results_links(text % f"{of}results/real.json", cfg) == text % home
    same = 'Path("../../benchmarks/results/real.json")'
    assert docs.results_links(same, cfg) == same

@pages
def test_a_page_says_what_comes_next(path):
    if name(path) in NO_NEXT: pytest.skip("the first page and the last")
    after = book.cells(path, "markdown")[-1].partition("## Next")[2]
    words = [label for label, to in labels(after) if re.search(r"\.ipynb(?:#|$)", to)]
    assert any(re.search("[A-Za-z]{2}", label) and not FILE_NAME.fullmatch(label) for label in words), \
        "the last text cell has a heading Next and a link in words"

# ---- its tests

def pages_of_tests(path, rooms):
    "The pages that a file of tests is named after: test_graph_gflasso.py holds those of graph and of gflasso"
    name, found = path.stem.removeprefix("test_"), []
    while name:
        room = max((room for room in rooms if name == room or name.startswith(room+"_")), key=len, default=None)
        if room is None: break
        found.append(room)
        name = name[len(room)+1:]
    return found

def test_tests_are_named_after_their_page():
    "tests/CHAPTER/test_PAGE.py, with more words where a page has several files; python tools/new_page.py makes one for a new page"
    for chapter in CHAPTERS:
        rooms = {m.split(".")[1] for m in ORDER if m.startswith(chapter+".")}
        files = sorted((ROOT/"tests"/chapter).glob("test_*.py"))
        held = {path.name: pages_of_tests(path, rooms) for path in files}
        assert [name for name, found in held.items() if not found] == [], f"of {chapter}: rename them test_PAGE.py"
        assert rooms-{room for found in held.values() for room in found} == set(), f"{chapter}: these pages have no tests/{chapter}/test_PAGE.py"

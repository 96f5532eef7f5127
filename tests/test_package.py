"The package is what the notebooks export; the notebooks, the metadata and the site's contents agree with each other."
import ast, importlib, json, re, shutil, subprocess, sys
from configparser import ConfigParser
from pathlib import Path
import pytest

root = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root/"tools"))
config = ConfigParser(delimiters=["="])
config.read(root/"settings.ini", encoding="utf-8")
config = config["DEFAULT"]

def notebooks(folder=root/"nbs"):
    return sorted(p for p in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts)

def python(code):
    "What a fresh process prints"
    return subprocess.run([sys.executable, "-c", code], cwd=root, check=True, capture_output=True, text=True).stdout

# ---- drift: notebooks are the source

@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    "A copy with the notebooks and no package, exported and cleaned there"
    d = tmp_path_factory.mktemp("export")
    shutil.copy(root/"settings.ini", d)
    shutil.copytree(root/"nbs", d/"nbs", ignore=shutil.ignore_patterns(".ipynb_checkpoints", "_quarto.yml"))
    for tool in ("nbdev_export", "nbdev_clean"):
        subprocess.run([Path(sys.executable).with_name(tool)], cwd=d, check=True)
    return d

def differing(here, there, suffix):
    "Names of files whose bytes differ, or that only one of two folders has"
    def files(d): return {p.relative_to(d).as_posix(): p.read_bytes() for p in d.rglob("*"+suffix) if ".ipynb_checkpoints" not in p.parts}
    a, b = files(here), files(there)
    return sorted(k for k in a.keys()|b.keys() if a.get(k) != b.get(k))

def test_package_is_the_export(fresh):
    assert [f for f in differing(root/"fsnb", fresh/"fsnb", ".py") if f != "__init__.py"] == []

def test_notebooks_are_clean(fresh):
    assert differing(root/"nbs", fresh/"nbs", ".ipynb") == []

def test_readme_is_the_index():
    assert importlib.import_module("readme").main(["--check"]) is None

# ---- metadata

def test_one_version():
    import fsnb
    cited = re.search(r"^version: (\S+)$", (root/"CITATION.cff").read_text(encoding="utf-8"), re.M)[1]
    assert config["version"] == fsnb.__version__ == cited
    assert f"## {config['version']}" in (root/"CHANGELOG.md").read_text(encoding="utf-8")

def test_one_least_python():
    assert f'requires-python = ">={config["min_python"]}"' in (root/"pyproject.toml").read_text(encoding="utf-8")
    assert "(%s)" % config["min_python"].replace(".", ", ") in (root/"Makefile").read_text(encoding="utf-8")

def test_sidebar_lists_every_notebook_once():
    listed = re.findall(r"[\w/]+\.ipynb", (root/"_quarto.yml").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(p.relative_to(root/"nbs").as_posix() for p in notebooks())

def test_site_config_is_reached_from_the_notebooks():
    assert (root/"nbs/_quarto.yml").read_text(encoding="utf-8") == (root/"_quarto.yml").read_text(encoding="utf-8")

# ---- import fsnb

def test_import_is_light():
    heavy = "numpy scipy numba sklearn matplotlib pandas cvxpy".split()
    assert python(f"import sys, fsnb; print([m for m in {heavy} if m in sys.modules])").strip() == "[]"

def test_modules_leave_heavy_packages_for_later():
    heavy = "cvxpy matplotlib".split()
    names = [p.stem for p in sorted((root/"fsnb").glob("*.py")) if not p.stem.startswith("_")]
    code = f"import sys, importlib\nfor n in {names}: importlib.import_module('fsnb.'+n)\nprint([m for m in {heavy} if m in sys.modules])"
    assert python(code).strip() == "[]"

def test_public_names_are_found():
    import fsnb
    for name in fsnb.__all__: assert getattr(fsnb, name) is not None and name in dir(fsnb)
    modules = {p.stem for p in (root/"fsnb").glob("*.py") if not p.stem.startswith("_")}
    assert set(fsnb._modules) == modules
    for name in fsnb._modules: assert getattr(fsnb, name).__name__ == f"fsnb.{name}"
    with pytest.raises(AttributeError, match="no attribute 'gdn'"): fsnb.gdn

# ---- how a notebook is written: each rule keeps a page readable

def cells(path, kind):
    return ["".join(c["source"]) for c in json.loads(path.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == kind]

@pytest.mark.parametrize("path", notebooks(), ids=lambda p: p.stem)
def test_notebook_form(path):
    title = cells(path, "markdown")[0].split("\n")
    assert title[0].startswith("# "), "a notebook opens with its title"
    claim = [line for line in title[1:] if line.startswith(">")]
    assert len(claim) == 1, "the claim is one line that begins with >; a page shows only the first"
    for source in cells(path, "code"):
        assert "nbdev_export()" not in source, "exporting is not a notebook's business"
        top = ast.parse(re.sub(r"^\s*[%!].*$", "", source, flags=re.M)).body
        imports = [isinstance(node, (ast.Import, ast.ImportFrom)) for node in top]
        assert all(imports) or not any(imports), f"imports stand in cells of their own:\n{source}"
    for text in cells(path, "markdown"):
        assert not re.search(r"^#+ .*\$", text, re.M), "no maths in a heading: the page's table of contents shows it raw"
        assert not re.search(r"\\begin\{(align|equation)\*?\}|\{#eq-", text), "displayed maths is $$ \\begin{aligned} ... $$"

def docstrings(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and not n.name.startswith("_")]
    return [(n.name, ast.get_docstring(n)) for n in named if ast.get_docstring(n)]

@pytest.mark.parametrize("path", sorted((root/"fsnb").glob("*.py")), ids=lambda p: p.stem)
def test_docstrings_are_safe_markdown(path):
    "The site sets a docstring in italics: a star outside backticks ends them"
    bad = [name for name, text in docstrings(path) if "*" in re.sub(r"`[^`]*`", "", text)]
    assert bad == []

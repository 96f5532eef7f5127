"The package is what the notebooks export; names, metadata and what an import costs."
import ast, importlib, inspect, pkgutil, re, shutil, subprocess, sys
from configparser import ConfigParser
from email import message_from_string
from pathlib import Path
import numpy as np, pytest, yaml, fsnb
from fsnb.data.anndata import _open_h5ad
from fsnb.data.cluster import _connect
from fsnb.data.genotypes import _read_pgen
from fsnb.gdm.restricted import solve_cvxpy
from mutants import MUTANTS

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT/"fsnb"
import book, export, lowest, parameters, readme

reader = ConfigParser(delimiters=["="])
reader.read(ROOT/"settings.ini", encoding="utf-8")
config = reader["DEFAULT"]
MODULES = sorted(p for p in PACKAGE.rglob("*.py") if not p.name.startswith("_"))
DOORS = sorted(PACKAGE.rglob("__init__.py"))

def dotted(path):
    "fsnb/gdm/bound.py -> fsnb.gdm.bound"
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")

# ---- drift: notebooks are the source

def differing(here, there, suffix):
    "Names of files whose bytes differ, or that only one of two folders has"
    def files(folder):
        found = (p for p in folder.rglob("*"+suffix) if ".ipynb_checkpoints" not in p.parts)
        return {p.relative_to(folder).as_posix(): p.read_bytes() for p in found}
    ours, theirs = files(here), files(there)
    return sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))

def test_package_and_notebooks_are_a_fresh_export(tmp_path):
    "A copy with the notebooks and no package, exported and cleaned there, has the same bytes"
    shutil.copy(ROOT/"settings.ini", tmp_path)
    left_out = shutil.ignore_patterns(".ipynb_checkpoints", "_quarto.yml")
    shutil.copytree(ROOT/"nbs", tmp_path/"nbs", ignore=left_out)
    export.export(tmp_path)
    by_hand = {"_cache.py", "__main__.py", *(p.relative_to(PACKAGE).as_posix() for p in DOORS)}
    assert sorted({*differing(PACKAGE, tmp_path/"fsnb", ".py")}-by_hand) == [], "fsnb/ is not what the notebooks export: python tools/export.py"
    assert differing(ROOT/"nbs", tmp_path/"nbs", ".ipynb") == [], "notebooks are not clean: python tools/export.py"

def test_modules_import_each_other_relatively():
    absolute = [p.name for p in MODULES if re.search(r"^from fsnb\b", p.read_text(encoding="utf-8"), re.M)]
    assert absolute == [], "an import of four lines or more stays absolute in the export: write it in three"

def test_planted_faults_have_their_place():
    lost = [name for name, own in MUTANTS.items() if own.old not in (PACKAGE/own.file).read_text(encoding="utf-8")]
    assert lost == [], "these faults of tests/mutants.toml can no longer be planted: take the line as it is now"

def test_readme_is_the_index_and_the_changelog_that_of_the_book():
    assert readme.main(["--check"]) is None, "README.md is written from nbs/index.ipynb, CHANGELOG.md from nbs/changelog.md: python tools/export.py"

# ---- metadata

def test_files_agree_on_the_version_the_least_python_and_the_pythons_that_are_tried():
    def read(name): return (ROOT/name).read_text(encoding="utf-8")
    cited = re.search(r"^version: (\S+)$", read("CITATION.cff"), re.M)[1]
    assert config["version"] == fsnb.__version__ == cited and f"## {cited}" in read("CHANGELOG.md"), "settings.ini, CITATION.cff, CHANGELOG.md and fsnb/__init__.py name one version"
    least = config["min_python"]
    assert f'requires-python = ">={least}"' in read("pyproject.toml"), "pyproject.toml and settings.ini name one least Python"
    assert f"({least.replace('.', ', ')})" in read("Makefile")
    if not (ROOT/".github").exists(): return                # a source distribution has no workflows
    listed = re.search(r"python: \[(.*)\]", read(".github/workflows/test.yml"))[1]
    assert re.findall(r"[\d.]+", listed) == config["pythons"].split()

@pytest.fixture(scope="module")
def egg(tmp_path_factory):
    "What setup.py says of the package: the metadata and the list of a source distribution"
    folder = tmp_path_factory.mktemp("egg")
    command = [sys.executable, "-W", "ignore", "setup.py", "-q", "egg_info", "--egg-base", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder/"fsnb.egg-info"

def test_links_of_the_registry_page_are_absolute(egg):
    "They lead to files that the repository has; a picture is fetched as it is"
    shown = message_from_string((egg/"PKG-INFO").read_text(encoding="utf-8")).get_payload()
    home, readme_text = f"{config['git_url']}/", (ROOT/"README.md").read_text(encoding="utf-8")
    assert len(shown.splitlines()) == len(readme_text.splitlines())
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)\s]+)\)", shown)
    assert len(links) > 20
    for picture, address in links:
        assert address.startswith("https://"), address
        kind = "raw" if picture else "blob"
        if address.startswith(home): assert (ROOT/address.removeprefix(f"{home}{kind}/{config['branch']}/")).is_file()

HOSTED = {".ci/run", ".gitignore", ".pre-commit-config.yaml", ".github/workflows/docs.yml", ".github/workflows/machines.yml", ".github/workflows/test.yml"}

def test_a_source_distribution_is_the_repository(egg):
    "All that is tracked, but what only the repository's host reads; and nothing else"
    if not (ROOT/".git").exists(): pytest.skip("not a clone")
    def ask(*words): return set(subprocess.check_output(["git", *words], cwd=ROOT, text=True).splitlines())
    tracked, loose = ask("ls-files"), ask("ls-files", "-o", "--exclude-standard")
    listed = {line.removeprefix("./") for line in (egg/"SOURCES.txt").read_text(encoding="utf-8").splitlines()}
    listed = {name for name in listed if ".egg-info/" not in name and (ROOT/name).is_file()}
    there = {name for name in tracked if (ROOT/name).is_file()}
    assert there-listed == HOSTED, "not in the source distribution: MANIFEST.in"
    assert listed-there-loose == set()

ON_CONDA = {"matplotlib": "matplotlib-base"}     # the same without a window system

def conda_name(requirement):
    name, least = requirement.split(">=")
    return f"{ON_CONDA.get(name, name)} >={least}"

def test_the_lowest_versions_are_those_of_the_settings():
    told = dict(line.split("==") for line in lowest.lowest_versions())
    every = {r for kind in ("", *(f"{kind}_" for kind in EXTRAS)) for r in config[f"{kind}requirements"].split()}
    assert {f"{name}>={least}" for name, least in told.items()} == every | {"polars>=1.0"} and "numpy" in told, "tools/lowest.py and settings.ini list one set of requirements"

def test_the_conda_recipe_says_what_the_settings_say():
    recipe = yaml.safe_load((ROOT/"conda/meta.yaml").read_text(encoding="utf-8"))
    python, needs = f"python >={config['min_python']}", recipe["requirements"]
    assert recipe["package"]["version"] == config["version"] and python in needs["host"]
    assert needs["run"] == [python, *map(conda_name, config["requirements"].split())], "the recipe in conda/ has the requirements of settings.ini"
    offered = {conda_name(r) for kind in EXTRAS for r in config[f"{kind}_requirements"].split()}
    assert set(needs["run_constrained"]) <= offered
    commands = [s.replace(" = ", "=") for s in recipe["build"]["entry_points"]]
    assert commands == [config["console_scripts"]]
    assert {config["git_url"], config["description"]} <= set(recipe["about"].values())

def test_a_wheel_holds_every_module_and_template_and_says_that_it_is_typed(tmp_path):
    source, built = tmp_path/"source", tmp_path/"built"
    source.mkdir()
    for name in ("setup.py", "pyproject.toml", "settings.ini", "README.md", "MANIFEST.in"):
        shutil.copy(ROOT/name, source)
    shutil.copytree(PACKAGE, source/"fsnb", ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([sys.executable, "setup.py", "-q", "build", "-b", str(built)], cwd=source, check=True)
    made = {p.relative_to(built/"lib").as_posix() for p in (built/"lib").rglob("*.*")}
    kinds = "*.py", "*.pyi", "*.html", "py.typed"
    here = {p.relative_to(ROOT).as_posix() for kind in kinds for p in PACKAGE.rglob(kind)}
    assert made == here and "fsnb/show/report.html" in here, "setup.py does not ship it: package_data"

# ---- optional packages

EXTRAS = [k.removesuffix("_requirements") for k in config if k.endswith("_requirements")]
EXTRAS = [k for k in EXTRAS if k not in ("dev", "bench")]      # those two are for a clone

ASKED = {"referee": ("cvxpy", lambda _: solve_cvxpy([[1.]], [[0]], 1.)),
         "parquet": ("pyarrow", lambda folder: fsnb.read_data(folder/"a.parquet")),
         "genotypes": ("pgenlib", lambda folder: _read_pgen(folder/"a.pgen", 3, 4)),
         "h5ad": ("anndata", lambda folder: _open_h5ad(folder/"a.h5ad").__enter__()),
         "dask": ("distributed", lambda _: _connect()),
         "compare": ("sortedl1", lambda _: fsnb.OSCAR(2).fit(np.eye(9), np.arange(9) % 2))}

@pytest.mark.parametrize("extra", EXTRAS)
def test_the_error_says_what_to_install(extra, tmp_path, monkeypatch):
    "The packages themselves: an extra of fsnb can be installed from a clone only"
    package, ask = ASKED[extra]
    needed = " ".join(need.partition(">=")[0] for need in config[f"{extra}_requirements"].split())
    for name in [m for m in sys.modules if m.split(".")[0] == package]: monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    (tmp_path/"a.parquet").write_bytes(b"PAR1")
    with pytest.raises(ImportError, match=f"pip install {needed}$"): ask(tmp_path)

# ---- import fsnb

RARE = "matplotlib textalloc polars cvxpy h5py dask anndata pgenlib sortedl1 distributed".split()
HEAVY = "numpy scipy numba sklearn matplotlib pandas pyarrow polars cvxpy".split()

def loaded(python, code, names=HEAVY):
    "Which of these packages are loaded after this code"
    return python(f"import sys\n{code}\nprint(*[m for m in {names} if m in sys.modules])").split()

def test_the_command_is_found_and_loads_next_to_nothing(python):
    "Nor does `import fsnb`, which stands before it"
    name, _, function = config["console_scripts"].partition("=")[2].partition(":")
    assert callable(getattr(importlib.import_module(name), function))
    code = """import runpy
sys.argv = ['fsnb', '--version']
try: runpy.run_module('fsnb', run_name='__main__')
except SystemExit as end: print(end.code)"""
    assert loaded(python, code) == ["fsnb", fsnb.__version__, "0"]

def test_no_module_loads_what_only_some_need_and_a_pickle_and_help_reach_the_names(python):
    code = f"""from fsnb import *
import importlib, pickle, pydoc, fsnb
for name in {[dotted(p) for p in MODULES]}: importlib.import_module(name)
print('class GDM(' in pydoc.plain(pydoc.render_doc(fsnb)), pickle.loads(pickle.dumps(GDM(3))))"""
    told = loaded(python, code, RARE)
    assert told == ["True", "GDM(n_features_to_select=3)"]

@pytest.mark.parametrize("path", DOORS, ids=dotted)
def test_a_door_gives_what_its_stub_tells_editors(path):
    package = importlib.import_module(dotted(path))
    tree = ast.parse(path.with_suffix(".pyi").read_text(encoding="utf-8"))
    told = [(a.name, a.asname, n.module) for n in tree.body for a in n.names]
    assert all(name == alias for name, alias, _ in told), "`import name as name` makes a name public"
    homes = {name: module for name, _, module in told if module}
    assert sorted(name for name, *_ in told) == sorted(package.__all__) == sorted(dir(package)), "the stub (.pyi), __all__ and dir() name the same"
    for name, home in homes.items():
        value = getattr(package, name)
        assert value is getattr(importlib.import_module(f"{package.__name__}.{home}"), name)
        assert getattr(value, "__module__", None) in (f"{package.__name__}.{home}", None), name
    rooms = {m.name for m in pkgutil.iter_modules(package.__path__)}
    assert not rooms & homes.keys(), "a name that is also a module means two things"
    assert package.__doc__.strip()

# ---- help

def test_help_shows_every_parameter():
    for name in fsnb.__all__:
        value = getattr(fsnb, name)
        if not callable(value) or value is fsnb.FeatureWarning: continue
        listed = re.search(r"\n\s*Parameters\n\s*-{10}\n(.*)", value.__doc__, re.S)
        assert listed, f"{name} has no Parameters section: python tools/parameters.py"
        for parameter in inspect.signature(value).parameters:
            assert re.search(rf"^\s*{parameter}\b", listed[1], re.M), (name, parameter)
        if hasattr(value, "fit"): assert "Parameters\n" in value.fit.__doc__, f"{name}.fit, which a base may bring, has none"

def test_no_parameter_ends_in_the_middle_of_a_sentence():
    "A comment that continues on the next line stands in the docstring as a whole: tools/parameters.py takes it, an export writes it"
    cut = re.compile(r"(,|;|:|\b(a|an|the|or|and|than|bounds))$")
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef)): continue
            section = parameters.SECTIONS.search(ast.get_docstring(node) or "")
            entries = re.split(r"\n(?=\S)", section[0]) if section else []
            for entry in entries:
                assert not cut.search(entry.strip()), f"{path}, {node.name}: {entry!r} ends in the middle"
                assert entry.count("`") % 2 == 0, f"{path}, {node.name}: {entry!r} ends within backticks"

def test_a_comment_is_taken_as_a_whole():
    source = "def f(\n    x,    # one thing,\n          # and the rest\n    # of y\n    y,\n): pass\n"
    assert parameters.comments_by_line(source) == {2: "one thing, and the rest", 4: "of y"}

def test_the_page_of_tasks_names_what_stands_at_the_door():
    page = "\n".join(book.cells(book.nbs/"start/05_api.ipynb", "markdown"))
    missing = [name for name in fsnb.__all__ if not re.search(rf"\b{name}\b", page)]
    assert missing == ["naive"], "a row on start/05_api"

def test_docstrings_are_safe_markdown():
    "The site sets a docstring in italics: a star outside backticks ends them. The sections stand in no page"
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef)): continue
            if node.name.startswith("_"): continue
            told = parameters.SECTIONS.sub("", ast.get_docstring(node) or "")
            assert "*" not in re.sub(r"`[^`]*`", "", told), (path, node.name)

"tools/new_page.py: the book's rules hold for a page from its skeleton on"
import os, shutil, subprocess, sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    "What an export and the book's tests read, in a folder of its own"
    home = tmp_path_factory.mktemp("clone")
    forget = shutil.ignore_patterns("__pycache__", "*.nb[ic]")
    for folder in ("nbs", "fsnb", "tools"): shutil.copytree(ROOT/folder, home/folder, symlinks=True, ignore=forget)
    for name in ("settings.ini", "pyproject.toml", "setup.py", "_quarto.yml", "README.md", "tests/conftest.py", "tests/test_book.py"):
        (home/name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT/name, home/name)
    return home

def run(clone, *words):
    done = subprocess.run([sys.executable, *words], cwd=clone, env=dict(os.environ, PYTHONPATH=f"{clone}{os.pathsep}{clone}/tools"), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]+done.stderr[-2000:]
    return done.stdout

def test_a_skeleton_is_green(clone):
    run(clone, "tools/new_page.py", "filters", "relevance", "--selector", "Relevance")
    run(clone, "tools/new_page.py", "spectral", "spread")
    told = run(clone, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_book.py", "-k", "relevance or spread or sidebar or circle or own_name")
    assert "100%" in told
    assert "class Relevance" in (clone/"fsnb/filters/relevance.py").read_text(encoding="utf-8")
    assert "spread_of" in (clone/"fsnb/spectral/__init__.pyi").read_text(encoding="utf-8")
    assert (clone/"tests/filters/test_relevance.py").exists()

def test_a_page_that_is_there_is_not_written_over(clone):
    done = subprocess.run([sys.executable, "tools/new_page.py", "filters", "fcbf"], cwd=clone, capture_output=True, text=True)
    assert done.returncode and "has a page fcbf" in done.stderr

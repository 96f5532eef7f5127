"Where numba keeps what it compiles, if neither the package's folder nor the user's can be written; true of root also."
import os, shutil, subprocess, sys
import pytest
from fsnb import _cache

PACKAGE = os.path.dirname(_cache.__file__)

KERNEL = r"""
import os, sys
from pathlib import Path
{first}
import fsnb
lent = os.environ.get("NUMBA_CACHE_DIR", "")
from fsnb.data.genotypes import _count_bits
_count_bits(5)
print(lent, sum(1 for _ in Path(lent or ".").rglob("*.nbi")), fsnb.__file__, sep="\n", flush=True)
if {forks}:
    child = os.fork()
    if not child: sys.exit(0)
    os.waitpid(child, 0)
    assert os.path.isdir(lent), "a forked child removed its parent's folder"
"""

@pytest.fixture(scope="module")
def shut(tmp_path_factory):
    "A copy of the package with a file where each __pycache__ would be, and a file in the home's place"
    folder = tmp_path_factory.mktemp("shut")
    shutil.copytree(PACKAGE, folder/"fsnb", ignore=shutil.ignore_patterns("__pycache__"))
    for door in list((folder/"fsnb").rglob("__init__.py")): (door.parent/"__pycache__").write_text("")
    (folder/"home").write_text("")
    return folder

def run_kernel(shut, tmp_path, first="", forks=False, **changes):
    "(NUMBA_CACHE_DIR after the import, entries in it) of a fresh process that compiles a kernel of the copy"
    places = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA", "USERPROFILE"), str(shut/"home"))
    paths = os.pathsep.join([str(shut), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    environment = os.environ | places | {"PYTHONPATH": paths, "TMPDIR": str(tmp_path)} | changes
    if "NUMBA_CACHE_DIR" not in changes: environment.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, "-c", KERNEL.format(first=first, forks=forks)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    lent, entries, used = done.stdout.splitlines()
    assert used.startswith(str(shut))
    return lent, int(entries)

def test_a_temporary_folder_is_lent_and_removed(shut, tmp_path):
    "Also where numba was there before"
    lent, entries = run_kernel(shut, tmp_path, "import numba", forks=hasattr(os, "fork"))
    assert os.path.dirname(lent) == str(tmp_path) and entries > 0
    assert list(tmp_path.iterdir()) == []

def test_the_users_own_caches_are_taken(shut, tmp_path):
    if sys.platform != "linux": pytest.skip("the name of the folder is Linux's")
    assert run_kernel(shut, tmp_path, XDG_CACHE_HOME=str(tmp_path/"caches"))[0] == ""
    assert list((tmp_path/"caches/numba").rglob("*.nbi"))

def test_without_any_folder_nothing_is_lent(monkeypatch):
    "Then numba says so"
    def refuse(**_): raise FileNotFoundError
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    _cache.lend_cache()
    assert "NUMBA_CACHE_DIR" not in os.environ

def test_what_can_be_written(tmp_path, monkeypatch):
    (tmp_path/"file").write_text("")
    assert _cache.can_write(tmp_path) and _cache.can_write(tmp_path/"new/folder")
    assert not _cache.can_write(tmp_path/"file") and not _cache.can_write(tmp_path/"file/folder")
    monkeypatch.setattr(_cache.os, "access", lambda place, how: False)
    monkeypatch.setenv("NUMBA_CACHE_DIR", "named")
    assert _cache.has_cache()
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert not _cache.has_cache()
    assert not _cache.can_write(tmp_path) and not _cache.can_write(tmp_path/"new/folder")

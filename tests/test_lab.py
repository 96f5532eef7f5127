"Opening a page in JupyterLab changes nothing, and saving it writes the same bytes"
import asyncio, shutil, sys
from pathlib import Path
import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["index", "data/01_checks", "gdm/06_gdm"]

@pytest.fixture
def pages(tmp_path):
    "The server's manager of files, set as `make lab` sets it, on a project with three pages"
    pytest.importorskip("jupyter_server")
    from traitlets.config import PyFileConfigLoader
    for name in PAGES:
        target = tmp_path/"nbs"/f"{name}.ipynb"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT/"nbs"/f"{name}.ipynb", target)
    config = PyFileConfigLoader(str(ROOT/"tools/jupyter_server_config.py")).load_config()
    return config.ServerApp.contents_manager_class(root_dir=str(tmp_path/"nbs"), config=config)

@pytest.mark.parametrize("name", PAGES)
def test_the_browser_sees_the_kernel_and_the_disk_does_not(pages, name):
    path = f"{name}.ipynb"
    before = (ROOT/"nbs"/path).read_bytes()
    content = asyncio.run(pages.get(path))["content"]
    metadata = content["metadata"]
    assert metadata["language_info"]["version"] == sys.version.split()[0]
    assert metadata["kernelspec"]["display_name"] != "python3" == metadata["kernelspec"]["name"]
    asyncio.run(pages.save({"type": "notebook", "format": "json", "content": content}, path))
    assert (Path(pages.root_dir)/path).read_bytes() == before
    left = [p.name for p in Path(pages.root_dir).rglob("*") if p.is_file() and ".ipynb_checkpoints" not in p.parts]
    assert {Path(name).suffix for name in left} == {".ipynb"}

def test_a_run_in_the_browser_leaves_no_trace_but_outputs(pages):
    content = asyncio.run(pages.get("index.ipynb"))["content"]
    cell = next(c for c in content["cells"] if c["cell_type"] == "code")
    cell["execution_count"], cell["metadata"]["execution"] = 7, {"iopub.status.busy": "now"}
    asyncio.run(pages.save({"type": "notebook", "format": "json", "content": content}, "index.ipynb"))
    assert (Path(pages.root_dir)/"index.ipynb").read_bytes() == (ROOT/"nbs/index.ipynb").read_bytes()

"Opening a page in JupyterLab changes nothing, and saving it writes the same bytes."
import asyncio, shutil, sys
from pathlib import Path
import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["index.ipynb", "gdm/06_gdm.ipynb"]

def test_saving_in_the_browser_leaves_no_trace_but_outputs(tmp_path):
    "The server's manager of files, set as `make lab` sets it, on a project with two pages"
    pytest.importorskip("jupyter_server")
    from traitlets.config import PyFileConfigLoader
    shutil.copytree(ROOT/"nbs/gdm", tmp_path/"gdm", ignore=lambda _, names: set(names)-{"06_gdm.ipynb"})
    shutil.copy(ROOT/"nbs/index.ipynb", tmp_path)
    config = PyFileConfigLoader(str(ROOT/"tools/jupyter_server_config.py")).load_config()
    manager = config.ServerApp.contents_manager_class(root_dir=str(tmp_path), config=config)
    for name in PAGES:
        content = asyncio.run(manager.get(name))["content"]
        metadata = content["metadata"]
        assert metadata["language_info"]["version"] == sys.version.split()[0]
        assert metadata["kernelspec"]["display_name"] != "python3" == metadata["kernelspec"]["name"]
        cell = next(c for c in content["cells"] if c["cell_type"] == "code")
        cell["execution_count"], cell["metadata"]["execution"] = 7, {"iopub.status.busy": "now"}
        asyncio.run(manager.save({"type": "notebook", "format": "json", "content": content}, name))
        assert (tmp_path/name).read_bytes() == (ROOT/"nbs"/name).read_bytes()
    left = [p for p in tmp_path.rglob("*") if p.is_file() and ".ipynb_checkpoints" not in p.parts]
    assert {p.suffix for p in left} == {".ipynb"}

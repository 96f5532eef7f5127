"""What `make lab` sets, so that opening a page changes nothing and saving it keeps it clean.

JupyterLab writes the kernel's display name and the version of Python into a page that it opens, and
marks the page as modified when these were not there. Pages are committed without them, or each
contributor's Python would show in the differences. So the server adds them to what it hands to the
browser, and takes them out of what comes back, as an export would.
"""
import sys
from pathlib import Path

from ipykernel.ipkernel import IPythonKernel
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from nbdev.clean import clean_nb

sys.path.insert(0, str(Path(__file__).resolve().parent))
import outputs


def running_python():
    "What JupyterLab notes of the kernel in a page's metadata"
    kernel = KernelSpecManager().get_kernel_spec("python3")
    spec = {"name": "python3", "display_name": kernel.display_name, "language": kernel.language}
    return {"kernelspec": spec, "language_info": dict(IPythonKernel.language_info)}

class Pages(AsyncLargeFileManager):
    "Files, of which notebooks have the metadata in the browser and not on the disk"
    async def get(self, path, content=True, *args, **kwargs):
        model = await super().get(path, content, *args, **kwargs)
        if model["type"] == "notebook" and model["content"]:
            model["content"]["metadata"].update(running_python())
        return model

    def run_pre_save_hooks(self, model, path, **kwargs):
        if model["type"] == "notebook":
            clean_nb(model["content"], allowed_cell_metadata_keys=["tags"])
            for cell in model["content"]["cells"]:
                if cell["cell_type"] == "code": cell["outputs"] = outputs.settled(cell["outputs"])
        super().run_pre_save_hooks(model, path, **kwargs)

c = get_config()      # noqa: F821, a name that Jupyter gives
c.ServerApp.contents_manager_class = Pages

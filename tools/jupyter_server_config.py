"""What `make lab` sets, so that opening a page changes nothing and saving it keeps it clean.

JupyterLab writes the kernel's display name and the version of Python into a page that it opens, and
marks the page as modified when these were not there. Pages are committed without them, or each
contributor's Python would show in the differences. So the server adds them to what it hands to the
browser, and nbdev takes them out of what comes back.
"""
from ipykernel.ipkernel import IPythonKernel
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from jupyter_server.utils import to_os_path
from nbdev.clean import clean_jupyter

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
        clean_jupyter(to_os_path(path, self.root_dir), model)
        super().run_pre_save_hooks(model, path, **kwargs)

c = get_config()      # noqa: F821, a name that Jupyter gives
c.ServerApp.contents_manager_class = Pages

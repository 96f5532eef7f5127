"Run notebooks in place, then export, clean and write README.md. Usage: python tools/notebooks.py [13_gdm ...]"
import subprocess, sys, time
from pathlib import Path
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
import readme

nbs = readme.root/"nbs"

def chosen(names):
    "The notebooks that were named, all of them when none was"
    if not names: return sorted(p for p in nbs.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts)
    paths = [(nbs/name).with_suffix(".ipynb") for name in names]
    missing = [p.name for p in paths if not p.exists()]
    if missing: sys.exit(f"no such notebook in nbs/: {', '.join(missing)}")
    return paths

def run(path):
    "Execute one notebook and save what it shows"
    start, nb = time.time(), nbformat.read(path, as_version=4)
    NotebookClient(nb, timeout=900, kernel_name="python3", extra_arguments=["--log-level=ERROR"],
                   resources={"metadata": {"path": str(path.parent)}}).execute()
    nbformat.write(nb, path)
    print(f"{path.relative_to(nbs)}: {time.time()-start:.0f} s", flush=True)

def tool(name, *args): subprocess.run([Path(sys.executable).with_name(name), *args], cwd=readme.root, check=True)

def main(names):
    tool("nbdev_export")                    # a notebook runs against the package as it now stands
    failed = []
    for path in chosen(names):
        try: run(path)
        except CellExecutionError as e: failed.append(path.name); print(e, file=sys.stderr)
    for name in ("nbdev_export", "nbdev_clean"): tool(name)
    readme.main([])
    if failed: return f"failed, and left as they were: {', '.join(failed)}"

if __name__ == "__main__": sys.exit(main(sys.argv[1:]))

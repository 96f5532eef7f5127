"Run notebooks in place, then export. Usage: python tools/notebooks.py [gdm/06_gdm ... | gdm ...]"
import sys
import time

import book
import export
import nbformat
import outputs
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


def chosen(names):
    "The notebooks that were named, or those of a chapter that was named; all of them when none was"
    everything = book.on_disk()
    if not names: return everything
    paths = []
    for name in names:
        stem = name.removesuffix(".ipynb").rstrip("/")
        fits = [p for p in everything if is_named(p.relative_to(book.nbs), stem)]
        if not fits: sys.exit(f"no such notebook or chapter in nbs/: {name}")
        paths += fits
    return paths

def is_named(path, name):
    "`gdm/06_gdm` and `06_gdm` name a notebook, `gdm` a chapter"
    return name in (path.with_suffix("").as_posix(), path.stem, path.parent.as_posix())

def run(path):
    "Execute one notebook and save what it shows"
    start, before = time.time(), outputs.texts(path)
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=900, kernel_name="python3",
                            extra_arguments=["--log-level=ERROR"],
                            resources={"metadata": {"path": str(path.parent)}})
    client.execute()
    nbformat.write(notebook, path)
    outputs.settle(path)
    after = outputs.texts(path)
    changed = [cell for cell in after if after[cell] != before.get(cell)]
    told = f"; other words in {', '.join(changed)}" if changed else ""
    print(f"{path.relative_to(book.nbs)}: {time.time()-start:.0f} s{told}", flush=True)

def main(names):
    paths = chosen(names)
    export.main()                           # a notebook runs against the package as it now stands
    failed = []
    for path in paths:
        try: run(path)
        except CellExecutionError as error:
            failed.append(path.relative_to(book.nbs).as_posix())
            print(error, file=sys.stderr)
    export.main()
    if failed: return f"failed, and left as they were: {', '.join(failed)}"

if __name__ == "__main__": sys.exit(main(sys.argv[1:]))

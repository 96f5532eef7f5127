"The order of the book: that of the site's sidebar, with the guides last."
import json, re
from pathlib import Path

root = Path(__file__).resolve().parent.parent
nbs = root/"nbs"

LAST = "guides/"        # a new user meets the guides first; they use everything, so in the book they come last

def sidebar():
    "Paths of the notebooks below nbs/, in the order of the sidebar"
    return re.findall(r"[\w/]+\.ipynb", (root/"_quarto.yml").read_text(encoding="utf-8"))

def listed():
    "The same in the order of the book, in which a page uses what stands before it"
    return sorted(sidebar(), key=lambda name: name.startswith(LAST))

def on_disk(folder=nbs):
    "Every notebook, in the order of the book; what the sidebar lacks comes last"
    place = {name: i for i, name in enumerate(listed())}
    found = [p for p in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts]
    names = {p: p.relative_to(folder).as_posix() for p in found}
    return sorted(found, key=lambda p: (place.get(names[p], len(place)), names[p]))

def cells(path, kind=None):
    "Sources of a notebook's cells, of one kind where it is given"
    all_cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(c["source"]) for c in all_cells if kind in (None, c["cell_type"])]

def module_of(path):
    "The module that a notebook exports to, such as `gdm.bound`; None where it exports none"
    found = re.search(r"^#\| *default_exp +([\w.]+)", "\n".join(cells(path, "code")), re.M)
    return found and found[1]

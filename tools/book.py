"The order of the book, which is the order of the site's sidebar."
import json
import re
from pathlib import Path

root = Path(__file__).resolve().parent.parent
nbs = root/"nbs"

def sidebar():
    "Paths of the notebooks below nbs/, in the order of the sidebar"
    return re.findall(r"[\w/]+\.ipynb", (root/"_quarto.yml").read_text(encoding="utf-8"))

def title(page):
    "The heading of a page, given as `gdm/01_cut`"
    found = re.search(r"^# (.+)", cells(nbs/f"{page}.ipynb", "markdown")[0], re.M)
    return found[1]

def sections():
    "Section of the sidebar -> its pages, by folder: {(section, folder): paths}"
    found, section = {}, ""
    for line in (root/"_quarto.yml").read_text(encoding="utf-8").split("\n"):
        title, page = re.search(r"- section: (.+)", line), re.search(r"[\w/]+\.ipynb", line)
        if title: section = title[1]
        if page: found.setdefault((section, Path(page[0]).parent.as_posix()), []).append(page[0])
    return found

def on_disk(folder=nbs):
    "Every notebook, in the order of the book; what the sidebar lacks comes last"
    place = {name: i for i, name in enumerate(sidebar())}
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

"README.md is nbs/index.ipynb in Markdown, CHANGELOG.md is nbs/changelog.md. Usage: python tools/readme.py [--check]"
import json
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
notebook, readme = root/"nbs/index.ipynb", root/"README.md"
NOTE = "<!-- Written by tools/readme.py from nbs/index.ipynb: edit that. -->\n\n"

def from_root(text):
    "Links that are right beside the notebook, made right at the top of the project"
    return re.sub(r"\]\((?![a-z]+:|#|/|nbs/)([^)\s]+)\)", r"](nbs/\1)", text)

def output_text(output):
    "What a cell printed or returned; pictures are left out"
    if output["output_type"] == "stream": return "".join(output["text"])
    data = output.get("data", {})
    return "" if "image/png" in data else "".join(data.get("text/plain", ""))

def cell_markdown(cell):
    "One cell as Markdown, or nothing when a directive hides it"
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown": return from_root(source)
    hidden = re.search(r"^#\|\s*(hide|default_exp)\b", source, re.M)
    if cell["cell_type"] != "code" or hidden: return ""
    code = re.sub(r"^#\|.*\n?", "", source, flags=re.M).strip()
    out = "".join(output_text(o).rstrip("\n")+"\n" for o in cell["outputs"] if output_text(o))
    return f"```python\n{code}\n```"+(f"\n\n```text\n{out}```" if out else "")

def render():
    "The whole of README.md"
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return NOTE+"\n\n".join(filter(None, map(cell_markdown, cells)))+"\n"

def main(args):
    changes = (root/"nbs/changelog.md").read_text(encoding="utf-8")
    for path, text in ((readme, render()), (root/"CHANGELOG.md", changes)):
        if "--check" not in args: path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text: return f"{path.name} is not what nbs/ says: run `make export`"

if __name__ == "__main__": sys.exit(main(sys.argv[1:]))

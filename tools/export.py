"Export every notebook, write Parameters sections, clean outputs, write README.md. Usage: python tools/export.py"
import subprocess
import sys
from pathlib import Path

import book
import outputs
import parameters
import readme


def tool(name, folder):
    "Run one of nbdev's commands in a project's folder"
    subprocess.run([Path(sys.executable).with_name(name)], cwd=folder, check=True)

def export(project):
    "fsnb/ and clean notebooks, from the notebooks of a project"
    tool("nbdev_export", project)
    parameters.write(parameters.exported(project/"fsnb"))
    tool("nbdev_clean", project)
    for page in book.on_disk(project/"nbs"): outputs.settle(page)

def main():
    export(readme.root)
    readme.main([])

if __name__ == "__main__": main()

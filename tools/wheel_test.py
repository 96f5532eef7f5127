"Build both archives, and use them as a stranger does. Usage: python tools/wheel_test.py [folder]"
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

root = Path(__file__).resolve().parent.parent

def do(*command, **options):
    "Run a command, and give what it prints; its own complaint ends all"
    words = [str(word) for word in command]
    print("+", " ".join(words).replace(str(root)+os.sep, "").partition("\n")[0], flush=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= options.pop("env", {})
    done = subprocess.run(words, env=environment, text=True, stdout=subprocess.PIPE, **options)
    if done.returncode: sys.exit(f"{done.stdout}\n{words[0]} ended with {done.returncode}")
    return done.stdout

def new_place(folder, *packages):
    "The folder of the programs of a new environment that holds these packages"
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")
    programs = folder/("Scripts" if os.name == "nt" else "bin")
    do(programs/"python", "-m", "pip", "install", "-qq", *packages)
    return programs

def copy_of_the_project(folder):
    "What is tracked, as it stands now, in a folder of its own: a build leaves traces"
    folder.mkdir()
    for name in do("git", "ls-files", "-z", cwd=root).split("\0"):
        source, target = root/name, folder/name
        if not source.is_file(): continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    return folder

def build(folder):
    "(wheel, source distribution), both found in order by the registry's own check"
    programs = new_place(folder/"builder", "build", "twine")
    do(programs/"python", "-m", "build", "--outdir", folder/"dist", copy_of_the_project(folder/"source"))
    made = sorted((folder/"dist").iterdir())
    do(programs/"python", "-m", "twine", "check", "--strict", *made)
    return next(p for p in made if p.suffix == ".whl"), next(p for p in made if p.suffix == ".gz")

def first_lines():
    "(code, output) of the first section of README.md that has code"
    text = (root/"README.md").read_text(encoding="utf-8")
    section = next(part for part in text.split("\n## ") if "\n```python\n" in part)
    def blocks(kind): return "".join(re.findall(rf"^```{kind}\n(.*?)^```$", section, re.M | re.S))
    return blocks("python"), blocks("text")

def size_of(folder):
    "Megabytes of the files below"
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())/1e6

def try_the_wheel(wheel, folder):
    "Installed alone: the command, the demo, the first example with the output that README.md shows"
    programs = new_place(folder/"user", wheel)
    away = folder/"away"
    away.mkdir()
    version = do(programs/"fsnb", "--version", cwd=away)
    assert version == do(programs/"python", "-m", "fsnb", "--version", cwd=away)
    assert wheel.name.startswith(version.strip().replace(" ", "-")+"-")
    do(programs/"fsnb", "demo", cwd=away)
    assert len(list((away/"fsnb-demo").iterdir())) > 3
    code, shown = first_lines()
    assert code.count("\n") > 5 and shown
    found = do(programs/"python", "-c", code, cwd=away)
    assert found == shown, f"the first example of README.md prints\n{found}"
    print(f"a new environment with fsnb holds {size_of(folder/'user'):.0f} MB")

def try_the_source(archive, folder):
    "Unpacked: pytest finds every test of the project, and those of the package pass"
    shutil.unpack_archive(archive, folder)
    here = folder/archive.name.removesuffix(".tar.gz")
    def collect(place):
        words = sys.executable, "-m", "pytest", "-q", "--collect-only"
        found = do(*words, cwd=place, env={"PYTHONPATH": str(place)})
        return re.findall(r"^(tests/\S+): (\d+)$", found, re.M)
    assert collect(here) == collect(folder/"source") != []
    do(sys.executable, "-m", "pytest", "-q", "tests/test_package.py", cwd=here, env={"PYTHONPATH": str(here)})

def main(args):
    with tempfile.TemporaryDirectory() as made:
        folder = Path(args[0]).resolve() if args else Path(made)
        folder.mkdir(exist_ok=True)
        wheel, archive = build(folder)
        try_the_wheel(wheel, folder)
        try_the_source(archive, folder)
    print(f"{wheel.name} and {archive.name} are in order")

if __name__ == "__main__": sys.exit(main(sys.argv[1:]))

"""What a cell shows, without what differs from run to run. Usage: python tools/outputs.py

The pieces in which a kernel sends what a cell prints depend on the clock, and the file that it names
in a warning on the number of the process and on the machine.
"""
import json
import re
import sys

import book

WARNED_FROM = re.compile(r"\S+\.py:\d+: (?=\w*Warning: )")
COMPILING = re.compile(r"^fsnb: compiling, .*\n", re.M)     # what the first fit after an installation says
ORDER = ["stderr", "stdout"]        # a warning comes before what is printed of the result

def text_of(output):
    "The words of a stream, a value or an error"
    words = output.get("text") or output.get("data", {}).get("text/plain") or output.get("evalue", "")
    return "".join(words)

def stream(name, text):
    "An output that was printed; warnings are not told by the file that they come from"
    lines = COMPILING.sub("", WARNED_FROM.sub("", text)).splitlines(keepends=True)
    return {"name": name, "output_type": "stream", "text": lines}

def settled(outputs):
    "Neighbouring streams as one of each kind; what stands between two pictures stays between them"
    found, printed = [], {}
    for output in [*outputs, None]:
        if output and output["output_type"] == "stream":
            printed[output["name"]] = printed.get(output["name"], "")+text_of(output)
            continue
        streams = [stream(name, printed[name]) for name in sorted(printed, key=ORDER.index)]
        found += [s for s in streams if s["text"]]
        printed = {}
        if output: found.append(output)
    return found

def settle(path):
    "Write a page again, if its outputs depend on the run"
    before = path.read_text(encoding="utf-8")
    page = json.loads(before)
    for cell in page["cells"]:
        if cell["cell_type"] == "code": cell["outputs"] = settled(cell["outputs"])
    after = json.dumps(page, ensure_ascii=False, indent=1, sort_keys=True)+"\n"
    if after != before: path.write_text(after, encoding="utf-8")

def texts(path):
    "cell -> what it shows in words; addresses of objects, which nbdev takes away, left out"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return {cell["id"]: re.sub(r" at 0x\w+", "", "\n".join(map(text_of, settled(cell["outputs"]))))
            for cell in cells if cell["cell_type"] == "code"}

def main():
    for path in book.on_disk(): settle(path)

if __name__ == "__main__": sys.exit(main())

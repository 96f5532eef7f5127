"""Every page of the built site in a browser: at 390 and 1440 pixels, light and dark.

Wants node, npm and Chromium; says so and ends well where one is missing. `make site-test`, or

    python tools/site_test.py            all pages
    python tools/site_test.py gdm/       pages whose path holds this; several parts with commas between them

What drives the browser is kept in .venv/site-test, or in the folder that FSNB_SITE_TEST names.
"""
import json
import os
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("playwright-core@1", "axe-core@4")
FOLDER = Path(os.environ.get("FSNB_SITE_TEST", Path(sys.prefix)/"site-test"))
FARTHEST = 1800              # pixels above the first example of the first page, and of a selector's: two screens
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

def find_tools():
    "(folder with the packages, path of a browser); a sentence where one is missing"
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not browser: return "no Chromium is here: `apt install chromium`"
    if not shutil.which("node") or not shutil.which("npm"): return "node and npm are not here"
    folder = FOLDER
    if not (folder/"node_modules/axe-core").exists():
        folder.mkdir(parents=True, exist_ok=True)
        got = subprocess.run(["npm", "install", "--silent", "--no-save", "--prefix", folder, *PACKAGES], capture_output=True, text=True)
        if got.returncode: return f"npm cannot fetch {' and '.join(PACKAGES)}: {got.stderr.strip()[:200]}"
    return folder, browser

def report(findings):
    "Findings by kind, the first places of each; how many there are"
    kinds, places = Counter(f["kind"] for f in findings), defaultdict(list)
    for f in findings: places[f["kind"]].append(f"{f['where']}: {f['told']}")
    for kind, count in kinds.most_common():
        print(f"{count:6} {kind}")
        for place in places[kind][:5]: print(f"         {place[:220]}")
    return sum(kinds.values())

def selector_pages():
    "Pages of the selectors at the package's door, and the first page: who opens them wants an example"
    import fsnb
    found = {getattr(fsnb, name).__module__ for name in fsnb.__all__ if name[:1].isupper() and hasattr(getattr(fsnb, name), "fit")}
    return {"index.html"} | {name.removeprefix("fsnb.").replace(".", "/")+".html" for name in found}

def late_examples(places):
    "Findings for pages whose first example stands too far down, of page -> pixels"
    for page in sorted(selector_pages() & places.keys()):
        if not 0 <= places[page] <= FARTHEST:
            yield {"kind": "no example at once", "where": page, "told": f"{places[page]} pixels down" if places[page] >= 0 else "none"}

def audit(folder, browser, site, wanted=""):
    "(findings, what was looked at) of the pages of a site. Raises RuntimeError where the browser ends early"
    script = shutil.copy(ROOT/"tools/site_audit.js", folder/"audit.js")
    ran = subprocess.run(["node", script, site, browser, wanted], capture_output=True, text=True)
    told = [json.loads(line) for line in ran.stdout.splitlines()]
    if ran.returncode or not told: raise RuntimeError(f"the browser ended early: {ran.stderr[-500:]}")
    looked = told.pop()["where"]
    places = {f["where"]: f["told"] for f in told if f["kind"] == "first example"}
    return [f for f in told if f["kind"] != "first example"]+list(late_examples(places)), looked

def main(wanted=""):
    found = find_tools()
    if isinstance(found, str):
        print(f"the site was not tried in a browser: {found}")
        return 0
    site = ROOT/"_docs"
    if not (site/"index.html").exists(): return "there is no site: run make docs first"
    try: findings, looked = audit(*found, site, wanted)
    except RuntimeError as error: return str(error)
    print(looked)
    n_wrong = report(findings)
    print(f"{n_wrong} findings")
    return int(n_wrong > 0)

if __name__ == "__main__": sys.exit(main(*sys.argv[1:]))

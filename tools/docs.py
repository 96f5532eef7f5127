"""Build the site into _docs/: with Quarto (nbdev_docs) where it is installed, else with smalldocs.

nbdev turns the notebooks into pages and writes links to the API as absolute addresses; smalldocs
reads the same _quarto.yml. Two things have to be set right between them: the names of the pages and
the absolute links; what both leave undone is in finish.py. Exit code 1 for a warning, for a
link that leads nowhere, for maths that shows as dollars, and for what a page would fetch from elsewhere.
"""
import html
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import finish
import readme
from nbdev.config import get_config
from nbdev.serve import proc_nbs

GRID = re.compile(r"^    grid:\n(?:      .*\n)+", re.M)      # Quarto's own; styles.css says the same to smalldocs

def page_names(cache):
    """Staged notebook -> its page, both as paths below the stage.
    nbdev notes the page's name in the first cell; the note is taken out"""
    names = {}
    for path in sorted(cache.rglob("*.ipynb")):
        nb = json.loads(path.read_text(encoding="utf-8"))
        head = nb["cells"][0] if nb["cells"] else {"cell_type": ""}
        text = "".join(head["source"]) if head["cell_type"] == "raw" else ""
        note = re.search(r"^output-file: (\S+)\.html\n", text, re.M)
        if not note: continue
        head["source"] = text.replace(note[0], "").splitlines(True)
        path.write_text(json.dumps(nb, indent=1, ensure_ascii=False), encoding="utf-8")
        page = path.with_name(note[1]+".ipynb")
        path.rename(page)
        names[path.relative_to(cache).as_posix()] = page.relative_to(cache).as_posix()
    return names

def renamed_links(text, folder, names):
    "A text that stands in `folder`, with each path to a notebook led to that notebook's page"
    def lead(found):
        target = posixpath.normpath(posixpath.join(folder, found[0]))
        return posixpath.relpath(names[target], folder or ".") if target in names else found[0]
    return re.sub(r"(?<![\w./-])[\w./-]+\.ipynb", lead, text)

def results_links(text, cfg):
    "A text in which links to results files, which are no part of the site, lead to the repository"
    home = f"{cfg.git_url}/blob/{cfg.branch}/benchmarks/results/"
    return re.sub(r"(?<=\]\()(?:\.\./)+benchmarks/results/|(?<=href=\")(?:\.\./)+benchmarks/results/", home, text)

def private_links(text):
    "A text in which links to private names, which the site shows nowhere by themselves, lead to their page"
    return re.sub(r"(\.html)#_\w+", r"\1", text)

def opened_maths(text):
    """The text of a notebook in which maths that opens a cell of a table, or a paragraph, is set even where a digit ends it:
    smalldocs takes that digit for one that stands before the dollar"""
    return re.sub(r"(?m)(\| |^ *\")(\$(?!\$))(?=[^|\n]*\d *(?:\||\\n|\"))", r"\1&#8203;\2", text)

def stage(cfg):
    "A folder of notebooks as smalldocs wants them: named as nbdev links to them, links relative"
    cache = Path(proc_nbs(force=True, n_workers=2))
    names = page_names(cache)
    for path in [*cache.rglob("*.ipynb"), cache/"_quarto.yml"]:
        folder = path.parent.relative_to(cache)
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb": text = text.replace(site_address(cfg), "../"*len(folder.parts))
        if path.suffix == ".yml": text = GRID.sub("", text)
        if path.suffix == ".ipynb": text = opened_maths(text)
        text = renamed_links(text, "" if folder == Path() else folder.as_posix(), names)
        path.write_text(private_links(results_links(text, cfg)), encoding="utf-8")
    return cache

def site_address(cfg):
    "Where the site will be published"
    return f"{cfg.doc_host}{cfg.doc_baseurl}/"

def own_links(site, cfg):
    """Links to the published site become links inside this copy of it; those to results lead to the
    repository, those to private names to their page"""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        up = "../"*len(page.parent.relative_to(site).parts)
        text = re.sub(rf'(<a\b[^>]*?\bhref="){re.escape(site_address(cfg))}', rf"\g<1>{up}", text)
        page.write_text(private_links(results_links(text, cfg)), encoding="utf-8")

def notebook_links(site):
    "Links to notebooks in what cells printed as HTML, which no renderer reads, lead to their pages"
    link = re.compile(r'<a href="([^":#]+\.ipynb)"(?! download)')
    for page in site.rglob("*.html"):
        def lead(found):
            target = finish.page_of(Path(found[1]))
            return f'<a href="{target.as_posix()}"' if (page.parent/target).exists() else found[0]
        text = page.read_text(encoding="utf-8")
        if link.search(text): page.write_text(link.sub(lead, text), encoding="utf-8")

def inner_links(site):
    "(page, link, target page, fragment, anchors there or None) of every link that stays inside"
    text = {p.resolve(): p.read_text(encoding="utf-8") for p in site.rglob("*.html")}
    anchors = {p: set(re.findall(r'\b(?:id|name)="([^"]+)"', t)) for p, t in text.items()}
    for p, t in text.items():
        only_tags = lambda m: m[0][:m[0].index(">")+1]
        t = re.sub(r"<(script|style)\b.*?</\1>", only_tags, t, flags=re.S)
        for link in sorted(set(re.findall(r'\b(?:href|src)="([^"]+)"', t))):
            url = urlsplit(html.unescape(link))
            if url.scheme or url.netloc or not (url.path or url.fragment): continue
            target = (p.parent/unquote(url.path)).resolve() if url.path else p
            if target.is_dir(): target = target/"index.html"
            yield p, link, target, unquote(url.fragment), anchors.get(target)

def mend_method_links(site):
    """nbdev links a back-ticked `Class.method` to an anchor of its own.
    Only a method that is shown by itself has one: the others lead to the class"""
    for page, link, _, fragment, anchors in list(inner_links(site)):
        if not anchors or fragment in anchors or fragment.split(".")[0] not in anchors: continue
        whole = page.read_text(encoding="utf-8")
        mended = link.rsplit(".", 1)[0]
        page.write_text(whole.replace(f'href="{link}"', f'href="{mended}"'), encoding="utf-8")

def mend_code_comments(site):
    "nbdev writes a link for a back-ticked name also into the comments of a signature: the name stays"
    link = re.compile(r"\[(`[^`\]]+`)\]\([^()\s]*\.html[^()\s]*\)")
    for page in site.rglob("*.html"):
        whole = page.read_text(encoding="utf-8")
        if link.search(whole): page.write_text(link.sub(r"\1", whole), encoding="utf-8")

def broken_links(site):
    "(page, link) of the links inside the site that lead nowhere"
    for page, link, target, fragment, anchors in inner_links(site):
        missing = fragment and anchors is not None and fragment not in anchors
        if missing or not target.exists(): yield page.relative_to(site.resolve()), link

def raw_dollars(site):
    "(page, words) of text that shows a dollar sign: maths that was not set"
    hidden = r"<(pre|script|style|code|annotation)\b.*?</\1>|<span class=\"math.*?</span>"
    for page in sorted(site.rglob("*.html")):
        text = re.sub(hidden, "", page.read_text(encoding="utf-8"), flags=re.S)
        main = re.sub(r"<[^>]+>", "", text[text.find("<main"):text.find("</main>")])
        for words in re.findall(r".{0,30}\$.{0,30}", main): yield page.relative_to(site), words.strip()

def mend_table_links(site):
    "A name in a table of parameters that has no place of its own, as kernels have none, is no link"
    for page, link in list(broken_links(site)):
        whole = (site/page).read_text(encoding="utf-8")
        plain = lambda table: re.sub(rf'<a href="{re.escape(link)}">(<code>[^<]*</code>)</a>', r"\1", table[0])
        mended = re.sub(r'<table class="fsnb-api">.*?</table>', plain, whole, flags=re.S)
        if mended != whole: (site/page).write_text(mended, encoding="utf-8")

def command(name, *args):
    "Run a command of the environment that this Python belongs to"
    subprocess.run([Path(sys.executable).with_name(name), *args], check=True)

def build(cfg, out):
    "The site, by whichever of the two is here"
    if shutil.which("quarto"):
        readme.main([])         # newer than index.ipynb, so that nbdev leaves README.md to us
        command("nbdev_docs")
        return
    print("Quarto is not installed: building with smalldocs", flush=True)
    cache = stage(cfg)
    command("smalldocs", "render", "--strict", str(cache))
    shutil.rmtree(out, ignore_errors=True)
    shutil.move(cache/out.name, out)

def main():
    os.chdir(readme.root)
    cfg = get_config()
    out = readme.root/cfg.doc_path.name
    try: build(cfg, out)
    except subprocess.CalledProcessError as error:
        name = Path(error.cmd[0]).name
        return f"the site was not built: {name} ended with code {error.returncode}"
    outside = finish.finish(out, cfg, readme.root)
    own_links(out, cfg)
    notebook_links(out)
    mend_method_links(out)
    mend_code_comments(out)
    mend_table_links(out)
    broken = list(broken_links(out))
    for page, link in broken: print(f"broken link in {page}: {link}", file=sys.stderr)
    for file, address in outside: print(f"{file} fetches {address}", file=sys.stderr)
    raw = list(raw_dollars(out))
    for page, words in raw: print(f"maths is not set in {page}: {words}", file=sys.stderr)
    print(f"{len(list(out.rglob('*.html')))} pages in {out.name}/, {len(broken)} broken links, {len(outside)} files from elsewhere")
    return int(bool(broken or outside or raw))

if __name__ == "__main__": sys.exit(main())

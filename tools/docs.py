"""Build the site into _docs/: with Quarto (nbdev_docs) where it is installed, with smalldocs where it is not.

nbdev turns the notebooks into pages and writes links to the API as absolute addresses; smalldocs reads the
same _quarto.yml. Three things have to be set right between them: the names of the pages, the absolute
links, and where the maths typesetter comes from. Exit code 1 for a warning or for a link that leads nowhere.
"""
import html, json, os, re, shutil, subprocess, sys, tarfile
from pathlib import Path
from urllib.parse import unquote, urlsplit
from nbdev.config import get_config
from nbdev.serve import proc_nbs
import readme

CDN = re.compile(r"https://cdn\.jsdelivr\.net/npm/katex@([\d.]+)/dist")

def page_names(cache):
    "Staged notebook -> the name of its page, which nbdev notes in the first cell; the note is taken out"
    names = {}
    for path in sorted(cache.rglob("*.ipynb")):
        nb = json.loads(path.read_text(encoding="utf-8"))
        head = nb["cells"][0] if nb["cells"] else {"cell_type": ""}
        note = re.search(r"^output-file: (\S+)\.html\n", "".join(head["source"]), re.M) if head["cell_type"] == "raw" else None
        if not note: continue
        head["source"] = "".join(head["source"]).replace(note[0], "").splitlines(True)
        path.write_text(json.dumps(nb, indent=1, ensure_ascii=False), encoding="utf-8")
        names[path.name] = note[1]+".ipynb"
        path.rename(path.with_name(names[path.name]))
    return names

def stage(cfg):
    "A folder of notebooks as smalldocs wants them: page names as nbdev links to them, every link relative"
    cache = Path(proc_nbs(force=True, n_workers=2))
    names = page_names(cache)
    base = f"{cfg.doc_host}{cfg.doc_baseurl}/"
    for path in [*cache.rglob("*.ipynb"), cache/"_quarto.yml"]:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb": text = text.replace(base, "../"*len(path.parent.relative_to(cache).parts))
        for old, new in names.items(): text = re.sub(rf"(?<![\w-]){re.escape(old)}", new, text)
        path.write_text(text, encoding="utf-8")
    return cache

def katex(cfg, version):
    "The folder of KaTeX's files, fetched once with npm and kept in .venv; None where npm is missing or fails"
    store = Path(sys.prefix)/"katex"/version
    if (store/"package/dist/katex.min.js").exists(): return store/"package/dist"
    if not shutil.which("npm"): return None
    store.mkdir(parents=True, exist_ok=True)
    got = subprocess.run(["npm", "pack", "--silent", f"katex@{version}"], cwd=store, capture_output=True, text=True)
    packed = list(store.glob("*.tgz"))
    if got.returncode or not packed: return None
    with tarfile.open(packed[0]) as t: t.extractall(store, filter="data")
    return store/"package/dist"

def own_maths(site, cfg):
    "Serve KaTeX from the site itself, so that it reads the same with no network"
    pages = list(site.rglob("*.html"))
    versions = {v for p in pages for v in CDN.findall(p.read_text(encoding="utf-8"))}
    if not versions: return
    dist = katex(cfg, version := versions.pop())
    if dist is None:
        print("maths: npm is not here, so pages fetch KaTeX from its public address when they are read")
        return
    shutil.copytree(dist, (libs := site/"site_libs/katex"), dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.mjs", "*.ttf", "*.woff"))
    shutil.copy(dist.parent/"LICENSE", libs)
    for p in pages:
        here = "../"*len(p.parent.relative_to(site).parts)+"site_libs/katex"
        p.write_text(CDN.sub(here, p.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"maths: KaTeX {version} is served from the site")

def inner_links(site):
    "(page, link, target page, fragment, anchors of the target page or None) of every link that stays inside the site"
    text = {p.resolve(): p.read_text(encoding="utf-8") for p in site.rglob("*.html")}
    anchors = {p: set(re.findall(r'\b(?:id|name)="([^"]+)"', t)) for p, t in text.items()}
    for p, t in text.items():
        t = re.sub(r"<(script|style)\b.*?</\1>", lambda m: m[0][:m[0].index(">")+1], t, flags=re.S)
        for link in sorted(set(re.findall(r'\b(?:href|src)="([^"]+)"', t))):
            u = urlsplit(html.unescape(link))
            if u.scheme or u.netloc or not (u.path or u.fragment): continue
            target = (p.parent/unquote(u.path)).resolve() if u.path else p
            if target.is_dir(): target = target/"index.html"
            yield p, link, target, unquote(u.fragment), anchors.get(target)

def mend_method_links(site):
    "nbdev links a back-ticked `Class.method` to an anchor that exists only where the method is shown by itself: link to the class"
    for page, link, _, fragment, anchors in list(inner_links(site)):
        if anchors and "." in fragment and fragment not in anchors and fragment.split(".")[0] in anchors:
            whole = page.read_text(encoding="utf-8")
            page.write_text(whole.replace(f'href="{link}"', f'href="{link.rsplit(".", 1)[0]}"'), encoding="utf-8")

def broken_links(site):
    "(page, link) of the links inside the site that lead nowhere"
    for page, link, target, fragment, anchors in inner_links(site):
        if not target.exists() or fragment and anchors is not None and fragment not in anchors: yield page.name, link

def build(cfg, out):
    "The site, by whichever of the two is here"
    if shutil.which("quarto"):
        readme.main([])                 # newer than index.ipynb, so that nbdev leaves README.md to us
        subprocess.run([Path(sys.executable).with_name("nbdev_docs")], check=True)
        return
    print("Quarto is not installed: building with smalldocs", flush=True)
    cache = stage(cfg)
    subprocess.run([Path(sys.executable).with_name("smalldocs"), "render", "--strict", str(cache)], check=True)
    shutil.rmtree(out, ignore_errors=True)
    shutil.move(cache/out.name, out)
    own_maths(out, cfg)

def main():
    os.chdir(readme.root)
    cfg = get_config()
    out = readme.root/cfg.doc_path.name
    try: build(cfg, out)
    except subprocess.CalledProcessError as e: return f"the site was not built: {Path(e.cmd[0]).name} ended with code {e.returncode}"
    mend_method_links(out)
    broken = list(broken_links(out))
    for page, link in broken: print(f"broken link in {page}: {link}", file=sys.stderr)
    print(f"{len(list(out.rglob('*.html')))} pages in {out.name}/, {len(broken)} broken links")
    return int(bool(broken))

if __name__ == "__main__": sys.exit(main())

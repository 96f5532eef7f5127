"""The steps that finish a built site, on small pages as each of the two renderers writes them."""
import json, re, shutil, subprocess
from pathlib import Path
import pytest
from nbdev.config import get_config

ROOT = Path(__file__).resolve().parents[1]
import docs, finish

CFG = get_config()
HOME = f"{CFG.doc_host}{CFG.doc_baseurl}"
SOURCE = "def long_one(x):\n"+"    x += 1\n"*20+"    return x"
USED = SOURCE+"\nTAU = .3\ndef last(x): return x\n\nfound = long_one(1)"
IMPORTS = "import numpy as np\n"*5
SIGNATURE = f"""def walk(
    X:object, # (n, p) array or `Columns`
    k:int=3, # places, in [1, p]; see [`bound`]({HOME}/gdm/bound.html#bound)
    *, # by name only
    how:NoneType=None, # &quot;up&quot; or &quot;down&quot;
)->list: # of columns"""

def block(code):
    "Code as both renderers write it"
    return ('<div class="sourceCode"><pre class="sourceCode python code-with-copy">'
            f'<code class="sourceCode python">{code}</code></pre></div>')

QUARTO = f"""<!DOCTYPE html><html lang="en"><head><title>Bound – fsnb</title>
<meta name="description" content="A bound"><link rel="stylesheet" href="../site_libs/quarto.css">
<script src="https://cdnjs.cloudflare.com/polyfill/v3/polyfill.min.js?features=es6"></script>
<script src="https://cdn.jsdelivr.net/npm/mathjax@3/es5/tex-chtml-full.js"></script></head>
<body class="nav-sidebar floating"><div id="quarto-content" class="page-columns">
<main class="content" id="quarto-document-content"><header id="title-block-header">
<h1 class="title">Bound</h1></header>
<p>Let <span class="math inline">\\(\\tau\\)</span> be small, as
<a href="{HOME}/gdm/greedy.html#greedy"><code>greedy</code></a> has it:</p>
<p><span class="math display">\\[ \\begin{{aligned}} a &amp;\\le 1 \\end{{aligned}} \\]</span></p>
{block(IMPORTS)}
{block(USED)}
<details open="" class="code-fold"><summary>Exported source</summary>
{block(SOURCE.replace("long_one", "exported_one"))}
</details>
<h3 id="walk">walk</h3>
{block(SIGNATURE)}
<p>Attributes: <code>support_</code> (k,) the best; first (or not); <code>coef_</code>
(1, p). Source: a paper; <code>x</code>.</p>
<div class="cell-output"><p><img src="bound_files/figure-html/cell-3-output-1.png"></p></div>
</main></div></body></html>"""
SMALLDOCS = QUARTO.replace("npm/mathjax@3/es5/tex-chtml-full.js", "npm/katex@0.16.11/dist/katex.min.js")
SMALLDOCS = SMALLDOCS.replace("bound_files/figure-html/cell-3-output-1.png", "data:image/png;base64,x")
SMALLDOCS = re.sub(r'(<div class="sourceCode".*?</div>)', r'<div class="code-copy-outer-scaffold">'
                   r'\1<button class="code-copy-button"><i></i></button></div>', SMALLDOCS, flags=re.S)
WORDS = finish.picture_words

@pytest.fixture(scope="module", params=[QUARTO, SMALLDOCS], ids=["quarto", "smalldocs"])
def site(request, tmp_path_factory):
    "A site of one page, finished, with a stand-in for the typesetter's files"
    folder = tmp_path_factory.mktemp("site")
    for name, text in (("gdm/bound.html", request.param), ("site_libs/quarto.css",
                       "@import url(https://fonts.example/css2?a:1;b&c);body{color:red}")):
        (folder/name).parent.mkdir(exist_ok=True)
        (folder/name).write_text(text, encoding="utf-8")
    assert len(list(finish.fetched(folder))) >= 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finish, "copy_katex", lambda folder: True)
        patch.setattr(finish, "picture_words", lambda notebook: [WORDS(notebook)[0]])  # one picture
        finish.finish(folder, CFG, ROOT)
    docs.own_links(folder, CFG)
    return folder

@pytest.fixture
def page(site): return (site/"gdm/bound.html").read_text()

def test_long_sources_have_one_closed_fold_and_their_use_stands_open(page):
    assert "Source of <code>long_one</code>, 24 lines" in page
    assert "Source of <code>exported_one</code>, 22 lines" in page and "Exported source" not in page
    assert '<summary>Imports</summary><div class="' in page
    assert not finish.has_only_imports("import numpy as np\nx = np.ones(3)")
    assert "Imports" not in finish.folded(block("from fsnb import GDM"))
    places = [page.index(s) for s in ("Imports", "x += 1", "found = long_one(1)")]
    assert places == sorted(places) and not re.search(r"<details[^>]*\bopen", page)
    for tag in "details", "button", "div": assert page.count(f"<{tag}") == page.count(f"</{tag}>")
    assert page.count("<details") == 3

def rows(page, kind):
    table = re.search(rf'<table class="{kind}">.*?</table>', page, re.S)[0]
    found = re.findall(r'<tr><th scope="row">(.*?)</td></tr>', table, re.S)
    return [re.sub(r"</t[hd]><td>", " | ", row) for row in found]

def test_signatures_and_attributes_are_tables(page):
    assert "def walk(" not in page and "<code>walk(X, k=3, *, how=None)</code>" in page
    link = '<a href="../gdm/bound.html#bound"><code>bound</code></a>'
    assert rows(page, "fsnb-api") == [
        "<code>X</code> | <code>object</code> |  | (n, p) array or <code>Columns</code>",
        f"<code>k</code> | <code>int</code> | <code>3</code> | places, in [1, p]; see {link}",
        '<code>how</code> |  | <code>None</code> | "up" or "down"',
        "returns | <code>list</code> |  | of columns"]
    assert rows(page, "fsnb-api fsnb-attributes") == [
        "<code>support_</code> | (k,) the best; first (or not)", "<code>coef_</code> | (1, p)"]
    assert "<p>Source: a paper; <code>x</code>.</p>" in page

def test_links_stay_inside_and_lead_somewhere(page, tmp_path):
    assert "[`" not in page and f'<a href="{HOME}' not in page
    assert '<a href="../gdm/greedy.html#greedy"><code>greedy</code></a>' in page
    assert docs.private_links("(a/b.html#_ridge)(b.html#cut)") == "(a/b.html)(b.html#cut)"
    kernel, known = '<a href="#_k"><code>_k</code></a>', '<a href="#walk"><code>walk</code></a>'
    whole = f'<p id="walk">{kernel}</p><table class="fsnb-api"><td>{kernel}, {known}</td></table>'
    (tmp_path/"a.html").write_text(whole)
    docs.mend_table_links(tmp_path)
    assert f"<td><code>_k</code>, {known}</td>" in (tmp_path/"a.html").read_text()

def test_pictures_have_the_words_of_their_cells(page):
    notebook = ROOT/"nbs/gdm/12_bound.ipynb"
    words = WORDS(notebook)
    assert len(words) > 1 and f'<img alt="{words[0]}" ' in page
    drawn = '<img src="data:image/png;base64,x">'
    for other in (drawn*(len(words)+1), drawn.replace(">", ' alt="own">')):
        assert finish.with_words(other, notebook) == other

def test_a_page_has_its_notebook_and_its_address_and_fetches_nothing_from_elsewhere(site, page):
    assert list(finish.fetched(site)) == []
    assert (site/"site_libs/quarto.css").read_text() == "body{color:red}"
    assert "../site_libs/katex/katex.min.js" in page, "maths is set by files of the site"
    assert (site/"gdm/12_bound.ipynb").exists() and '<a href="12_bound.ipynb" download>' in page
    at = f"{CFG.user}/{CFG.repo}"
    for needed in (f"{CFG.git_url}/blob/main/nbs/gdm/12_bound.ipynb", f"fsnb {CFG.version}",
                   f"mybinder.org/v2/gh/{at}/main?labpath=nbs/gdm/12_bound.ipynb",
                   f"colab.research.google.com/github/{at}/blob/main/nbs/gdm/12_bound.ipynb",
                   f'<link rel="canonical" href="{HOME}/gdm/bound.html">', 'content="A bound"',
                   '<meta property="og:title" content="Bound">', f"{HOME}/images/genes.png",
                   'href="#quarto-document-content">Skip'): assert needed in page
    for name in ("icon.svg", "site.css", "site.js", "search.js"):
        assert (site/"site_libs/fsnb"/name).exists() and f"../site_libs/fsnb/{name}" in page
    finish.finish(site, CFG, ROOT)
    assert (site/"gdm/bound.html").read_text() == page, "finishing twice changes nothing"

def test_what_a_browser_would_fetch_is_seen(tmp_path, monkeypatch):
    "All but the typesetter, where there is no npm to have its files"
    monkeypatch.setattr(finish, "copy_katex", lambda folder: False)
    for html, n_fetched in (
            (SMALLDOCS, 0), (QUARTO+'<img src="https://a.example/x.png">', 1),
            ('<link href="https://a.example/x.css" rel="stylesheet">', 1),
            ('<img srcset="own.png 1x, https://a.example/b.png 2x" src="own.png">', 1),
            ("<p style=\"background: url('https://a.example/x.png')\">x</p>", 1),
            ("<style>@import 'https://a.example/x.css';</style>", 1),
            ('<a href="https://a.example">x</a><link rel="canonical" href="https://a.example/">'
             '<img src="own.png"><code>src="https://a.example"</code>', 0)):
        (tmp_path/"a.html").write_text(html)
        assert len(finish.finish(tmp_path, CFG, ROOT)) == n_fetched, html
        assert finish.main(tmp_path) == int(n_fetched > 0 or "katex" in html)

def test_maths_that_was_not_set_is_found(tmp_path):
    (tmp_path/"a.html").write_text("<main><p>is $1-x$ here</p><pre>$HOME</pre></main>")
    assert [words for _, words in docs.raw_dollars(tmp_path)] == ["is $1-x$ here"]
    row = '    "| a | $x$, length 1 |\\n",'
    assert docs.opened_maths(row) == row.replace("| $x", "| &#8203;$x")
    for same in (' "| a | $x$ long |\\n"', ' "$$x = 1$$\\n"', ' "is $x$ 1\\n"'):
        assert docs.opened_maths(same) == same

INDEX = [dict(href=h, title=t, section=s, text=x) for h, t, s, x in (
    ("data/a.html#_tau", "Inside", "_tau", "def _tau( tau, # tau"), ("gdm/b.html", "Rounds", "", "tau"),
    ("glossary.html#fdr", "Glossary", "Terms", "false discovery rate and tau"),
    ("show/c.html", "Plots of groups", "", "draw"), ("gdm/gdm.html#gdm", "Cuts", "GDM", "def GDM( x"))]

@pytest.mark.skipif(not shutil.which("node"), reason="node is not here")
def test_search_ranks_pages_above_functions_and_knows_short_forms():
    script = (f"const S = require({json.dumps(str(ROOT/'tools/site/search.js'))});"
              "console.log(JSON.stringify(['tau', 'FDR', 'plot', 'gdm', 'zzz'].map("
              f"q => S.find({json.dumps(INDEX)}, q).map(h => h.item.href))))")
    ran = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    tau, fdr, plot, gdm, none = json.loads(ran.stdout)
    assert tau == ["glossary.html#fdr", "gdm/b.html", "data/a.html#_tau"]
    assert (fdr, plot, gdm, none) == (["glossary.html#fdr"], ["show/c.html"], ["gdm/gdm.html#gdm"], [])

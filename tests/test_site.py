"""The steps that finish a built site, on small pages of the structure that each of the two renderers writes."""
import json, re, subprocess, sys
from pathlib import Path
import pytest, yaml
from nbdev.config import get_config

root = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(root/"tools"))
import docs, finish, site_test

SOURCE = "def long_one(x):\n"+"    x += 1\n"*20+"    return x"
HOME = f"{get_config().doc_host}{get_config().doc_baseurl}"
SIGNATURE = f"""def walk(
    X:object, # (n, p) array or `Columns`
    k:int=3, # places, in [1, p]; see [`bound`]({HOME}/gdm/bound.html#bound)
    *, # by name only
    how:NoneType=None, # &quot;up&quot; or &quot;down&quot;
)->list: # of columns"""

def block(code, number):
    "Code as both renderers write it"
    return f'<div class="sourceCode" id="cb{number}"><pre class="sourceCode python code-with-copy"><code class="sourceCode python">{code}</code></pre></div>'

QUARTO = f"""<!DOCTYPE html><html lang="en"><head><title>Bound – fsnb</title><meta name="description" content="A bound">
<link rel="stylesheet" href="../site_libs/quarto.css">
<script src="https://cdnjs.cloudflare.com/polyfill/v3/polyfill.min.js?features=es6"></script>
<script src="https://cdn.jsdelivr.net/npm/mathjax@3/es5/tex-chtml-full.js" type="text/javascript"></script></head>
<body class="nav-sidebar floating"><div id="quarto-content" class="page-columns"><main class="content" id="quarto-document-content">
<header id="title-block-header" class="quarto-title-block default"><h1 class="title">Bound</h1></header>
<p>Let <span class="math inline">\\(\\tau\\)</span> be small, as <a href="{HOME}/gdm/greedy.html#greedy"><code>greedy</code></a> has it:</p>
<p><span class="math display">\\[ \\begin{{aligned}} a &amp;\\le \\frac{{1}}{{2}} \\end{{aligned}} \\]</span></p>
{block(SOURCE, 1)}
{block("long_one(1)", 2)}
<details open="" class="code-fold"><summary>Exported source</summary>
{block(SOURCE.replace("long_one", "exported_one"), 3)}
</details>
<h3 id="walk">walk</h3>
{block(SIGNATURE, 4)}
<div class="cell-output cell-output-display"><p><img src="bound_files/figure-html/cell-3-output-1.png" class="img-fluid figure-img"></p></div>
</main></div></body></html>"""
SMALLDOCS = QUARTO.replace("https://cdn.jsdelivr.net/npm/mathjax@3/es5/tex-chtml-full.js", "https://cdn.jsdelivr.net/npm/katex@0.16.11/dist/katex.min.js")
SMALLDOCS = SMALLDOCS.replace('src="bound_files/figure-html/cell-3-output-1.png"', 'src="data:image/png;base64,iVBORw0KGgo="')
SMALLDOCS = re.sub(r'(<div class="sourceCode".*?</div>)', r'<div class="code-copy-outer-scaffold">\1<button title="Copy" class="code-copy-button"><i class="bi"></i></button></div>', SMALLDOCS, flags=re.S)


WORDS = finish.picture_words

@pytest.fixture(params=[QUARTO, SMALLDOCS], ids=["quarto", "smalldocs"])
def site(request, tmp_path, monkeypatch):
    "A site of one page, finished, with a stand-in for the typesetter's files"
    (tmp_path/"gdm").mkdir()
    (tmp_path/"gdm/bound.html").write_text(request.param, encoding="utf-8")
    (tmp_path/"site_libs").mkdir()
    (tmp_path/"site_libs/quarto.css").write_text("@import url(https://fonts.example/css2?a:1;b&c);body{color:red}", encoding="utf-8")
    monkeypatch.setattr(finish, "copy_katex", lambda folder: True)
    monkeypatch.setattr(finish, "picture_words", lambda notebook: [WORDS(notebook)[0]])     # one picture
    assert len(list(finish.fetched(tmp_path))) >= 2
    finish.finish(tmp_path, get_config(), root)
    docs.own_links(tmp_path, get_config())
    return tmp_path


def test_nothing_is_fetched_from_elsewhere(site):
    assert list(finish.fetched(site)) == []
    assert (site/"site_libs/quarto.css").read_text() == "body{color:red}"


@pytest.mark.parametrize("structure", [QUARTO, SMALLDOCS], ids=["quarto", "smalldocs"])
def test_without_npm_maths_is_fetched_and_nothing_else(structure, tmp_path, monkeypatch):
    monkeypatch.setattr(finish, "copy_katex", lambda folder: False)
    for name, other in (("good", ""), ("bad", '<img src="https://elsewhere.example/x.png">')):
        page = structure.replace("</body>", other+"</body>")
        (tmp_path/f"{name}.html").write_text(page, encoding="utf-8")
    outside = finish.finish(tmp_path, get_config(), root)
    assert [(file.name, address) for file, address in outside] == [("bad.html", "https://elsewhere.example/x.png")]
    assert "cdn.jsdelivr.net/npm/" in (tmp_path/"good.html").read_text()


def test_maths_is_set_by_files_of_the_site(site):
    assert "../site_libs/katex/katex.min.js" in (site/"gdm/bound.html").read_text()


def test_a_long_source_is_folded_and_a_short_one_is_not(site):
    page = (site/"gdm/bound.html").read_text()
    assert page.count("<details") == 2 and "Source of <code>long_one</code>, 22 lines" in page
    assert page.index("<details") < page.index("x += 1") < page.index("</details>") < page.index("long_one(1)")


def test_an_exported_source_has_one_fold_which_is_closed(site):
    page = (site/"gdm/bound.html").read_text()
    assert "Exported source" not in page and "Source of <code>exported_one</code>, 22 lines" in page
    assert re.search(r"<details[^>]*\bopen", page) is None and page.count("<details") == page.count("</details>")
    assert page.count("<button") == page.count("</button>") and page.count("<div") == page.count("</div>")


def test_a_signature_is_a_table_of_parameters(site):
    page = (site/"gdm/bound.html").read_text()
    assert "Source of <code>walk</code>" not in page and "def walk(" not in page
    assert '<p class="fsnb-signature"><code>walk(X, k=3, *, how=None)</code></p>' in page
    rows = [re.sub(r"</t[hd]><td>", " | ", row) for row in re.findall(r'<tr><th scope="row">(.*?)</td></tr>', page)]
    assert rows == ["<code>X</code> | <code>object</code> |  | (n, p) array or <code>Columns</code>",
                    '<code>k</code> | <code>int</code> | <code>3</code> | places, in [1, p]; see <a href="../gdm/bound.html#bound"><code>bound</code></a>',
                    '<code>how</code> |  | <code>None</code> | "up" or "down"', "returns | <code>list</code> |  | of columns"]


@pytest.mark.parametrize("code", ["def f(\n    x, # a\n):\n    return x", "def f(x): pass", "def f(\n    *args, **kwargs\n):", "def f(\n    x=>, # a\n):", "x = 1"])
def test_other_code_is_no_signature(code):
    assert finish.signature(code) is None


def test_defaults_that_are_no_code_are_told_without_their_address():
    read = finish.signature("def f(\n    note:function=<function g at 0x7f1>, # told\n    x=<object object at 0x7f2>, # it\n)->list:")
    assert read == ("f", [("note", "function", "a function", "told"), ("x", "", "an object", "it")], ("list", ""))


def test_no_link_is_raw_and_those_to_the_interface_stay_inside(site):
    page = (site/"gdm/bound.html").read_text()
    assert "[`" not in page and '<a href="../gdm/greedy.html#greedy"><code>greedy</code></a>' in page
    assert f'<a href="{HOME}' not in page


def test_a_link_to_a_private_name_leads_to_its_page(tmp_path):
    (tmp_path/"a.html").write_text(f'<a href="{HOME}/gdm/cut.html#_cut_value">a</a><a href="gdm/cut.html#greedy_cut">b</a>')
    docs.own_links(tmp_path, get_config())
    assert (tmp_path/"a.html").read_text() == '<a href="gdm/cut.html">a</a><a href="gdm/cut.html#greedy_cut">b</a>'
    assert docs.private_links("[`_ridge`](../gdm/cutting_plane.html#_ridge)") == "[`_ridge`](../gdm/cutting_plane.html)"


def test_a_name_without_a_place_of_its_own_is_no_link_in_a_table(tmp_path):
    kernel, known = '<a href="#_kernel"><code>_kernel</code></a>', '<a href="#walk"><code>walk</code></a>'
    (tmp_path/"a.html").write_text(f'<p id="walk">{kernel}</p><table class="fsnb-api"><td>{kernel}, {known}</td></table>')
    docs.mend_table_links(tmp_path)
    assert (tmp_path/"a.html").read_text() == f'<p id="walk">{kernel}</p><table class="fsnb-api"><td><code>_kernel</code>, {known}</td></table>'


def test_a_picture_without_words_gets_those_of_its_cell(site):
    words = WORDS(root/"nbs/gdm/12_bound.ipynb")
    assert len(words) > 1 and f'<img alt="{words[0]}" ' in (site/"gdm/bound.html").read_text()


def test_pictures_that_are_not_those_of_the_notebook_get_no_words():
    drawn = '<img src="data:image/png;base64,x">'
    notebook = root/"nbs/gdm/12_bound.ipynb"
    assert finish.with_words(drawn*2, notebook) == drawn*2
    told = '<img src="data:image/png;base64,x" alt="its own">'
    assert finish.with_words(told, notebook) == told


def test_a_page_has_its_notebook_its_address_and_its_version(site):
    page, cfg = (site/"gdm/bound.html").read_text(), get_config()
    assert (site/"gdm/12_bound.ipynb").read_bytes() == (root/"nbs/gdm/12_bound.ipynb").read_bytes()
    assert '<a href="12_bound.ipynb" download>' in page and f"{cfg.git_url}/blob/main/nbs/gdm/12_bound.ipynb" in page
    assert f'<link rel="canonical" href="{cfg.doc_host}{cfg.doc_baseurl}/gdm/bound.html">' in page
    assert '<meta property="og:title" content="Bound">' in page and '<meta property="og:description" content="A bound">' in page
    assert f"fsnb {cfg.version}" in page and 'href="#quarto-document-content">Skip' in page
    assert f'<meta property="og:image" content="{HOME}/images/digits.png">' in page and (root/"nbs/images/digits.png").exists()
    for needed in ("icon.svg", "site.css", "site.js"): assert (site/"site_libs/fsnb"/needed).exists() and f"../site_libs/fsnb/{needed}" in page


def test_finishing_twice_changes_nothing(site):
    whole = (site/"gdm/bound.html").read_text()
    finish.finish(site, get_config(), root)
    assert (site/"gdm/bound.html").read_text() == whole


@pytest.mark.parametrize("css, left", [("@import url(https://a/b?c;d);x", "x"), ('@import"https://a;b";x', "x"), ("@import url('https://a') screen;x", "x"),
                                       ("@import url(own.css);x", "@import url(own.css);x")])
def test_fonts_are_not_fetched_and_the_rest_stays(css, left):
    assert finish.without_fonts(css) == left


@pytest.mark.parametrize("page, n_fetched", [
    ('<link href="https://a.example/x.css" rel="stylesheet">', 1), ('<script type="module" src="//a.example/x.js"></script>', 1),
    ('<img srcset="own.png 1x, https://a.example/b.png 2x" src="own.png">', 1), ('<link rel="preconnect" href="https://a.example">', 1),
    ("<p style=\"background: url('https://a.example/x.png')\">x</p>", 1), ("<style>@import 'https://a.example/x.css';</style>", 1),
    ('<a href="https://a.example">x</a><link rel="canonical" href="https://a.example/"><img src="own.png"><code>src="https://a.example"</code>', 0)])
def test_what_a_browser_would_fetch_is_seen(page, n_fetched, tmp_path):
    (tmp_path/"a.html").write_text(page)
    assert len(list(finish.fetched(tmp_path))) == n_fetched
    assert finish.main(tmp_path) == int(n_fetched > 0)


def test_the_published_site_is_finished_and_then_checked():
    steps = yaml.safe_load((root/".github/workflows/docs.yml").read_text(encoding="utf-8"))["jobs"]["build"]["steps"]
    told = [step.get("run") or step["uses"] for step in steps]
    order = [next(i for i, step in enumerate(told) if part in step) for part in ("quarto-actions/setup", "make docs", "tools/finish.py _docs", "upload-pages-artifact")]
    assert order == sorted(order)
    assert "finish.finish(" in (root/"tools/docs.py").read_text(encoding="utf-8")


def test_the_text_is_wide_enough_for_a_line_of_code_in_both_renderers():
    grid = yaml.safe_load((root/"_quarto.yml").read_text(encoding="utf-8"))["format"]["html"]["grid"]
    style = (root/"nbs/styles.css").read_text(encoding="utf-8")
    own = re.search(r"--sd-body-width: (\d+)px", style)[1]
    size = float(re.search(r"main pre,.*?font-size: ([.\d]+)rem", style)[1])*16
    assert grid["body-width"] == f"{own}px" and int(own) >= 100*.602*size+2*16, "100 characters of a monospaced font, and the box's margins"


# ---- in a browser

TOOLS = site_test.FOLDER/"node_modules/axe-core"


@pytest.mark.skipif(not TOOLS.exists(), reason="make site-test fetches what drives a browser, and has not run here")
@pytest.mark.parametrize("structure", [QUARTO, SMALLDOCS], ids=["quarto", "smalldocs"])
def test_maths_and_code_in_a_browser(structure, tmp_path):
    "Without a network: maths is set, a long line scrolls and can be reached with the keyboard"
    found = site_test.find_tools()
    if isinstance(found, str): pytest.skip(found)
    long = block("x = "+"1+"*200+"1", 9)
    page = structure.replace("</main>", long+'<p><a href="bound.html">on</a></p></main>').replace('href="../site_libs/quarto.css"', 'href="data:text/css,"')
    page = re.sub(r"<img[^>]*>", "", page).replace(f"{HOME}/gdm/greedy.html", "bound.html")
    (tmp_path/"gdm").mkdir()
    (tmp_path/"gdm/bound.html").write_text(page, encoding="utf-8")
    finish.finish(tmp_path, get_config(), root)
    docs.own_links(tmp_path, get_config())
    findings, _ = site_test.audit(*found, tmp_path)
    wrong = [f for f in findings if f["kind"] in ("maths is not set", "maths is in error", "request to elsewhere", "cut off", "out of the screen", "script", "wider than the screen",
                                                  "scrolls, and the keyboard cannot reach it", "skip link", "canonical address", "raw link", "footer with the version", "icon", "card")]
    assert wrong == []

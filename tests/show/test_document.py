"""The report: complete, self-contained, of these data."""
import json, re, shutil, subprocess, warnings
from html import unescape
from types import SimpleNamespace
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from fsnb import FeatureGroups, GDM, make_groups
from fsnb.correlation import Positional, PositivePearson
from fsnb.data.inputs import as_columns
from fsnb.show.cli import main
from fsnb.show.document import make_report, write_report
from site_test import BROWSERS


@pytest.fixture(scope="module")
def found():
    data = make_groups(200, 60, group_sizes=(3, 2, 1), n_test=0, random_state=0)
    names = [f"gene <{j}>" for j in range(60)]
    X = pd.DataFrame(data.X, columns=names)
    return GDM(3).fit(X, data.y).groups_, X, data.y


@pytest.fixture(scope="module")
def pages(found):
    groups, X, y = found
    return SimpleNamespace(alone=make_report(groups), data=make_report(groups, X), all=make_report(groups, X, y))


def test_every_member_and_setting_is_told(found):
    groups, X, y = found
    page = make_report(groups, X, y, title="A & B")
    text = unescape(re.sub(r"<[^>]+>", " ", page))
    for names in groups.names:
        for name in names: assert name in text
    for name, value in groups.parameters.items(): assert name in text and str(value) in text
    assert groups.version in text and "A & B" in text and "Prediction" in text and page.count("<img alt=") == 3


def test_nothing_is_fetched_and_no_name_is_a_command(pages):
    page = pages.all
    assert "gene <" not in page and not re.search(r"(?:src|href)=\"(?!data:)", page) and page.count("<script") == 1


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csc_matrix, lambda X: X])
def test_any_storage(found, form):
    groups, X, y = found
    page = make_report(groups, form(X), y)
    assert page.count("<img alt=") == 3


def test_it_can_be_made_of_the_groups_alone_and_of_none(found, pages):
    page = pages.alone
    assert page.count("<img alt=") == 1 and page.count("<svg role=") == 2     # scores; stars, wide and narrow
    assert "No group was found" in make_report(FeatureGroups([], n_features=5))
    assert "No group was found" in make_report(FeatureGroups([], n_features=60), found[1], found[2])


def test_the_table_says_which_supports_are_significant():
    page = make_report(FeatureGroups([[0], [1, 2]], n_features=4, significant=[True, False]))
    head, *rows = re.findall(r"<tr>(.*?)</tr>", page.partition("<h2>Groups</h2>")[2].partition("</section>")[0])
    column = re.findall(r"<button[^>]*>(.*?)</button>", head).index("significant")
    assert [re.findall(r"<td[^>]*>(.*?)</td>", row)[column] for row in rows] == ["yes", "no"] and "(n.s.)" in page
    assert ">significant<" not in make_report(FeatureGroups([[0], [1, 2]], n_features=4))


def test_a_constant_score_or_none_is_fine():
    assert "Scores" not in make_report(FeatureGroups([[0], [1, 2]], n_features=4))


@pytest.mark.parametrize("change, said", [(lambda X, y: (X.iloc[:, :50], y), "the groups are of data with 60 features, and these have 50"),
                                          (lambda X, y: (X.rename(columns=str.upper), y), "is called 'gene <"),
                                          (lambda X, y: (X[X.columns[::-1]], y), "is called"),
                                          (lambda X, y: (np.random.default_rng(0).standard_normal(X.shape), y), "correlate by"),
                                          (lambda X, y: (X, y[:-1]), "one label for each of 200 samples"),
                                          (lambda X, y: (None, y), "the data are missing")])
def test_groups_of_other_data_are_refused(found, change, said):
    groups, X, y = found
    with pytest.raises(ValueError, match=re.escape(said)): make_report(groups, *change(X, y))


def test_columns_outside_of_the_data_are_told():
    with pytest.raises(ValueError, match="the groups name column 9, and the data have 5"):
        make_report(FeatureGroups([[9]]), np.eye(5))


def test_a_wrong_test_size(found):
    with pytest.raises(ValueError, match="test_size must lie in"): make_report(*found, test_size=1)


def test_the_method_and_the_file(found, pages, tmp_path):
    groups, X, y = found
    assert groups.report(X=X, y=y) == pages.all
    groups.report(tmp_path/"a.html")
    write_report(tmp_path/"b.html", groups)
    assert (tmp_path/"a.html").read_bytes() == (tmp_path/"b.html").read_bytes()
    with pytest.raises(OSError, match="nowhere"): groups.report(tmp_path/"nowhere/a.html")


def sections(page): return re.findall(r"<h2>(.*?)</h2>", page)


def test_sections_follow_what_is_there(found, pages):
    groups, X, y = found
    alone = ["Groups", "Picture", "Scores", "Settings", "To cite"]
    assert sections(pages.alone) == alone
    with_data = ["Redundancy", "Within groups and between them", "The largest group"]
    assert sections(pages.data) == alone[:3]+with_data+["Stability"]+alone[3:]
    assert sections(pages.all) == alone[:3]+with_data+["Prediction", "Stability"]+alone[3:]
    pairs = FeatureGroups([m[:2] for m in groups.members], n_features=60)
    assert "The largest group" not in sections(make_report(pairs, X))


def test_every_circle_says_its_name_and_correlation(found, pages):
    groups = found[0]
    titles = unescape(" ".join(re.findall(r"<title>(.*?)</title>", pages.alone)))
    for names, known in zip(groups.names, groups.correlations):
        for name, r in zip(names[1:], known[1:]): assert f"{name}: correlation {r:+.3f} with {names[0]}" in titles


def test_tables_hold_what_was_measured(found, pages):
    groups, X, y = found
    text = unescape(re.sub(r"<[^>]+>", " ", pages.all))
    table = np.abs(np.corrcoef(X.values, rowvar=False))
    for members in groups.members:
        inside = table[np.ix_(members, members)][np.triu_indices(len(members), 1)]
        if len(members) > 1: assert f" {inside.mean():.2f} " in text and f" {table[members[0], members[1:]].min():.2f} " in text
    assert "20 halves" in text and "6 halves" in unescape(make_report(groups, X, y, n_pairs=3))
    with pytest.raises(ValueError, match="n_pairs must"): make_report(groups, X, y, n_pairs=0)


def test_places_are_drawn_where_the_data_know_them(found, tmp_path):
    groups, X, y = found
    columns = as_columns(X)
    columns.positions, columns.chromosomes = np.arange(60)*1000, np.repeat([1, 2], 30)
    assert "Along the chromosomes" in sections(make_report(groups, columns, y))
    plain = FeatureGroups([m.tolist() for m in groups.members])      # knows nothing of the data
    assert "Along the chromosomes" in sections(make_report(plain, columns, y))
    assert "Along the chromosomes" not in sections(make_report(groups, columns))


def test_a_page_stands_alone_when_printed_and_on_a_telephone(pages):
    page = pages.all
    style = re.search(r"<style>(.*?)</style>", page, re.S)[1]
    for rule in ("@media print", "break-inside: avoid", "prefers-color-scheme: dark", "max-width: 45rem"): assert rule in style
    assert "beforeprint" in page and 'name="viewport"' in page
    for word in ("http:", "https:", "url(", "@import", "<link", "<iframe", "fetch("): assert word not in re.sub(r"base64,[^\"]*", "", page)


# ---- in a browser

BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.mark.skipif(BROWSER is None, reason="no browser here")
def test_a_click_sorts_in_a_browser_without_network(found, pages, tmp_path):
    "The page from disk; a script that clicks on the heading of sizes writes what it sees into the page"
    groups = found[0]
    probe = """<script>window.onerror = function (m) { document.title = "ERROR " + m; };
      var button = document.querySelectorAll("th button")[3]; function seen() {
        return Array.from(document.querySelector("table.sortable").tBodies[0].rows).map(r => r.cells[3].innerText).join(","); }
      button.click(); var up = seen(); button.click(); document.title = up + ";" + seen() + ";" +
        (document.documentElement.scrollWidth > document.documentElement.clientWidth);</script></body>"""
    path = tmp_path/"report.html"
    path.write_text(pages.all.replace("</body>", probe), encoding="utf-8")
    line = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run",
            "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp_path/'profile'}", "--window-size=600,900", "--dump-dom", path.as_uri()]
    dom = subprocess.run(line, capture_output=True, text=True, timeout=120).stdout
    up = ",".join(map(str, np.sort(groups.sizes)))
    down = ",".join(map(str, np.sort(groups.sizes)[::-1]))
    assert re.search(r"<title>(.*?)</title>", dom)[1] == f"{up};{down};false"


# ---- the command

@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = make_groups(200, 60, group_sizes=(3, 2, 1), n_test=0, random_state=0)
    np.savez("data.npz", X=data.X, y=data.y)
    assert main("groups data.npz --n-features 3 --out groups.json --quiet".split()) == 0
    return tmp_path


def test_from_file_to_report(files, capsys):
    assert main("report groups.json --data data.npz".split()) == 0
    page = (files/"groups.html").read_text(encoding="utf-8")
    assert page.count("<img alt=") == 3 and "Prediction" in page
    assert "wrote groups.html" in capsys.readouterr().err
    assert main("report groups.json --out other.html --title Cells --quiet".split()) == 0
    assert "<h1>Cells</h1>" in (files/"other.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("line, said", [("report nothing.json", "nothing.json"), ("report data.npz", "data.npz"),
                                        ("report groups.json --data other.npz", "features, and these have"),
                                        ("report groups.json --out groups.json", "--out"), ("report groups.json --data data.npz --out data.npz", "--out"),
                                        ("report groups.json --out no/where.html", "no/where.html"),
                                        ("report groups.json --data data.npz --test-size 2", "--test-size must lie in")])
def test_bad_requests_leave_nothing(files, capsys, line, said):
    np.savez("other.npz", X=np.eye(5), y=[0, 0, 1, 1, 1])
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    assert main(line.split()) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


def test_supports_are_counted_in_whole_numbers_under_the_scores():
    "Four supports: no tick at support 1.5"
    from fsnb.show.group_table import _draw_scores
    ax = _draw_scores(FeatureGroups([[0], [1], [2], [3]], scores=[4, 3, 2, 1]))
    ticks = [t for t in ax.get_xticks() if 1 <= t <= 4]
    assert ticks == [1, 2, 3, 4]


@pytest.mark.parametrize("where", [dict(window=3.), dict(beta=40.), dict(window=3., beta=40.)])
def test_groups_by_distance_are_of_their_data(found, where):
    "Once: with a window or a beta nothing was compared"
    rng = np.random.default_rng(1)
    X, y = np.repeat(rng.standard_normal((200, 20)), 3, axis=1)+.1*rng.standard_normal((200, 60)), found[2]
    groups = GDM(3, correlation=Positional("index", **where), chance=None, tau=.6).fit(X, y).groups_
    assert groups.sizes.max() > 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_report(groups, X)
        for other in (X[:, np.random.default_rng(0).permutation(X.shape[1])], np.random.default_rng(0).permuted(X, axis=0), X*np.where(np.arange(60) % 2, 1, -1)):
            with pytest.raises(ValueError, match="the groups are of other data: columns .* correlate by"): make_report(groups, other)


@pytest.mark.parametrize("measure", ["positive", PositivePearson(), Positional("index", beta=40., correlation="positive")])
def test_groups_of_positive_correlations_are_of_their_data(found, measure):
    rng = np.random.default_rng(1)
    X, y = np.repeat(rng.standard_normal((200, 20)), 3, axis=1)+.1*rng.standard_normal((200, 60)), found[2]
    groups = GDM(3, correlation=measure, chance=None).fit(X, y).groups_
    assert groups.sizes.max() > 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_report(groups, X)
        for other in (X[:, rng.permutation(X.shape[1])], X*np.where(np.arange(60) % 2, 1, -1)):
            with pytest.raises(ValueError, match="the groups are of other data: columns .* correlate by"): make_report(groups, other)


def test_what_is_not_measured_again_is_said(found):
    _, X, y = found
    for measure in ("su", Positional("index", window=9., correlation="su")):
        groups = GDM(3, correlation=measure, chance=None, tau=.8).fit(X, y).groups_
        with pytest.warns(UserWarning, match="the groups are by (su|Symm.*), which is not measured again"): make_report(groups, X)


def test_groups_of_a_part_may_be_shown_on_the_whole():
    "Once: groups of a training part were called those of other data"
    from sklearn.datasets import load_breast_cancer
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    groups = GDM(3).fit(X[:400], y[:400]).groups_
    for rows in (slice(None), slice(400, None)):
        with pytest.warns(UserWarning, match="the groups seem to be of other samples of these data: columns .* correlate by"): make_report(groups, X[rows], y[rows])

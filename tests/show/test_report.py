"""The report: complete, self-contained, of these data."""
import re, shutil, subprocess, warnings
from html import unescape
from html.parser import HTMLParser
import numpy as np, pandas as pd, pytest, scipy.sparse as sp
from fsnb import FeatureGroups, GDM, make_groups
from fsnb.correlation import Positional, PositivePearson
from fsnb.data.inputs import as_columns
from fsnb.groups.stability import stable_groups
from fsnb.show.report import (_check_same_data, _data_sections, _tabulate_redundancy, make_report,
                              measure_accuracy)
from site_test import BROWSERS

@pytest.fixture(scope="module")
def found():
    data = make_groups(200, 60, group_sizes=(3, 2, 1), n_test=0, random_state=0)
    X = pd.DataFrame(data.X, columns=[f"gene <{j}>" for j in range(60)])
    with warnings.catch_warnings():      # one of the supports is not significant; a test that comes first may forbid warnings
        warnings.simplefilter("ignore")
        return GDM(3).fit(X, data.y).groups_, X, data.y

@pytest.fixture(scope="module")
def page(found): return make_report(*found, title="A & B")

def sections(page): return re.findall(r"<h2>(.*?)</h2>", page)
def words(page): return unescape(re.sub(r"<[^>]+>", " ", page))

def test_every_member_and_setting_is_told(found, page):
    groups, text = found[0], words(page)
    for name in sum(groups.names, []): assert text.count(name) >= 2
    for told in (*sum(groups.parameters.items(), ()), groups.version, "A & B", "ICML 2012"):
        assert str(told) in text
    titles = unescape(" ".join(re.findall(r"<title>(.*?)</title>", page)))
    for (first, *others), known in zip(groups.names, groups.correlations):
        for name, r in zip(others, known[1:]):
            assert f"{name}: correlation {r:+.3f} with {first}" in titles

def test_nothing_is_fetched_and_the_same_call_gives_the_same_page(found, page):
    assert page == make_report(*found, title="A & B") and page.count("<script") == 1
    bare = re.sub(r"base64,[^\"]*|http://www.w3.org", "", page)
    assert not re.search(r"https?:|@import|<link|<iframe|fetch\(|src=\"/", bare)
    for rule in ("@media print", "color-scheme: light dark", 'name="viewport"'): assert rule in page

HARM = ("<script>alert(1)</script>", 'x" onload="alert(2)', "a\u202eb\x01\x1b[31m", "{{ 7*7 }}",
        "&amp;")

class Tags(HTMLParser):
    "Every tag of a page, with the names of its attributes"
    def __init__(self, page):
        super().__init__()
        self.seen = []
        self.feed(page)
    def handle_starttag(self, tag, attrs): self.seen.append((tag, {name for name, _ in attrs}))

@pytest.mark.filterwarnings("ignore")
def test_no_name_is_a_command_and_control_characters_are_blanks():
    "In a name, a class, a setting, the version and the title"
    settings = dict(zip(HARM, HARM))
    groups = FeatureGroups([[0, 1, 2], [3, 4]], names=list(HARM), classes=[[HARM]*3, [HARM]*2],
                           parameters=settings, version=HARM[0], n_features=5)
    X = pd.DataFrame(np.random.default_rng(0).standard_normal((30, 5)), columns=HARM)
    for page in (make_report(groups, title=HARM[0]+HARM[2]), make_report(groups, X)):
        tags = Tags(page).seen
        assert [tag for tag, _ in tags].count("script") == 1
        assert not [name for _, names in tags for name in names if name.startswith("on")]
        assert not set("\u202e\x01\x1b") & set(page)
        assert "{{ 7*7 }}" in page and "&amp;amp;" in page

def test_sections_follow_what_is_there(found, page):
    (groups, X, y), alone, foot = found, ["Groups", "Picture"], ["Settings", "To cite"]
    data = ["Redundancy", "Within groups and between them", "The largest group"]
    assert sections(page) == alone+data+["Prediction", "Stability"]+foot
    assert sections(make_report(groups)) == alone+foot
    pairs = FeatureGroups([m[:2] for m in groups.members], n_features=60)
    assert sections(make_report(pairs, sp.csr_matrix(X))) == alone+data[:2]+foot
    columns = as_columns(X)
    columns.positions, columns.chromosomes = np.arange(60)*1000, np.repeat([1, 2], 30)
    assert _data_sections(pairs, columns, y)[0][0] == "Along the chromosomes"
    assert "No group was found" in make_report(FeatureGroups([], n_features=60), X, y)

def test_the_table_is_that_of_the_answer():
    groups = FeatureGroups([[0], [1, 2]], n_features=4, significant=[True, False],
                           p_values=[.001, np.nan], refused=[7, 0])
    table = re.search(r"<table.*?</table>", make_report(groups), re.S)[0]
    heads, cells = re.findall(r"<th>(.*?)</th>", table), re.findall(r"<td>(.*?)</td>", table)
    assert heads == list(groups.summary())
    columns = {head: cells[i::len(heads)] for i, head in enumerate(heads)}
    assert columns["significant"] == ["True", "False"]
    assert columns["group_p_value"] == ["0.001", "-"]

def test_redundancy_is_that_of_numpy():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))@rng.standard_normal((4, 25))+rng.standard_normal((60, 25))
    ends = np.sort(rng.choice(np.arange(1, 18), 4, replace=False))
    groups = FeatureGroups(np.split(rng.permutation(25)[:18], ends))
    R, told = np.abs(np.corrcoef(X.T)), _tabulate_redundancy(groups, as_columns(X))
    for i, row in enumerate(told.itertuples(index=False)):
        m, others = groups[i], np.delete(groups.support, i)
        inside = R[np.ix_(m, m)][np.triu_indices(len(m), 1)]
        want = (inside.mean(), R[m[0], m[1:]].min()) if len(m) > 1 else (np.nan, np.nan)
        np.testing.assert_allclose((row[1], row[2], row[4]), (*want, R[m[0], others].max()))
        assert row[3] == str(others[R[m[0], others].argmax()])

def test_stability_is_that_of_its_function(found, page):
    used = stable_groups(*found[1:], found[0], q=3, n_pairs=10, random_state=0).frequencies
    shown = page.partition("<h2>Stability</h2>")[2].partition("</table>")[0]
    shares = [float(v) for v in re.findall(r"<td>([\d.]+)</td>\s*</tr>", shown)]
    assert shares == pytest.approx(list(used), abs=1e-3)
    assert "20 halves" in words(page) and "75% of the samples" in words(page)

@pytest.mark.parametrize("store", [np.asarray, sp.csr_matrix])
def test_prediction_is_good_of_signal_and_chance_of_noise(store):
    made = make_groups(600, 120, group_sizes=(3, 2, 1, 0), n_test=0, random_state=0)
    X, a, b = store(made.X), slice(300), slice(300, None)
    noise = np.random.default_rng(0).permutation(made.y)
    for y, low, high in ((made.y, .85, 1), (noise, .35, .65)):
        told = measure_accuracy(made.groups, X[a], y[a], X[b], y[b])
        assert told.features.tolist() == [0, 4, 10] and low <= told.correct[2] <= high
        most = max(set(y), key=list(y[a]).count)
        assert told.correct[0] == np.mean(y[b] == most)

def test_y_is_read_as_asked_and_p_values_are_within_the_design(found, monkeypatch):
    "Whole numbers are classes, numbers or times; the picture along the chromosomes has the design of the fit"
    from fsnb.show import report as room
    groups, X, y = found
    whole, batch = np.arange(len(y)) % 8+1, np.arange(len(y)) % 2
    assert "<h2>Stability" in make_report(groups, X, whole, n_pairs=1)
    page = make_report(groups, X, whole, target="numbers", covariates=batch)
    assert "R squared" in page and "<h2>Stability" not in page
    assert "concordance" in make_report(groups, X, np.c_[whole, y == y[0]], target="survival")
    split = slice(100), slice(100, None)
    told = measure_accuracy(groups, *(own for part in split for own in (X.to_numpy()[part], whole[part])), target="numbers")
    assert told.columns[-1] == "R squared" and len(told) == 2
    with pytest.raises(ValueError, match="target must be"): make_report(groups, X, whole, target="ages")
    asked = []
    monkeypatch.setattr(room, "association_p_values", lambda columns, y, **given: asked.append(given) or np.ones(columns.n_features))
    monkeypatch.setattr(room, "plot_manhattan", lambda *given, **named: None)
    monkeypatch.setattr(room, "_inline_picture", lambda draw, words: draw() or words)
    monkeypatch.setattr(room, "plot_redundancy", lambda *given: [None])
    monkeypatch.setattr(room, "plot_group", lambda *given: [None])
    columns = as_columns(X)
    columns.positions = columns.chromosomes = np.arange(columns.n_features)
    make_report(groups, columns, y, strata=batch, n_pairs=1)
    assert [*asked[0]] == ["strata", "target"] and (asked[0]["strata"] == batch).all() and asked[0]["target"] == "classes"

# ---- are these the data?

@pytest.mark.parametrize("change, said", [
    (lambda X, y: (X.iloc[:, :50], y), "data with 50 features"),
    (lambda X, y: (X.rename(columns=str.upper), y), "is called 'gene <"),
    (lambda X, y: (X.to_numpy()[:, ::-1], y), "correlate by"),
    (lambda X, y: (X, y[:-1]), "inconsistent|199"), (lambda X, y: (None, y), "data are missing")])
def test_other_data_are_refused(found, change, said):
    groups, X, y = found
    with pytest.raises(ValueError, match=said): make_report(groups, *change(X, y))

@pytest.mark.parametrize("measure", [
    Positional("index", window=3.), Positional("index", beta=40., correlation="positive"),
    PositivePearson()])
@pytest.mark.filterwarnings("error")
def test_groups_by_other_measures_are_of_their_data(found, measure):
    rng = np.random.default_rng(1)
    X = np.repeat(rng.standard_normal((200, 20)), 3, axis=1)+.1*rng.standard_normal((200, 60))
    groups = GDM(3, correlation=measure, chance=None, tau=.6).fit(X, found[2]).groups_
    assert groups.sizes.max() > 1
    _check_same_data(groups, as_columns(X))
    for other in (X[:, rng.permutation(60)], X*np.where(np.arange(60) % 2, 1, -1)):
        with pytest.raises(ValueError, match="are of other data: columns .* correlate by"):
            make_report(groups, other)

# ---- in a browser

BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)

@pytest.mark.skipif(BROWSER is None, reason="no browser here")
def test_a_click_sorts_in_a_browser_without_network(found, page, tmp_path):
    "The page from disk; a script clicks on the heading of sizes and writes down what it sees"
    k = list(found[0].summary()).index("size")
    probe = """<script>window.onerror = function (m) { document.title = "ERROR " + m; };
      var button = document.querySelectorAll("th button")[SIZE], page = document.documentElement;
      function seen() {
        return Array.from(document.querySelector("table.sortable").tBodies[0].rows)
          .map(r => r.cells[SIZE].innerText).join(","); }
      button.click(); var up = seen(); button.click();
      document.title = [up, seen(), page.scrollWidth > page.clientWidth].join(";");</script></body>
      """.replace("SIZE", str(k))
    path = tmp_path/"report.html"
    path.write_text(page.replace("</body>", probe), encoding="utf-8")
    line = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-sync", "--window-size=600,900",
            "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp_path/'profile'}",
            "--dump-dom", path.as_uri()]
    dom = subprocess.run(line, capture_output=True, text=True, timeout=120).stdout
    up, down = (",".join(map(str, sorted(found[0].sizes, reverse=turn))) for turn in (False, True))
    assert re.search(r"<title>(.*?)</title>", dom)[1] == f"{up};{down};false"

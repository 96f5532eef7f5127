"The runs behind the papers' pages: what they count is right, and their results say what made them."
import json, sys
import numpy as np, pytest

from benchmarks import designs, fdr
from benchmarks.chance import clumped, found_again
from benchmarks.common import dense, standardized
from benchmarks.paperkit import Answer, Method, TunedL1, judge, means, run_method, split_task
from benchmarks.icml2012 import leads, together
from benchmarks.thesis2015 import FAR, counted, grouped, with_distant_copies

@pytest.fixture(scope="module")
def task():
    "Forty features; the first four carry the label, 0 and 1 are a group, 2 and 3 another"
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 40))
    X[:, 1], X[:, 3] = X[:, 0]+.3*X[:, 1], X[:, 2]+.3*X[:, 3]
    y = np.where(X[:, :4].sum(axis=1) > 0, 1, -1)
    made = split_task("small", X, y, seed=0)
    made.truth = [[0, 1], [2, 3]]
    return made

def test_a_split_shares_no_sample(task):
    assert len(task.a) == len(task.b) == 200
    assert not set(map(tuple, task.A.round(6).tolist())) & set(map(tuple, task.B.round(6).tolist()))

def test_supports_affiliates_groups_and_wrong_are_counted(task):
    row = counted(task, np.array([0, 3, 7, 9]))
    assert (row["supports"], row["affiliates"], row["wrong"], row["groups"]) == (1, 1, 2, 2)
    row = grouped(task, [list(range(40))])
    assert (row["hits"], row["wrong"], row["exact"]) == (4, 36, 0)
    row = grouped(task, [[2, 3], [0, 1]])
    assert (row["hits"], row["wrong"], row["exact"]) == (4, 0, 2)

def test_the_judge_counts_true_and_wrong_features(task):
    row = judge(task, Answer(np.array([0, 2, 30, 31])), 3)
    assert (row["features"], row["true"], row["wrong"]) == (3, 2, 1)
    assert row["accuracy"] > judge(task, Answer(np.array([30, 31, 32])), 3)["accuracy"]+.2

def test_the_l1_svm_is_tuned_to_the_number_of_features(task):
    for k in (2, 4, 20):
        model = TunedL1(k).fit(task.A, task.a)
        assert len(model.support_) <= k and len(model.support_) >= .8*k
        assert model.own_seconds > 0
    assert set(TunedL1(4).fit(task.A, task.a).support_.tolist()) == {0, 1, 2, 3}

class Fixed:
    "Selects the same features whatever it sees"
    def __init__(self, features): self.features = features
    def fit(self, X, y):
        self.support_ = np.array(self.features)
        return self

def test_the_best_setting_is_kept(task):
    method = Method("fixed", lambda k: {"noise": Fixed([30, 31]), "true": Fixed([0, 2])})
    row, = run_method(method, task, (2,))
    assert row["setting"] == "true" and row["wrong"] == 0
    assert list(row["every"]) == ["noise", "true"] and row["every"]["true"] == row["accuracy"] > row["every"]["noise"]

def test_a_nested_method_ends_where_its_list_does(task):
    method = Method("fixed", lambda k: {"": Fixed([0, 2, 5])}, nested=True)
    assert [row["k"] for row in run_method(method, task, (2, 3, 8))] == [2, 3]

def test_means_are_of_each_number_over_the_splits():
    rows = [dict(data="a", method="m", k=1, accuracy=v, setting=s) for v, s in ((.5, "x"), (.7, "y"))]
    row, = means(rows)
    assert row["accuracy"] == .6 and row["splits"] == 2 and row["setting"] == "x | y"
    assert row["accuracy_sd"] == .1 and row["every"] == {}
    for one, value in zip(rows, (.2, .4)): one["every"] = dict(x=value)
    assert means(rows)[0]["every"] == dict(x=.3)

def test_the_command_keeps_a_file_that_holds_more(tmp_path, monkeypatch, capsys):
    "A run without a data set never goes over one with it"
    from types import SimpleNamespace
    from benchmarks import __main__ as command
    monkeypatch.setattr("benchmarks.records.RESULTS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "table42"])
    def told(**result):
        monkeypatch.setitem(sys.modules, "benchmarks.thesis2015", SimpleNamespace(run_table42=lambda quick: result))
        command.main()
        return capsys.readouterr().out, json.loads((tmp_path/"table42.json").read_text())
    assert "wrote" in told(rows=[1, 2])[0]
    for less, why in ((dict(rows=[1]), "rows has 2 rows, not 1"), (dict(), "rows has 2 rows, not 0")):
        said, kept = told(**less)
        assert why in said and "wrote" not in said and kept["rows"] == [1, 2]
    said, kept = told(rows=[1, 2, 3])
    assert "wrote" in said and kept["rows"] == [1, 2, 3] and kept["made"]["cpu_minutes"] >= 0

def test_a_lead_is_taken_on_the_same_set():
    def rows(seed, gdm, other):
        return [dict(seed=seed, method=method, k=5, accuracy=accuracy) for method, accuracy in (("GDM", gdm), ("other", other))]
    row, = leads(rows(0, .5, .52)+rows(1, .9, .94))
    assert row["seeds"] == 2 and abs(row["lead"]-3) < 1e-9 and abs(row["error"]-1) < 1e-9
    assert leads(rows(0, .5, .52))[0]["error"] is None

def test_distant_copies_correlate_as_they_should():
    "The deviation of a correlation of copies of a share FAR grows with the kurtosis of the variant"
    for own_effect in (False, True):
        task = with_distant_copies(0, True, own_effect)
        X, half = np.vstack([task.A, task.B]), task.p//2
        Z = (X-X.mean(0))/X.std(0)
        near, kurtosis = (Z[:, :half]*Z[:, half:]).mean(0), (Z[:, :half]**4).mean(0)
        copied = np.argsort(-np.abs(near))[:10]                       # ten causal variants
        # variance of z w - FAR (z^2+w^2)/2, where w is z in a share FAR and else another's
        spread = FAR*(1-FAR)**2*kurtosis+(1-FAR)*(1+FAR**2*(kurtosis+1)/2)
        assert (np.abs(near-FAR)/np.sqrt(spread/len(X)))[copied].max() < 3.5
        assert np.abs(np.delete(near, copied)).max() < .3

def test_pixels_that_touch_lie_together():
    assert together([0, 1, 32]) == 1 and together([0, 33, 66]) == 0         # diagonals do not touch
    assert together([31, 32]) == 0                                          # the end of a row is not beside the next one's start
    assert together([5, 6, 900]) == 2/3

# ---- the false share of "auto"

@pytest.mark.parametrize("make", [lambda seed, kind=kind: designs.shared_factor(kind, 300, seed) for kind in designs.FACTORS]
                         + [lambda seed: designs.collider(300, seed), lambda seed: designs.library_size(300, seed)])
def test_nulls_do_not_depend_on_y_and_true_columns_do(make):
    null, true = [], []
    for seed in range(8):
        design = make(seed)
        Z, v = standardized(dense(design.X)), design.y-design.y.mean()
        squares = (Z.T@v)**2/(v@v)
        null.append(squares[design.n_true:].mean())
        true.append(squares[:design.n_true].mean())
    assert .5 < np.mean(null) < 1.6 and np.mean(true) > 6

@pytest.mark.parametrize("kind", designs.TRUE)
def test_true_units_correlate_with_the_label_as_planned(kind):
    def squares(null):
        design = designs.few_samples(kind, 200, 0, null)
        unit = np.arange(design.X.shape[1]) if design.unit is None else design.unit
        r = standardized(dense(design.X)).T@(2*design.y-1)/200
        return design, np.array([np.abs(r[unit == k]).max() for k in range(max(unit)+1)])
    design, found = squares(False)
    assert abs(np.median(found[:design.n_true])-designs.CORRELATION[200]) < .12 and np.median(found[design.n_true:]) < .2
    design, found = squares(True)
    assert design.n_true == 0 and np.median(found) < .2

def test_a_support_beside_linked_columns_is_judged_by_its_correlation():
    design = designs.variants(300, .6, 0)
    assert design.X.shape == (1000, 300) and np.abs(design.X.mean(0)-1).max() <= .98
    near = np.abs(np.corrcoef(design.X.T)[design.causal]) >= .5
    assert near.any(0).sum() > 10
    row = fdr.judge(np.arange(300), design)
    assert row["power"] == 1 and row["false"] == 1-near.any(0).mean() and "holds_cause" not in row
    far = np.flatnonzero(~near.any(0))[:2]
    groups = fdr.auto(design.X, design.y)
    groups.members = [np.r_[far[0], design.causal[0]], far[1:]]
    row = fdr.judge(groups, design)
    assert (row["supports"], row["false"], row["power"], row["holds_cause"]) == (2, 1, 0, .5)

def test_units_count_once_and_null_data_have_no_power():
    design = designs.Design(np.zeros((4, 6)), None, 2, np.repeat([0, 1, 2], 2))
    assert fdr.judge([0, 1, 4], design) == dict(supports=3, false=1/3, power=.5)
    assert fdr.judge([3], design._replace(n_true=0)) == dict(supports=1, false=1, power=0)
    assert fdr.judge([], design) == dict(supports=0, false=0, power=0)

def test_supports_that_correlate_are_found_again_once():
    X = np.random.default_rng(0).standard_normal((50, 6))
    X[:, 1:3] = X[:, :1]+.1*X[:, 1:3]
    assert found_again([0, 1, 2], [3, 4], X) == (0, 1.5)
    assert found_again([1, 2], [0], X) == (1, 1)
    assert np.allclose(found_again([0, 1, 3], [2, 4, 5], X), (5/12, 2.5))

def test_clumps_are_the_same_from_sparse_columns():
    design = designs.library_size(300, 0)
    found = clumped(design.X, design.y)
    assert len(found) and found.tolist() == clumped(design.X.toarray(), design.y).tolist()

def test_some_sections_are_run_and_nothing_is_written(monkeypatch, capsys):
    from benchmarks import __main__ as command
    monkeypatch.setattr(command, "write_result", lambda *args: pytest.fail("written"))
    monkeypatch.setattr(fdr, "SECTIONS", dict(one=lambda quick, seeds: print("one", quick, seeds), two=None))
    for line, told in (("--only one", "one False 20"), ("--only one --seeds 3", "one False 3"), ("--only one --quick", "one True 2")):
        monkeypatch.setattr(sys, "argv", ["benchmarks", "fdr", *line.split()])
        command.main()
        assert told in capsys.readouterr().out

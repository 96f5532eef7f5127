"What the guides on text, images and tables promise, on less data; each shows an answer at once."
import inspect, re, sys
from pathlib import Path
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import dump_svmlight_file, load_digits
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from fsnb import GDM, convert
from fsnb.correlation import Positional
from fsnb.show.cli import main

sys.path.insert(0, str(Path(__file__).resolve().parents[2]/"tools"))
import book

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
WORDS = dict(ngram_range=(1, 2), min_df=5, binary=True)

@pytest.mark.parametrize("path", sorted((book.nbs/"guides").glob("*.ipynb")), ids=lambda p: p.stem)
def test_the_first_answer_comes_within_ten_lines(path):
    first = next(s for s in book.cells(path, "code") if not re.match(r"(import|from) ", s))
    lines = [line for line in first.split("\n") if line.strip() and not line.startswith("#|")]
    assert len(lines) <= 10
    assert "default_rng" not in first, "a loader of the package or of scikit-learn, no simulation"
    assert ".fit(" in first or path.stem == "09_too_large"     # its answer is bytes

@pytest.fixture(scope="module")
def texts():
    "(texts, kinds, words, X): documentation of SciPy, a paragraph a text"
    from scipy import signal, stats
    modules = dict(stats=stats, signal=signal).items()
    rows = [(kind, " ".join(part.split())) for kind, module in modules
            for name in module.__all__[:160]
            for part in (inspect.getdoc(getattr(module, name)) or "").split("\n\n")[:4]]
    frame = pd.DataFrame(rows, columns=["kind", "text"]).drop_duplicates("text")
    vectorizer = CountVectorizer(**WORDS)
    X = vectorizer.fit_transform(frame.text)
    return frame.text.to_numpy(), frame.kind.to_numpy(), vectorizer.get_feature_names_out(), X

def test_words_come_by_name_from_csr_a_pipeline_a_shell_and_a_store(texts, tmp_path, capsys):
    told, kinds, words, X = texts
    answer = GDM(6, tau=.5).fit(X, kinds).groups_
    named = answer.with_names(words)
    assert named.names == [[words[j] for j in group] for group in answer.members]
    assert any("filter" in names for names in named.names)     # a word of one module
    pipeline = make_pipeline(CountVectorizer(**WORDS), GDM(6, tau=.5))
    pipeline.fit(told, kinds)
    again = pipeline[-1].groups_.with_names(pipeline[:-1].get_feature_names_out())
    assert again.names == named.names
    new = ["the impulse response of a digital filter", "a test of the null hypothesis"]
    assert pipeline.predict(new).tolist() == ["signal", "stats"]
    dump_svmlight_file(X, kinds == "stats", str(tmp_path/"words.svm"), zero_based=False)
    (tmp_path/"vocabulary.txt").write_text("\n".join(words), encoding="utf-8")
    asked = f"groups {tmp_path}/words.svm --names {tmp_path}/vocabulary.txt --tau .5 --quiet"
    assert not main([*asked.split(), "--n-features", "6"])
    assert all(names[0] in capsys.readouterr().out for names in named.names[:1])
    store = convert(X, tmp_path/"words.fsnb", names=words, verbose=0)
    assert GDM(6, tau=.5).fit(store, kinds).groups_.names == named.names

def test_pixels_are_rows_of_numbers_and_a_mark_in_the_corner_comes_first():
    X, y = load_digits(return_X_y=True, as_frame=True)
    X, y = X[y.isin([3, 8])], y[y.isin([3, 8])]
    with pytest.warns(UserWarning, match="10 constant columns are never selected: pixel_0_0"):
        GDM(3, tau=.5).fit(X, y)
    marked = X.copy()
    marked.loc[y == 8, "pixel_0_7"] = 15
    assert GDM(3, tau=.5).fit(marked, y).groups_.names[0][0] == "pixel_0_7"
    near = Positional(np.arange(64) % 8, chromosomes=np.arange(64)//8, window=3)
    groups = GDM(6, tau=.5, correlation=near).fit(X, y).groups_
    assert max(groups.sizes) > 1
    assert all(len(set(np.asarray(group)//8)) == 1 for group in groups.members)

def test_a_raw_table_is_refused_and_a_converted_one_shows_reasons_and_leaks():
    rng = np.random.default_rng(0)
    calls, short = rng.poisson(1.5, 800), rng.random(800) < .4
    left = rng.random(800) < 1/(1+np.exp(2.5-1.6*short-.7*calls))
    frame = pd.DataFrame({
        "contract": np.where(short, "monthly", rng.choice(["yearly", "longer"], 800)),
        "calls": calls, "tickets": calls+(rng.random(800)<.1), "since": pd.Timestamp("2021-01-01"),
        "age": np.where(rng.random(800) < .1, np.nan, rng.integers(18, 80, 800))})
    for column, told in (("contract", r"these columns do not: contract .*OneHotEncoder\(\), \['contract'\]"), ("since", r"not: since \(datetime"),
                         ("age", "in 1 column: age; impute or drop")):
        with pytest.raises(ValueError, match=told): GDM(2).fit(frame[[column, "calls"]], left)
    to_numbers = ColumnTransformer([
        ("kind", OneHotEncoder(sparse_output=False), ["contract"]),
        ("filled", SimpleImputer(strategy="median", add_indicator=True), ["age"]),
        ("same", "passthrough", ["calls", "tickets"])], verbose_feature_names_out=False)
    numbers = to_numbers.set_output(transform="pandas").fit_transform(frame)
    groups = GDM(2).fit(numbers, left).groups_
    assert {"calls", "tickets"} in map(set, groups.names)
    assert "contract_monthly" in [names[0] for names in groups.names]
    leak = numbers.assign(gift=left*(np.arange(800) % 5 > 0))
    assert GDM(2).fit(leak, left).groups_.names[0][0] == "gift"

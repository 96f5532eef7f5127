"What the guides on text, images and frames promise, on less data."
import inspect
import warnings
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

# ---- text

@pytest.fixture(scope="module")
def texts():
    "(texts, kinds, words, X): documentation of SciPy, a paragraph a text"
    from scipy import signal, stats
    rows = [(kind, " ".join(part.split())) for kind, module in dict(stats=stats, signal=signal).items()
            for name in module.__all__[:160]
            for part in (inspect.getdoc(getattr(module, name)) or "").split("\n\n")[:4]]
    frame = pd.DataFrame(rows, columns=["kind", "text"]).drop_duplicates("text")
    vectorizer = CountVectorizer(ngram_range=(1, 2), min_df=5, binary=True)
    X = vectorizer.fit_transform(frame.text)
    return frame.text.to_numpy(), frame.kind.to_numpy(), vectorizer.get_feature_names_out(), X

def test_words_and_phrases_come_by_name_from_csr(texts):
    _, kinds, words, X = texts
    assert X.format == "csr"
    answer = GDM(6, tau=.5).fit(X, kinds).groups_
    named = answer.with_names(words)
    assert named.names == [[words[j] for j in group] for group in answer.members]
    assert any("filter" in names for names in named.names)     # a word of one module, in both SciPys

def test_a_pipeline_knows_its_words(texts):
    told, kinds, words, X = texts
    pipeline = make_pipeline(CountVectorizer(ngram_range=(1, 2), min_df=5, binary=True), GDM(6, tau=.5))
    pipeline.fit(told, kinds)
    named = pipeline[-1].groups_.with_names(pipeline[:-1].get_feature_names_out())
    assert named.names == GDM(6, tau=.5).fit(X, kinds).groups_.with_names(words).names
    new = ["the impulse response of a digital filter", "a test of the null hypothesis"]
    assert pipeline.predict(new).tolist() == ["signal", "stats"]

def test_a_vocabulary_names_the_columns_in_a_shell(texts, tmp_path, capsys):
    _, kinds, words, X = texts
    dump_svmlight_file(X, (kinds == "stats").astype(int), str(tmp_path/"words.svm"), zero_based=False)
    (tmp_path/"vocabulary.txt").write_text("\n".join(words), encoding="utf-8")
    asked = ["groups", str(tmp_path/"words.svm"), "--names", str(tmp_path/"vocabulary.txt"),
             "--n-features", "3", "--tau", ".5", "--quiet"]
    assert not main(asked)
    supports = GDM(3, tau=.5).fit(X, kinds).support_
    told = capsys.readouterr().out
    assert all(words[j] in told for j in supports)

def test_a_store_gives_the_words_of_the_matrix(texts, tmp_path):
    _, kinds, words, X = texts
    store = convert(X, tmp_path/"words.fsnb", names=words, verbose=0)
    found = GDM(6).fit(store, kinds).groups_
    assert found.names == GDM(6).fit(X, kinds).groups_.with_names(words).names

# ---- images

def test_pixels_are_rows_of_numbers_and_a_mark_in_the_corner_comes_first():
    X, y = load_digits(return_X_y=True, as_frame=True)
    X, y = X[y.isin([3, 8])], y[y.isin([3, 8])]
    with pytest.raises(ValueError, match="dim 3"): GDM(3).fit(X.to_numpy().reshape(-1, 8, 8), y)
    with pytest.warns(UserWarning, match="10 constant columns are never selected: pixel_0_0"):
        GDM(3, tau=.5).fit(X, y)
    marked = X.copy()
    marked.loc[y == 8, "pixel_0_7"] = 15
    near = Positional(np.arange(64) % 8, chromosomes=np.arange(64)//8, window=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert GDM(3, tau=.5).fit(marked, y).groups_.names[0][0] == "pixel_0_7"
        groups = GDM(6, tau=.5, correlation=near).fit(X, y).groups_
    assert max(groups.sizes) > 1
    assert all(len(set(np.asarray(group)//8)) == 1 for group in groups.members)

# ---- frames

@pytest.fixture(scope="module")
def customers():
    rng = np.random.default_rng(0)
    n = 800
    calls, short = rng.poisson(1.5, n), rng.random(n) < .4
    left = rng.random(n) < 1/(1+np.exp(2.5-1.6*short-.7*calls))
    frame = pd.DataFrame({"contract": np.where(short, "monthly", rng.choice(["yearly", "longer"], n)),
                          "since": pd.Timestamp("2021-01-01")+pd.to_timedelta(rng.integers(0, 900, n), "D"),
                          "bill": [f"€{v:.2f}" for v in rng.gamma(4, 12, n)],
                          "calls": calls, "tickets": calls+(rng.random(n) < .1),
                          "age": np.where(rng.random(n) < .1, np.nan, rng.integers(18, 80, n))})
    return frame, np.where(left, "yes", "no")

@pytest.mark.parametrize("column, told", [
    ("contract", "column contract"), ("since", "column since has type datetime"),
    ("bill", "column bill"), ("age", "in 1 column: age; impute or drop")])
def test_a_raw_frame_is_refused_with_the_column(customers, column, told):
    frame, y = customers
    with pytest.raises(ValueError, match=told): GDM(2).fit(frame[[column, "calls"]], y)

def test_names_pass_through_the_transformer_and_reasons_are_found(customers):
    frame, y = customers
    to_numbers = ColumnTransformer([
        ("kind", OneHotEncoder(sparse_output=False), ["contract"]),
        ("filled", SimpleImputer(strategy="median", add_indicator=True), ["age"]),
        ("same", "passthrough", ["calls", "tickets"])], verbose_feature_names_out=False)
    numbers = to_numbers.set_output(transform="pandas").fit_transform(frame)
    groups = GDM(2).fit(numbers, y).groups_
    first = {names[0]: set(names[1:]) for names in groups.names}
    assert {"calls", "tickets"} in [{name} | rest for name, rest in first.items()]
    assert "contract_monthly" in first
    polars = pytest.importorskip("polars")
    assert GDM(2).fit(polars.DataFrame(numbers.to_dict("list")), y).groups_.names == groups.names
    leak = numbers.assign(gift=(y == "yes")*(np.arange(len(y)) % 5 > 0))
    assert GDM(2).fit(leak, y).groups_.names[0][0] == "gift"

"What the guides promise: each shows an answer at once, and a raw table is refused with the cure."
import re
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder
from fsnb import GDM

import book

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

@pytest.mark.parametrize("path", sorted((book.nbs/"guides").glob("*.ipynb")), ids=lambda p: p.stem)
def test_the_first_answer_comes_within_ten_lines(path):
    first = next(s for s in book.cells(path, "code") if not re.match(r"(import|from) ", s))
    lines = [line for line in first.split("\n") if line.strip() and not line.startswith("#|")]
    assert len(lines) <= 10
    assert "default_rng" not in first, "a loader of the package or of scikit-learn, no simulation"
    assert ".fit(" in first or path.stem == "09_too_large"     # its answer is bytes

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

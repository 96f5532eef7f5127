"What the guides promise: each shows an answer at once, and a raw table is refused with the cure."
import re
import pytest

import book

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

@pytest.mark.parametrize("path", sorted((book.nbs/"guides").glob("*.ipynb")), ids=lambda p: p.stem)
def test_the_first_answer_comes_within_ten_lines(path):
    first = next(s for s in book.cells(path, "code") if not re.match(r"(import|from) ", s))
    lines = [line for line in first.split("\n") if line.strip() and not line.startswith("#|")]
    assert len(lines) <= 10
    assert "default_rng" not in first, "a loader of the package or of scikit-learn, no simulation"
    assert ".fit(" in first or path.stem == "09_too_large"     # its answer is bytes

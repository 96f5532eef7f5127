"Checks: what passes, and the sentence for what does not; warnings stand at the caller's line"
import sys, types, warnings
import numpy as np
import pytest

from fsnb.data.progress import progress
from fsnb.data.threads import count_threads, share_entries, share_out
from fsnb.data.validation import (check_choice, check_count, check_indices, check_number, check_verbose,
                                  in_interval, warn_caller)

BAD_NUMBERS = [None, "1", True, np.True_, np.nan, [.5], 1j, object()]


@pytest.mark.parametrize("interval, inside, outside", [
    ("(0, 1)", [.5, np.float32(.1), 1e-300], [0, 1, -.1, 2]),
    ("[0, 1]", [0, 1, np.int64(1)], [-1e-9, 1+1e-9]),
    ("(0, 0.5]", [.5, .1], [0, .51]),
    ("(0, inf)", [1e300, 5], [0, np.inf]),
    ("[0, inf]", [np.inf, 0], [-1])])
def test_numbers(interval, inside, outside):
    for value in inside:
        assert in_interval(value, interval)
        check_number("x", value, interval)
    for value in outside+BAD_NUMBERS:
        with pytest.raises(ValueError) as e: check_number("x", value, interval)
        assert str(e.value) == f"x must lie in {interval}, got {value!r}"


def test_a_word_in_place_of_a_number():
    check_number("x", "auto", "[0, 1]", word="auto")
    for value in ("Auto", b"auto", 2, None):
        with pytest.raises(ValueError) as e: check_number("x", value, "[0, 1]", word="auto")
        assert str(e.value) == f"x must be 'auto' or lie in [0, 1], got {value!r}"


def test_counts():
    for value in (1, np.int32(3), 4): check_count("k", value, 4, "n")
    for value in (0, 5, 1., "1", True, None):
        with pytest.raises(ValueError) as e: check_count("k", value, 4, "n")
        assert str(e.value) == f"k must be a whole number in [1, n=4], got {value!r}"
    with pytest.raises(ValueError, match=r"k must be a whole number in \[2, inf\), got 1"): check_count("k", 1, least=2)


def test_choices_do_not_confuse_types():
    check_choice("c", None, ("a", None))
    check_choice("c", np.str_("a"), ("a", None))
    for value in (1, 0, "True", None):
        with pytest.raises(ValueError, match="c must be one of True, False, got"): check_choice("c", value, (True, False))
    with pytest.raises(ValueError): check_choice("c", np.array(["a"]), ("a", "b"))


def test_verbose_and_threads():
    for value in (0, 1, 2, 17, True, np.False_, np.int8(2)): check_verbose(value)
    for value in (-1, 1.5, None, "1"):
        with pytest.raises(ValueError, match="verbose must be"): check_verbose(value)
    for value in (0, True, 1.5, "2"):
        with pytest.raises(ValueError, match="n_jobs must be None or"): count_threads(value)


def test_indices():
    assert check_indices([], 0).dtype == np.int64
    for bad, named in ([-1, 2], -1), ([0, 7], 7):
        with pytest.raises(IndexError, match=rf"columns must lie in \[0, 3\), got {named}"): check_indices(bad, 3)


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 9])
def test_ranges_cover_everything_once(n_jobs):
    rng = np.random.default_rng(n_jobs)
    for _ in range(40):
        size = int(rng.integers(1, 60))
        indptr = np.r_[0, np.cumsum(rng.integers(0, 9, size)*(rng.random(size) < .5))]
        for share, amount in (share_out, size), (share_entries, indptr):
            hit = np.zeros(size, int)
            def count(lo, hi): hit[lo:hi] += 1
            share(n_jobs, amount, count)
            assert (hit == 1).all()


def test_a_warning_stands_at_the_line_that_called_into_the_package():
    # a module that pretends to be one of ours, three functions deep
    functions = dict(__name__="fsnb.pretended", warn=warn_caller)
    exec("def outer(): middle()\ndef middle(): inner()\ndef inner(): warn('told')\n", functions)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        functions["outer"](); line = sys._getframe().f_lineno
    assert [(w.filename, w.lineno, str(w.message)) for w in told] == [(__file__, line, "told")]


def test_progress_closes_its_bar_when_the_fit_fails(capsys):
    with pytest.raises(KeyboardInterrupt):
        with progress(types.SimpleNamespace(verbose=1), "step", 10) as note:
            note(3)
            raise KeyboardInterrupt
    assert "3/10" in capsys.readouterr().err

"Checks: what passes, and the sentence for what does not; warnings stand at the caller's line"
import sys, types, warnings
from decimal import Decimal
from fractions import Fraction
import numpy as np
import pandas as pd
import pytest
from sklearn.utils import check_random_state as scikit_learns

from fsnb.data.checks import (check_choice, check_count, check_generator, check_indices,
                              check_number, check_random_state, check_verbose, count_out,
                              count_threads, _in_interval, _MOST_THREADS, POSITIVE, progress,
                              share_entries, share_out, show_value, warn_caller)

BAD_NUMBERS = [None, "1", True, np.True_, np.nan, [.5], object(), pd.NA, pd.NaT, {}, ()]
OTHER_NUMBERS = [Fraction(1, 2), Decimal("0.5"), 1j, np.array(.5), np.complex64(.5)]        # of a kind that is not taken
HUGE = [10**400, -10**400, 10**5000]


@pytest.mark.parametrize("interval, inside, outside", [
    ("(0, 1)", [.5, np.float32(.1), 1e-300], [0, 1, -.1, 2]),
    ("[0, 1]", [0, 1, np.int64(1)], [-1e-9, 1+1e-9]),
    ("(0, 0.5]", [.5, .1], [0, .51]),
    ("(0, inf)", [1e300, 5], [0, np.inf]),
    ("[0, inf]", [np.inf, 0], [-1])])
def test_numbers(interval, inside, outside):
    for value in inside:
        assert _in_interval(value, interval)
        assert check_number("x", value, interval) == value and type(check_number("x", value, interval)) is float
    for value in outside+BAD_NUMBERS:
        with pytest.raises(ValueError) as e: check_number("x", value, interval)
        assert str(e.value) == f"x must lie in {interval}, got {value!r}"
    for value in OTHER_NUMBERS:
        with pytest.raises(ValueError) as e: check_number("x", value, interval)
        assert str(e.value) == f"x must lie in {interval}, got {value!r}: give an int or a float"
    for value in HUGE+[np.arange(3), np.zeros((40, 40)), pd.DataFrame({"a": [1, 2]}), "x"*1000]:
        with pytest.raises(ValueError) as e: check_number("x", value, interval)
        assert str(e.value) == f"x must lie in {interval}, got {show_value(value)}" and len(str(e.value)) < 120
        assert "\n" not in str(e.value)


def test_what_a_check_gives_back_is_plain():
    for value in (np.int8(127), np.uint64(127), 127): assert type(check_count("k", value)) is int and check_count("k", value)+1 == 128
    for value in (np.float16(.5), np.longdouble(.5), np.float64(.5)): assert type(check_number("x", value, "(0, 1)")) is float
    assert check_number("x", None, "(0, 1)", none=True) is None and check_count("k", None, none=True) is None
    assert type(check_verbose(np.True_)) is int and check_choice("c", np.str_("a"), ("a", "b")) == "a"
    for call, told in ((lambda: check_number("x", 2, "(0, 1)", none=True), r"x must be None or lie in \(0, 1\), got 2$"),
                       (lambda: check_count("k", 0, none=True), r"k must be None or a whole number in \[1, inf\), got 0$"),
                       (lambda: check_number("x", 2, "(0, 1)", word="auto", none=True), r"x must be None or be 'auto' or lie in")):
        with pytest.raises(ValueError, match=told): call()


def test_positive_has_bounds():
    for value in (1e-100, 1, 1e100): check_number("C", value, POSITIVE)
    for value in (0, 1e-320, 5e-324, 1e101, 1e200, 1e308, np.inf, -1):
        with pytest.raises(ValueError, match=r"C must lie in \[1e-100, 1e\+100\], got"): check_number("C", value, POSITIVE)


def test_seeds():
    for seed in (0, 7, np.int8(7), 2**32-1): assert check_random_state(seed).random() == scikit_learns(seed).random()
    known = np.random.RandomState(3)
    assert check_random_state(known) is known and check_random_state(None) is scikit_learns(None) and check_random_state(np.random) is scikit_learns(None)
    for seed in (0, np.int8(7), 10**30): assert check_generator(seed).random() == np.random.default_rng(seed).random()
    known = np.random.default_rng(3)
    assert check_generator(known) is known and isinstance(check_generator(None), np.random.Generator)
    assert isinstance(check_generator(np.random.RandomState(3)), np.random.Generator)
    wrong = [-1, True, .5, "1", [1], pd.NA, Fraction(1), Decimal(1), np.arange(3), object(), -10**5000]
    for check, more in (check_random_state, [2**32, 10**400, np.random.default_rng(3)]), (check_generator, []):
        for value in wrong+more:
            with pytest.raises(ValueError, match="^random_state must be None, .* got ") as e: check(value)
            assert "\n" not in str(e.value) and len(str(e.value)) < 200


def test_a_billion_threads():
    assert count_threads(10**9) == count_threads(10**400) == _MOST_THREADS and count_threads(-10**9) == 1 and count_threads(np.int8(3)) == 3


def test_a_word_in_place_of_a_number():
    check_number("x", "auto", "[0, 1]", word="auto")
    for value in ("Auto", b"auto", 2, None):
        with pytest.raises(ValueError) as e: check_number("x", value, "[0, 1]", word="auto")
        assert str(e.value) == f"x must be 'auto' or lie in [0, 1], got {value!r}"


def test_counts():
    for value in (1, np.int32(3), 4): check_count("k", value, 4, "n")
    for value in (0, 5, 1., "1", True, None, pd.NA, np.array(1), [1], Fraction(1), Decimal(1), 1j, np.float64(1), np.nan):
        with pytest.raises(ValueError) as e: check_count("k", value, 4, "n")
        assert str(e.value) == f"k must be a whole number in [1, n=4], got {value!r}"
    with pytest.raises(ValueError, match=r"k must be a whole number in \[2, inf\), got 1"): check_count("k", 1, least=2)
    with pytest.raises(ValueError, match=r"k must be a whole number in \[1, 9223372036854775807\], got 1000"): check_count("k", 10**30)
    with pytest.raises(ValueError, match=r"k must be a whole number in \[1, 9223372036854775807\], got a value"): check_count("k", 10**5000)


def test_choices_do_not_confuse_types():
    check_choice("c", None, ("a", None))
    check_choice("c", np.str_("a"), ("a", None))
    for value in (1, 0, "True", None):
        with pytest.raises(ValueError, match="c must be one of True, False, got"): check_choice("c", value, (True, False))
    with pytest.raises(ValueError): check_choice("c", np.array(["a"]), ("a", "b"))


def test_verbose_and_threads():
    for value in (0, 1, 2, 17, True, np.False_, np.int8(2)): check_verbose(value)
    for value in (-1, 1.5, None, "1", pd.NA, np.arange(2), Fraction(1), -10**5000):
        with pytest.raises(ValueError, match="verbose must be"): check_verbose(value)
    for value in (0, True, 1.5, "2", np.True_, pd.NA, np.arange(2), Fraction(1)):
        with pytest.raises(ValueError, match="n_jobs must be None or"): count_threads(value)


def test_indices():
    assert check_indices([], 0).dtype == np.int64
    for bad, named in ([-1, 2], -1), ([0, 7], 7), (np.array([2**63], np.uint64), 2**63):
        with pytest.raises(IndexError, match=rf"columns must lie in \[0, 3\), got {named}"): check_indices(bad, 3)
    for bad in ([1.7], [True, False, True], ["1"], np.nan, [None]):
        with pytest.raises(IndexError, match=r"columns must be whole numbers in \[0, 3\), got array"): check_indices(bad, 3)


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


@pytest.mark.parametrize("count, told", [(0, "0 classes hold"), (1, "1 class holds"), (np.int64(1), "1 class holds"), (2, "2 classes hold")])
def test_one_is_counted_out_apart_from_many(count, told):
    assert count_out(count, "class holds", "classes hold") == told


def test_progress_closes_its_bar_when_the_fit_fails(capsys):
    with pytest.raises(KeyboardInterrupt):
        with progress(types.SimpleNamespace(verbose=1), "step", 10) as note:
            note(3)
            raise KeyboardInterrupt
    assert "3/10" in capsys.readouterr().err

"Checks, ties and threads: what passes and what is refused; the top against a sort; every range once, in threads of threads too"
import os, threading, time
from decimal import Decimal
from fractions import Fraction
import numpy as np, pandas as pd, pytest
from fsnb.data.checks import (_MOST_THREADS, _SUMMED, _WORTH_A_SUM, TIE, _keep_pool, _likely_top, _run_ranges,
                              check_choice, check_count, check_index_list, check_indices, check_number,
                              check_verbose, count_threads, first_minimum, tied_ranks, share_entries,
                              share_out, show_value, sum_ranges, top)

BAD = [None, "1", True, np.True_, np.nan, [.5], pd.NA, {}, Fraction(1, 2), Decimal("0.5"), 1j, np.array(.5), 10**5000, np.zeros((40, 40))]

@pytest.mark.parametrize("interval, inside, outside", [
    ("(0, 1)", [.5, np.float32(.1), 1e-300], [0, 1, -.1, 2]), ("[0, 1]", [0, 1, np.int64(1)], [-1e-9, 1+1e-9]),
    ("(0, 0.5]", [.5, .1], [0, .51]), ("(0, inf)", [1e300, 5], [0, np.inf]), ("[0, inf]", [np.inf, 0], [-1])])
def test_numbers(interval, inside, outside):
    for value in inside: assert check_number("x", value, interval) == value and type(check_number("x", value, interval)) is float
    for value in outside+BAD:
        with pytest.raises(ValueError) as e: check_number("x", value, interval)
        assert str(e.value) == f"x must lie in {interval}, got {show_value(value)}"
    assert check_number("x", "auto", interval, word="auto") == "auto" and check_number("x", None, interval, none=True) is None
    with pytest.raises(ValueError, match="x must be None or be 'auto' or lie in"): check_number("x", "Auto", interval, "auto", True)

def test_counts_choices_and_indices():
    for value in (1, np.int8(3), np.uint64(4)): assert type(check_count("k", value, 4, "n")) is int
    for value in (0, 5, 1., np.float64(1), *BAD):
        with pytest.raises(ValueError, match=r"k must be a whole number in \[1, n=4\], got "): check_count("k", value, 4, "n")
    with pytest.raises(ValueError, match=r"k must be None or a whole number in \[2, inf\), got 1"): check_count("k", 1, least=2, none=True)
    with pytest.raises(ValueError): check_count("k", 10**30)
    assert [check_verbose(value) for value in (0, True, np.False_, np.int8(2))] == [0, 1, 0, 2]
    assert check_choice("c", np.str_("a"), ("a", None)) == "a" and check_choice("c", None, ("a", None)) is None
    for value in (1, 0, "True", None, np.array([True])):
        with pytest.raises(ValueError, match="c must be one of True, False, got"): check_choice("c", value, (True, False))
    for bad, named in ([-1, 2], -1), ([0, 7], 7), (np.array([2**63], np.uint64), 2**63):
        with pytest.raises(IndexError, match=rf"columns must lie in \[0, 3\), got {named}"): check_indices(bad, 3)
    for bad in ([1.7], [True, False, True], ["1"], np.nan):
        with pytest.raises(IndexError, match=r"columns must be whole numbers in \[0, 3\), got array"): check_indices(bad, 3)
    with pytest.raises(ValueError, match="a must be a list of columns"): check_index_list("a", 2, 3)
    assert check_indices([], 0).dtype == np.int64

# ---- ties

def test_levels_are_dense_ranks_of_exact_values():
    rng = np.random.default_rng(0)
    for _ in range(100):
        values = rng.integers(-5, 6, rng.integers(1, 40)).astype(float)
        want = np.unique(values, return_inverse=True)[1]
        assert np.array_equal(tied_ranks(values), want)
        assert np.array_equal(tied_ranks(values*(1+1e-15*rng.standard_normal(len(values)))), want)
    for tie in (TIE, 1e-3): assert tied_ranks([1, 1-.5*tie, 1-3*tie], tie).tolist() == [1, 1, 0]
    assert tied_ranks([]).tolist() == [] and tied_ranks([np.inf, 0, -np.inf, np.inf]).tolist() == [2, 1, 0, 2]
    assert first_minimum(np.array([1+1e-13, 1]), 1e-12) == 0 and first_minimum(np.array([3, 1, 1]), 0) == 1

def by_sort(s, k, banned=None):
    "The k largest by a stable sort of all"
    a = np.abs(np.asarray(s, dtype=float))
    if banned is not None: a[banned] = 0
    return [int(i) for i in np.argsort(-a, kind="stable") if a[i] > 0][:max(k, 0)]

def test_top_equals_a_stable_sort():
    for seed in range(100):
        r = np.random.default_rng(seed)
        p = int(r.integers(1, 80))
        s = r.standard_normal(p) if seed % 3 else r.integers(-5, 6, p)*(r.random(p) < .7)
        k, banned = int(r.integers(-1, p+9)), r.random(p) < r.uniform(0, 1)
        before, was = s.copy(), banned.copy()
        assert top(s, k).tolist() == by_sort(s, k) and top(s, k, banned).tolist() == by_sort(s, k, banned)
        assert (s == before).all() and (banned == was).all()
        level = r.integers(0, 5, p).astype(float)                      # equal up to rounding is equal
        near = level*(1+1e-15*r.integers(-4, 5, p))*r.choice([-1, 1], p)*10.**r.integers(-9, 9)
        assert top(near, p//2).tolist() == by_sort(level, p//2)
    assert top(np.array([1, 1+1e-9]), 2).tolist() == [1, 0] and top(np.empty(0), 3).tolist() == []
    assert top(np.array([3., 2, 2, 1, 2]), 2, np.array([0, 1, 1, 0, 0], dtype=bool)).tolist() == [0, 4]

KINDS = ["normal", "counts", "zeros", "equal", "sorted", "periodic", "banned", "rounded", "misled"]

@pytest.mark.parametrize("kind", KINDS)
def test_top_of_many(kind, scale=1e-200):
    "The sampled path: more than 200,000 scores and few of them wanted"
    r = np.random.default_rng(0)
    p = 300_001
    level = {"counts": lambda: r.poisson(3, p)*1., "zeros": lambda: r.standard_normal(p)*(r.random(p) < 2e-4),
             "equal": lambda: np.full(p, -2.), "sorted": lambda: np.linspace(-1, 3, p),
             "periodic": lambda: np.where(np.arange(p) % (p//65536) == 0, 9., 0)+r.random(p),
             "misled": lambda: (np.arange(p) % 4 == 1)*(1+r.random(p)),
             "rounded": lambda: r.poisson(1, p).clip(max=3)*1.}
    level = level.get(kind, lambda: r.standard_normal(p))()
    s = level*(1-1e-15*r.integers(0, 2, p)) if kind == "rounded" else level
    banned = np.abs(s) > 2 if kind == "banned" else None
    want = by_sort(level, 6001, banned)
    for k in (1, 10, 5999, 6001): assert top(s*scale, k, banned).tolist() == want[:k]
    if kind == "normal": assert len(_likely_top(s, 10, None)[0]) < 1000

# ---- threads

def count_up(total, edges, n_jobs=None):
    def add(lo, hi): total[lo:hi] += 1
    _run_ranges(edges, add, n_jobs)

@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_every_range_is_done_once(n_jobs):
    total, r = np.zeros(1000), np.random.default_rng(n_jobs)
    for _ in range(10): count_up(total, np.linspace(0, 1000, 14).astype(int), n_jobs)
    assert (total == 10).all()
    for _ in range(20):
        size = int(r.integers(1, 60))
        indptr = np.r_[0, np.cumsum(r.integers(0, 9, size)*(r.random(size) < .5))]
        for share, amount in (share_out, size), (share_entries, indptr):
            hit = np.zeros(size, int)
            def count(lo, hi): hit[lo:hi] += 1
            share(n_jobs, amount, count)
            assert (hit == 1).all()

def test_threads_stay_their_number_has_a_limit_and_work_within_work_ends():
    pool = _keep_pool(3, os.getpid())
    for _ in range(20): share_out(3, 90, lambda lo, hi: None)
    assert _keep_pool(3, os.getpid()) is pool and len(pool._threads) <= 3
    assert count_threads(10**400) == _MOST_THREADS and count_threads(-10**9) == 1 and count_threads(np.int8(3)) == 3
    for value in (0, True, 1.5, "2"):
        with pytest.raises(ValueError, match="n_jobs must be None or"): count_threads(value)
    total = np.zeros(640)
    def outer(lo, hi):
        for i in range(lo, hi): share_out(2, 10, lambda a, b: total[10*i+a:10*i+b].__iadd__(1))
    share_out(2, 64, outer)
    assert (total == 1).all()

def test_after_an_error_no_range_is_at_work():
    at_work = []
    def kernel(lo, hi):
        if lo == 0: raise ValueError("no room")
        at_work.append(lo)
        time.sleep(.05)
        at_work.remove(lo)
    for _ in range(2):
        with pytest.raises(ValueError, match="no room"): _run_ranges(np.arange(9), kernel, 2)
        assert at_work == []

@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_forked_process_has_threads_of_its_own():
    share_out(2, 10, lambda lo, hi: None)
    child = os.fork()
    if child == 0:
        total = np.zeros(100)
        count_up(total, np.array([0, 50, 100]), 2)
        os._exit(0 if (total == 1).all() and threading.active_count() > 1 else 1)
    killer = threading.Timer(60, os.kill, (child, 9))      # one that waits for lost threads
    killer.start()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    killer.cancel()

@pytest.mark.parametrize("seed", range(2))
def test_a_sum_over_ranges_is_the_same_bits_for_any_number_of_threads(seed):
    g = np.random.default_rng(seed)
    sizes = g.integers(0, g.choice([50, 3000]), 1000)
    sizes[g.integers(1000)] = g.choice([0, 2_000_000])                 # a row as long as all others
    begins, width = np.r_[0, np.cumsum(sizes)], int(g.choice([1, 40, 90_000]))
    values, at = g.random(begins[-1])*2.**g.integers(-30, 30, begins[-1]), g.integers(0, width, begins[-1])
    asked = []
    def add(lo, hi, out):
        asked.append((lo, hi))
        own = slice(begins[lo], begins[hi])
        np.add.at(out, at[own], values[own])
    def summed(n_jobs):
        asked.clear()
        out = np.ones(width)
        sum_ranges(n_jobs, begins, add, out)
        assert sum(hi-lo for lo, hi in asked) == 1000 and len(asked) <= _SUMMED
        assert len(asked)*width <= max(begins[-1]/4, width)            # the room for parts
        return out
    once = summed(1)
    assert begins[-1] < 8*_WORTH_A_SUM or width > 40 or len(asked) > 1
    assert {summed(n_jobs).tobytes() for n_jobs in (1, 2, 3, 7)} == {once.tobytes()}
    np.testing.assert_allclose(once, 1+np.bincount(at, values, width), rtol=1e-9)

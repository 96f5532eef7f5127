"Work that is shared out: every range once, nothing at work afterwards, in threads of threads and in forked processes too."
import os, threading, time
from concurrent.futures import ThreadPoolExecutor
import numpy as np, pytest
from fsnb.data.checks import _SUMMED, _WORTH_A_SUM, _keep_pool, _run_ranges, share_out, sum_ranges

def count_up(total, edges, n_jobs=None):
    def add(lo, hi): total[lo:hi] += 1
    _run_ranges(edges, add, n_jobs)

@pytest.mark.parametrize("n_jobs", [1, 2, 5, None])
def test_every_range_is_done_once(n_jobs):
    total = np.zeros(1000)
    for _ in range(50): count_up(total, np.linspace(0, 1000, 14).astype(int), n_jobs)
    assert (total == 50).all()

def test_threads_stay():
    pool = _keep_pool(3, os.getpid())
    for _ in range(20): share_out(3, 90, lambda lo, hi: None)
    assert _keep_pool(3, os.getpid()) is pool and len(pool._threads) <= 3

def test_work_within_work_does_not_wait_for_itself():
    total = np.zeros(640)
    def outer(lo, hi):
        for i in range(lo, hi): share_out(2, 10, lambda a, b: total[10*i+a:10*i+b].__iadd__(1))
    share_out(2, 64, outer)
    assert (total == 1).all()

def test_many_callers_share_the_threads():
    def work(seed):
        total = np.zeros(100)
        for _ in range(20): count_up(total, np.array([0, 30, 30, 100]), 2)
        return (total == 20).all()
    with ThreadPoolExecutor(6) as pool: assert all(pool.map(work, range(12)))

def test_after_an_error_no_range_is_at_work():
    at_work = []
    def kernel(lo, hi):
        if lo == 0: raise ValueError("no room")
        at_work.append(lo)
        time.sleep(.05)
        at_work.remove(lo)
    for _ in range(5):
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
    deadline = time.time()+60
    while time.time() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done: break
        time.sleep(.02)
    else: os.kill(child, 9)
    assert done and os.waitstatus_to_exitcode(status) == 0


@pytest.mark.parametrize("seed", range(8))
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

"Work that is shared out: every range once, nothing at work afterwards, in threads of threads and in forked processes too."
import os, threading, time
from concurrent.futures import ThreadPoolExecutor
import numpy as np, pytest
from fsnb.data.threads import keep_pool, run_ranges, share_out

def count_up(total, edges, n_jobs=None):
    def add(lo, hi): total[lo:hi] += 1
    run_ranges(edges, add, n_jobs)

@pytest.mark.parametrize("n_jobs", [1, 2, 5, None])
def test_every_range_is_done_once(n_jobs):
    total = np.zeros(1000)
    for _ in range(50): count_up(total, np.linspace(0, 1000, 14).astype(int), n_jobs)
    assert (total == 50).all()

def test_threads_stay():
    pool = keep_pool(3, os.getpid())
    for _ in range(20): share_out(3, 90, lambda lo, hi: None)
    assert keep_pool(3, os.getpid()) is pool and len(pool._threads) <= 3

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
        with pytest.raises(ValueError, match="no room"): run_ranges(np.arange(9), kernel, 2)
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

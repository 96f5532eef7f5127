"""Sparse columns at any size, each a pure function of its place: Zipf counts, planted groups, straight into CSC arrays.

Column j has about height / rank entries, rank a permutation of the places. One block of five columns in twenty is a group: its
first column leads, the others hold four fifths of the leader's rows or more, with almost its values, and the leader's rows
prefer one of the two classes. All other columns know nothing of y. So a range of columns can be made anywhere, at any time.
"""
import math
import numpy as np
from dataclasses import dataclass
from numba import njit
from fsnb.data.checks import share_entries

GROUP, EVERY = 5, 20          # columns of a group; one block of so many is a group
EFFECT = .35                  # a leader's rows are of the first class with chance .5 +- this at most

@dataclass(frozen=True)
class Shape:
    "What is to be made; `ones`: all values are 1, and one is kept"
    n: int
    p: int
    nnz: int
    ones: bool = False
    seed: int = 1

    def scaled(self, share): return Shape(self.n, int(self.p*share), int(self.nnz*share), self.ones, self.seed)

@njit(cache=True, nogil=True)
def _mix(z):
    "A number of 64 bits, well stirred (splitmix64)"
    z = np.uint64(z)
    z = (z ^ (z >> np.uint64(30)))*np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27)))*np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))

@njit(cache=True, nogil=True)
def _next(state): return np.uint64(state)+np.uint64(0x9E3779B97F4A7C15)

@njit(cache=True, nogil=True)
def _share(state):
    "In (0, 1), from a state"
    return (np.float64(_mix(state) >> np.uint64(11))+.5)/9007199254740992.

@njit(cache=True, nogil=True)
def _begin(j, seed): return _mix(np.uint64(j)*np.uint64(0xD1342543DE82EF95)+np.uint64(seed))

@njit(cache=True, nogil=True)
def _leads(j, seed):
    "The leader of column j's group; -1 where it is in none"
    leader = j-j % GROUP
    return leader if _begin(leader, seed+101) % np.uint64(EVERY) == 0 else -1

@njit(cache=True, nogil=True)
def _zipf(j, p, most, height, stride): return int(min(max(height/(1+(j*stride) % p), 1.), most))

@njit(cache=True, nogil=True)
def _count_all(lo, hi, p, most, height, stride, seed, out):
    "Entries of columns lo..hi into out, if it has room; their sum"
    total = 0
    for j in range(lo, hi):
        leader = _leads(j, seed)
        c = _zipf(j if leader < 0 else leader, p, most, height, stride)
        if leader >= 0 and leader != j: c = max(1, int(c*(.8+.2*_share(_begin(j, seed+202)))))
        total += c
        if out.size: out[j-lo] = c
    return total

@njit(cache=True, nogil=True)
def _count_first(c, chance, state):
    "How many of c rows are of the first class"
    if c > 256:
        u, w = _share(_next(state)), _share(_next(_next(state)))
        normal = math.sqrt(-2*math.log(u))*math.cos(2*math.pi*w)
        k = int(round(c*chance+normal*math.sqrt(c*chance*(1-chance))))
        return min(max(k, 0), c)
    k = 0
    for _ in range(c):
        state = _next(state)
        k += _share(state) < chance
    return k

@njit(cache=True, nogil=True)
def _draw_rows(k, first, size, state, spaces, rows, at):
    "k rows of [first, first+size), increasing, into rows[at:]"
    total = 0.
    for i in range(k):
        state = _next(state)
        total -= math.log(_share(state))
        spaces[i] = total
    state = _next(state)
    total -= math.log(_share(state))
    room = size-k+1
    for i in range(k): rows[at+i] = first+min(int(spaces[i]/total*room), size-k)+i
    return state

@njit(cache=True, nogil=True)
def _draw_column(j, c, n, seed, informed, spaces, rows, values, at):
    "Rows and values of a column of its own"
    state = _begin(j, seed)
    chance = .5
    if informed: chance += EFFECT*(2*_share(_begin(j, seed+303))-1)
    half = n//2
    k = min(max(_count_first(c, chance, state), c-(n-half)), half)
    state = _draw_rows(k, 0, half, _mix(state), spaces, rows, at)
    state = _draw_rows(c-k, half, n-half, state, spaces, rows, at+k)
    if not values.size: return
    for i in range(c):
        state = _next(state)
        values[at+i] = np.float32(.5+_share(state))

@njit(cache=True, nogil=True)
def _fill(lo, hi, begin, n, p, most, height, stride, seed, indptr, rows, values):
    "Columns lo..hi, which are begin+lo..begin+hi of all, into their places"
    longest = most+1
    spaces = np.empty(longest)
    led_rows = np.empty(longest, np.int32)
    led_values = np.empty(longest if values.size else 0, np.float32)
    for i in range(lo, hi):
        j = begin+i
        at, c = indptr[i], indptr[i+1]-indptr[i]
        leader = _leads(j, seed)
        if leader < 0 or leader == j:
            _draw_column(j, c, n, seed, leader == j, spaces, rows, values, at)
            continue
        length = _zipf(leader, p, most, height, stride)
        _draw_column(leader, length, n, seed, True, spaces, led_rows, led_values, 0)
        left, state, end = min(c, length), _begin(j, seed+404), at+min(c, length)
        for k in range(length):                    # so many of the leader's rows, with almost its values
            state = _next(state)
            if _share(state)*(length-k) >= left: continue
            rows[end-left] = led_rows[k]
            if values.size: values[end-left] = led_values[k]*np.float32(.95+.1*_share(_mix(state)))
            left -= 1

def recipe(shape):
    "(n, p, most, height, stride, seed): what a column is a function of"
    most, stride, nobody = shape.n//2, int(shape.p*.6180339887) | 1, np.empty(0, np.int32)
    while math.gcd(stride, shape.p) != 1: stride += 2       # near the golden section: places in the order of counts look like chance
    height = float(shape.nnz)
    low, high = 1., 10.*shape.nnz
    step = max(1, shape.p//500_000)
    for _ in range(50):
        height = math.sqrt(low*high)
        ranks = np.arange(1, shape.p+1, step)
        total = step*np.clip(height/ranks[1:], 1, most).sum()+np.clip(height/np.arange(1, step+1), 1, most).sum()
        low, high = (height, high) if total < shape.nnz else (low, height)
    for _ in range(2):
        height *= shape.nnz/_count_all(0, shape.p, shape.p, most, height, stride, shape.seed, nobody)
    return shape.n, shape.p, most, height, stride, shape.seed

def count_entries(made, begin=0, end=None):
    "Entries of each of these columns"
    n, p, most, height, stride, seed = made
    end = p if end is None else end
    counts = np.empty(end-begin, np.int32)
    _count_all(begin, end, p, most, height, stride, seed, counts)
    return counts

def make_range(made, begin, end, ones=False, n_jobs=1):
    "(values, rows, counts) of these columns; one value where all are 1"
    n, p, most, height, stride, seed = made
    counts = count_entries(made, begin, end)
    indptr = np.zeros(end-begin+1, np.int64)
    np.cumsum(counts, out=indptr[1:])
    rows = np.empty(indptr[-1], np.int32)
    values = np.empty(0 if ones else indptr[-1], np.float32)
    share_entries(n_jobs, indptr, lambda lo, hi: _fill(
        lo, hi, begin, n, p, most, height, stride, seed, indptr, rows, values))
    if ones: values = np.broadcast_to(np.ones(1, np.float32), rows.shape)
    return values, rows, counts

def make_entries(shape, n_jobs=2):
    "(values, rows, indptr, y) of all columns"
    made = recipe(shape)
    values, rows, counts = make_range(made, 0, shape.p, shape.ones, n_jobs)
    indptr = np.zeros(shape.p+1, np.int64)
    np.cumsum(counts, out=indptr[1:])
    return values, rows, indptr, make_labels(shape.n)

def make_labels(n):
    "The first half of the rows is the first class"
    y = np.ones(n)
    y[n//2:] = -1
    return y

def leader_of(j, seed=1):
    "The leader of column j's group; -1 where it is in none"
    return int(_leads(j, seed))

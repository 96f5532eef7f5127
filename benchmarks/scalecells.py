"""A score pass where n is large: v has 154 MB, and nearly every entry asks the memory for a line of it. What helps?

Measured beside the pass as it is: v in single precision, entries sorted into ranges of rows on the way, and
entries that lie sorted in cells of rows by columns, as a store could hold them beside its columns.
"""
import os

import numpy as np
from numba import njit

from fsnb.data.sparse import csc_dot

from .common import cpu_clock
from .scaledata import Shape, make_entries
from .scalewatch import read_memory, stored_bytes

CELLS = (16, 16), (18, 18), (20, 16), (20, 20), (22, 16)      # columns and rows of a cell, as powers of two
ONE_BLOCK = 48_000_000                                        # entries that are sorted at a time


@njit(cache=True, nogil=True)
def _dot_sorted(data, indices, indptr, v, lo, hi, shift, starts, rows, places, values, out):
    "Entries of the columns lo..hi are sorted into ranges of 2^shift rows, then multiplied"
    starts[:] = 0
    first, last = np.uint64(indptr[lo]), np.uint64(indptr[hi])
    for i in range(first, last): starts[(np.uint32(indices[i]) >> shift)+1] += 1
    for k in range(1, starts.size): starts[k] += starts[k-1]
    for j in range(lo, hi):
        for i in range(np.uint64(indptr[j]), np.uint64(indptr[j+1])):
            row = np.uint32(indices[i])
            at = np.uint64(starts[row >> shift])
            starts[row >> shift] += 1
            rows[at], places[at], values[at] = row, j-lo, data[i]
    out[lo:hi] = 0
    for t in range(last-first): out[np.uint64(lo)+np.uint64(places[t])] += values[t]*v[np.uint32(rows[t])]


@njit(cache=True, nogil=True)
def _dot_cells(rows, places, values, starts, first_rows, first_columns, v, out):
    "Entries that lie cell by cell, with their row and column within the cell"
    out[:] = 0
    for c in range(first_rows.size):
        row, column = np.uint64(first_rows[c]), np.uint64(first_columns[c])
        for t in range(np.uint64(starts[c]), np.uint64(starts[c+1])):
            out[column+np.uint64(places[t])] += values[t]*v[row+np.uint64(rows[t])]


def sort_on_the_way(arrays, v, shift, out):
    "A pass that sorts blocks of columns; a function to be timed"
    data, indices, indptr = arrays
    p = len(indptr)-1
    edges = [0]
    while edges[-1] < p:
        end = int(np.searchsorted(indptr, indptr[edges[-1]]+ONE_BLOCK, "right"))-1
        edges.append(min(p, max(end, edges[-1]+1)))
    most = int(np.diff(indptr[edges]).max())
    room = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, data.dtype)
    starts = np.zeros((len(v) >> shift)+2, np.int64)

    def run():
        for lo, hi in zip(edges, edges[1:]): _dot_sorted(*arrays, v, lo, hi, np.uint32(shift), starts, *room, out)
    return run


def sort_into_cells(arrays, n, column_bits, row_bits):
    "The arrays of `_dot_cells`, and what they take in bytes"
    data, indices, indptr = arrays
    columns = np.repeat(np.arange(len(indptr)-1, dtype=np.int32), np.diff(indptr))
    across = (n >> row_bits)+1
    cell = (columns.astype(np.int64) >> column_bits)*across+(indices >> row_bits)
    order = np.argsort(cell, kind="stable")
    cell = cell[order]
    begins = np.flatnonzero(np.r_[True, cell[1:] != cell[:-1]])
    starts, cell = np.r_[begins, len(order)], cell[begins]
    small = [np.uint16 if bits <= 16 else np.uint32 for bits in (row_bits, column_bits)]
    rows = (indices[order] & ((1 << row_bits)-1)).astype(small[0])
    places = (columns[order] & ((1 << column_bits)-1)).astype(small[1])
    stored = rows, places, data[order], starts, (cell % across) << row_bits, (cell//across) << column_bits
    return stored, stored_bytes(stored)


def row_blocks(n, p, nnz, share=.2):
    "Nanoseconds an entry, and passes over memory, of each way"
    shape = Shape(n, p, nnz).scaled(share)
    *arrays, _ = make_entries(shape, 2)
    data, indices, indptr = arrays = tuple(arrays)
    v, out, first = np.random.default_rng(0).standard_normal(n), np.empty(shape.p), np.empty(shape.p)
    read, _ = cpu_clock(lambda: read_memory(arrays[:2]), 5)
    ways = []

    def add(way, run, nbytes=0):
        run()
        seconds, _ = cpu_clock(run, 3)
        scale = np.abs(first).max()
        assert way == "as it is" or np.abs(out-first).max() < 1e-4*scale
        ways.append(dict(way=way, seconds=seconds, reads=seconds/read, ns=1e9*seconds/len(indices), stored_of_X=nbytes/stored_bytes(arrays)))
        print(ways[-1], flush=True)

    single = v.astype(np.float32)
    add("as it is", lambda: csc_dot(data, indices, indptr, v, 0, shape.p, first))
    add("v in single precision", lambda: csc_dot(data, indices, indptr, single, 0, shape.p, out))
    for shift in (16, 18): add(f"sorted on the way, 2^{shift} rows", sort_on_the_way(arrays, v, shift, out))
    for column_bits, row_bits in CELLS:
        stored, nbytes = sort_into_cells(arrays, n, column_bits, row_bits)
        add(f"stored in cells, 2^{column_bits} columns by 2^{row_bits} rows", lambda: _dot_cells(*stored, v, out), nbytes)
    return dict(n=n, p=shape.p, nonzeros=len(indices), read=read, ways=ways, load=os.getloadavg()[0])


CELL_PARTS = dict(row_blocks=row_blocks)

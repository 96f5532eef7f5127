import numpy as np
import pytest
from llvmlite import ir
from numba import config, njit, types
from numba.extending import intrinsic
import fsnb.data.instructions as page


def test_asking_ahead_is_an_instruction_and_changes_nothing():
    fetch, v = page.fetch_ahead, np.arange(5.)
    def ask(v, row):
        fetch(v, row)
        return v[row]
    assert ask(v, 3) == 3. and v.tolist() == [0, 1, 2, 3, 4]
    if config.DISABLE_JIT: return
    compiled = njit(ask)
    assert compiled(v, np.uint32(3)) == 3. and v.tolist() == [0, 1, 2, 3, 4]
    assert "llvm.prefetch" in next(iter(compiled.inspect_llvm().values()))


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.float64])
@pytest.mark.parametrize("shape", [(1,), (7, 3), (4, 8, 5)])
def test_a_copy_begins_with_a_line(dtype, shape):
    x = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    for table in (x, x.T, x[..., ::-1]):
        copy = page._aligned_copy(table)
        np.testing.assert_array_equal(copy, table)
        assert copy.dtype == dtype and copy.flags.c_contiguous and copy.ctypes.data % page._CACHE_LINE == 0


@pytest.mark.skipif(config.DISABLE_JIT, reason="vectors are the compiler's")
def test_products_in_pairs():
    @intrinsic
    def pairs(typing, x, y, out):
        def generate(context, builder, signature, arguments):
            arrays = [context.make_array(kind)(context, builder, value).data for kind, value in zip(signature.args, arguments)]
            x, y = (builder.load(builder.bitcast(data, page._SHORTS.as_pointer()), align=2) for data in arrays[:2])
            found = builder.store(page._pair_products(builder, x, y), builder.bitcast(arrays[2], page._PAIRS_OF_LONGS.as_pointer()))
            found.align = 4
            return context.get_dummy_value()
        return types.void(x, y, out), generate

    @njit
    def multiply(x, y, out): pairs(x, y, out)
    r = np.random.default_rng(0)
    for _ in range(20):
        x, y = r.integers(-2**15, 2**15, (2, page._LANES)).astype(np.int16)
        out = np.empty(page._LANES//2, np.int32)
        multiply(x, y, out)
        np.testing.assert_array_equal(out, (x.astype(int)*y).reshape(-1, 2).sum(1))

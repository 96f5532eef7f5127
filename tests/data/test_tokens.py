"Text to numbers: the bits of scikit-learn's reader on every valid file, and the line of every other."
import bz2, gzip, io, math, random
import numpy as np, pytest, scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from sklearn.datasets import load_svmlight_file
from fsnb.data import tokens
from fsnb.data.files import read_data
from fsnb.data.svmlight import Reach, _reach_on, _read_svmlight
from fsnb.data.tokens import _LEAST_POWER, _MOST_POWER, _line_fault, _make_powers, _parse_line, _read_lines, read_rows

def joined(text, size=tokens._BLOCK_BYTES):
    "labels, counts, indices, values of all rows"
    dtypes = np.float64, np.int64, np.int32, np.float64
    return [np.concatenate([np.empty(0, d), *own]) for d, own in zip(dtypes, zip(*read_rows(io.BytesIO(text), size)))] or [np.empty(0, d) for d in dtypes]

def same_as_peer(text, size=tokens._BLOCK_BYTES):
    X, y = load_svmlight_file(io.BytesIO(text), zero_based=True)
    theirs = y, np.diff(X.indptr).astype(np.int64), X.indices.astype(np.int32), X.data
    for mine, other in zip(joined(text, size), theirs):
        nan = np.isnan(mine)                                   # of which there are many, with one meaning
        assert mine.dtype == other.dtype and np.array_equal(nan, np.isnan(other)) and mine[~nan].tobytes() == other[~nan].tobytes()

# ---- valid files

DIGITS = st.text("0123456789", max_size=24)
SIGN = st.sampled_from(["", "-", "+"])
PLAIN = st.floats(allow_nan=False).map(repr) | st.integers(-10**20, 10**20).map(str) | st.floats(-1e9, 1e9).map("{:.9g}".format)
SPELLED = st.builds("{}{}.{}".format, SIGN, DIGITS, DIGITS) | st.builds("{}{}{}e{}".format, SIGN, DIGITS, st.sampled_from(["", "."]), st.integers(-400, 400))
STRANGE = st.sampled_from(["nan", "-inf", "Infinity", "1_000", "1e00003", "+.5E+2", "00000000000000000000001", "0e999999", "1e-99999", "5e-324", "2.5e-324", "1.7976931348623159e308"])
def is_number(text):
    try: float(text)
    except ValueError: return False
    return True
NUMBER = (PLAIN | SPELLED | STRANGE).filter(is_number)
BLANK = st.text(" \t\r\x0b\x0c", min_size=1, max_size=2)
REMARK = st.sampled_from(["", "", "#", "# 7:8 x", "#\0 # \xff"])

@st.composite
def lines(draw):
    "One line that is right, however strange"
    if draw(st.integers(0, 9)) == 0: return draw(st.sampled_from(["", " ", "\r", "# all", "\t # 1 2:3"]))
    indices = sorted(draw(st.sets(st.integers(0, 40) | st.integers(0, 2**31-2), max_size=6)))
    spell = lambda j: draw(st.sampled_from([f"{j}", f"{j}", f"{j}", f"+{j}", f"0{j}", "-0" if j == 0 else f"{j}"]))
    query = draw(st.sampled_from(["", "", "", "qid:3", "qid:-x", "qidx:"]))
    words = [draw(NUMBER), *([query] if query else []), *(f"{spell(j)}:{draw(NUMBER)}" for j in indices)]
    return draw(st.sampled_from(["", " "]))+"".join(word+draw(BLANK) for word in words)+draw(REMARK)

@settings(max_examples=1500, deadline=None)
@given(st.lists(lines(), min_size=1, max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.sampled_from([1, 7, 64, 4096]))
def test_the_bits_of_the_peer(rows, end, closed, size):
    text = (end.join(rows)+(end if closed else "")).encode("latin-1")
    same_as_peer(text, size)

def random_file(seed):
    "A common file: numbers as programs print them"
    r = random.Random(seed)
    form = r.choice(["{:.3g}", "{:.9f}", "{:.16g}", "{:.17g}", "{:.20f}", "{!r}", "{:e}", "{:.0f}"])
    scale, n_columns = 10.**r.randint(-6, 6), r.choice([5, 100, 10**6])
    def entries(): return " ".join(f"{j}:{form.format(r.gauss(0, scale))}" for j in sorted({r.randrange(n_columns) for _ in range(r.randrange(20))}))
    return "".join(f"{r.choice(['+1', '-1', '0', '2.50'])} {entries()}{r.choice([' ', ''])}\n" for _ in range(r.randrange(1, 8)))

def test_thousands_of_common_files():
    for seed in range(3000): same_as_peer(random_file(seed).encode(), size=1+seed % 500)

def test_numbers_of_every_size_are_rounded_as_python_does():
    rng = np.random.default_rng(0)
    words = [f"{rng.integers(1, 10**int(rng.integers(1, 19)))}{'0'*int(rng.integers(3))}e{rng.integers(-345, 310)}" for _ in range(20000)]
    words += [f"{m}.{'0'*k}{d}" for m in (2**53, 2**53+1, 2**54+2) for k in range(25) for d in (0, 1)]              # just above a tie
    words += [str((2*int(m)+1)*2**k) for m in rng.integers(2**52, 2**53, 300) for k in range(0, 30, 7)]             # ties
    words += [f"{(2*int(m)+1)*2**k*10**8+d}e-8" for m in rng.integers(2**52, 2**53, 300) for k in (0, 5) for d in (-1, 1)]
    words += [repr(abs(float(x))) for x in rng.integers(1, 2**64, 3000, dtype=np.uint64).view(np.float64) if np.isfinite(x)]
    words += ["4.9e-324", "2.2250738585072011e-308", "2.2250738585072014e-308", "1.7976931348623158e308", "1e309", "0."+"0"*400+"1"]
    text = "".join(f"1 1:{word} 2:-{word}\n" for word in words).encode()
    assert joined(text)[3].tobytes() == np.array([s*float(w) for w in words for s in (1, -1)]).tobytes()

def test_powers_of_five_are_rounded_down():
    fives, twos, _ = _make_powers()
    from fractions import Fraction
    for e in range(_LEAST_POWER, _MOST_POWER+1):
        mantissa, two = int(fives[e-_LEAST_POWER]), int(twos[e-_LEAST_POWER])
        assert 2**63 <= mantissa <= Fraction(5)**e*Fraction(2)**(63-two) < mantissa+1 <= 2**64

def test_blocks_change_nothing(monkeypatch):
    text = "".join(random_file(seed) for seed in range(40)).encode()
    whole = joined(text)
    for size in (1, 2, 100, 1000): assert all(a.tobytes() == b.tobytes() for a, b in zip(joined(text, size), whole))
    monkeypatch.setattr(tokens, "_MOST_ROWS", 3)
    monkeypatch.setattr(tokens, "_MOST_HARD", 1)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(joined(text), whole))

def test_open_numbers_beyond_the_room_for_them(monkeypatch):
    monkeypatch.setattr(tokens, "_MOST_HARD", 2)
    text = b"1 "+b" ".join(b"%d:9007199254740993" % j for j in range(9))+b"\n"
    assert joined(text)[3].tolist() == [9007199254740992.]*9

def test_nothing_is_no_row():
    for text in (b"", b"\n", b"# only\n\n", b"  "): assert joined(text)[0].size == 0
    assert joined(b"5")[0].tolist() == [5] and joined(b"5 # 1:2")[1].tolist() == [0]

# ---- lines that are wrong

@pytest.mark.parametrize("line, words", [
    ("1 2:x", "a feature must be index:value, got '2:x'"), ("1 2:", "got '2:'"), ("1 2:1e", "got '2:1e'"), ("1 2:1e+", "got"), ("1 2:.", "got '2:.'"), ("1 2:-", "got"),
    ("1 2:1.2.3", "got '2:1.2.3'"), ("1 2:3:4", "got '2:3:4'"), ("1 2:0x10", "got"), ("1 2:1,5", "got '2:1,5'"), ("1 2", "got '2'"), ("1 :2", "got ':2'"), ("1 2;3", "got '2;3'"),
    ("1 2:1 qid:3", "got 'qid:3'"), ("1 qid 2:1", "got 'qid'"), ("1 2:\x003", "got"), ("1 2.0:3", "got '2.0:3'"), ("1 1e1:3", "got '1e1:3'"), ("1 2: 3", "got '2:'"),
    ("1 3:1 2:5", "indices must increase, got 2 after 3"), ("1 3:1 3:5", "indices must increase, got 3 after 3"), ("1 3:1 +3:5", "got 3 after 3"),
    ("1 -3:1", "an index must lie in [0, 2^31), got -3"), ("1 2147483648:1", "got 2147483648"), ("1 99999999999999999999:1", "got 99999999999999999999"),
    ("2:1 3:4", "the label is missing, the line begins with '2:1'"), ("yes 2:1", "the label must be a number, got 'yes'"), ("1,2 2:1", "the label must be a number, got '1,2'"), ("\xef\xbb\xbf1 2:3", "label"),
])
@pytest.mark.parametrize("size", [3, 4096])
def test_a_bad_line_is_named_with_what_stands_in_it(line, words, size):
    line = line.encode("latin-1")
    with pytest.raises((ValueError, OverflowError)): load_svmlight_file(io.BytesIO(line), zero_based=True)
    text = b"1 1:9007199254740993\n\n# x\n"+line+b"\n1 2:y\n"
    with pytest.raises(ValueError) as error: list(read_rows(io.BytesIO(text), size))
    assert str(error.value).startswith("line 4: ") and words in str(error.value) and ", in '" in str(error.value) and "\n" not in str(error.value)

def test_random_bytes_are_refused_where_the_peer_refuses_them():
    loaded = 0
    for seed in range(4000):
        rng = np.random.default_rng(seed)
        line = "".join(rng.choice(list("1122:: -.#eq_+\0\r9i"), rng.integers(1, 14))).encode()
        try: same, fine = load_svmlight_file(io.BytesIO(line), zero_based=True), True
        except (ValueError, OverflowError): fine = False
        assert fine == (_line_fault(line) is None), line
        if fine: same_as_peer(line); loaded += 1
        else:
            with pytest.raises(ValueError): joined(line)
    assert 100 < loaded < 3900

def test_too_many_columns(tmp_path):
    f = tmp_path/"d.svm"
    f.write_text("1 0:1 2147483646:2\n1 3:4 2147483647:5\n")
    with pytest.raises(ValueError, match="line 2: index 2147483647 lies beyond 2147483647 columns"): _read_svmlight(f)
    f.write_text("1 2:1 2147483646:2\n1 3:4 2147483647:5\n")
    assert _read_svmlight(f)[0].shape == (2, 2**31-1)

def test_reach_of_parts():
    for seed in range(500):
        rng = np.random.default_rng(seed)
        parts = [rng.integers(0, 12, rng.integers(0, 4)).astype(np.int32) for _ in range(rng.integers(0, 6))]
        reach = Reach()
        for part in parts: reach = _reach_on(reach, part)
        seen = sorted(set(np.concatenate([[], *parts]).astype(int)))
        assert reach == (seen[0] if seen else 2**31, seen[-1] if seen else -1, seen[-2] if len(seen) > 1 else -1)

# ---- files

def test_packed_files_are_read_as_plain_ones(tmp_path):
    text = "".join(random_file(seed) for seed in range(30)).encode()+b"1 0:1"
    (tmp_path/"a.svm").write_bytes(text)
    with gzip.open(tmp_path/"a.svm.gz", "wb") as file: file.write(text)
    with bz2.open(tmp_path/"a.svm.bz2", "wb") as file: file.write(text)
    X, y, names = _read_svmlight(tmp_path/"a.svm")
    for name in ("a.svm.gz", "a.svm.bz2"):
        again = _read_svmlight(tmp_path/name)
        assert (again[0] != X).nnz == 0 and np.array_equal(again[1], y) and again[2] == names
    theirs = load_svmlight_file(str(tmp_path/"a.svm"), zero_based=True)[0]
    assert (X != sp.csr_matrix(theirs)).nnz == 0 and X.has_canonical_format and X.indices.dtype == np.int32

def test_a_long_line_is_read(tmp_path):
    k = 300_000
    text = b"1 "+b" ".join(b"%d:%d" % (j, j % 97) for j in range(1, k))+b"\n-1 2:5\n"
    labels, counts, indices, values = joined(text, 1 << 16)
    assert counts.tolist() == [k-1, 1] and np.array_equal(indices[:-1], np.arange(1, k)) and np.array_equal(values[:-1], np.arange(1, k) % 97)

def test_blocks_of_lines_are_the_text_whatever_their_size():
    text = b"".join(b"%d 1:%d\n" % (i, i**5) for i in range(300))+b"7 2:9"
    for size in (1, 7, 64, 1 << 20):
        blocks = [bytes(block) for block in _read_lines(io.BytesIO(text), size)]
        assert b"".join(blocks) == text+b"\n" and all(block.endswith(b"\n") for block in blocks)
        assert max(map(len, blocks)) <= max(2*size, 40) or size == 1 << 20

def test_memory_of_a_reading_does_not_grow_with_the_file():
    import tracemalloc
    class Endless(io.RawIOBase):
        "So many lines, made when they are asked for"
        def __init__(self, n): self.left = n
        def readable(self): return True
        def readinto(self, place):
            n = min(self.left, len(place)//10)
            self.left -= n
            place[:10*n] = b"1 5:0.25\r\n"*n
            return 10*n
    peaks = []
    for n in (50_000, 500_000):
        tracemalloc.start()
        rows = sum(len(block.labels) for block in read_rows(Endless(n), 1 << 16))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert rows == n
    assert peaks[1] < 1.2*peaks[0]

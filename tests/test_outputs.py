"What pages show does not depend on the run that wrote it"
import json, re
import pytest

import book, outputs

PAGES = book.on_disk()
def short(path): return path.relative_to(book.nbs).as_posix()

def printed(text, name="stdout"): return {"output_type": "stream", "name": name, "text": text}

PICTURE = {"output_type": "display_data", "data": {"image/png": "...", "text/plain": ["<Figure>"]}, "metadata": {}}

def test_pieces_of_a_stream_are_one():
    pieces = [printed(["a\n"]), printed("b\nc"), printed("d\n")]
    assert outputs.settled(pieces) == [printed(["a\n", "b\n", "cd\n"])]

def test_a_warning_stands_before_what_is_printed_whenever_it_came():
    said, warned = printed(["7\n"]), printed(["too few\n"], "stderr")
    assert outputs.settled([said, warned]) == outputs.settled([warned, said]) == [warned, said]

def test_pictures_and_values_keep_their_places():
    shown = [printed(["one\n"]), PICTURE, printed(["two\n"]), PICTURE]
    assert outputs.settled(shown) == shown and outputs.settled([]) == []

@pytest.mark.parametrize("place", ["/tmp/ipykernel_123/456.py", "/home/me/.venv/lib/site-packages/peer/base.py"])
def test_neither_the_process_nor_the_machine_is_told(place):
    warned = printed(f"{place}:10: UserWarning: too few\n  warn(it)\n", "stderr")
    assert outputs.settled([warned]) == [printed(["UserWarning: too few\n", "  warn(it)\n"], "stderr")]

def test_a_page_is_written_only_when_it_changes(tmp_path):
    page, path = {"cells": [{"cell_type": "code", "id": "a", "outputs": [printed("1\n"), printed("2\n")]}]}, tmp_path/"a.ipynb"
    path.write_text(json.dumps(page))
    outputs.settle(path)
    once, at = path.read_bytes(), path.stat().st_mtime_ns
    outputs.settle(path)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (once, at)
    assert outputs.texts(path) == {"a": "1\n2\n"}

@pytest.mark.parametrize("path", PAGES, ids=short)
def test_no_output_tells_of_its_process_or_machine(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    said = {c["id"]: "\n".join(map(outputs.text_of, c["outputs"])) for c in cells if c["cell_type"] == "code"}
    told = {cell: re.findall(r"\bat 0x[0-9a-f]+|ipykernel_\d+|/tmp/\w+|site-packages", text) for cell, text in said.items()}
    assert {cell: words for cell, words in told.items() if words} == {}

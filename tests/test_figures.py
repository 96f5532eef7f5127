"The figures in a page's prose are those that its cells or results files hold; and the checker finds those that are not."
import pytest

import book, figures

PAGES = book.on_disk()

def name(path): return path.relative_to(book.nbs).as_posix()

@pytest.mark.parametrize("path", PAGES, ids=name)
def test_figures_of_a_page(path):
    found = figures.faults(figures.read(path))
    assert not found, "\n"+"\n".join(found)

# ---- the checker: pages of a few cells

def text(source): return dict(cell_type="markdown", source=source)

def code(source="", printed="", shown="", table=""):
    outputs = [dict(output_type="stream", name="stdout", text=printed)] if printed else []
    if shown or table: outputs.append(dict(output_type="execute_result", data={"text/plain": shown, "text/html": table}))
    return dict(cell_type="code", source=source, outputs=outputs)

def loose(sentence, *cells, before=()):
    "The figures of a sentence that some cells do not hold"
    page = [text("# A page\n> Its claim."), text("## A section"), *before, text(sentence), *cells]
    return [found.figure.text for found in figures.loose_figures(page)]

HELD = [                                                # what a sentence says; a wrong one; what a cell printed
    ("It finds .93 of them.", "It finds .94 of them.", ".9284"),
    ("It finds 0.93.", "It finds 0.92.", "0.93"),
    ("It finds 1.5.", "It finds 1.4.", "[1, 1.52]"),
    ("It finds 77.4 % of them.", "It finds 77.3 % of them.", "77.37"),
    ("It finds 77 %.", "It finds 78 %.", "share 0.7737"),
    ("It gains 1.2 points.", "It gains 1.3 points.", "gain 0.0118"),
    ("There are 16,704 of them.", "There are 16,705 of them.", "16704"),
    ("There are 10 000 of them.", "There are 10 001 of them.", "10000"),
    ("There are 1.36 million of them.", "There are 1.37 million of them.", "1355191"),
    ("There are 20k of them.", "There are 21k of them.", "19,996"),
    ("It is 12 times as fast.", "It is 13 times as fast.", "ratio 11.8"),
    ("It is 3.4x as fast.", "It is 3.5x as fast.", "3.41"),
    ("It grows 63-fold.", "It grows 64-fold.", "62.7"),
    ("It is eight times as fast.", "It is nine times as fast.", "8.2"),
    ("It takes two hundred times the time.", "It takes five hundred times the time.", "231.5"),
    ("It holds in 7 of 9 cases.", "It holds in 8 of 9 cases.", "7 of 9"),
    ("It holds in 206 of 500 instances.", "It holds in 207 of 500 instances.", "206 500"),
    ("It looks at 265 places.", "It looks at 266 places.", "265"),
    ("It needs about 300 steps.", "It needs about 400 steps.", "312"),
    ("It needs more than 200.", "It needs more than 300.", "200.7"),
    ("It is below .01.", "It is below .03.", "0.0084"),
    ("It is within 1.3 points.", "It is within 1.2 points.", "1.24"),
    ("There are more than 100,000.", "There are more than 110,000.", "104,000"),
    ("It is above .6.", "It is above .7.", "0.67"),
    ("The tail is 6e-4.", "The tail is 7e-4.", "0.00061"),
    ("It falls by -.12.", "It falls by -.13.", "-0.12"),
    ("| .32 | .55 |", "| .32 | .56 |", ".32 .55"),
]

@pytest.mark.parametrize("right, wrong, printed", HELD, ids=[right for right, _, _ in HELD])
def test_a_number_is_held_and_its_neighbour_is_not(right, wrong, printed):
    assert figures.figures(right) and loose(right, code(printed=printed)) == []
    assert len(loose(wrong, code(printed=printed))) == 1

CLAIMS_NOTHING = [
    "Two classes, 3 cuts and 12 supports.", "Section 5.3 and Tables 4.1 and 4.2.", "Theorem 13, equations (4.8) to (4.10).",
    "See line 17 of Algorithm 2.13.", "ICML 2012, and a thesis of 2015.", "With `tau=.37` it runs.", "At $n=512$, $x = .37$.",
    "See [17_restricted](17_restricted.ipynb) and [04](../a/04_b.ipynb).", "A float32 and an L1-SVM of 64-bit words on news20.",
    "# A page of 99 things", "## The 99 steps", "```\nrun 99\n```", "Python 3.11 or newer.", "on p. 217", "Slip 14.", "![99 of 100](a.png)",
]

@pytest.mark.parametrize("sentence", CLAIMS_NOTHING)
def test_numbers_that_claim_nothing(sentence):
    assert figures.figures(sentence) == []

@pytest.mark.parametrize("sentence", ["At 2000 samples it is fast.", "With 2001 samples.", "In 2048 of them.", "A set of 2015 words."])
def test_numbers_that_are_no_years(sentence):
    assert len(figures.figures(sentence)) == 1

def test_a_figure_is_held_by_literals_outputs_and_tables():
    said = "It takes 512 columns and finds .37."
    assert loose(said) == ["512", ".37"]
    assert loose(said, code("n = 512\ntest_close(f(n), .37, .005)")) == []
    assert loose(said, code("n = 2**9", shown="{'share': 0.3712}")) == []
    assert loose(said, code(table="<style>p {margin: .99}</style><th>512</th><td>0.361</td>")) == [".37"]
    assert loose(said, code(table="<th>512</th><td>0.37</td>")) == []
    assert loose("It is .37.", code(printed="1e400 is no number, 1e-400 is 0")) == [".37"]
    assert loose("It is .99.", code(table="<style>p {margin: .99}</style><th>512</th>")) == [".99"]

def test_a_figure_is_held_by_its_own_section():
    other = [code(printed=".37"), text("## Another section")]
    assert loose("It is .37.", before=other) == [".37"]
    assert loose("## What we learned\n- It is .37.", before=other) == []
    opening = [text("# A page\n> Its claim: .37."), text("## A section"), code(printed=".37")]
    assert list(figures.loose_figures(opening)) == []

@pytest.fixture
def measured(tmp_path, monkeypatch):
    rows = '{"rows": [{"data": "farm_ads", "method": "GDM", "share": 0.918}, {"data": "bbc", "method": "GDM", "share": 0.843}]}'
    (tmp_path/"real.json").write_text(rows, encoding="utf-8")
    monkeypatch.setattr(figures, "RESULTS", tmp_path)

def test_a_figure_is_held_by_the_row_of_a_results_file(measured):
    link = "([measured](../../benchmarks/results/real.json))"
    assert loose("GDM has 91.8 % on farm_ads.") == ["91.8 %"]
    assert loose(f"GDM has 91.8 % on farm_ads {link}.") == []
    assert loose(f"GDM has 91.9 % on farm_ads {link}.") == ["91.9 %"]
    assert loose(f"GDM has 84.3 % on farm_ads {link}.") == ["84.3 %"], "another row's"
    assert loose("GDM has 91.8 % on farm_ads.", code('results("real")')) == []

def test_figures_of_a_paper_name_their_place():
    assert loose("The paper prints .37 in Table II.") == []
    assert loose("The paper prints .37.") == [".37"]
    assert loose("Printed is .37 (Table II), measured .41.") == [".41"]
    table = "| | Algorithm 6 of the thesis | here |\n|---|---|---|\n| length | 9974 | 512 |\n"
    assert loose(table) == ["512"] and loose(table.replace("Algorithm 6 of the thesis", "there")) == ["9974", "512"]
    assert loose("Here it is .41; the thesis has .37 in its table.") == [".41", ".37"]

def test_columns_called_printed_name_table_row_and_page():
    table = "<table><th>data</th><th>printed</th><td>1</td></table>"
    of = lambda *cells: list(figures.unnamed_columns(cells))
    named = text("Rows of Table II, section V of the paper.")
    assert of(text("A comparison."), code(table=table)) == [1] and of(named, code(table=table)) == []
    rows = "| data | printed | here |\n|---|---|---|\n| a | .37 | .41 |\n"
    assert of(text(rows)) == [0] and of(named, text(rows)) == []
    assert of(text("Column AC of Table II on page 4:\n\n"+rows)) == []
    assert of(text("A column of Table II:\n\n"+rows)) == [0]

def test_a_fault_tells_the_sentence_the_figure_and_the_nearest_number():
    page = [text("# A page\n> A claim."), text("It finds\n.37 of them."), code(printed=".41 .9")]
    assert figures.faults(page) == ["cell 1: '.37' (nearest 0.41) in: It finds .37 of them."]

# ---- what is called Proved or Measured

M4 = "**Proved** for these data: no thirty features cost less by more than four percent."

STRICT = [                                              # what is said, what its section has, the figures that it does not hold
    (M4, code("assert gap < .041", printed="31.136 29.880"), ["four percent"]),       # 4.03 %: how it was found
    (M4, code("assert gap <= .04", printed="31.136 29.880"), []),
    ("No feature costs more than 4 per cent.", code("assert gap < .041"), ["4 per cent"]),
    ("It costs four percent.", code(printed="0.041"), []), ("It costs six percent.", code(printed="0.041"), ["six percent"]),
    ("**Measured.** It costs less than 5 %.", code("assert cost < .052", printed="4.9"), ["5 %"]),
    ("**Measured.** It costs less than 5 %.", code("assert cost < .05"), []),
    ("**Measured.** It finds more than 90 %.", code("assert .85 < share", printed=".904"), ["90 %"]),
    ("It costs less than 5 %.", code("assert cost < .052", printed="4.9"), []),
    ("**Measured.** There are 512 columns.", code("n = 512"), ["512"]), ("There are 512 columns.", code("n = 512"), []),
    ("**Measured.** There are 512 columns.", code("test_eq(count, 512)"), []),
    ("A column needs ten entries. **Proved.**", code("n = 10", printed="7"), ["ten"]),
    ("A column needs ten entries. **Proved** (Delyon).", code("test_eq(least, 10)"), []),
    ("A column needs ten entries. It is so. **Proved.**", code(), []),                  # of the last sentence alone
    ("**Proved.** It is so. A column needs ten entries.", code(), ["ten"]),             # of the paragraph
    ("**Proved.** It is so.\n\nA column needs ten entries.", code(), []),
    ("- **Proved.** It is so.\n- A column needs ten entries.", code(), []),
    ("**Not proved.** A column needs ten entries.", code(), []), ("**Measured.** A column needs ten entries.", code(), []),
]

@pytest.mark.parametrize("said, cell, found", STRICT, ids=[f"{i}: {said[:50]}" for i, (said, *_) in enumerate(STRICT)])
def test_what_is_proved_or_measured_is_held_by_what_is_printed_or_asserted(said, cell, found):
    assert loose(said, cell) == found

def test_an_opening_that_says_proved_is_held_by_its_own_cells():
    page = [text("# A page\n> Its claim."), text("It is 37 %."), text("## A section"), code(printed="37")]
    assert list(figures.loose_figures(page)) == []
    page[1] = text("It is 37 %. **Proved.**")
    assert [found.figure.label for found in figures.loose_figures(page)] == ["proved"]

"""The skeleton of a page: python tools/new_page.py CHAPTER NAME [--selector CLASS]

It writes nbs/CHAPTER/NN_NAME.ipynb with its title, claim, Next and, with --selector, a class that ranks features by
their correlation with y; a line in the sidebar; a line in the chapter's stub, and with --selector in the package's;
tests/CHAPTER/test_NAME.py. Then it exports. The tests of the book are green from here on: write, and keep them so.
"""
import argparse
import re
import sys
import textwrap
from pathlib import Path

import nbformat

FUNCTION = '''
def {name}(
    X,  # (n, p) array
):
    "Replace this by one sentence: what it returns, (p,)"
    return np.asarray(X).var(0)
'''
CLASS = '''
@dataclass(eq=False, repr=False)
class {selector}(GroupSelectorMixin, BaseEstimator):
    """Replace this by one sentence; each feature is alone in its group.

    Attributes: `support_` (k,) columns, the best first; `scores_` (p,); `groups_` a
    `FeatureGroups`. Source: paper, equation.
    """
    n_features_to_select: int = 10  # in [1, p]; the default takes p where p < 10

    _parameter_constraints = dict(n_features_to_select=[_COUNT])

    def fit(
        self,
        X,  # (n, p) array, CSC, CSR, pandas or polars frame, or `Columns`; n >= 2
        y,  # (n,) classes
    ):
        "Rank the features by their score"
        self._validate_params()
        data = open_input(X, y, self, target="classes")
        k = check_n_select(self.n_features_to_select, data.columns.n_features)
        self.scores_ = correlation_with_classes(data.columns, data.y, len(data.classes))
        order = np.argsort(-tied_ranks(self.scores_), kind="stable")
        support = order[:k]
        alone = [[j] for j in support.tolist()]
        return set_result(self, data, support, alone, order=order, scores=self.scores_[support])
'''
IMPORTS = '''
import numpy as np
from dataclasses import dataclass
from sklearn.base import BaseEstimator
from fsnb.correlation.target import correlation_with_classes
from fsnb.data.checks import tied_ranks
from fsnb.data.inputs import open_input
from fsnb.groups.selector import _COUNT, GroupSelectorMixin, check_n_select, set_result
'''
TEST = '''"{title}"
import numpy as np

from fsnb.{chapter} import {public}


def test_{name}_finds_what_is_planted():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 8)), np.arange(60) % 2
    X[:, 3] *= 5
    X[:, 3] += 9*y
    {check}
'''


def insert_after(path, last, line):
    "A line of a text file after the last one that a pattern finds"
    lines = path.read_text(encoding="utf-8").split("\n")
    at = max(i for i, text in enumerate(lines) if re.search(last, text))
    lines.insert(at+1, line)
    path.write_text("\n".join(lines), encoding="utf-8")


def number_of(folder):
    "The first two digits that no page of a chapter has"
    taken = [int(path.name[:2]) for path in folder.glob("[0-9][0-9]*.ipynb")]
    return f"{max(taken, default=0)+1:02}"


def next_page(root, page):
    "The page after this one in the sidebar, and its title; the first page where it is the last"
    pages = re.findall(r"[\w/]+\.ipynb", (root/"_quarto.yml").read_text(encoding="utf-8"))
    after = [*pages, pages[0]][pages.index(page)+1]
    title = nbformat.read(root/"nbs"/after, 4).cells
    return after, next(re.search(r"^# (.+)", cell.source, re.M)[1] for cell in title if cell.cell_type == "markdown")


def cells_of(chapter, name, public, title, selector, link):
    "The cells of the page, in the order of CONTRIBUTING; `public` is the name that the module gives"
    text, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    imports = IMPORTS if selector else "\nimport numpy as np\n"
    body = CLASS.format(selector=public) if selector else FUNCTION.format(name=public)
    example = f"{public}(1).fit(X, y).support_" if selector else f"{public}(X)"
    return [
        code(f"#| default_exp {chapter}.{name}"),
        text(f"# {title}\n> The claim in one sentence, with the words that a stranger types into a search box."),
        text("Which question does this page answer, and why does anyone ask it?"),
        code("#| export"+imports.rstrip()),
        text("## How it is computed"),
        code("#| exports"+body.rstrip()),
        code("X, y = np.eye(6)[:, :4], np.arange(6) % 2\n"+example),
        text(f"## Next\n[{link[1]}]({link[0]}).")]


def make_page(root, chapter, name, selector=None):
    "Write all that a page needs; its path"
    folder, door = root/"nbs"/chapter, root/"fsnb"/chapter/"__init__.pyi"
    if not door.exists(): raise SystemExit(f"{chapter} is no chapter: a folder of nbs/, a stub fsnb/{chapter}/__init__.pyi")
    if not re.fullmatch(r"[a-z]\w*", name): raise SystemExit(f"NAME is that of a module, got {name!r}")
    if list(folder.glob(f"[0-9][0-9]*_{name}.ipynb")): raise SystemExit(f"{chapter} has a page {name}")
    page = f"{chapter}/{number_of(folder)}_{name}.ipynb"
    title, public = name.replace("_", " ").capitalize(), selector or f"{name}_of"
    insert_after(root/"_quarto.yml", rf"- {chapter}/\d\d", f"          - {page}")
    insert_after(door, r"^from \.", f"from .{name} import {public} as {public}")
    if selector: insert_after(root/"fsnb/__init__.pyi", rf"^from \.{chapter}\.", f"from .{chapter}.{name} import {selector} as {selector}")
    target, words = next_page(root, page)
    link = target.removeprefix(chapter+"/") if target.startswith(chapter+"/") else "../"+target, re.sub(r"[`$]", "", words)
    book = nbformat.v4.new_notebook(cells=cells_of(chapter, name, public, title, selector, link))
    book.metadata = dict(kernelspec=dict(display_name="python3", language="python", name="python3"))
    nbformat.write(book, root/"nbs"/page)
    check = f"assert {public}(1).fit(X, y).support_.tolist() == [3]" if selector else f"assert {public}(X).argmax() == 3"
    test = root/"tests"/chapter/f"test_{name}.py"
    test.parent.mkdir(exist_ok=True)
    test.write_text(TEST.format(title=f"{title}: its contract", chapter=chapter, public=public, name=name, check=check), encoding="utf-8")
    return page


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapter")
    parser.add_argument("name", help="of the module")
    parser.add_argument("--selector", metavar="CLASS", help="a selector of this name")
    args = parser.parse_args(words)
    root = Path(__file__).resolve().parent.parent
    page = make_page(root, args.chapter, args.name, args.selector)
    import export
    export.main()
    told = f"""\
        nbs/{page} and tests/{args.chapter}/test_{args.name}.py are there, and the page is in the sidebar and at its door.
        Run it: python tools/notebooks.py {page.removesuffix(".ipynb")}. The page before it still leads past it: mend its Next."""
    if args.selector: told += f"""
        Its frozen answers: python tests/golden/golden_cases.py --write {args.selector}; a row on start/05_api."""
    print(textwrap.dedent(told))


if __name__ == "__main__": main(sys.argv[1:])

"The help of each command: sections with titles, at most 90 columns, an example at its end; the shell completes what it shows"
import re, shutil, subprocess
import pytest
from fsnb.data.formats import _SUFFIXES
from fsnb.gdm import gdm
from fsnb.show.cli import main
from fsnb.show.completion import _completion_script, _every_argument
from fsnb.show.options import _FIT_CHOICES, _FORMATS, _MODE_CHOICES
from fsnb.show.parser import _COMMANDS, _WIDEST, _help_layout, make_parser

TITLES = {
    "groups": ["the data", "the groups", "how sure", "what is shown and written", "a long search", "the method"],
    "report": ["the answer", "its data", "the page"],
    "survey": ["the data", "the count", "what is written"],
    "convert": ["the data", "the store"],
    "simulate": ["what is written", "the data"],
    "demo": ["options"],
}
FIRST = {"the data": "FILE", "the groups": "--n-features", "how sure": "--chance", "what is shown and written": "--out", "a long search": "--n-jobs", "the method": "--C"}

def told(capsys, command):
    assert main([command, "--help"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out

def command_parser(name):
    [commands] = [action for action in make_parser()._actions if action.dest == "command"]
    return commands.choices[name]

def options_of(name): return [o for a in _every_argument(command_parser(name)) for o in a.option_strings if o.startswith("--")]

def test_every_command_is_here(): assert set(TITLES) == set(_COMMANDS)

@pytest.mark.parametrize("name", TITLES)
def test_sections_have_titles_in_order(capsys, name):
    lines = told(capsys, name).splitlines()
    assert [line[:-1] for line in lines if re.fullmatch(r"\S.*:", line)] == [*TITLES[name], "examples"]
    assert lines[0].startswith(f"usage: fsnb {name} ") and lines[1] == ""

@pytest.mark.parametrize("name", TITLES)
def test_every_option_stands_in_one_section(capsys, name):
    shown = re.findall(r"^  (?:-h, )?(--[\w-]+)", told(capsys, name), re.M)
    assert sorted(shown) == sorted(options_of(name)) and len(set(shown)) == len(shown)

def test_a_section_is_short_and_begins_with_what_is_asked_first(capsys):
    sections = re.split(r"\n(?=\S.*:\n)", told(capsys, "groups"))[1:-1]
    for section in sections:
        title, rest = section.split(":\n", 1)
        rows = re.findall(r"^  (\S+)", rest.split("\n\n")[0], re.M)
        assert rows[0] == FIRST[title] and len(rows) <= 9

@pytest.mark.parametrize("name", ["", *TITLES])
@pytest.mark.parametrize("screen", [70, 80, 92, 250])
def test_no_line_is_wider_than_the_screen_or_90(capsys, monkeypatch, name, screen):
    monkeypatch.setenv("COLUMNS", str(screen))
    assert main([*([name] if name else []), "--help"]) == 0
    lines = capsys.readouterr().out.partition("\nexamples:\n")[0].splitlines()
    own = [line for line in lines if line in (_COMMANDS[name][-1] if name else "")]      # laid out by hand
    assert max(len(line) for line in lines if line not in own or line == "") <= min(90, screen)
    assert max(map(len, lines)) <= 90

def test_words_to_choose_from_are_those_of_the_methods(made_small):
    assert list(_FORMATS) == list(dict.fromkeys(_SUFFIXES.values()))
    X, y = made_small
    for name, words in (("mode", _MODE_CHOICES), ("fit_on", _FIT_CHOICES)):
        with pytest.raises(ValueError) as error: gdm.GDM(2, **{name: "none of them"}).fit(X, y)
        assert tuple(re.findall(r"'(\w+)'", str(error.value).partition(", got")[0])) == words
    with pytest.raises(ValueError) as error: __import__("fsnb").make_groups(30, 30, preset="none of them")
    preset = next(a for a in _every_argument(command_parser("simulate")) if a.dest == "preset")
    assert all(word in str(error.value) for word in preset.choices)

@pytest.fixture
def made_small():
    import numpy as np
    rng = np.random.default_rng(0)
    return rng.standard_normal((20, 5)), np.arange(20) % 2

@pytest.mark.parametrize("name", TITLES)
def test_the_shell_offers_what_the_help_shows(name):
    pytest.importorskip("shtab")
    if not shutil.which("bash"): pytest.skip("bash is not installed")
    lines = [_completion_script(make_parser(), "bash"), f"COMP_WORDS=(fsnb {name} --)", "COMP_CWORD=2", "_shtab_fsnb", 'printf "%s\\n" "${COMPREPLY[@]}"']
    done = subprocess.run(["bash", "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == set(options_of(name))

@pytest.mark.parametrize("option, words", [("--mode", _MODE_CHOICES), ("--fit-on", _FIT_CHOICES), ("--format", _FORMATS)])
def test_the_shell_offers_the_words_of_an_option(option, words):
    pytest.importorskip("shtab")
    if not shutil.which("bash"): pytest.skip("bash is not installed")
    lines = [_completion_script(make_parser(), "bash"), f"COMP_WORDS=(fsnb groups {option} '')", "COMP_CWORD=3", "_shtab_fsnb", 'printf "%s\\n" "${COMPREPLY[@]}"']
    done = subprocess.run(["bash", "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == set(words)

@pytest.mark.parametrize("line", ["groups d.npz --mode best", "groups d.npz --fit-on all", "groups d.npz --format xls", "simulate --out x.npz --preset icml"])
def test_a_word_that_is_none_of_them_is_told_before_anything_is_read(capsys, line):
    assert main(line.split()) == 2                  # d.npz is not there
    told = capsys.readouterr().err
    assert told.startswith(f"fsnb: error: argument {line.split()[-2]}: invalid choice: ") and "choose from" in told and told.count("\n") == 1

@pytest.mark.parametrize("columns", [None, "", "70", "0", "-3", "wide", " 81 "])
def test_the_screen_is_as_wide_as_python_says(monkeypatch, columns):
    monkeypatch.delenv("COLUMNS", raising=False) if columns is None else monkeypatch.setenv("COLUMNS", columns)
    assert _help_layout()("fsnb")._width == min(_WIDEST, shutil.get_terminal_size().columns-2)

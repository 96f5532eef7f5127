"What a shell is told of the command, tried in the shells that are here"
import shutil, subprocess, sys
import pytest
from fsnb.show.cli import main
from fsnb.show.parser import _COMMANDS, make_parser
from fsnb.show.completion import _completion_script, _every_argument

SHELLS = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "--no-execute"]}

@pytest.fixture(scope="module")
def script():
    "A function of the shell that gives its script"
    pytest.importorskip("shtab")
    return lambda shell: _completion_script(make_parser(), shell)

def press_tab(script, *words, cwd=None):
    typed = " ".join(f"'{word}'" for word in words)
    lines = [script, f"COMP_WORDS=({typed})", f"COMP_CWORD={len(words)-1}", "_shtab_fsnb", 'printf "%s\\n" "${COMPREPLY[@]}"']
    done = subprocess.run(["bash", "-c", "\n".join(lines)], cwd=cwd, capture_output=True, text=True, check=True)
    return set(done.stdout.split())

def test_every_argument_is_seen():
    found = _every_argument(make_parser())
    assert {"tau", "recipe", "pairs", "out_dir", "version"}-{a.dest for a in found} == {"recipe"}

@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_reads_its_script(script, shell, tmp_path):
    if not shutil.which(shell): pytest.skip(f"{shell} is not installed")
    (tmp_path/"fsnb").write_text(script(shell), encoding="utf-8")
    done = subprocess.run([*SHELLS[shell], "fsnb"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")

def test_bash_offers_commands_options_choices_and_files(script, tmp_path):
    if not shutil.which("bash"): pytest.skip("bash is not installed")
    text = script("bash")
    (tmp_path/"genes.csv").touch()
    (tmp_path/"genes.fsnb").mkdir()
    assert press_tab(text, "fsnb", "") >= set(_COMMANDS)
    assert press_tab(text, "fsnb", "gro") == {"groups"}
    assert press_tab(text, "fsnb", "groups", "--ta") == {"--tau"}
    assert press_tab(text, "fsnb", "groups", "--correlation", "") == {"pearson", "positive", "su"}
    assert press_tab(text, "fsnb", "groups", "ge", cwd=tmp_path) == {"genes.csv", "genes.fsnb"}
    assert press_tab(text, "fsnb", "demo", "--out-dir", "ge", cwd=tmp_path) == {"genes.fsnb"}

def test_the_option_prints_it_and_ends(script, capsys):
    assert main(["--completion", "bash"]) == 0
    out, err = capsys.readouterr()
    assert out.strip() == script("bash").strip() and err == ""

def test_a_shell_that_is_not_known_is_named(capsys):
    assert main(["--completion", "csh"]) == 2
    assert "'csh'" in capsys.readouterr().err

def test_without_shtab_one_line_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["--completion", "bash"]) == 2
    assert capsys.readouterr().err == 'fsnb: error: completion needs shtab: pip install "fsnb[completion]"\n'

@pytest.mark.parametrize("name", _COMMANDS)
def test_help_has_examples(name, capsys):
    assert main([name, "--help"]) == 0
    told = capsys.readouterr().out
    assert f"\n  fsnb {name} " in told.partition("\nexamples:\n")[2]
    assert max(map(len, told.splitlines())) <= 90

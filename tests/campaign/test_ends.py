"""How the command's process ends: nothing that happens while Python takes itself apart is heard, and no Ctrl-C is lost in a callback."""
import os, signal, subprocess, sys
import pytest

ENDS = """
import os, sys, weakref
from fsnb.show import cli
class Thing: pass
class Loud:
    def __del__(self, write=os.write): write(2, b"the interpreter is taken apart")
{}
sys.exit(cli.main())
"""
LOUD = "sys.loud = Loud()"
# what `main` runs in place of a command: an object is cleared away while a signal comes, then there is work for ten seconds
STRUCK = """
import signal, time
def work(argv, noted):
    thing = Thing()
    held = weakref.ref(thing, lambda gone: signal.raise_signal(signal.SIGINT))
    del thing
    time.sleep(10)
    return 0
cli.run = work
"""
FAULT = """
def work(argv, noted): raise ZeroDivisionError("a fault of the program")
cli.run = work
"""


def ended(what, *args):
    "(exit code, output, what is said) of a process that runs `main` as its own"
    done = subprocess.run([sys.executable, "-c", ENDS.format(what), *args], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("args, code", [(["--version"], 0), (["groups", "nowhere.csv"], 2)])
def test_the_interpreter_is_not_taken_apart(args, code):
    found, output, told = ended(LOUD, *args)
    assert found == code and "taken apart" not in told
    assert output.strip() or told.startswith("fsnb: error")


def test_what_others_leave_for_the_end_is_done():
    "Functions of atexit that came later run before; the output is whole"
    code, output, _ = ended(LOUD+"\nimport atexit\ncli.run = lambda argv, noted: [atexit.register(print, 'last words'), print('x'*100_000)] and 0")
    assert code == 0 and output.split() == ["x"*100_000, "last", "words"]


def test_a_fault_keeps_its_traceback_and_code():
    code, _, told = ended(FAULT)
    assert code == 1 and "a fault of the program" in told


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_interrupt_in_a_callback_is_not_lost():
    "Python drops what a callback raises: the run went on for ten seconds, and a traceback was shown"
    code, _, told = ended(STRUCK)
    assert code == 128+signal.SIGINT and "Traceback" not in told and "interrupted" in told

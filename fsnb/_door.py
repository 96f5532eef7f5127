"A package whose names are imported when they are first asked for (PEP 562). Written by hand."
from importlib import import_module
from importlib.util import find_spec
import sys
from . import _cache      # before any module imports numba
from ._light import light_imports

def fetch(module):
    "A module of the package, imported"
    if module in sys.modules: return sys.modules[module]
    with light_imports(): return import_module(module)

def open_door(package, homes):
    "`__getattr__`, `__dir__` and `__all__` of a package; `homes`: module -> the names it holds"
    home_of = {name: home for home, names in homes.items() for name in names.split()}
    module = sys.modules[package]

    def find(name):
        "A public name, or a module of the package, at its first use"
        if name in home_of:
            value = getattr(fetch(f"{package}.{home_of[name]}"), name)
            return vars(module).setdefault(name, value)
        if not name.startswith("_") and find_spec(f"{package}.{name}"):
            return fetch(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def names():
        "What completion shows: the public names and the modules"
        from pkgutil import iter_modules
        rooms = {m.name for m in iter_modules(module.__path__) if not m.name.startswith("_")}
        return sorted({*home_of, *rooms, *(n for n in vars(module) if n.startswith("__"))})

    return find, names, [*home_of]

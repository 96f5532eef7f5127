"""What scikit-learn imports and selectors do not need is left for later: half the time of a start.

Its module of fixes imports scipy.stats, and pandas with pyarrow where they are installed. Its
package of selectors imports model selection and linear models, and only one class of it is needed
here. While a module of fsnb is imported, stand-ins take the places of these three. A name that is
asked of a stand-in comes from the real module, and afterwards the stand-ins are gone.
Written by hand.
"""
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
import os, sys

class StandIn(ModuleType):
    "Takes a module's place until something is asked of it"
    def __getattr__(self, name):
        if name == "__version__" and self.__name__ == "pandas":       # scikit-learn 1.6 asks for it
            return import_module("importlib.metadata").version("pandas")
        if name.startswith("__") and name != "__path__": raise AttributeError(name)
        if sys.modules.get(self.__name__) is self: del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)

class SelectorsStandIn(StandIn):
    "scikit-learn's package of selectors, which gives its mixin without running the rest"
    def __getattr__(self, name):
        if name != "SelectorMixin": return super().__getattr__(name)
        return import_module(f"{self.__name__}._base").SelectorMixin

def make_stand_ins():
    "Stand-ins for those of the three that are installed and not imported yet"
    plain = ("pandas", "scipy.stats")
    stands = [StandIn(name) for name in plain if name not in sys.modules and find_spec(name)]
    name = "sklearn.feature_selection"
    found = None if name in sys.modules else find_spec("sklearn")
    homes = found.submodule_search_locations if found else []
    folders = [os.path.join(home, "feature_selection") for home in homes]
    if any(os.path.exists(os.path.join(folder, "_base.py")) for folder in folders):
        stands.append(SelectorsStandIn(name))
        stands[-1].__path__ = folders
    return stands

@contextmanager
def light_imports():
    "Imports inside go without what is not needed"
    stands = make_stand_ins()
    sys.modules.update({stand.__name__: stand for stand in stands})
    try: yield
    finally:
        for stand in stands:
            if sys.modules.get(stand.__name__) is stand: del sys.modules[stand.__name__]

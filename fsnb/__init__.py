"Feature selection and feature grouping in very high dimensions, derived and proved in notebooks."
__version__ = "0.1.0"

# Written by hand. A name is imported when it is first asked for, so `import fsnb` costs nothing.
_homes = {
    "as_columns": "columns",
    "make_groups": "synthetic",
    "FeatureGroups": "groups",
    "GDM": "gdm",
    "FilterBruteForce": "gdm_variants",
    "GDMCV": "gdm_variants",
    "OneClassGDM": "gdm_variants",
    "MMFS": "mmfs",
    "QPFS": "qpfs",
    "FCBF": "fcbf",
    "Discretizer": "fcbf",
    "FSIR2": "fsir2",
    "read_data": "io",
}
_modules = ("bound", "cli", "columns", "correlation", "crm", "fcbf", "fsir2", "gdm", "gdm_variants", "groups", "io", "metrics", "mkl", "mmfs", "naive", "plots", "power", "qpfs", "synthetic")
__all__ = ["__version__", *_homes]

def __getattr__(name):
    "A public name, or a module, at its first use (PEP 562)"
    from importlib import import_module
    if name in _homes: value = getattr(import_module(f"fsnb.{_homes[name]}"), name)
    elif name in _modules: return import_module(f"fsnb.{name}")
    else: raise AttributeError(f"module 'fsnb' has no attribute {name!r}")
    return globals().setdefault(name, value)

def __dir__(): return sorted({*globals(), *_homes, *_modules})

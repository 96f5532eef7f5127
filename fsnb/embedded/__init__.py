"Selection inside a model: penalties that make weights zero, and the smallest weights removed."
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"What goes together: ways to measure how much two columns tell of each other."
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"Linear models that select: support vector machines, least squares with penalties, graphs of features."
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"What an answer is, how good it is, and the door and exit of every selector."
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

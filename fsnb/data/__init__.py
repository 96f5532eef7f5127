"What comes in: any storage seen as columns, files, and the rules that every chapter shares."
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"Relevance and redundancy in one matrix, and what its eigenvectors say."
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

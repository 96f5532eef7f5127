"Fused penalties: coefficients of correlated features are drawn to one size; equal sizes are groups."
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

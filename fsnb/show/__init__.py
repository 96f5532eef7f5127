"Pictures, tables in text, and the command."
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass
else:
    from .._door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__, {
    })

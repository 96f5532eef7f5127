"What goes together: ways to measure how much two columns tell of each other."
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .shared_rows import urn_p_values as urn_p_values
    from .coins import coin_p_values as coin_p_values
    from .ranks import rank_p_values as rank_p_values
    from .contract import Correlation as Correlation
    from .pearson import (Pearson as Pearson, PositivePearson as PositivePearson,
                          correlation_table as correlation_table)
    from .function import Measured as Measured
    from .information import SymmetricalUncertainty as SymmetricalUncertainty
    from .position import Positional as Positional
    from .choice import as_correlation as as_correlation
    from .survey import survey_pairs as survey_pairs
else:
    from .._door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__, {
        "shared_rows": "urn_p_values",
        "coins": "coin_p_values",
        "ranks": "rank_p_values",
        "contract": "Correlation",
        "pearson": "Pearson PositivePearson correlation_table",
        "function": "Measured",
        "information": "SymmetricalUncertainty",
        "position": "Positional",
        "choice": "as_correlation",
        "survey": "survey_pairs",
    })

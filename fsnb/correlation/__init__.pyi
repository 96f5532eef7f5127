from .cooccurrence import hypergeometric_p_values as hypergeometric_p_values
from .cooccurrence import poisson_binomial_p_values as poisson_binomial_p_values
from .ranks import rank_p_values as rank_p_values
from .ranks import Correlation as Correlation
from .pearson import (Pearson as Pearson, PositivePearson as PositivePearson, Spearman as Spearman,
                      correlation_table as correlation_table)
from .pearson import FunctionCorrelation as FunctionCorrelation
from .information import SymmetricalUncertainty as SymmetricalUncertainty
from .positional import Positional as Positional
from .pearson import as_correlation as as_correlation
from .survey import survey_pairs as survey_pairs

from .stars import plot_groups as plot_groups
from .hover import hover_groups as hover_groups
from .panels import plot_classes as plot_classes
from .ranks import plot_scores as plot_scores
from .matrices import plot_redundancy as plot_redundancy
from .dendrogram import plot_group as plot_group
from .pixels import plot_pixels as plot_pixels
from .heights import association_p_values as association_p_values
from .manhattan import plot_manhattan as plot_manhattan
from .paths import plot_path as plot_path
from .report import format_groups as format_groups
from .document import make_report as make_report, write_report as write_report

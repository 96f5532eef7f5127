from .group_plots import plot_groups as plot_groups
from .group_plots import hover_groups as hover_groups
from .group_plots import plot_classes as plot_classes
from .charts import plot_scores as plot_scores
from .charts import plot_redundancy as plot_redundancy
from .charts import plot_group as plot_group
from .charts import plot_pixels as plot_pixels
from .charts import plot_path as plot_path
from .manhattan import association_p_values as association_p_values
from .manhattan import plot_manhattan as plot_manhattan, plot_region as plot_region
from .manhattan import clump_table as clump_table, runners_up as runners_up
from .report import make_report as make_report, measure_accuracy as measure_accuracy

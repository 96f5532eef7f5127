from .groups import FeatureGroups as FeatureGroups
from .selector import GroupSelectorMixin as GroupSelectorMixin
from .max_t import feature_p_values as feature_p_values, group_p_values as group_p_values
from .synthetic import make_cells as make_cells, make_genotypes as make_genotypes
from .synthetic import make_groups as make_groups
from .clusters import group_columns as group_columns, groups_around as groups_around
from .stability import stable_groups as stable_groups
from .single_effects import SuSiE as SuSiE
from .beside import joint_groups as joint_groups
from .replication import replicate as replicate

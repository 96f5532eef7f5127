from .answer import FeatureGroups as FeatureGroups
from .selector import GroupSelectorMixin as GroupSelectorMixin, open_task as open_task
from .significance import feature_p_values as feature_p_values, group_p_values as group_p_values
from .synthetic import make_groups as make_groups
from .leaders import group_columns as group_columns
from .stability import stable_groups as stable_groups

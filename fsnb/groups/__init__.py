"What an answer is, how good it is, and the door and exit of every selector."
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .groups import FeatureGroups as FeatureGroups
    from .selector import GroupSelectorMixin as GroupSelectorMixin, validate_input as validate_input
    from .max_t import feature_p_values as feature_p_values, group_p_values as group_p_values
    from .synthetic import make_groups as make_groups
    from .clusters import group_columns as group_columns, groups_around as groups_around
    from .stability import stable_groups as stable_groups
else:
    from .._door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__, {
        "groups": "FeatureGroups",
        "selector": "GroupSelectorMixin validate_input",
        "max_t": "feature_p_values group_p_values",
        "synthetic": "make_groups",
        "clusters": "group_columns groups_around",
        "stability": "stable_groups",
    })

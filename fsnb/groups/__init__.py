"What an answer is, how good it is, and the door and exit of every selector."
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .answer import FeatureGroups as FeatureGroups
    from .selector import GroupSelectorMixin as GroupSelectorMixin, open_task as open_task
    from .synthetic import make_groups as make_groups
else:
    from .._door import open_door

    __getattr__, __dir__, __all__ = open_door(__name__, {
        "answer": "FeatureGroups",
        "selector": "GroupSelectorMixin open_task",
        "synthetic": "make_groups",
    })

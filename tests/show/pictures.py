"What the tests of pictures share: random groups, and what can be counted in a picture."
import numpy as np
from matplotlib.colors import to_hex
from fsnb.groups.answer import FeatureGroups


def random_groups(rng, n_groups, p, names=None, most=6):
    sizes = rng.integers(1, most, n_groups)
    parts = np.split(rng.permutation(p)[:sizes.sum()], np.cumsum(sizes)[:-1]) if n_groups else []
    corr = [np.r_[1, rng.uniform(-1, 1, len(m)-1)] for m in parts]
    return FeatureGroups(parts, corr, scores=rng.standard_normal(n_groups), names=names, n_features=p)


def drawn(ax, gid):
    "The one collection of this kind, or None"
    found = [c for c in ax.collections if c.get_gid() == gid]
    assert len(found) <= 1
    return found[0] if found else None


def count(ax, gid):
    c = drawn(ax, gid)
    return 0 if c is None else len(c.get_offsets()) if gid != "links" else len(c.get_segments())


def texts(ax): return [t.get_text() for t in ax.texts]


def colours(ax, gid):
    c = drawn(ax, gid)
    return [] if c is None else [to_hex(e).upper() for e in c.get_edgecolor()]

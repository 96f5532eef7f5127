"What the tests of pictures share: random groups, and what can be counted in a picture."
import numpy as np
from matplotlib.colors import to_hex
from fsnb.groups.groups import FeatureGroups

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

def texts(ax): return [t.get_text() for t in ax.texts]

def circles(ax, supports=None):
    "Circles of a star or a panel; supports are the larger ones"
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    largest = max((dot.get_markersize() for dot in dots), default=0)
    return [dot for dot in dots if supports is None or supports == (dot.get_markersize() == largest)]

def links(ax): return [line for line in ax.lines if line.get_marker() != "o"]

def edges(ax, supports=None): return [to_hex(dot.get_markeredgecolor()).upper() for dot in circles(ax, supports)]

def overlaps(ax):
    "Names that lie over another name, a circle, or a line that is not their own, as texts"
    ax.figure.draw_without_rendering()
    boxes = [(t.get_text(), t.get_window_extent().padded(-.5)) for t in ax.texts if t.get_text()]
    dots = ax.transData.transform(np.array([dot.get_xydata()[0] for dot in circles(ax)]).reshape(-1, 2))
    lines = [ax.transData.transform(line.get_xydata()) for line in links(ax)]
    points = np.concatenate([a+(b-a)*np.linspace(0, 1, 50)[:, None] for a, b in lines]+[np.zeros((0, 2))])
    found = [f"{a} over {b}" for i, (a, box) in enumerate(boxes) for b, other in boxes[:i] if box.overlaps(other)]
    return found+[f"{text} over a mark" for text, box in boxes if box.count_contains(dots) or box.count_contains(points)]

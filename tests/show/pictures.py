"What the tests of pictures share: random groups, and what can be counted in a picture."
import numpy as np
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from fsnb.groups.groups import FeatureGroups

def random_groups(rng, n_groups, p, names=None, most=6):
    sizes = rng.integers(1, most, n_groups)
    parts = np.split(rng.permutation(p)[:sizes.sum()], np.cumsum(sizes)[:-1]) if n_groups else []
    corr = [np.r_[1, rng.uniform(-1, 1, len(m)-1)] for m in parts]
    scores = rng.standard_normal(n_groups)
    return FeatureGroups(parts, corr, scores=scores, names=names, n_features=p)

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
    return [dot for dot in dots if supports in (None, dot.get_markersize() == largest)]

def links(ax): return [line for line in ax.lines if line.get_marker() != "o"]

def edges(ax, supports=None):
    return [to_hex(dot.get_markeredgecolor()).upper() for dot in circles(ax, supports)]

def overlaps(ax):
    "Names that lie over another name, a circle or a line"
    ax.figure.draw_without_rendering()
    boxes = [(t.get_text(), t.get_window_extent().padded(-.5)) for t in ax.texts if t.get_text()]
    marks = [np.reshape([dot.get_xydata()[0] for dot in circles(ax)], (-1, 2))]
    marks += [a+(b-a)*np.linspace(0, 1, 50)[:, None] for a, b in map(Line2D.get_xydata, links(ax))]
    points = ax.transData.transform(np.concatenate(marks))
    found = [f"{a} over {b}" for i, (a, box) in enumerate(boxes) for b, other in boxes[:i]
             if box.overlaps(other)]
    return found+[f"{text} over a mark" for text, box in boxes if box.count_contains(points)]

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


def count(ax, gid):
    c = drawn(ax, gid)
    return 0 if c is None else len(c.get_offsets()) if gid != "links" else len(c.get_segments())


def texts(ax): return [t.get_text() for t in ax.texts]


def colours(ax, gid):
    c = drawn(ax, gid)
    return [] if c is None else [to_hex(e).upper() for e in c.get_edgecolor()]


def text_boxes(ax):
    "[(text, box in pixels)] of all that is written in the Axes, its legend left out"
    renderer = ax.figure.canvas.get_renderer()
    return [(t.get_text(), t.get_window_extent(renderer)) for t in ax.texts]


def circles(ax):
    "(x, y, radius) of each circle with its edge, pixels"
    per_point, found = ax.figure.dpi/72, []
    for c in ax.collections:
        if c.get_gid() in ("supports", "affiliated"):
            places = ax.transData.transform(c.get_offsets())
            radius = (np.sqrt(c.get_sizes()[0])+c.get_linewidths()[0])/2*per_point
            found += [(x, y, radius) for x, y in places]
    return np.array(found).reshape(-1, 3)


def overlaps(ax):
    "Texts that lie over a circle, the line to one, another text or the edge of the Axes; circles over another; as texts"
    ax.figure.draw_without_rendering()
    boxes, dots, found = text_boxes(ax), circles(ax), []
    frame, slack = ax.get_window_extent(), .5
    lines = [ax.transData.transform(s) for c in ax.collections if c.get_gid() == "links" for s in c.get_segments()]
    starts = np.array([s[0] for s in lines]).reshape(-1, 2)
    ends = np.array([s[1] for s in lines]).reshape(-1, 2)
    steps = np.linspace(0, 1, 60)[:, None, None]
    points = (starts+steps*(ends-starts)).reshape(-1, 2)
    corners = np.array([[b.x0+slack, b.y0+slack, b.x1-slack, b.y1-slack] for _, b in boxes]).reshape(-1, 4)
    for i, (text, b) in enumerate(boxes):
        x0, y0, x1, y1 = corners[i]
        away = np.hypot(np.maximum(0, np.maximum(x0-dots[:, 0], dots[:, 0]-x1)), np.maximum(0, np.maximum(y0-dots[:, 1], dots[:, 1]-y1)))
        if (away < dots[:, 2]).any(): found.append(f"{text} over a circle")
        inside = (points > [x0, y0]).all(1) & (points < [x1, y1]).all(1)
        if inside.any(): found.append(f"{text} over a line")
        met = (corners[:i, 0] < x1) & (corners[:i, 2] > x0) & (corners[:i, 1] < y1) & (corners[:i, 3] > y0)
        found += [f"{text} over {boxes[j][0]}" for j in np.flatnonzero(met)]
        if x0 < frame.x0 or x1 > frame.x1 or y0 < frame.y0 or y1 > frame.y1: found.append(f"{text} outside")
    apart = np.hypot(*(dots[:, None, :2]-dots[None, :, :2]).transpose(2, 0, 1))+1e9*np.eye(len(dots))
    if len(dots) and (apart < dots[:, 2][:, None]+dots[:, 2]-slack).any(): found.append("circles meet")
    return found

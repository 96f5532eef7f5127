"Data with planted groups, a causal feature in each, for `rivals`: dense normal columns, and genotypes in blocks of linkage."
from dataclasses import dataclass, field
import numpy as np

N_SAMPLES, N_GROUPS, PARTNERS, NOISE = 500, 10, 4, .5
UNEQUAL = (1, 1, 2, 2, 3, 4, 5, 7, 10, 14)                 # partners of the ten causal features
SETTINGS = ("r=.4", "r=.6", "r=.8", "r=.95", "unequal", "chains", "masked", "null")
KINDS = ("normal", "genotype")


@dataclass
class Planted:
    "X, labels 0/1, the true groups with the causal feature first, and the groups whose causal feature is masked"
    kind: str
    setting: str
    seed: int
    X: np.ndarray
    y: np.ndarray
    truth: list
    masked: list = field(default_factory=list)

    def __post_init__(self): self.n, self.p = self.X.shape


class Normal:
    "Columns of n normal values"
    def __init__(self, n, rng): self.n, self.rng = n, rng
    def fresh(self, count=1, f=None): return self.rng.standard_normal((self.n, count))
    def frequency(self): return None
    def values(self, base): return base

    def partners(self, base, r, f=None):
        "One column for each correlation in r, each correlated so with `base` (n, 1)"
        return r*base+np.sqrt(1-r**2)*self.fresh(len(r))

    def between(self, a, c, f=None):
        "b with corr(a, b) = corr(b, c) = .75 where corr(a, c) = .2"
        return .625*(a+c)+.25*self.fresh()

    def mixed(self, sources, f=None):
        "A column correlated at .3 with each of four independent ones"
        return .3*sources.sum(axis=1, keepdims=True)+.8*self.fresh()


class Genotypes:
    "2n alleles 0/1 a column; a partner copies each allele with probability r, else draws it anew: their correlation is r, of alleles and of dosages"
    def __init__(self, n, rng): self.n, self.rng = n, rng
    def fresh(self, count=1, f=.3): return (self.rng.random((2*self.n, count), dtype=np.float32) < f).astype(np.int8)
    def frequency(self): return self.rng.uniform(.2, .5)
    def values(self, base): return base[:self.n]+base[self.n:]

    def partners(self, base, r, f):
        copied = self.rng.random((2*self.n, len(r)), dtype=np.float32) < r
        return np.where(copied, base, self.fresh(len(r), f)).astype(np.int8)

    def choose(self, columns):
        "Each allele from one of the columns, by chance"
        rows = np.arange(2*self.n)
        return columns[rows, self.rng.integers(0, columns.shape[1], 2*self.n)][:, None]

    def between(self, a, c, f): return self.choose(np.hstack([a, c]))
    def mixed(self, sources, f): return self.choose(sources)


def correlations_of(setting, rng):
    "For each true group the correlations of its partners with the causal feature"
    if setting == "unequal": return [rng.uniform(.6, .95, m) for m in UNEQUAL]
    r = float(setting[2:]) if setting.startswith("r=") else .8
    return [np.full(PARTNERS, r)]*N_GROUPS


def chain(draw, f, middle):
    "(columns, causal first; how many of them belong to the causal feature): a~b~c, where c hardly goes with a"
    a = draw.fresh(f=f)
    c = draw.partners(a, np.array([.2]), f)
    b = draw.between(a, c, f)
    return (np.hstack([b, a, c]), 3) if middle else (np.hstack([a, b, c]), 2)


def causal_blocks(draw, setting, rng):
    "[(columns with the causal one first, true members)], one a causal feature; the last two of `masked` are mixtures of four others each"
    blocks, firsts = [], []
    for i, r in enumerate(correlations_of(setting, rng)):
        f = draw.frequency()
        if setting == "chains":
            blocks.append(chain(draw, f, i % 2))
            continue
        is_masked = setting == "masked" and i >= N_GROUPS-2
        sources = np.hstack(firsts[4*(i-8):4*(i-8)+4]) if is_masked else None
        base = draw.mixed(sources, f) if is_masked else draw.fresh(f=f)
        firsts.append(base)
        blocks.append((np.hstack([base, draw.partners(base, r, base.mean() if f else None)]), len(r)+1))
    return blocks


def idle_blocks(draw, kind, setting, room, rng):
    "Columns that have nothing to do with y: 40 groups like the true ones and single columns, or a genome of blocks of 2 to 20"
    made = 0
    while made < room:
        is_block = kind == "genotype" or made < 40*(PARTNERS+1)
        size = min(room-made, int(rng.integers(2, 21)) if kind == "genotype" else PARTNERS+1 if is_block else room-made)
        f = draw.frequency()
        base = draw.fresh(f=f) if is_block else draw.fresh(size)
        r = float(setting[2:]) if setting.startswith("r=") and kind == "normal" else .8
        rho = rng.uniform(.4, .95, size-1) if kind == "genotype" else np.full(size-1, r)
        yield np.hstack([base, draw.partners(base, rho, f)]) if is_block and size > 1 else base
        made += size


def weights_of(setting, Z, rng):
    "(k,) weights of the standardised causal columns Z; a masked one gets the weight that leaves it no covariance with the sum"
    size = rng.uniform(.6, 1.4, Z.shape[1])
    if setting != "masked": return size*rng.choice([-1, 1], Z.shape[1])
    for m in (8, 9):
        own = slice(4*(m-8), 4*(m-8)+4)
        size[m] = -Z[:, m]@(Z[:, own]@size[own])/(Z[:, m]@Z[:, m])
    return size


def label(setting, causal, rng):
    "0/1: a threshold on the weighted sum of the causal columns and noise; of nothing but noise for `null`"
    Z = (causal-causal.mean(axis=0))/causal.std(axis=0)
    latent = Z@weights_of(setting, Z, rng)
    latent = rng.standard_normal(len(Z)) if setting == "null" else latent/latent.std()+NOISE*rng.standard_normal(len(Z))
    return (latent > np.median(latent)).astype(np.int64)


def place(kind, blocks, truths, p, rng):
    "X and the true groups: for genotypes the blocks stand side by side in an order drawn by chance, normal columns are mixed"
    n = blocks[0].shape[0]
    X = np.empty((n, p))
    column = rng.permutation(p) if kind == "normal" else np.arange(p)
    order = rng.permutation(len(blocks)) if kind == "genotype" else range(len(blocks))
    groups, start = [None]*len(truths), 0
    for b in order:
        width = blocks[b].shape[1]
        own = column[start:start+width]
        inner = own if kind == "normal" else rng.permutation(own)
        X[:, inner] = blocks[b]
        if b < len(truths): groups[b] = inner[:truths[b]]
        start += width
    return X, groups


def plant(kind, setting, p, seed, n=N_SAMPLES):
    "The data set of one kind, setting, width and seed"
    rng = np.random.default_rng([seed, p, KINDS.index(kind), SETTINGS.index(setting)])
    draw = (Normal if kind == "normal" else Genotypes)(n, rng)
    own = causal_blocks(draw, setting, rng)
    blocks, truths = [draw.values(columns) for columns, _ in own], [count for _, count in own]
    y = label(setting, np.hstack([block[:, :1] for block in blocks]).astype(np.float64), rng)
    room = p-sum(block.shape[1] for block in blocks)
    blocks += [draw.values(columns) for columns in idle_blocks(draw, kind, setting, room, rng)]
    X, groups = place(kind, blocks, truths, p, rng)
    return Planted(kind, setting, seed, X, y, [] if setting == "null" else groups, [8, 9] if setting == "masked" else [])

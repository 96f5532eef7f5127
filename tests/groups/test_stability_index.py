"Stability of selections against `fsnb.naive` on random cases, hand values, and contracts"
import numpy as np
import pytest
from fsnb import naive
from fsnb.groups.metrics import _nogueira_interval, stability


@pytest.mark.parametrize("seed", range(60))
def test_stability_equals_naive(seed):
    rng = np.random.default_rng(seed)
    p, n_runs, equal = int(rng.integers(3, 30)), int(rng.integers(2, 8)), seed % 2
    sizes = [int(rng.integers(1, p))] * n_runs if equal else rng.integers(0, p, n_runs)
    if not sum(sizes): sizes[0] = 1
    runs = [rng.choice(p, k, replace=False) for k in sizes]
    sets, matrix = [set(r.tolist()) for r in runs], np.array([np.isin(np.arange(p), r) for r in runs])
    for form in (runs, matrix, list(matrix), [r.tolist() for r in runs]):
        assert stability(form, p, kind="jaccard") == pytest.approx(naive.stability_pairs(sets, p, "jaccard"), abs=1e-12)
        assert stability(form, p, kind="nogueira") == pytest.approx(naive.stability_nogueira(sets, p), abs=1e-12)
        if equal:
            kuncheva = stability(form, p, kind="kuncheva")
            assert kuncheva == pytest.approx(naive.stability_pairs(sets, p, "kuncheva"), abs=1e-12)
            assert kuncheva == pytest.approx(stability(form, p, kind="nogueira"), abs=1e-12)


def test_stability_by_hand():
    assert stability([[0, 1], [0, 2]], 4, kind="jaccard") == pytest.approx(1/3)
    assert stability([[0, 1], [0, 2]], 4, kind="kuncheva") == pytest.approx(0)
    assert stability([[0], [0, 1]], 4, kind="nogueira") == pytest.approx(7/15)
    assert stability([[0, 1], [2, 3]], 4, kind="nogueira") == pytest.approx(-1)
    for kind in ("nogueira", "kuncheva", "jaccard"): assert stability([[3, 1]] * 4, 9, kind=kind) == pytest.approx(1)
    assert stability([[], []], 4, kind="jaccard") == 1


def test_many_features_cost_nothing():
    assert stability([[0, 10**8], [5, 10**8]], 10**9, kind="nogueira") == pytest.approx(.5, abs=1e-6)


def test_interval_surrounds_the_value_and_shrinks():
    rng = np.random.default_rng(6)
    q = rng.uniform(0, 1, 40)**2
    for n_runs in (10, 40):
        runs = rng.random((n_runs, 40)) < q
        (low, high), (low5, high5) = _nogueira_interval(runs, 40), _nogueira_interval(runs, 40, .5)
        value = stability(runs, 40, kind="nogueira")
        assert low < low5 < value < high5 < high and (low + high) / 2 == pytest.approx(value)
    four_times = _nogueira_interval(np.repeat(runs, 4, axis=0), 40)
    assert four_times[1] - four_times[0] == pytest.approx((high - low) / 2, rel=.1)
    assert _nogueira_interval([[0, 1]] * 5, 9) == pytest.approx((1, 1))


def test_interval_coverage():
    rng = np.random.default_rng(7)
    q = np.r_[np.full(5, .9), np.full(45, .1)]
    true_value = 1 - (q * (1 - q)).mean() / (q.mean() * (1 - q.mean()))
    bounds = np.array([_nogueira_interval(rng.random((200, 50)) < q, 50) for _ in range(400)])
    assert .91 < np.mean((bounds[:, 0] < true_value) & (true_value < bounds[:, 1])) < .98


def test_stability_refuses():
    with pytest.raises(TypeError): stability([[0], [1]], 3)
    with pytest.raises(ValueError, match="jaccard.*kuncheva.*nogueira.*got 'dice'"): stability([[0], [1]], 3, kind="dice")
    with pytest.raises(ValueError, match="equal sizes"): stability([[0], [1, 2]], 3, kind="kuncheva")
    with pytest.raises(ValueError, match="2 runs"): stability([[0]], 3, kind="jaccard")
    for bad in ([[0], [3]], [[0], [-1]], [[0], [1.5]], [[0], np.array([True, False])]):
        with pytest.raises(ValueError, match="selections"): stability(bad, 3, kind="jaccard")
    for kind in ("kuncheva", "nogueira"):
        for full in ([[], []], [[0, 1], [1, 0]]):
            with pytest.raises(ValueError, match="selections must"): stability(full, 2, kind=kind)
    for level in (0, 1, 95):
        with pytest.raises(ValueError, match="level must lie in"): _nogueira_interval([[0], [1]], 3, level)


def test_features_beyond_the_number_of_features_name_it():
    for ask in (lambda: stability([[0, 1], [1, 2]], 2, kind="jaccard"), lambda: _nogueira_interval([[0, 1], [1, 2]], 2)):
        with pytest.raises(ValueError, match=r"selections must lie in \[0, n_features=2\), got 1\.\.2"): ask()

"Scores of several binary SVMs: the root of summed squares, the mean of e-values, the same in any storage and in blocks"
import numpy as np, pytest, scipy.sparse as sp

from fsnb.data.inputs import as_columns
from fsnb.gdm import e_values, scores
from fsnb.gdm.e_values import find_frequency_bins
from fsnb.gdm.scores import _BinaryProblem, _joint_evidence, _joint_scores

def problems(r, n, count):
    "Binary problems with random dual weights; the first knows all samples"
    for i in range(count):
        rows = None if i == 0 else np.sort(r.choice(n, n//2, replace=False))
        size = n if rows is None else len(rows)
        alpha = r.random(size)
        yield _BinaryProblem(r.choice([-1., 1.], size), rows, alpha/alpha.sum(), float(r.uniform(.1, 1)))

@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, sp.csc_matrix])
@pytest.mark.parametrize("strata", [False, True])
def test_scores_add_as_squares_and_e_values_as_a_mean(strata, store, monkeypatch):
    for seed in range(6):
        r = np.random.default_rng(seed)
        X = r.poisson(r.choice([.2, 2.], 30), (50, 30)).astype(float)
        X[:, 3] = 1
        columns, machines = as_columns(store(X)), list(problems(r, 50, 1+seed % 4))
        groups = r.integers(0, 3, 50) if strata else None
        bins = find_frequency_bins(np.full(30, 50), ~columns.constant)
        found = _joint_evidence(columns, machines, bins, strata=groups)
        each = [_joint_evidence(columns, [m], bins, strata=groups) for m in machines]
        if len(machines) > 1:
            squares = sum((one.scores/(2*m.theta))**2 for one, m in zip(each, machines))
            np.testing.assert_allclose(found.scores, np.sqrt(squares), rtol=1e-9, atol=1e-12)
        mean = np.logaddexp.reduce([one.evidence for one in each], axis=0)-np.log(len(each))
        varies = found.scores != 0
        np.testing.assert_allclose(found.evidence[varies], mean[varies], rtol=1e-9, atol=1e-9)
        assert (found.evidence[~varies] == -np.inf).all() and (found.ranks[~varies] == 0).all() and not varies[3]
        if strata: continue
        plain, its_length = _joint_scores(columns, machines)
        np.testing.assert_allclose(found.scores, plain, rtol=1e-7, atol=1e-9)
        assert found.length == pytest.approx(its_length)
        with monkeypatch.context() as patch:
            for room in (scores, e_values): patch.setattr(room, "BLOCK", 60)
            np.testing.assert_allclose(_joint_scores(columns, machines)[0], plain, rtol=1e-9, atol=1e-12)
            again = _joint_evidence(columns, machines, bins)
            np.testing.assert_allclose(again.evidence[varies], found.evidence[varies], rtol=1e-9, atol=1e-9)
        unasked = _joint_evidence(columns, machines, bins, ask=False)
        assert unasked.ranks.tobytes() == found.ranks.tobytes() and len(unasked.evidence) == 0

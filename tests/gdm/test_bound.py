"No form of the bound prunes a partner at the edge of the slack"
import numpy as np, pytest
from fsnb.data.inputs import as_columns
from fsnb.gdm.bound import _angles, _angular_window, _pivot_cosines, _pivot_window, _prune_by_scores

@pytest.mark.parametrize("tau", [5e-6, 1e-4, 1e-3, .1])
def test_what_partners_accepts_with_slack_is_not_pruned(tau):
    "A correlation half a slack below 1 - tau, with v where each form is tightest."
    E = np.linalg.qr(np.c_[np.ones(9), np.random.default_rng(0).standard_normal((9, 2))])[0][:, 1:]
    a = np.arccos(1 - tau - 5e-11)
    X = 3 * E @ np.array([[1, np.cos(a)], [0, np.sin(a)]])
    assert as_columns(X).partners(0, 1 - tau)[0].tolist() == [1]
    d, m = X[:, 0] - X[:, 1], X[:, 0] + X[:, 1]
    v = d / np.linalg.norm(d) + np.sqrt(tau) * m / np.linalg.norm(m)      # neither sign is excluded by accident
    assert not _prune_by_scores(0, X.T @ v, X.mean(axis=0), X.std(axis=0), v, tau)[1]
    for v in (X[:, 0], X[:, 1]):
        assert _angular_window(_angles(X, v), 0, tau).tolist() == [1]
        assert _pivot_window(*_pivot_cosines(X, v), 0, tau).tolist() == [1]

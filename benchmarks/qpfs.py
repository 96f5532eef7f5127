"QPFS: columns of Q for the features that matter, beside Clarabel with all of Q, and beside Nystrom."
import numpy as np

from .common import clock, table
from .mmfs import wide


def row(n, p, similarity, with_clarabel=False, **kw):
    "One size: seconds of the solver, of the whole fit, and of Clarabel"
    from fsnb import QPFS, as_columns
    from fsnb.correlation import SymmetricalUncertainty
    from fsnb.correlation.target import correlation_with
    from fsnb.margin.qpfs import balance, solve_qpfs
    from fsnb.margin.similarity import FeatureKernel, InformationKernel
    X, y = wide(n, p)
    c = as_columns(X)
    r = correlation_with(c, y)[0]
    def kernel():
        if similarity == "mutual_info": return InformationKernel(SymmetricalUncertainty().fit(c))
        return FeatureKernel(c, "poly2" if similarity == "correlation2" else "abs")
    if similarity == "correlation2": r = r**2
    theta = balance(kernel(), r, np.ones(p, bool))
    seconds, found = clock(lambda: solve_qpfs(kernel(), r, theta))
    whole, m = clock(lambda: QPFS(similarity=similarity, **kw).fit(X, y), 1)
    out = dict(n=n, p=p, similarity=similarity, theta=theta, features=int((found.beta > 0).sum()), gap=found.gap, solver=seconds, fit=whole,
               is_global=str(m.is_global_), least_eigenvalue=m.least_eigenvalue_)
    if with_clarabel:
        import cvxpy as cp
        values, V = np.linalg.eigh(kernel().table(np.arange(p)))
        root, b = (V*np.sqrt(np.maximum(values, 0))).T, cp.Variable(p, nonneg=True)
        problem = cp.Problem(cp.Minimize((1-theta)/2*cp.sum_squares(root@b)-theta*r@b), [cp.sum(b) == 1])
        problem.solve(solver="CLARABEL")
        out |= dict(clarabel=problem.solver_stats.solve_time, ratio=problem.solver_stats.solve_time/seconds, difference=found.objective/problem.value-1)
    return out


def run(quick=False):
    import warnings
    warnings.simplefilter("ignore", UserWarning)
    row(150, 300, "correlation2"); row(150, 300, "mutual_info")                    # compile
    sizes = (300, 1000) if quick else (1000, 10000, 100000)
    rows = [row(150, p, kind, kind == "correlation2" and p <= 1000) for p in sizes
            for kind in ("correlation2", "abs_correlation", "mutual_info") if kind != "mutual_info" or p < 100000]
    return dict(speed=table(rows, "seconds, one thread"))

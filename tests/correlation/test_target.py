"y is read once: what is said of a y that comes where classes are asked for."
import warnings
import numpy as np, pytest
from sklearn.datasets import load_diabetes
from fsnb import FisherScore, ReliefF
from fsnb.correlation.target import read_classes


@pytest.mark.parametrize("read", [
    lambda X, y: read_classes(y),
    lambda X, y: FisherScore(3).fit(X, y),
    lambda X, y: ReliefF(3, n_targets=5, random_state=0).fit(X, y)])
def test_a_measurement_taken_for_classes_is_told_at_the_line_of_the_user(read):
    X, y = load_diabetes(return_X_y=True)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        read(X, y)
    assert {w.filename for w in told} == {__file__}
    assert {str(w.message).partition(", ")[0] for w in told} == {
        f"y holds {len(np.unique(y))} different numbers in {len(y)} samples"}


def test_it_is_told_once_where_y_is_permuted_too():
    from fsnb import GDM
    X = np.random.default_rng(0).standard_normal((120, 10))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        GDM(2, n_permutations=9, random_state=0).fit(X, np.arange(120) % 40)
    assert [str(w.message)[:30] for w in told if "taken for a class" in str(w.message)] == ["y holds 40 different numbers i"]


def test_a_measurement_is_no_class_and_the_remedy_is_told():
    for y in (np.arange(9)/7, np.arange(9.)+.5, [.5, 2, 3]):
        with pytest.raises(ValueError, match=r"^Unknown label type: continuous. y must be classes here, .* y > np.median\(y\)$"): read_classes(y)
    with pytest.raises(ValueError, match="Unknown label type: continuous-multioutput"): read_classes(np.array([[0, 1.5], [1, 1]]))


def test_labels_that_are_sets_are_refused_in_words():
    "Once: an error of the sentence that was to tell it"
    from fsnb import GDM
    y = np.array([{1}, {2}]*6, dtype=object)
    with pytest.raises(ValueError, match="Unknown label type|y must"): GDM(1).fit(np.random.default_rng(0).standard_normal((12, 4)), y)

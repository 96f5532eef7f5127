"""Cases that are wrong today, by the beginning of their names, each with its reason.

A line of which every case has become right must leave the list; `make campaign` says so.
"""
NAMELESS = "what cannot be read as a list, a count or a word is refused by Python or NumPy, in a sentence that does not name the argument"
ANY = "any value is taken where True, False or a text belongs"
LARGE = "a number far outside of its range, or of a small type, is taken or overflows"
UNUSED = "a setting that is not used is not checked in full"
FAR = "on CSC the moments of a column far from zero, or of sizes near the end of float64, have fewer digits than on an array; selectors refuse a column that has lost its digits, functions do not, and at +1e8 no column has lost them"
HUGE = "squares of values near 1e300 overflow with a RuntimeWarning; a selector refuses such a column"
TIED = "what is compared is tied, or 0 but for rounding: the sign of a correlation of 0, a prediction at the margin"
SLOW = "10,000 steps of the power method on a matrix with hardly a gap take more than 20 seconds"
COLUMN = "labels in one column are refused in a clear sentence; the selectors take them, with a warning"
CALM = "constant columns, or one class, are taken, and nothing is found in them; the selectors refuse them"
REST = "not mended yet: an error that does not name the argument, or a RuntimeWarning of scikit-learn's"
NUMBERS = "one number a group, given as floats, is right here; the report counts it as taken in silence"

KNOWN: dict[str, str] = {
    "FeatureGroups / refused / Series": NUMBERS,
    "FeatureGroups / refused / array": NUMBERS,
    "FeatureGroups / rounds / Series": NUMBERS,
    "FeatureGroups / rounds / array": NUMBERS,
    "FeatureGroups / scores / Series": NUMBERS,
    "FeatureGroups / scores / array": NUMBERS,
    "group_p_values / groups / table": NAMELESS,
    "nogueira_interval / n_features / 1": NAMELESS,
    "nogueira_interval / n_features / np.int64(2)": NAMELESS,
    "nogueira_interval / selections / table": NAMELESS,
    "stability / n_features / 1": NAMELESS,
    "stability / n_features / np.int64(2)": NAMELESS,
    "stability / selections / table": NAMELESS,
    "stable_groups / groups / array of 0": NAMELESS,
    "Positional / beta": LARGE,
    "Positional / positions": LARGE,
    "correlation_table / a / 0": NAMELESS,
    "correlation_table / a / 1": NAMELESS,
    "correlation_table / a / scalar array": NAMELESS,
    "correlation_table / a / np.int64(2)": NAMELESS,
    "correlation_table / a / np.uint8(3)": NAMELESS,
    "correlation_table / b / 0": NAMELESS,
    "correlation_table / b / 1": NAMELESS,
    "correlation_table / b / scalar array": NAMELESS,
    "correlation_table / b / np.int64(2)": NAMELESS,
    "correlation_table / b / np.uint8(3)": NAMELESS,
    "find_duplicates / signed": ANY,
    "laplacian_score / n_neighbors": LARGE,
    "pair_correlations / a": NAMELESS,
    "pair_correlations / b": NAMELESS,
    "spec / n_neighbors": LARGE,
    "stable_groups / n_pairs": LARGE,
    "stable_groups / selector": NAMELESS,
    "GDM / random_state": UNUSED,
    "GDM auto / random_state": UNUSED,
    "GDM cut / random_state": UNUSED,
    "GDM supports / random_state": UNUSED,
    "GDM paper / random_state": UNUSED,
    "GDM without groups / random_state": UNUSED,
    "GDM su / random_state": UNUSED,
    "GDM function / random_state": UNUSED,
    "GDM positions / random_state": UNUSED,
    "FSIR2 / n_neighbors": UNUSED,
    "FSIR2 power / n_neighbors": UNUSED,
    "FSIR2 greedy / n_neighbors": UNUSED,
    "FSIR2 convex / n_neighbors": UNUSED,
    "spec / one column 1e300 (array)": HUGE,
    "spec / scale 1e300 (array)": HUGE,
    "laplacian_score / one column 1e300 (array)": HUGE,
    "laplacian_score / scale 1e300 (array)": HUGE,
    "group_p_values / one column 1e300 (array)": HUGE,
    "group_p_values / scale 1e300 (array)": HUGE,
    "group_p_values max / one column 1e300 (array)": HUGE,
    "group_p_values max / scale 1e300 (array)": HUGE,
    "feature_p_values / one column 1e300 (array)": HUGE,
    "feature_p_values / scale 1e300 (array)": HUGE,
    "group_columns / one column 1e300 (csc)": HUGE,
    "stable_groups / constants only (array)": CALM,
    "FSIR2 neighbors / one entry each (csc)": TIED,
    "Discretizer / y 1e300": REST,
    "MMFS dcd / plus 1e8 (csc)": FAR,
    "stable_groups / copies of one column (csc)": TIED,
    "FSIR2 power / imbalance csc": SLOW,
    "stable_groups / constants only (csc)": CALM,
    "spec neighbors / plus 1e15 (csc)": FAR,
    "spec neighbors / plus 1e8 (csc)": FAR,
    "OneClassGDM / imbalance csc": TIED,
    "group_columns / scale 1e300 (csc)": HUGE,
    "spec / plus 1e15 (csc)": FAR,
    "group_columns / plus 1e15 (csc)": FAR,
    "FSIR2 power / imbalance array": SLOW,
    "stable_groups / plus 1e15 (csc)": FAR,
    "Positional / scale 1e300 (csc)": HUGE,
    "pair_correlations / scale 1e300 (csc)": HUGE,
    "pair_correlations / features 1 csc": REST,
    "laplacian_score / y one column": COLUMN,
    "Discretizer / y one class": CALM,
    "spec neighbors / one column plus 1e17 (csc)": FAR,
    "correlation_with / scale 1e150 (csc)": TIED,
    "correlation_with / scale 1e 150 (csc)": TIED,
    "correlation_with / scale 1e100 (csc)": TIED,
    "correlation_table / plus 1e15 (csc)": FAR,
    "spec / y one column": COLUMN,
    "find_duplicates / scale 1e300 (csc)": HUGE,
    "stable_groups / scale 1e300 (csc)": HUGE,
    "stable_groups / empty csc": CALM,
    "Positional / plus 1e15 (csc)": FAR,
    "correlation_table / scale 1e300 (csc)": HUGE,
    "FSIR2 neighbors / plus 1e8 (csc)": FAR,
    "Pearson / plus 1e15 (csc)": FAR,
    "laplacian_score / plus 1e15 (csc)": FAR,
    "FSIR2 neighbors / one column plus 1e17 (csc)": FAR,
    "Pearson / scale 1e300 (csc)": HUGE,
    "stable_groups / samples csc 4": TIED,
    "pair_correlations / features 1": REST,
    "stable_groups / plus 1e8 (csc)": FAR,
    "pair_correlations / features 2 csc": REST,
    "FSIR2 rbf / one column plus 1e17 (csc)": FAR,
}


def known_line(name):
    "The line that a case belongs to, or None"
    return next((line for line in KNOWN if name == line or name.startswith(line+" / ")), None)

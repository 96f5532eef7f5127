"""Cases that are wrong today, by the beginning of their names, each with its reason.

A line of which every case has become right must leave the list; `make campaign` says so.
"""
NAMELESS = "what cannot be read as a list, a count or a word is refused by Python or NumPy, in a sentence that does not name the argument"
ANY = "any value is taken where True, False or a text belongs"
LARGE = "a number far outside of its range, or of a small type, is taken or overflows"
FUNC = "what is no function of two columns is refused where it is called, in Python's words"

KNOWN: dict[str, str] = {
    "FeatureGroups / classes": NAMELESS,
    "FeatureGroups / correlations": NAMELESS,
    "FeatureGroups / member_p_values": NAMELESS,
    "FeatureGroups / members": NAMELESS,
    "FeatureGroups / n_features": NAMELESS,
    "FeatureGroups / names": NAMELESS,
    "FeatureGroups / p_values": NAMELESS,
    "FeatureGroups / parameters": NAMELESS,
    "FeatureGroups / refused": NAMELESS,
    "FeatureGroups / rounds": NAMELESS,
    "FeatureGroups / scores": NAMELESS,
    "FeatureGroups / version": ANY,
    "Measured / function": FUNC,
    "Positional / beta": LARGE,
    "Positional / correlation": FUNC,
    "Positional / positions": LARGE,
    "SymmetricalUncertainty / n_pivots": NAMELESS,
    "SymmetricalUncertainty frequency / n_pivots": NAMELESS,
    "as_correlation / correlation": FUNC,
    "correlation_table / a": NAMELESS,
    "correlation_table / b": NAMELESS,
    "count_overlaps / found": NAMELESS,
    "count_overlaps / truth": NAMELESS,
    "find_duplicates / signed": ANY,
    "format_groups / groups": NAMELESS,
    "format_groups / max_rows": NAMELESS,
    "format_groups / width": NAMELESS,
    "group_columns / correlation": FUNC,
    "group_p_values / groups": NAMELESS,
    "group_p_values max / groups": NAMELESS,
    "laplacian_score / n_neighbors": LARGE,
    "nogueira_interval / level": NAMELESS,
    "nogueira_interval / n_features": NAMELESS,
    "nogueira_interval / selections": NAMELESS,
    "pair_correlations / a": NAMELESS,
    "pair_correlations / b": NAMELESS,
    "redundancy_rate / kind": NAMELESS,
    "spec / n_neighbors": LARGE,
    "stability / kind": NAMELESS,
    "stability / n_features": NAMELESS,
    "stability / selections": NAMELESS,
    "stable_groups / groups": NAMELESS,
    "stable_groups / n_pairs": LARGE,
    "stable_groups / selector": NAMELESS,
    "strict_hits / found": NAMELESS,
    "strict_hits / truth": NAMELESS,
    "urn_p_values / counts": NAMELESS,
    "urn_p_values / n_samples": NAMELESS,
    "urn_p_values / shared": NAMELESS,
    "urn_p_values / support_count": NAMELESS,
}


def known_line(name):
    "The line that a case belongs to, or None"
    return next((line for line in KNOWN if name == line or name.startswith(line+" / ")), None)

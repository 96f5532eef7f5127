"Genotypes in two bits: calls, files, and selectors beside the same matrix filled with means."
import pickle
from functools import partial
import numpy as np, pandas as pd, pytest
from sklearn.base import clone
from doors import peak_of
import fsnb.data.genotypes as page
from fsnb import FCBF, Discretizer, FeatureGroups, FSIR2, GDM, GDMRegressor, MMFS, QPFS, GDMCV, OneClassGDM
from fsnb.correlation import Positional, SymmetricalUncertainty
from fsnb.data.columns import Columns, DenseColumns
from fsnb.data.genotypes import (GenotypeColumns, open_genotypes, pack_calls,
                                 unpack_calls, write_bed)
from fsnb.groups.max_t import feature_p_values
from fsnb.show.manhattan import association_p_values

pytestmark = pytest.mark.filterwarnings("ignore:.*miss(es)? more than:UserWarning")

def drawn(n, p, missing=.1, seed=0):
    "Calls in runs of four alike, some missing, never all of a column"
    rng = np.random.default_rng(seed)
    base = rng.binomial(2, rng.uniform(.1, .6, -(-p//4)), (n, -(-p//4)))
    calls = np.repeat(base, 4, axis=1)[:, :p].astype(float)
    other = rng.random((n, p)) < .08
    calls[other] = rng.integers(0, 3, other.sum())
    calls[rng.random((n, p)) < missing] = np.nan
    calls[0, np.isnan(calls).all(0)] = 2
    return calls

def filled(calls): return np.where(np.isnan(calls), np.nanmean(calls, 0), calls)

def commonly_filled(calls):
    "Each column's gaps filled by its most frequent call"
    modes = [np.bincount(x[~np.isnan(x)].astype(int)).argmax() for x in calls.T]
    return np.where(np.isnan(calls), modes, calls)

X90 = filled(drawn(90, 24, .05))
Y90 = (X90[:, 0]+X90[:, 8]-X90[:, 16]+np.random.default_rng(0).standard_normal(90) > 1).astype(int)

def both(calls, **settings):
    "The packed columns, and the same matrix in memory"
    return GenotypeColumns(pack_calls(calls), len(calls), **settings), DenseColumns(filled(calls))

def by_hand(data, n):
    "Decode by the letter of the format"
    bits = data[:, :, None] >> np.array([0, 2, 4, 6], dtype=np.uint8) & 3
    return np.array([2, np.nan, 1, 0])[bits.reshape(len(data), -1)[:, :n]].T

def test_calls_survive():
    for n in (1, 3, 4, 5, 33):
        calls = drawn(n, 9, .3, n)
        packed = pack_calls(calls)
        assert packed.shape == (9, -(-n//4))
        np.testing.assert_array_equal(by_hand(packed, n), calls)
        np.testing.assert_array_equal(unpack_calls(packed, n), calls)
        whole = np.nan_to_num(calls, nan=-9).astype(np.int8)
        np.testing.assert_array_equal(pack_calls(whole), packed)
        masked = np.ma.masked_array(np.nan_to_num(calls), mask=np.isnan(calls))
        np.testing.assert_array_equal(pack_calls(masked), packed)

@pytest.mark.parametrize("n, missing", [(2, 0.), (7, .5), (64, .1), (65, .5), (257, .1), (400, .1)])
def test_the_face_is_that_of_the_filled_matrix_for_any_layout_and_threads(n, missing, monkeypatch):
    if n == 400: monkeypatch.setattr(page, "_CORRELATED", 10)              # small blocks
    calls = drawn(n, 14, missing)
    calls[:, 5] = 1                                   # constants, one of them with missing calls
    calls[1:, 6] = np.where(np.isnan(calls[1:, 6]), np.nan, 2)
    calls[0, 6] = 2
    own, dense = both(calls)
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(own.missing, np.isnan(calls).sum(0))
    np.testing.assert_allclose(own.moments(), dense.moments(), atol=1e-14)
    assert (own.constant == dense.constant).all() and own.constant[[5, 6]].all()
    np.testing.assert_allclose(own.take([3, 0, 3]), dense.take([3, 0, 3]), atol=1e-15)
    v, V = rng.standard_normal(n), rng.standard_normal((n, 5))
    for v in (v, V, 1e200*v, np.zeros(n), np.ones((n, 1))):
        size = np.abs(v).max(initial=1e-300)
        np.testing.assert_allclose(own.dot(v)/size, dense.dot(v)/size, atol=1e-12*n)
        np.testing.assert_allclose(own.scores(v)/size, Columns.scores(dense, v)/size, atol=1e-11*n)
    for j in (2, [5, 9, 1]):
        np.testing.assert_allclose(own.correlations(j), Columns.correlations(dense, j), atol=1e-12)
    asked = [4, 5, 11]
    for (k, r), (k_dense, r_dense) in zip(own.partners(asked, .313), Columns.partners(dense, asked, .313)):
        assert k.tolist() == k_dense.tolist()
        np.testing.assert_allclose(r, r_dense, atol=1e-12)
    w = rng.random(n)+.1
    np.testing.assert_allclose(own.weighted_moments(w), Columns.weighted_moments(dense, w), atol=1e-9)
    behind = rng.integers(0, 256, own.packed.size+64).astype(np.uint8)
    behind[:own.packed.size] = own.packed.ravel()
    dirty = own.packed.copy()                          # neither bytes nor bits behind it count
    dirty[:, -1] |= 0b11111100 << 2*((n-1) % 4) & 255
    for packed in (behind[:dirty.size].reshape(dirty.shape), np.repeat(dirty, 2, axis=0)[::2],
                   np.asfortranarray(own.packed), dirty):
        other = GenotypeColumns(packed, n, n_jobs=3)
        for ask in (lambda c: c.moments(), lambda c: c.counts, lambda c: c.dot(V),
                    lambda c: c.dot(v), lambda c: c.correlations([3, 7]), lambda c: c.scores(V),
                    lambda c: [*map(np.concatenate, zip(*c.partners(asked, .3)))]):
            np.testing.assert_array_equal(ask(other), ask(own))

@pytest.mark.parametrize("wrong", [dict(packed=np.zeros(2, "B")), dict(packed=np.zeros((3, 2))),
                                   dict(n_samples=4), dict(n_samples=9), dict(names=["a", "b"])])
def test_the_constructor_refuses_what_the_kernels_would_trust(wrong):
    right = dict(packed=np.zeros((3, 2), dtype=np.uint8), n_samples=8)
    assert GenotypeColumns(**right).shape == (8, 3)
    with pytest.raises(ValueError, match="must"): GenotypeColumns(**right | wrong)

SELECTORS = {
    "GDM": GDM(5), "GDMCV": GDMCV(4, cv=3), "OneClassGDM": OneClassGDM(4), "MMFS": MMFS(4), "FSIR2": FSIR2(4),
    "GDM positions": GDM(4, correlation=Positional(np.arange(24.), window=8.)),
    "GDM su": GDM(4, correlation=SymmetricalUncertainty(4), tau=.6),
    "QPFS information": QPFS(4, similarity="mutual_info"), "FCBF": FCBF(min_su=0.)}
CATEGORIES = "QPFS information", "FCBF"      # which fill a gap by the most frequent call
MIXED = "GDM su"                      # by that for groups, by the mean for scores

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SELECTORS)
def test_every_selector_answers_as_on_the_filled_matrix(name):
    calls = drawn(90, 24, 0. if name == MIXED else .05)
    own, X = both(calls)[0], (commonly_filled if name in CATEGORIES else filled)(calls)
    target = () if name.startswith("OneClass") else (Y90,)
    a, b = (clone(SELECTORS[name]).fit(store, *target) for store in (own, X))
    assert a.support_.tolist() == b.support_.tolist() and len(a.support_)
    assert [list(m) for m in a.groups_.members] == [list(m) for m in b.groups_.members]
    for r, r_dense in zip(a.groups_.correlations or (), b.groups_.correlations or ()):
        np.testing.assert_allclose(r, r_dense, atol=1e-12)

# -- files --------------------------------------------------------------------

def copied(folder, calls, **settings):
    path = folder/"study.bed"
    write_bed(path, calls, **settings)
    return path

def test_a_file_is_opened_where_it_lies(tmp_path):
    calls = drawn(30, 12, .1)
    y = np.arange(30) % 2+1
    path = copied(tmp_path, calls, names=[f"rs{j}" for j in range(12)], chromosomes=["1"]*6+["X"]*6, positions=[*range(10, 70, 10)]*2, phenotype=y)
    own = open_genotypes(str(path), n_jobs=2)
    np.testing.assert_array_equal(unpack_calls(own.packed, 30), calls)
    assert own.names.tolist() == [f"rs{j}" for j in range(12)] and own.n_jobs == 2
    assert own.chromosomes.tolist() == ["1"]*6+["X"]*6 and own.positions.tolist() == [*range(10, 70, 10)]*2
    assert own.phenotype.tolist() == y.tolist()
    assert isinstance(own.packed.base, np.memmap) and not own.packed.flags.writeable
    near = Positional(own.positions, own.chromosomes, window=15.).fit(own)
    assert set(near.partners(5, .01)[0]) <= {4} and set(near.partners(6, .01)[0]) <= {7}
    model = GDM(3, correlation=near).fit(own, own.phenotype)
    again = clone(model).fit(path, "phenotype")
    assert again.groups_ == model.groups_
    for given in (own, str(path)): assert again.score(given, "phenotype") == model.score(own, y)
    assert model.feature_names_in_.tolist() == own.names.tolist()

def test_it_counts_what_bed_reader_counts(tmp_path):
    bed_reader = pytest.importorskip("bed_reader")
    calls = drawn(43, 20, .2)
    read = bed_reader.open_bed(copied(tmp_path, calls)).read(dtype="float64")
    np.testing.assert_array_equal(read, calls)
    bed_reader.to_bed(tmp_path/"theirs.bed", calls)
    np.testing.assert_array_equal(unpack_calls(open_genotypes(tmp_path/"theirs.bed").packed, 43), calls)

def pgen(folder, calls, dosages=None):
    "A .pgen with its tables"
    pgenlib = pytest.importorskip("pgenlib")
    n, p = calls.shape
    writer = pgenlib.PgenWriter(str(folder/"s.pgen").encode(), n, variant_ct=p, nonref_flags=False, dosage_present=dosages is not None)
    for j in range(p):
        if dosages is None: writer.append_biallelic(np.nan_to_num(calls[:, j], nan=-9).astype(np.int8))
        else: writer.append_dosages(dosages[:, j].astype(np.float32))
    writer.close()
    (folder/"s.pvar").write_text("##fileformat=PVARv1.0\n#CHROM\tPOS\tID\tREF\tALT\n"+"".join(f"2\t{10*j+5}\trs{j}\tG\tA\n" for j in range(p)))
    (folder/"s.psam").write_text("#IID\tSEX\tPHENO1\n"+"".join(f"i{i}\t1\t{1+i % 2}\n" for i in range(n)))
    return folder/"s.pgen"

def test_a_pgen_is_the_same_and_of_others_refused(tmp_path):
    calls = drawn(45, 17, .1)
    path = pgen(tmp_path, calls)
    own = open_genotypes(path)
    np.testing.assert_array_equal(own.packed, pack_calls(calls))
    assert (own.names[3], own.positions[3], own.chromosomes[3]) == ("rs3", 35, "2")
    plain = GDM(2).fit(filled(calls), own.phenotype)
    assert GDM(2).fit(own, "phenotype").support_.tolist() == plain.support_.tolist()
    whole, people = path.read_bytes(), (tmp_path/"s.psam").read_text()
    for content in (b"nothing like it, nothing at all", whole[:len(whole)//2]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="s.pgen: "): open_genotypes(path)
    path.write_bytes(whole)
    (tmp_path/"s.psam").write_text(people[:people[:-1].rindex("\n")+1])
    with pytest.raises(ValueError, match="17 variants of s.* and 44 people"): open_genotypes(path)
    dosages = np.nan_to_num(calls)
    dosages[4, 3] = 1.2
    with pytest.raises(ValueError, match="s.pgen: variant 4 has dosages"):
        open_genotypes(pgen(tmp_path, calls, dosages))

def without_the_last(lines): return lines[:lines[:-1].rindex(b"\n")+1]

BAD = {
    "magic": (".bed", lambda b: b"PK\3"+b[3:]), "by person": (".bed", lambda b: b[:2]+b"\0"+b[3:]),
    "cut": (".bed", lambda b: b[:-4]), "too long": (".bed", lambda b: b+b"0"*8),
    "a variant less": (".bim", without_the_last), "no variants": (".bim", lambda b: b""),
    "people more": (".fam", lambda b: b+b"a b 0 0 0 1\n"*9), "a person less": (".fam", without_the_last),
    "fields": (".bim", lambda b: b.replace(b"snp3\t0\t", b"snp3\t")),
    "position": (".bim", lambda b: b.replace(b"5000", b"5k")),
    "alleles": (".bim", lambda b: b.replace(b"\tA\tG", b"\tA,T\tG", 1)),
}

def test_bad_files_are_refused_in_a_line(tmp_path):
    calls = drawn(30, 12, .1)
    for what, (suffix, change) in BAD.items():
        file = copied(tmp_path, calls).with_suffix(suffix)
        file.write_bytes(change(file.read_bytes()))
        with pytest.raises(ValueError, match="study"):
            open_genotypes(tmp_path/"study.bed")
            pytest.fail(what)
    calls[:, [4, 7]] = np.nan
    own = open_genotypes(copied(tmp_path, calls))
    with pytest.warns(UserWarning, match="2 constant columns are never selected: snp4, snp7"):
        model = GDM(2).fit(own, np.arange(30) % 2)
    rest = np.delete(np.arange(12), [4, 7])
    want = GDM(2).fit(filled(calls[:, rest]), np.arange(30) % 2)
    assert model.support_.tolist() == rest[want.support_].tolist()
    calls[:, [4, 7]] = 1                                    # other people have such calls
    np.testing.assert_array_equal(model.predict(copied(tmp_path, calls)), want.predict(filled(calls[:, rest])))

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("words, known", [
    ([1, 2, 0]*10, [1, 2]*10), (["1.5", "-9", "3", "0"]*9, [1.5, 3, 0]*9), (["N/A", "ill", "no"]*10, ["ill", "no"]*10),
    (["nan", 1, 2]*10, [1, 2]*10), (["2", "-9.00", "1"]*10, [2, 1]*10)])
def test_people_without_a_phenotype_are_left_out_of_x_and_of_y(tmp_path, words, known):
    "As PLINK does; PLINK 2 and hail (its pull request 3912) read -9 as missing of numbers too"
    calls = drawn(len(words), 14, .1)
    own = open_genotypes(copied(tmp_path, calls, phenotype=words))
    rows = np.flatnonzero([str(word) in map(str, known) for word in words])
    lost = len(words)-len(rows)
    with pytest.raises(ValueError, match=f"study.fam: {lost} of {len(words)} people have no phenotype: X, y = "):
        own.phenotype
    with pytest.warns(UserWarning, match=f"study.fam: {lost} of {len(words)} people have no phenotype and are left"):
        X, y = own.with_phenotype()
    np.testing.assert_array_equal(unpack_calls(X.packed, len(rows)), calls[rows])
    assert y.tolist() == list(known)
    assert [person for _, person in X.people] == [f"i{i}" for i in rows]
    assert X.names is own.names and X.alleles[3] == own.alleles[3] and X.counts.sum(1).tolist() == [len(rows)]*14
    with pytest.raises(ValueError, match="y has the index of X in another order"): GDM(2).fit(X, pd.Series(y, X.index)[::-1])
    again, same = X.with_phenotype()
    assert again is X and same is X.phenotype
    kind = GDMRegressor if 1.5 in known else GDM
    want = kind(2).fit(X, y)
    for given in (own, str(own.path)):
        model = kind(2).fit(given, "phenotype")
        assert model.groups_ == want.groups_ and model.score(given, "phenotype") == want.score(X, y)
        assert model.predict(given).shape == (len(words),) and model.transform(given).shape == (len(words), 2)
        np.testing.assert_array_equal(association_p_values(given, "phenotype"), association_p_values(X, y))
    a, b = (feature_p_values(*given, 19, random_state=0).p_values for given in ((own, "phenotype"), (X, y)))
    assert a.tolist() == b.tolist()
    a, b = (model.refine(*given).to_json() for given in ((own, "phenotype"), (X, y)))
    assert a == b

def test_leaving_people_out_takes_the_memory_of_the_packed_calls(tmp_path):
    calls = np.random.default_rng(0).integers(0, 3, (2000, 16_000)).astype(np.int8)
    own = open_genotypes(copied(tmp_path, calls, phenotype=np.where(np.arange(2000) % 9, 1+np.arange(2000) % 2, -9)))
    with pytest.warns(UserWarning, match="223 of 2000"): peak, (X, _) = peak_of(own.with_phenotype, warm=True)
    assert X.n_bytes < 8e6 and peak < X.n_bytes+12e6                    # the calls as numbers are 256 MB

def test_a_phenotype_that_all_lack(tmp_path):
    own = open_genotypes(copied(tmp_path, drawn(12, 4, 0), phenotype=["-9.00"]*12))
    assert own.phenotype is None
    zeros = open_genotypes(copied(tmp_path, drawn(12, 4, 0), phenotype=[0, 1, -9]*4))     # controls are no missing cases
    with pytest.raises(ValueError, match="0 and 1 alone is unclear"): zeros.with_phenotype()
    with pytest.raises(ValueError, match="study.fam says nothing of a phenotype"): GDM(2).fit(own, "phenotype")
    with pytest.raises(ValueError, match="a VCF is not read"): GDM().fit("x.vcf.gz", [1, 2])

def test_a_prefix_and_each_of_the_three_files_find_the_calls(tmp_path):
    calls, y = drawn(30, 12, 0), np.arange(30) % 2+1
    write_bed(tmp_path/"s.v2.bed", calls, phenotype=y)
    want = GDM(2).fit(tmp_path/"s.v2.bed", "phenotype").groups_
    for name in ("s.v2", "s.v2.bim", "s.v2.fam", "s.v2.bed"):
        assert GDM(2).fit(tmp_path/name, "phenotype").groups_ == want
        assert open_genotypes(str(tmp_path/name)).path == tmp_path/"s.v2.bed"
    with pytest.raises(FileNotFoundError, match="t.bed: no such file"): open_genotypes(tmp_path/"t.bim")

def test_counts_are_of_allele_1_and_its_frequency_stands_in_the_table(tmp_path):
    "Reported of sgkit (947, frequencies of the other allele) and of pandas-plink (15 and 28, its counts)"
    a1 = np.repeat([[2, 2], [0, 2], [0, 0]], [3, 1, 6], axis=0)        # AA TT thrice, GG TT, GG CC six times
    write_bed(tmp_path/"test.bed", a1, ["1_10", "1_20"], positions=[10, 20], alleles=[("A", "G"), ("T", "C")])
    found = FeatureGroups([[0], [1]]).to_frame(tmp_path/"test", np.arange(10.))
    assert found[["allele", "other_allele", "frequency"]].values.tolist() == [["A", "G", .3], ["T", "C", .4]]
    assert found[["chromosome", "position"]].values.tolist() == [["1", 10], ["1", 20]]
    np.testing.assert_allclose(found.effect, [np.polyfit(x, np.arange(10.), 1)[0] for x in a1.T])

def test_effects_are_slopes_without_the_missing_calls(tmp_path):
    calls = drawn(80, 12, .2)
    y = np.nan_to_num(calls[:, 3])+np.random.default_rng(0).standard_normal(80)
    groups = FeatureGroups([[3, 1], [8]], n_features=12)
    for target, values in ((y, y), (np.where(y > 1, "ill", "healthy"), (y > 1)*1.)):
        table = groups.to_frame(copied(tmp_path, calls), target)
        for j, effect, share in zip(table.feature, table.effect, table.frequency):
            there = ~np.isnan(calls[:, j])
            assert effect == pytest.approx(np.polyfit(calls[there, j], values[there], 1)[0], abs=1e-12)
            assert share == pytest.approx(calls[there, j].mean()/2)
    assert list(groups.to_frame(filled(calls), y))[-1] == "effect" and "allele" not in groups.to_frame(filled(calls), y)
    with pytest.raises(ValueError, match="convert string to float"): groups.to_frame(filled(calls), np.array(list("abcd")*20))
    assert list(FeatureGroups([], n_features=12).to_frame(tmp_path/"study", y))[-2:] == ["frequency", "effect"]

def test_another_column_than_pheno1_is_named(tmp_path):
    path = pgen(tmp_path, drawn(8, 3, 0))
    (tmp_path/"s.psam").write_text("#IID SEX age ill\n"+"".join(f"i{i} 1 {30+i} {1+i % 2}\n" for i in range(8)))
    with pytest.warns(UserWarning, match="s.psam: there is no column PHENO1, so .* ill, is"):
        assert open_genotypes(path).phenotype.tolist() == [1, 2]*4
    rows = "".join(f"i{i} {1+i % 2} {30+i}\n" for i in range(8))
    (tmp_path/"s.psam").write_text(f"#IID PHENO1 age\n{rows}")
    assert open_genotypes(path).phenotype.tolist() == [1, 2]*4

# ---- new people: what is counted, and what a missing call counts as

PAIRS = ["AG", "CT", "AT", "CG"]*6

def studied(folder, name="study.bed", missing=.05, alleles=PAIRS):
    "The path of a study on disk"
    write_bed(folder/name, drawn(90, 24, missing), alleles=alleles)
    return folder/name

def exchanged(*which): return [pair[::-1] if j in which else pair for j, pair in enumerate(PAIRS)]

PREDICTORS = pytest.mark.parametrize("make", [GDM, partial(GDMCV, cv=3), OneClassGDM], ids=["GDM", "GDMCV", "one class"])

@pytest.mark.filterwarnings("ignore")
@PREDICTORS
def test_a_file_that_counts_the_other_allele_is_refused(tmp_path, make):
    path = studied(tmp_path)
    model = make(3).fit(path, Y90)
    used = np.flatnonzero(np.ravel(model.coef_))
    support = int(model.support_[0])
    free = sorted(set(range(24))-set(used.tolist())-set(model.support_.tolist()))
    same = studied(tmp_path, "same.bed")
    others = studied(tmp_path, "free.bed", alleles=exchanged(*free))
    for verb in (model.predict, model.transform, model.decision_function):
        np.testing.assert_array_equal(verb(same), verb(others))           # nobody uses what is exchanged
    wrong = studied(tmp_path, "wrong.bed", alleles=exchanged(support))
    told = rf"1 variant counts another: snp{support} .*--a1-allele fit.bim 5 2"
    for verb in (model.predict, model.transform, model.decision_function):
        for X in (wrong, open_genotypes(wrong)):
            with pytest.raises(ValueError, match=told): verb(X)
    wrong = studied(tmp_path, "wrong.bed", alleles=exchanged(*range(24)))
    with pytest.raises(ValueError, match=rf"{len(used)} variants count another: .*, \.\.\.; write"): model.predict(wrong)

def test_alleles_stay_with_a_model_that_is_stored_and_are_compared_where_there_are_any(tmp_path):
    path = studied(tmp_path)
    wrong = studied(tmp_path, "wrong.bed", alleles=exchanged(*range(24)))
    model = GDM(3).fit(path, Y90)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(path), model.decision_function(path))
    with pytest.raises(ValueError, match="variants count another"): again.predict(wrong)
    assert not hasattr(clone(model), "alleles_in_")
    np.testing.assert_array_equal(clone(model).fit(wrong, Y90).predict(wrong), model.predict(path))
    nameless = studied(tmp_path, "nameless.bed", alleles=["00"]*24)
    told = again.predict(path)
    for other in (nameless, X90): np.testing.assert_array_equal(model.predict(other), told)
    np.testing.assert_array_equal(clone(model).fit(nameless, Y90).predict(path), told)
    for other in (nameless, X90): assert not hasattr(model.fit(other, Y90), "alleles_in_")
    assert not hasattr(model, "fill_values_in_")                    # nothing is noted of an array

@pytest.mark.filterwarnings("ignore")
def test_a_model_of_an_array_does_not_know_what_a_gap_counts_as(tmp_path):
    "Its answer for one person would depend on who else is in the file"
    path = studied(tmp_path, missing=0)
    X = filled(drawn(90, 24, 0))
    gappy = studied(tmp_path, "gappy.bed")
    for model in (GDM(3).fit(X, Y90), OneClassGDM(3).fit(X)):
        used = np.flatnonzero(np.ravel(model.coef_))
        np.testing.assert_array_equal(model.predict(path), model.predict(X))
        with pytest.raises(ValueError, match=rf"of the {len(used)} .* it uses miss.* snp{used[0]}"):
            model.predict(gappy)
        calls = unpack_calls(open_genotypes(gappy).packed, 90)
        calls[:, used] = X[:, used]                                       # nobody asks for the others
        write_bed(tmp_path/"elsewhere.bed", calls)
        np.testing.assert_array_equal(model.predict(tmp_path/"elsewhere.bed"), model.predict(X))

@pytest.mark.filterwarnings("ignore")
@PREDICTORS
def test_a_person_alone_is_predicted_as_among_others(tmp_path, make):
    path = studied(tmp_path)
    model = make(3).fit(path, Y90)
    calls = drawn(200, 24, .4, seed=5)
    used = np.flatnonzero(np.ravel(model.coef_))
    assert np.isnan(calls[:, used]).any(1).sum() > 50
    write_bed(tmp_path/"new.bed", calls, alleles=PAIRS)
    together, taken = model.decision_function(tmp_path/"new.bed"), model.transform(tmp_path/"new.bed")
    by_hand = np.where(np.isnan(calls), X90.mean(0), calls)
    np.testing.assert_allclose(model.decision_function(by_hand), together, atol=1e-12)
    np.testing.assert_allclose(taken, by_hand[:, np.sort(model.support_)])
    for i in (0, 7, 113):
        write_bed(tmp_path/"one.bed", calls[i:i+1], alleles=PAIRS)
        np.testing.assert_allclose(model.decision_function(tmp_path/"one.bed"), together[i:i+1], atol=1e-12)
        np.testing.assert_array_equal(model.predict(tmp_path/"one.bed"), model.predict(tmp_path/"new.bed")[i:i+1])
        np.testing.assert_array_equal(model.transform(tmp_path/"one.bed"), taken[i:i+1])

def test_a_fit_warns_of_variants_with_many_gaps_once(tmp_path):
    calls = drawn(200, 40, 0.)
    calls[:20, 4] = calls[:21, 5] = calls[:21, 8] = np.nan      # a tenth is not yet many
    write_bed(tmp_path/"many.bed", calls, names=[f"rs{j}" for j in range(40)])
    with pytest.warns(UserWarning) as told: GDM(2).fit(tmp_path/"many.bed", np.tile([1, 2], 100))
    [one] = [w for w in told if "2 of 40 variants miss more than 10% of" in str(w.message)]
    assert ": rs5, rs8; drop variants" in str(one.message) and one.filename == __file__

# ---- a table of traits

def test_people_are_found_by_name_in_any_order(tmp_path):
    write_bed(tmp_path/"s.bed", drawn(6, 5, 0.))
    columns, path = open_genotypes(tmp_path/"s.bed"), tmp_path/"t.tsv"
    def read(*column): return columns.with_phenotype(path, *column)[1].tolist()
    rows = [f"f{i}\ti{i}\t{1+i % 2}\t{i/2}" for i in (4, 0, 5, 3, 1, 2)]
    table = "#FID\tIID\tcase\tbmi\n"+"\n".join(rows)+"\nf9\ti9\t1\t7\n"
    for text in (table, table.replace("\t", ","), table.replace("\t", "  "), "\ufeff"+table.replace("#FID", "FID")):
        path.write_text(text)
        assert read("case") == [1, 2, 1, 2, 1, 2] and read() == [0, .5, 1, 1.5, 2, 2.5]
    assert read(["bmi", "case"])[1] == [.5, 2]
    whole = "IID case\n"+"".join(f"i{i} {1+i % 2}\n" for i in range(6))
    for text, column in (("IID case\nj0 1\n", None), (whole, "bmi"), ("", None)):
        path.write_text(text)
        with pytest.raises(ValueError, match="t.tsv"): read(column)
    columns.people = [("b", "x"), ("a", "x"), *columns.people[2:]]             # a name that two families have
    path.write_text("FID IID case\na x 1\nb x 2\n"+"".join(f"f{i} i{i} 1\n" for i in range(2, 6)))
    assert read()[:2] == [2, 1]
    path.write_text("IID case\nx 1\nx 2\n")
    with pytest.raises(ValueError, match="x comes twice in the"): read()

def test_a_table_may_lack_people(tmp_path):
    "Wished of regenie (4): who is genotyped and not in the table is left out; a .psam may have no families (plink-ng 242)"
    calls = drawn(6, 5, 0.)
    write_bed(tmp_path/"s.bed", calls)
    path = tmp_path/"t.tsv"
    path.write_text("FID IID time event\nf5 i5 3 0\nf1 i1 2 1\nf2 i2 NA 1\nf9 i9 4 1\n")
    columns = open_genotypes(tmp_path/"s.bed")
    with pytest.warns(UserWarning, match="t.tsv: 4 of 6 people have no phenotype"):
        X, y = columns.with_phenotype(path, ["time", "event"])           # a censored time is an event of 0, and known
    assert y.tolist() == [[2, 1], [3, 0]]
    np.testing.assert_array_equal(unpack_calls(X.packed, 2), calls[[1, 5]])
    columns.people = [("0", own) for _, own in columns.people]
    with pytest.warns(UserWarning, match="4 of 6"): assert columns.with_phenotype(path, "time")[1].tolist() == [2, 3]

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("binning, missing", [("width", "category"), ("mdl", "raise")])
def test_the_discretizer_takes_gaps_as_the_categories_do(tmp_path, binning, missing):
    "Once: the mean of a variant was a value of its own, cut apart from all others"
    calls = drawn(120, 9, .15)
    y = np.nan_to_num(calls[:, 0]) > 0
    write_bed(tmp_path/"d.bed", calls)
    same = calls if missing == "category" else commonly_filled(calls)
    of_bed, of_array = (Discretizer(binning, n_bins=3, missing=missing).fit(X, y) for X in (tmp_path/"d.bed", same))
    for a, b in zip(of_bed.cuts_, of_array.cuts_): np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(of_bed.transform(tmp_path/"d.bed"), of_array.transform(same))

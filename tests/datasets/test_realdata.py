"""The papers' data: read as when the digests were stored, with the sizes and numbers of others.

A test has only the data sets whose files are found; each is read once.
"""

import csv
import tempfile
from functools import cache

import numpy as np
import pandas as pd
import pytest
from data_digests import DIGESTS, MIRRORS, SEED, differing
from digest_files import read as read_digests
from digest_files import remedy
from places import MIRROR, ROOT
from real_data import REGISTRY, available
from sklearn.metrics import adjusted_rand_score

from reseat.baselines import hierarchical_labels
from reseat.datasets import (
    DataSettings,
    align_sequences,
    build,
    draw_records,
    embed_mentions,
    transform_scores,
)
from reseat.datasets.build import read_raw
from reseat.datasets.counting import count_documents
from reseat.datasets.pair_features import mention_features
from reseat.datasets.parsers.count_tables import parse_count_tables
from reseat.datasets.relations import keep_frequent, keep_partnered
from reseat.datasets.sources import locate
from reseat.dissimilarities import centred_similarities, negative_mass
from reseat.metrics import (
    edit_distance,
    edit_distance_pantel_lin,
    edit_score,
    nvi,
    pair_f,
    pair_precision,
    pair_recall,
    rand_index,
    vi,
)

pytestmark = [pytest.mark.realdata, pytest.mark.usefixtures("matlab_in_forks")]

CHECK = MIRROR / "zanella-synthetic" / "reference_draws" / "exact_match_check.csv"
HAVE = set(available(name for name in REGISTRY if REGISTRY[name].files))


def of(*rows):
    """Return the rows of data sets that are there; a row is a name, or begins with one."""
    return [row for row in rows if (row if isinstance(row, str) else row[0]) in HAVE]


@cache
def read(name, seed=SEED):
    with tempfile.TemporaryDirectory() as folder:
        settings = DataSettings(mirrors=MIRRORS, raw=folder, download=False)
        return build(REGISTRY, name, settings, seed)


# ---- digests -----------------------------------------------------------------------------

STORED = read_digests(DIGESTS)


def test_a_digest_is_stored_of_every_data_set_that_can_be_had():
    wanted = {
        name
        for name, entry in REGISTRY.items()
        if entry.parser is not None and entry.obtainable and not entry.user_path
    }
    assert set(STORED) == wanted


@pytest.mark.parametrize("name", [name for name in available(mirrors=MIRRORS) if name in STORED])
def test_a_data_set_is_what_it_was(name):
    changed = differing({name: STORED[name]}, {name: read(name).digest()[:32]})
    assert not changed, remedy(changed, DIGESTS, "--data")


# ---- sizes -------------------------------------------------------------------------------

TEXTS = ("documents", "features", "tokens", "nonzeros", "empty_documents", "classes")
SPLIT = ("train", "train_entities", "test", "test_entities", "groups")
RECORDS = ("records", "entities", "singletons", "largest_entity", "missing_values")
SEQUENCES = ("items", "labelled", "classes", "groups", "shortest", "longest")
CELLS = ("shape", "observed", "missing")
SIZES = [
    ("newsgroups20", TEXTS, (19997, 53993, 3833217, 2259175, 42, 20)),
    ("enron_kaminski", TEXTS, (4313, 11841, 712190, 416786, 0, 32)),
    ("reuters52", TEXTS, (9100, 18900, 718252, 457915, 0, 52)),
    ("delicious_mulan", TEXTS, (5414, 500, 139155, 139155, 0, 50)),
    ("globins", SEQUENCES, (2163, 1057, 111, 4, 36, 199)),
    ("globins_added", SEQUENCES, (1087, 1057, 59, 4, 36, 149)),
    ("aminer_identity", SPLIT, (1004, 225, 378, 103, 2)),
    ("gum_names", SPLIT, (5636, 2956, 998, 533, 165 + 29)),
    ("cora_text", SPLIT, (1387, 87, 529, 29, 2)),
    ("cora_numbers", SPLIT, (1350, 125, 529, 66, 2)),
    ("italy_shiw", RECORDS, (789, 587, 385, 2, 92)),
    ("italy_shiw_nine", RECORDS, (789, 587, 385, 2, 92)),
    ("sipp1000", RECORDS, (4116, 1000, 92, 5, 0)),
    ("sds_poland", RECORDS, (9802, 5500, 2610, 3, 0)),
    ("rldata500", RECORDS, (500, 450, 400, 2, 0)),
    ("rldata10000", RECORDS, (10000, 9000, 8000, 2, 0)),
    *((name, RECORDS[:4], (1000, 500, 0, 2)) for name in ("febrl1", "febrl1_text")),
    ("febrl2", RECORDS[:4], (5000, 4000, 3572, 6)),
    ("febrl3", RECORDS[:4], (5000, 2000, 835, 6)),
    ("febrl4", RECORDS[:4], (10000, 5000, 0, 2)),
    *((name, RECORDS[:4], (864, 752, 640, 2)) for name in ("restaurant", "restaurant_text")),
    ("cora", RECORDS[:4], (1295, 125, 20, 55)),
    ("aozora_svo", CELLS[:1], ("4578 x 2657 x 4967",)),
    ("english_adjectives", CELLS[:1], ("1631 x 2453",)),
    ("animals", CELLS, ("50 x 85", 1562, 0)),
    ("nations", CELLS, ("14 x 14 x 56", 2024, 1219)),
    ("kinship", CELLS, ("104 x 104 x 26", 10790, 0)),
    ("umls", CELLS, ("135 x 135 x 49", 6752, 0)),
]


@pytest.mark.parametrize(("name", "keys", "sizes"), of(*SIZES))
def test_sizes(name, keys, sizes):
    found = read(name).summary()
    assert tuple(found[key] for key in keys) == sizes


@pytest.mark.parametrize("name", of("newsgroups20"))
def test_sizes_with_another_stop_list(name, tmp_path):
    """If words are runs of at least one letter, these are the numbers of the data notes."""
    settings = DataSettings(mirrors=MIRRORS, raw=tmp_path, download=False)
    located = locate(REGISTRY, name, settings)
    raw = read_raw(located)
    expected = {
        "none": (19997, 54269, 2333758, 1523339, 44, 20),
        "all": (19997, 46875, 2978467, 1746007, 0, 20),
    }
    for headers, sizes in expected.items():
        features = {"stop_list": "mallet", "headers": headers, "token_pattern": "[a-z]+"}
        found = count_documents(raw, located, REGISTRY, settings, features)
        assert tuple(found.summary().values()) == sizes


@pytest.mark.parametrize(
    ("name", "sizes", "low", "high"),
    of(
        # items, entities, groups, features, least and largest share of training items
        ("giles_kim", (5018, 480, 2, 8), 0.65, 0.8),
        ("citeseer_authors", (2892, 1165, 2, 4), 0.71, 0.75),
        ("meantime_names", (948, 506, 101, 5), 0.8, 0.86),
        ("litbank_names", (3550, 1264, 100, 5), 0.81, 0.85),
    ),
)
def test_sizes_of_the_drawn_splits(name, sizes, low, high):
    for made in (read(name), read(name, 1)):
        n_features = len(mention_features(made))
        assert (made.n_items, made.n_entities, made.n_groups, n_features) == sizes
        assert low < 1 - made.n_test / made.n_items < high
        assert not set(made.entities[made.test]) & set(made.entities[~made.test])
    assert (read(name).test != read(name, 1).test).any()


# ---- distances ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", of("globins_scop"))
def test_scop_globins_align_with_their_like(name, tmp_path):
    found = read(name)
    assert (found.n_items, len(found.class_names), found.labels.count("")) == (136, 26, 53)
    align_sequences(found, tmp_path / "s.npy", tmp_path / "scratch")
    made = transform_scores(np.load(tmp_path / "s.npy"), found)
    assert negative_mass(made.values) < 0.05
    values = made.values + np.eye(136)
    sizes = np.bincount(made.classes[made.classes >= 0])
    among = np.flatnonzero((made.classes >= 0) & (sizes[made.classes] > 1))
    nearest = among[values[np.ix_(among, among)].argmin(axis=1)]
    assert np.mean(made.classes[nearest] == made.classes[among]) > 0.9


@pytest.mark.parametrize("name", of("protein213"))
def test_protein213_is_euclidean_and_found_by_ward(name):
    found = read(name)
    assert found.class_names == ("G", "HA", "HB", "M")
    assert np.bincount(found.classes).tolist() == [30, 72, 72, 39]
    assert found.values.max() == np.float32(13.64) and negative_mass(found.values) < 1e-9
    spectrum = np.linalg.eigvalsh(centred_similarities(found.values))
    assert spectrum[-1] == pytest.approx(158, abs=0.5)
    for linkage, low, high in (("ward", 0.95, 1), ("single", -1, 0.2)):
        labels = hierarchical_labels(found.values, 4, linkage)
        assert low < adjusted_rand_score(found.classes, labels) <= high


# ---- mentions ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "side", "expected"),
    of(
        ("aminer_identity", "test", [0.566, 1.0]),
        ("aminer_identity", "train", [0.247, 1.0]),
        ("giles_kim", "all", [0.055, 1.0]),
        ("gum_names", "test", [0.821, 0.785, 0.803]),
        ("gum_names", "train", [0.792, 0.812, 0.802]),
        ("meantime_names", "all", [0.834, 0.621, 0.712]),
        ("litbank_names", "all", [0.891, 0.818, 0.853]),
    ),
)
def test_precision_recall_and_f_of_the_rule_of_the_paper(name, side, expected):
    made = read(name)
    chosen = {"test": made.test, "train": ~made.test, "all": made.test | True}[side]
    (labels,) = made.rules().values()
    scores = (
        metric(made.entities[chosen], labels[chosen])
        for metric in (pair_precision, pair_recall, pair_f)
    )
    assert [round(score, 3) for score in scores][: len(expected)] == expected


@pytest.mark.parametrize(("name", "seed"), of(("usps_digits", 0), ("usps_digits", 7)))
def test_coarse_and_fine_rows_of_table_1_come_out(name, seed):
    made = read(name, seed)
    truth = made.entities[made.test]
    drawn = made.identity.preprocessing["drawn"]
    assert sorted(drawn[digit] for digit in "02467") == [49, 101, 152, 180, 183]
    assert all(30 <= drawn[digit] <= 300 for digit in "13589")
    printed = pd.read_csv(ROOT / "config" / "published" / "scdp_table1.csv")
    metrics = {
        "RI": rand_index, "P": pair_precision, "R": pair_recall, "F": pair_f,
        "CED": edit_distance, "NES": edit_score, "VI": vi, "NVI": nvi,
    }  # fmt: skip
    rows = {"Coarse": np.zeros_like(truth), "Fine": np.arange(len(truth))}
    for system, labels in rows.items():
        row = printed[printed["system"] == system].set_index("metric")["value"].astype(float)
        found = {key: metric(truth, labels) for key, metric in metrics.items()}
        if system == "Fine":  # with one operation for each merge
            found["CED"] = edit_distance_pantel_lin(truth, labels)
        for key, value in found.items():
            assert round(value, 3) == pytest.approx(row[key], abs=1e-9), (system, key)


@pytest.mark.parametrize("name", of("usps_digits"))
def test_images_of_8_by_8_pixels(name):
    made = read(name)
    table = pd.read_csv(MIRROR / "usps-digits" / "derived" / "usps_8x8.csv.gz")
    starts = {"zip.train": 0, "zip.test": 7291}
    for item in (0, 700, made.n_items - 1):
        file, line = made.item_ids[item].rsplit(":", 1)
        row = table.iloc[starts[file] + int(line) - 1]
        expected = row[[f"p{n}" for n in range(64)]].to_numpy(dtype=float)
        np.testing.assert_allclose(made.columns["pixels"][item], expected, atol=1e-6)
    found = embed_mentions(made)
    assert found.n_coordinates == found.n_features == 64
    np.testing.assert_allclose(found.coordinates[~found.test].std(axis=0), 1, rtol=1e-5)


# ---- records -----------------------------------------------------------------------------


def linked_pairs(groups):
    """Return the number of pairs within the groups."""
    sizes = np.unique(groups, return_counts=True)[1]
    return int((sizes * (sizes - 1) // 2).sum())


def exact_match(records):
    """Return the FNR and FDR of linking the records that agree in all fields."""
    profile = np.unique(records.codes, axis=0, return_inverse=True)[1].reshape(-1)
    both = linked_pairs(profile.astype(np.int64) * records.n_entities + records.entities)
    return 1 - both / linked_pairs(records.entities), 1 - both / linked_pairs(profile)


@pytest.mark.parametrize("name", of("italy_shiw"))
def test_records_that_agree_in_all_ten_fields(name):
    """These are 126 of 202 true pairs and 43 others."""
    assert exact_match(read(name)) == pytest.approx((1 - 126 / 202, 43 / 169))


@pytest.mark.skipif(not CHECK.is_file(), reason=f"{CHECK} is not there")
@pytest.mark.parametrize(
    ("name", "key", "sizes", "levels"),
    of(
        ("italy", "Italy", (789, 587), [77, 3, 7, 5, 3, 17, 2, 2, 8]),
        ("nltcs5000", "NLTCS5000", (5000, 3061), [31, 12, 49, 2, 49, 12]),
        ("syria2000", "Syria2000", (2000, 1725), [2, 15, 31, 12, 2]),
        ("syriasizes", "SyriaSizes", (6700, 4075), [2, 15, 31, 12, 2]),
    ),
)
def test_recipes_and_exact_matching_on_their_draws(name, key, sizes, levels):
    recipe = read(name)
    assert (recipe.n_records, recipe.n_entities) == sizes
    assert [len(names) for names in recipe.levels] == levels
    with open(CHECK, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["dataset"] == key]
    assert len(rows) == 3
    rng = np.random.default_rng(2016)
    for row in rows:
        delta, n_draws = float(row["delta"]), 4
        draws = [draw_records(recipe, delta, rng) for _ in range(n_draws)]
        fnr, fdr = np.mean([exact_match(draw) for draw in draws], axis=0)
        agree = [1 - delta / (1 + delta) * (1 - (m**2).sum()) for m in recipe.marginals]
        expected = 1 - np.prod(agree)
        # The pairs of one entity are not independent, but the entities are; the standard error
        # is therefore over entities, weighted by their numbers of pairs.
        pairs = np.repeat(np.arange(1, len(recipe.sizes) + 1), recipe.sizes)
        pairs = pairs * (pairs - 1) / 2
        error = np.sqrt(expected * (1 - expected) * (pairs**2).sum()) / pairs.sum()
        assert abs(fnr - expected) < 4 * error / np.sqrt(n_draws)
        assert abs(float(row["exactmatch_FNR"]) - expected) < 4 * error
        spread = np.std([exact_match(draw)[1] for draw in draws], ddof=1)
        assert abs(float(row["exactmatch_FDR"]) - fdr) < max(6 * spread, 0.04)


# ---- relations ---------------------------------------------------------------------------


def sizes_of(raw):
    """Return the numbers of entities of each type, of cells and of tokens."""
    (found,) = raw.relations
    return [*map(len, raw.entities.values()), len(found.counts), int(found.counts.sum())]


@pytest.mark.parametrize("name", of("aozora_adjectives"))
def test_aozora_adjectives_and_the_published_shape(name):
    entry = REGISTRY[name]
    paths = {role: MIRROR / file.path for role, file in entry.files.items()}
    raw = parse_count_tables(paths, **{**entry.options, "keep": None, "min_partners": 0})
    assert sizes_of(raw) == [4055, 40098, 344444, 947733]
    for kind, rarest in (("adjective", 72), ("noun", 28)):
        totals = raw.relations[0].totals(kind, len(raw.entities[kind]))
        assert totals[entry.options["keep"][kind] - 1] == rarest and (np.diff(totals) <= 0).all()
    assert sizes_of(keep_frequent(raw, entry.options["keep"])) == [1291, 3705, 190346, 753366]
    assert sizes_of(keep_partnered(raw, 2)) == [3679, 24158, 328140, 930031]


@pytest.mark.parametrize(("name", "folder"), of(("nations", "nation"), ("umls", "umls")))
def test_data_of_the_irm_agree_with_their_text_form(name, folder):
    texts, found = MIRROR / "irm-classic" / "text" / folder, read(name)
    triples = np.loadtxt(texts / "triples.txt", dtype=int)[:, [1, 2, 0]]
    expected = triples[np.lexsort(triples.T[::-1])]
    np.testing.assert_array_equal(found.relations[0].coordinates, expected)
    for kind, file in zip(found.types, ("entities.txt", "relations.txt"), strict=True):
        named = [line.split("\t")[1] for line in (texts / file).read_text().split("\n") if line]
        assert [word.replace(" ", "_") for word in found.entities[kind]] == [
            word.replace(" ", "_") for word in named
        ]

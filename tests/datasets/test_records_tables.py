"""Records from tables: the user's own, and the published ones as the parsers read them."""

import gzip
import json

import pytest

from reseat.datasets import Records, read_records
from reseat.datasets.parsers.record_recipe import parse_record_recipe
from reseat.datasets.parsers.record_table import parse_febrl, parse_record_arff
from reseat.errors import DataError

TABLE = "id,who,town,age\nr1,x,Ulm,10\nr2, y ,Aalen, 9 \nr3,x,,10\nr4,z,Ulm,NA\n"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# ---- the user's own table ----------------------------------------------------------------


def test_a_table_is_read(tmp_path):
    made = read_records(write(tmp_path / "mine.csv", TABLE), entity="who", id="id")
    assert made.fields == ("town", "age") and made.record_ids.tolist() == ["r1", "r2", "r3", "r4"]
    assert made.levels == (("Aalen", "Ulm"), ("9", "10"))  # numbers by value
    assert made.codes.tolist() == [[1, 1], [0, 0], [-1, 1], [1, -1]]
    assert made.entities.tolist() == [0, 1, 0, 2] and made.marginals is None
    assert made.identity.name == "mine.csv" and list(made.identity.sha256) == ["mine.csv"]
    made.save(tmp_path / "r.npz")
    assert Records.load(tmp_path / "r.npz").identity == made.identity


def test_packed_files_and_other_choices(tmp_path):
    path = write(tmp_path / "mine.csv.gz", gzip.compress(b"\xef\xbb\xbf" + TABLE.encode()))
    made = read_records(path, fields=["age"], missing=("NA",))
    assert made.fields == ("age",) and made.entities is None
    assert made.record_ids.tolist() == ["1", "2", "3", "4"]
    rules = {"start": {"column": "town", "plain": True, "pattern": "^(.)"}, "age": None}
    made = read_records(path, fields=rules, entity="who")
    assert made.fields == ("start", "age") and made.levels[0] == ("a", "u")
    assert read_records(path, fields=["town", "age"], missing=()).n_levels == (2, 3)


def test_a_table_of_the_truth(tmp_path):
    path = write(tmp_path / "mine.csv", TABLE)
    truth = write(tmp_path / "truth.csv", "record,person\nr4,b\nr2,a\nr1,b\nr3,a\n")
    made = read_records(path, id="id", truth=truth, fields=["town", "age"])
    assert made.entities.tolist() == [0, 1, 1, 0]
    assert set(made.identity.sha256) == {"mine.csv", "truth.csv"}


@pytest.mark.parametrize(
    ("text", "keys", "words"),
    [
        (TABLE, {"entity": "whom"}, "mine.csv has no column 'whom'; did you mean 'who'"),
        (TABLE, {"fields": ["twon"]}, "mine.csv has no column 'twon'; did you mean 'town'"),
        (TABLE, {"entity": "town"}, "mine.csv: record 3 has no entity in the column 'town'"),
        (TABLE, {"id": "who"}, "two records have the id 'x'"),
        (TABLE + "r5,w\n", {}, "mine.csv, line 6: 2 cells, but the first line has 4"),
        (TABLE + "r5,w,a,b,c\n", {}, "mine.csv, line 6: 5 cells"),
        (TABLE + 'r5,"w\n', {}, "mine.csv, line 6: .*fix the line"),
        ("a,b,a\n1,2,3\n", {}, "mine.csv has two columns 'a'"),
        ("", {}, "mine.csv is empty"),
        ("a,b\n", {}, "no lines below the column names"),
        ("a,b\n1,2\n", {}, "1 record"),
        ("a,b\n1,2\n2,2\n3,2\n", {}, "field 'b' is '2' in all records.*remove the field"),
        ("a,b\n1,2\n2,NA\n3,NA\n", {}, "field 'b' is '2' in all records.*remove the field"),
        ("a,b\n1,\n2,\n", {}, "field 'b' is missing in all records"),
        (b"a,b\n\xff,1\n", {}, "mine.csv is not UTF-8 text"),
    ],
)
def test_a_bad_table_is_refused_in_one_sentence(tmp_path, text, keys, words):
    with pytest.raises(DataError, match=words) as caught:
        read_records(write(tmp_path / "mine.csv", text), **keys)
    assert "\n" not in str(caught.value)


def test_absent_and_cut_files_are_refused(tmp_path):
    with pytest.raises(DataError, match="absent.csv not found"):
        read_records(tmp_path / "absent.csv")
    packed = gzip.compress(TABLE.encode() * 1000)
    with pytest.raises(DataError, match="mine.csv.gz cannot be read completely"):
        read_records(write(tmp_path / "mine.csv.gz", packed[: len(packed) // 2]))


# ---- parsers -----------------------------------------------------------------------------


def test_febrl_takes_the_entity_from_the_id(tmp_path):
    head = "rec_id, given_name, postcode\n"
    paths = {
        "a": write(tmp_path / "a.csv", head + "rec-7-org, anna maria, 2000\nrec-2-org, , 4010\n"),
        "b": write(tmp_path / "b.csv", head + "rec-7-dup-0, ana, 2001\nrec-2-dup-11, bo, 40\n"),
    }
    fields = {
        "name": {"column": "given_name"},
        "region": {"column": "postcode", "pattern": "^(..)"},
    }
    raw = parse_febrl(paths, fields)
    assert list(raw.entities) == ["7", "2", "7", "2"]
    assert list(raw.record_ids) == ["rec-7-org", "rec-2-org", "rec-7-dup-0", "rec-2-dup-11"]
    assert raw.cells["name"].dropna().tolist() == ["anna maria", "ana", "bo"]
    assert raw.cells["region"].tolist() == ["20", "40", "20", "40"]


ARFF = """% a comment
@relation "x"
@attribute name string
@attribute class {'1', '2'}

@data
"arnie's, of \\"x\\"", '1'
% another
"'quoted,'", '2'
"", '1'
"""


def test_arff_is_read_with_its_quotation_marks(tmp_path):
    path = write(tmp_path / "a.arff.gz", gzip.compress(ARFF.replace('\\"', "").encode()))
    raw = parse_record_arff({"arff": path}, ["name"])
    assert raw.cells["name"].dropna().tolist() == ["arnie's, of x", "'quoted,'"]
    assert list(raw.entities) == ["1", "2", "1"] and raw.cells["name"].isna()[2]


def recipe_files(tmp_path, counts="a,x,3\na,y,1\nb,u,2\nb,v,2\n", **entry):
    entry = {"clusters_by_size": {"1": 3, "4": 2}, "N": 11, "K": 5, **entry}
    return {
        "marginals": write(tmp_path / "m.csv", "field,level,count\n" + counts),
        "sizes": write(tmp_path / "s.json", json.dumps({"Set": entry})),
    }


def test_a_recipe_is_read_from_counts_and_sizes(tmp_path):
    raw = parse_record_recipe(recipe_files(tmp_path), "Set")
    assert raw.fields == ("a", "b") and raw.levels == (("x", "y"), ("u", "v"))
    assert raw.sizes.tolist() == [3, 0, 0, 2]
    assert [law.tolist() for law in raw.marginals] == [[0.75, 0.25], [0.5, 0.5]]

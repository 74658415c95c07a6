"""Records from tables: the user's own, and the published ones as the parsers read them."""

import gzip

from reseat.datasets import Records, read_records

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


# ---- parsers -----------------------------------------------------------------------------

"""What the supervised paper prints, and which of its rows cannot be right."""

import math
from dataclasses import replace

import pytest
import supervised_frames as frames

from reseat.errors import DataError
from reseat.papers.supervised import contradictions
from reseat.papers.supervised.results import ROLES, Published
from reseat.papers.tables import COLUMNS

PUBLISHED = frames.PUBLISHED


def test_every_printed_cell_is_there():
    counts = {role: len(PUBLISHED.systems(role)) for role in ROLES}
    assert counts == {"digits": 9, "identity": 10, "coref": 10, "refmatch": 9}
    assert len(PUBLISHED.tables) == 8 * 38 and len(PUBLISHED.table5) == 20
    assert PUBLISHED.beside("digits", "SCDP-3", "F") == 0.756
    assert PUBLISHED.beside("digits", "SCDP-3p", "F") == 0.756
    assert math.isnan(PUBLISHED.beside("digits", "SCDP-2x", "F"))
    # Table 5 repeats column F of the others.
    for (role, system), value in PUBLISHED.table5.items():
        assert value == PUBLISHED.tables[role, system, "F"]


def test_the_set_up_has_sizes_and_times():
    assert [PUBLISHED.n_entities(role) for role in ("digits", "identity", "coref")] == [5, 103, 523]
    assert math.isnan(PUBLISHED.n_entities("refmatch"))
    assert PUBLISHED.seconds("digits", "SCDP-1") == 2400
    assert PUBLISHED.seconds("coref", "SCDP-3p") == 7 * 86_400
    assert math.isnan(PUBLISHED.seconds("digits", "CDP"))
    assert PUBLISHED.number("coref", "chains") == 50


def test_a_damaged_file_is_refused(tmp_path):
    for path in (frames.ROOT / "config" / "published").glob("scdp_*.csv"):
        (tmp_path / path.name).write_text(path.read_text())
    assert len(Published.load(tmp_path).tables) == 304
    (tmp_path / "scdp_table2.csv").write_text("system,value\nFine,1\n")
    with pytest.raises(DataError, match=r"scdp_table2.csv lacks the column\(s\) metric"):
        Published.load(tmp_path)


def test_the_recomputed_numbers_are_those_of_the_formulas():
    checks = contradictions.contradictions_table("scdp_contradictions", PUBLISHED)
    assert list(checks.columns) == [*COLUMNS, *contradictions.EXTRA]
    failing = checks[checks["agrees"].eq(False)]
    found = {(row.role, row.system) for row in failing.itertuples()}
    assert contradictions.contradicted(PUBLISHED) == found and len(failing) == 25
    assert (failing["excess"] > contradictions.TOLERANCE).all()
    row = frames.row_of(checks, role="digits", system="CDP", metric="RI")
    assert (round(row["mean"], 3), row["published"]) == (0.775, 0.886)
    assert row["excess"] == pytest.approx(0.886 - row["high"])
    vi = frames.row_of(checks, role="identity", system="Binary", metric="NVI")
    assert vi["mean"] == pytest.approx(1 - 1.193 / (3.589 + 2.345))
    copied = frames.row_of(checks, metric="VI")
    assert (copied["role"], copied["system"]) == ("identity", "Binary")
    assert "as in Table 1" in copied["rule"] and math.isnan(copied["agrees"])
    # 103/378 = .27249 is printed as .273, and .998 stands for .9969 to .9974.
    assert frames.row_of(checks, role="identity", system="Fine", metric="NES")["agrees"]
    xing = frames.row_of(checks, role="coref", system="Xing-K", metric="RI")
    assert xing["agrees"] and xing["mean"] == pytest.approx(0.9969, abs=1e-4)
    moved = PUBLISHED.tables | {("digits", "K-Means", "RI"): 0.764}
    other = contradictions.contradicted(replace(PUBLISHED, tables=moved))
    assert other - found == {("digits", "K-Means")}


def test_few_pairs_need_many_clusters():
    # 834 linked pairs of 665 items require clusters of 3.5 items.
    assert contradictions.fewest_clusters(PUBLISHED, "digits", "CDP") == pytest.approx(190, abs=1)
    # One cluster links all pairs.
    found = contradictions.fewest_clusters(PUBLISHED, "digits", "Coarse")
    assert found == pytest.approx(1, abs=1e-9)

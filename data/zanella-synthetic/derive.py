"""Field distributions for the records paper: one-way counts, and nothing else from any record."""

from __future__ import annotations

import csv
import io
from collections import Counter

from derive import Origins, csv_table

ITALY = "ANASC Q QUAL SETT ACOM4C NASCREG SEX CIT STUDIO".split()


DEATHS = "replication_code_data/replication_data/vdc_export.csv"


def italy(origins: Origins) -> bytes:
    """Return the counts of the nine fields; a missing region of birth is the level NA."""
    records = read(origins.stored("italy-shiw/italy_friuli_789.csv.gz"))
    return counts({field: [record[field] or "NA" for record in records] for field in ITALY})


def syria(origins: Origins) -> bytes:
    """Return the counts of sex, governorate and the three parts of the date of death."""
    records = read(origins.repository("rab303/mdsr_syria").read(DEATHS))
    dates = [record["Date.of.death"].split("-") for record in records]
    return counts(
        {
            "gender": [record["Sex"].split(" - ")[1] for record in records],
            "governorate": [record["Province"].strip() for record in records],
            "day": [int(day) for _, _, day in dates],
            "month": [int(month) for _, month, _ in dates],
            "year": [year for year, _, _ in dates],
        }
    )


def read(table: bytes) -> list[dict[str, str]]:
    """Return the rows of comma-separated text."""
    return list(csv.DictReader(io.StringIO(table.decode())))


def counts(fields: dict[str, list]) -> bytes:
    """Return field, level and count, the most frequent level of each field first."""
    rows = [
        [field, *pair] for field, cells in fields.items() for pair in Counter(cells).most_common()
    ]
    return csv_table(["field", "level", "count"], rows)


TABLES = {"gamma_italy.csv": italy, "gamma_syria_standin.csv": syria}

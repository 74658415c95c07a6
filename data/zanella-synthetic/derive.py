"""Field distributions of the records papers: one-way counts, nothing else of any record."""

from __future__ import annotations

import csv
import io
from collections import Counter

from derive import Origins, csv_table

HEADER = ["field", "level", "count"]
ITALY = "ANASC Q QUAL SETT ACOM4C NASCREG SEX CIT STUDIO".split()


def italy(origins: Origins) -> bytes:
    """Return the counts of the nine fields; a missing region of birth is the level NA."""
    table = origins.stored("italy-shiw/italy_friuli_789.csv.gz").decode()
    records = list(csv.DictReader(io.StringIO(table)))
    rows = []
    for field in ITALY:
        counts = Counter(record[field] or "NA" for record in records)
        rows += [[field, *pair] for pair in counts.most_common()]
    return csv_table(HEADER, rows)


TABLES = {"gamma_italy.csv": italy}

"""The survey records of Friuli, taken from the R data files of the package ``italy``."""

from __future__ import annotations

import pandas
from derive import Origins, csv_table, r_objects

REGION = 6  # Friuli, the only region with the paper's numbers of records and people


def friuli(origins: Origins) -> bytes:
    """Return the records of 2008, then those of 2010, with a column for the year."""
    repository, header, rows = origins.repository("cleanzr/italy"), [], []
    for year in (2008, 2010):
        name = f"italy{year % 100:02d}"
        frame = r_objects(repository.read(f"data/{name}.rda"))[name]
        frame = frame[frame["IREG"].astype(int) == REGION]
        header = ["id", "WAVE", *frame.columns.drop("id")]
        frame = frame.assign(WAVE=year)[header]
        rows += [[plain(cell) for cell in row] for row in frame.itertuples(index=False)]
    return csv_table(header, rows)


def plain(cell) -> str:
    """Return a cell as the survey codes it: a whole number, empty where it is missing."""
    return "" if pandas.isna(cell) else str(int(cell))


TABLES = {"italy_friuli_789.csv.gz": friuli}

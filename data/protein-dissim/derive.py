"""The protein dissimilarities and their classes, from the R data of the package ``evclust``."""

from __future__ import annotations

from derive import Origins, csv_table, r_objects


def protein(origins: Origins) -> dict:
    """Return the list ``protein``: the matrix D, and the classes by name and by number."""
    content = origins.repository("cran/evclust").read("data/protein.RData")
    return r_objects(content)["protein"]


def matrix(origins: Origins) -> bytes:
    """Return the matrix, one row per line, with at most two decimals."""
    first, *rows = ([f"{value:.10g}" for value in row] for row in protein(origins)["D"])
    return csv_table(first, rows)


def classes(origins: Origins) -> bytes:
    """Return the class of each row, by name and by number."""
    found = protein(origins)
    pairs = zip(found["class"], found["y"].astype(int), strict=True)
    rows = [[index, *pair] for index, pair in enumerate(pairs, 1)]
    return csv_table(["index", "class", "y"], rows)


TABLES = {
    "protein_213_dissimilarities.csv.gz": matrix,
    "protein_213_classes.csv": classes,
}

"""Name references of the Giles-Kim set as a table; its XML has the same tags as that of AMiner."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

from derive import Origins, csv_table

REPOSITORY = "sanlunainiu/Adaptive-Hyperparameter-Optimization-for-Author-Name-Disambiguation"
HEADER = (
    "ref_id block mention first_name last_name year venue coauthors title entity_id pub_id"
).split()


def references(origins: Origins) -> bytes:
    """Return one row for each publication of the 14 blocks; the mention is its first author."""
    repository, rows = origins.repository(REPOSITORY), []
    for path in repository.names("PHNet/raw-data-citeseerx-kim"):
        block = re.search(r"([^/]+)\.xml$", path)[1]
        for publication in ElementTree.fromstring(repository.read(path)).iter("publication"):
            cells = {tag.tag: (tag.text or "").strip() for tag in publication}
            mention, *others = cells["authors"].split(",")
            *first, last = mention.split()
            names = [block, mention, " ".join(first), last]
            about = [cells["year"], cells["jconf"], "; ".join(others), cells["title"]]
            label = f"{block}#{cells['label']}"
            rows.append([len(rows), *names, *about, label, cells["id"]])
    return csv_table(HEADER, rows)


TABLES = {"giles_kim_name_refs.csv.gz": references}

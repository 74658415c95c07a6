"""Aligned segments of Swiss-Prot's globins, from outputs of a search in HMMER's tutorial."""

from __future__ import annotations

import re
from collections.abc import Iterator

from derive import Origins, csv_table

HEADER = (
    "accession entry class species protein_name organism gene is_globin included evalue score "
    "n_segments segment best seg_from seg_to reaches_start reaches_end length sequence"
).split()
HIT = re.compile(r"\n\s+(\S+)\s+(\S+)\s+\S+\s+\S+\s+\S+\s+\S+\s+\S+\s+\d+\s+(sp\|\S+)")
TARGET = re.compile(r"sp\|(\w+)\|(\w+)\s+(.*)")
ABOUT = re.compile(r"(.*?) OS=(.*?)(?: GN=(.*?))?(?: PE=.*)?\s*$")
SEGMENT = re.compile(
    r"^ +(?P<number>\d+) [!?] +(?P<score>\S+)(?: +\S+){5} .. +(?P<start>\d+) +(?P<end>\d+) "
    r"(?P<reach>[\[.][\].])",
    re.MULTILINE,
)
GLOBIN = re.compile("globin|hemoprotein", re.IGNORECASE)
GLOBINS, BEST = HEADER.index("is_globin"), HEADER.index("best")
#: Commits with the outputs of two releases.
MARCH_2010 = "e5a4a278a3407980edf8d4c70f3b20a229460273"
FEBRUARY_2013 = "edc5ef31b3207bc31386c34d7bebc817a701a010"


def segments(origins: Origins) -> bytes:
    """Return one row for each segment, the best hits first."""
    return csv_table(HEADER, rows_of(origins, MARCH_2010))


def added(origins: Origins) -> bytes:
    """Return the globins of February 2013 of which neither name nor sequence is in March 2010."""
    later = [row for row in rows_of(origins, FEBRUARY_2013) if row[GLOBINS] == row[BEST] == 1]
    known = {text for row in rows_of(origins, MARCH_2010) for text in (row[0], row[1], row[-1])}
    return csv_table(HEADER, (row for row in later if not known & {row[0], row[1], row[-1]}))


def rows_of(origins: Origins, commit: str) -> Iterator[list]:
    """Yield the row of each segment in the output at a commit."""
    repository = origins.repository("EddyRivasLab/hmmer", commit)
    output = repository.read("tutorial/globins4.out").decode()
    ranked, *hits = output.split("\n>> ")
    above, _, below = ranked.partition("------ inclusion threshold ------")
    scores = {name: (1, *values) for *values, name in HIT.findall(above)}
    scores |= {name: (0, *values) for *values, name in HIT.findall(below)}
    for hit in hits:
        accession, entry, description = TARGET.match(hit).groups()
        name = f"sp|{accession}|{entry}"
        protein, organism, gene = ABOUT.match(description).groups()
        class_, species = entry.split("_")
        included, evalue, score = scores[name]
        bounds = [match.groupdict() for match in SEGMENT.finditer(hit)]
        best = max(bounds, key=lambda segment: float(segment["score"]))
        for segment, alignment in zip(bounds, hit.split("\n  == domain ")[1:], strict=True):
            found = re.findall(rf"^ +{re.escape(name)} +\d+ (\S+) +\d+", alignment, re.MULTILINE)
            sequence = "".join(found).replace("-", "").upper()
            about = [accession, entry, class_, species, protein, organism, gene or ""]
            about += [int(bool(GLOBIN.search(protein))), included, evalue, score, len(bounds)]
            place = [segment["number"], int(segment is best), segment["start"], segment["end"]]
            reaches = [int(segment["reach"][0] == "["), int(segment["reach"][1] == "]")]
            yield [*about, *place, *reaches, len(sequence), sequence]


TABLES = {"segments_2010-03.csv.gz": segments, "added_2013-02.csv.gz": added}

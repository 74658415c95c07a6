"""The references of Cora in both readings, split into fields by position and regular expression."""

from __future__ import annotations

import csv
import html
import io
import re

from derive import Origins, csv_table

GAP = re.compile(r" {2,}")
TAGS = (
    "author title journal booktitle tech type institution publisher editor address volume pages "
    "year month date note"
).split()
MISSPELT = {
    "booktile": "booktitle",
    "instituation": "institution",
    "notes": "note",
    "titile": "title",
    "page": "pages",
}
RECORD = re.compile(
    r'<NEWREFERENCE id="(\d+)">(?:(\d\w*)\n)?\s*(\S+)(.*?)</NEWREFERENCE>', re.DOTALL
)
FIELD = re.compile(r"<(\w+)>(.*?)</\1>", re.DOTALL)
FILES = {"fahl": 529, "kibl": 594, "utgo": 756}  # records of each author, in this order


def by_the_text(origins: Origins) -> bytes:
    """Return the 1,916 references of SecondString: cluster, four fields, flags of three authors."""
    text = origins.repository("TeamCohen/secondstring").read("data/coraATDV.txt").decode()
    rows = []
    for number, line in enumerate(text.splitlines()):
        _, cluster, reference = line.split("\t")
        fields = four_fields(reference)
        authors = [int(name in fields[0].lower()) for name in ("kearns", "schapire", "freund")]
        rows.append([number, cluster, *fields, *authors])
    header = "ref_id cluster author title date venue kearns schapire freund".split()
    return csv_table(header, rows, end="\r\n")


def four_fields(reference: str) -> list[str]:
    """Return author, title, date and venue; absent fields are empty.

    A present field has a space on either side, and one space joins the four fields: three spaces
    separate two neighbours, and each further space stands for an absent field.
    """
    fields = [""] * (len(reference) - len(reference.lstrip(" ")) - 1)
    body, position = reference.strip(" "), 0
    for gap in GAP.finditer(body):
        fields += [body[position : gap.start()], *[""] * (len(gap[0]) - 3)]
        position = gap.end()
    fields.append(body[position:])
    return fields + [""] * (4 - len(fields))


def by_the_numbers(origins: Origins) -> bytes:
    """Return the 1,879 references cited with Fahlman, Kibler and Utgoff, with all their tags."""
    package = origins.repository("cleanzr/cora")
    clusters = gold_clusters(package.read("data-raw/cora_gold.csv").decode())
    xml = package.read("data-raw/CORA.xml").decode()
    sides = [side for side, count in FILES.items() for _ in range(count)]
    rows = []
    for match, side in zip(RECORD.finditer(xml), sides, strict=True):
        number, in_file, key, body = int(match[1]), match[2], match[3], match[4]
        values = {tag: [] for tag in TAGS}
        for tag, value in FIELD.findall(body):
            tag = MISSPELT.get(tag.lower(), tag.lower())
            if tag in values:
                values[tag].append(plain(value))
        cells = [" ".join(value for value in values[tag] if value) for tag in TAGS]
        found = dict(zip(TAGS, cells, strict=True))
        year = re.search(r"(?:19|20)\d\d", f"{found['year']} {found['date']}")
        text = plain(re.sub(r"</?\w+>", " ", body))
        rows.append(
            [number, side, in_file, key, clusters.get(number, number), *cells]
            + [year[0] if year else "", text]
        )
    header = ["ref_id", "author_file", "number_in_file", "key", "gold_cluster", *TAGS]
    return csv_table([*header, "year4", "text"], rows, end="\r\n")


def plain(text: str) -> str:
    """Return `text` with entities decoded, runs of white space collapsed, and none at its ends."""
    return " ".join(html.unescape(text).split())


def gold_clusters(pairs: str) -> dict[int, int]:
    """Return, for each reference in a pair, the smallest number in its cluster."""
    smallest: dict[int, int] = {}
    for row in csv.DictReader(io.StringIO(pairs), delimiter=";"):
        one, two = int(row["id1"]), int(row["id2"])
        least = min(one, two, smallest.get(one, one), smallest.get(two, two))
        smallest[one] = smallest[two] = least  # the pairs are transitively closed
    return smallest


TABLES = {
    "derived/cora1916.csv.gz": by_the_text,
    "derived/cora_refs_1879.csv.gz": by_the_numbers,
}

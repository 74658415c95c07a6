"""Name references of AMiner as a table, and the split of those that replace the paper's data."""

from __future__ import annotations

import csv
import html
import io
import re
import unicodedata

from derive import Origins, csv_table

REPOSITORY = "sanlunainiu/Adaptive-Hyperparameter-Optimization-for-Author-Name-Disambiguation"
HEADER = (
    "ref_id block mention first_name last_name year venue coauthors title entity_id pub_id"
).split()

# Whole names, found by a random search that used only sizes and labels: together they have as many
# references and persons as the paper's training and test data.
TEST = (
    "David Cooper|Frank Mueller|Michael Lang|Paul Brown|R. Cole|R. Ramesh|Thomas Tran|X. Zhang|"
    "Xiaoming Wang|Yan Tang"
).split("|")
TRAIN = (
    "Bing Liu|Hao Wang|Hong Xie|Kai Tang|Kai Zhang|Li Shen|Ping Zhou|Qiang shen|Robert Schreiber|"
    "S. Huang|Steve King|Thomas D. Taylor|Yu Zhang"
).split("|")


def references(origins: Origins) -> bytes:
    """Return one row for each publication of each of the 109 names."""
    repository, rows = origins.repository(REPOSITORY), []
    for path in repository.names("PHNet/raw-data"):
        block = path.rsplit("/", 1)[1].removesuffix(".xml")
        # Not well-formed XML: some names and titles contain a bare "&" or an SGML entity.
        text = repository.read(path).decode()
        for publication in re.findall("<publication>(.*?)</publication>", text, re.DOTALL):
            authors = [name.strip() for name in cell(publication, "authors").split(",")]
            mention = own_mention(block, authors)
            coauthors = "; ".join(name for name in authors if name != mention)
            rows.append(reference_row(len(rows), block, mention, coauthors, publication))
    return csv_table(HEADER, rows)


def reference_row(number, block, mention, coauthors, publication) -> list:
    """Return a row of the table; the last word of the mention is the last name."""
    *first, last = mention.split()
    year, venue, title, label, identifier = (
        cell(publication, tag) for tag in ("year", "jconf", "title", "label", "id")
    )
    entity = f"{block}#{label}"
    names = [block, mention, " ".join(first), last]
    return [number, *names, year, venue, coauthors, title, entity, identifier]


def own_mention(block: str, authors: list[str]) -> str:
    """Return the author named `block`, or one with its last name and initial, or else `block`."""
    wanted = folded(block)
    for name in authors:
        if folded(name) == wanted:
            return name
    for name in authors:
        words = folded(name).split()
        if words and words[-1] == wanted.split()[-1] and words[0][0] == wanted[0]:
            return name
    return block


def folded(name: str) -> str:
    """Return a name in lower case, without accents and dots."""
    letters = unicodedata.normalize("NFKD", name)
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(plain.replace(".", " ").lower().split())


def cell(publication: str, tag: str) -> str:
    """Return the text of a tag, or an empty string if it is 'null'."""
    text = re.search(f"<{tag}>(.*?)</{tag}>", publication, re.DOTALL)[1]
    text = html.unescape(text).strip()
    return "" if text == "null" else text


def split(origins: Origins) -> bytes:
    """Return the side, training or test, of each reference of the 23 names that are used."""
    sides = {**dict.fromkeys(TEST, "test"), **dict.fromkeys(TRAIN, "train")}
    table = csv.DictReader(io.StringIO(references(origins).decode()))
    rows = [[row["ref_id"], sides[row["block"]]] for row in table if row["block"] in sides]
    return csv_table(["ref_id", "split"], rows)


TABLES = {"aminer_name_refs.csv.gz": references, "scdp_sized_split.csv": split}

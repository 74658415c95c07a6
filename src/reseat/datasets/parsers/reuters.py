"""Reuters-21578: the single-topic documents known as R52."""

import html
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from reseat.datasets.parsers.options import file_of
from reseat.datasets.raw import RawDocuments, index_labels
from reseat.errors import DataError
from reseat.reading.archives import read_members

OPEN, CLOSE = "<REUTERS", "</REUTERS>"
ATTRIBUTE = re.compile(r'\b([A-Z]+)="([^"]*)"')
TAG = re.compile(r"</?(?:AUTHOR|DATELINE|TITLE|BODY)>")
NUMBER = re.compile("[0-9]{1,9}")


def parse_reuters(paths: Mapping[str, Path]) -> RawDocuments:
    """Read the R52 subset from the 22 SGML files in a tar archive.

    These are the ModApte documents that have exactly one topic, if it occurs in both parts: 6,532 +
    2,568 documents. Where there is no title and no body, all of an item's text is read.

    `paths`: ``archive`` is the tar file, or the folder that it unpacks to.
    """
    items, path = [], file_of(paths, "archive")
    for parts, content in read_members(path):
        if parts[-1].endswith(".sgm"):
            where = f"{path}, {'/'.join(parts)}"
            items.extend(_single_topic(content.decode("latin-1"), where))
    topics = {
        split: {topic for _, part, topic, _ in items if part == split}
        for split in ("TRAIN", "TEST")
    }
    shared = topics["TRAIN"] & topics["TEST"]
    items = sorted(item for item in items if item[2] in shared)
    if not items:
        raise DataError(f"{path} contains no single-topic Reuters documents")
    labels, names = index_labels([topic for _, _, topic, _ in items])
    return RawDocuments(
        texts=[text for _, _, _, text in items],
        labels=labels,
        label_names=names,
        document_ids=[str(number) for number, _, _, _ in items],
        has_headers=False,
    )


def _single_topic(sgml: str, where: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield NEWID, split, topic and text of ModApte items with one topic, in linear time."""
    *pieces, rest = sgml.split(CLOSE)
    if OPEN in rest or any(piece.count(OPEN) != 1 for piece in pieces):
        raise DataError(f"{where}: an item is not closed, or is closed without having been opened")
    for piece in pieces:
        head, _, item = piece.partition(OPEN)[2].partition(">")
        attributes = dict(ATTRIBUTE.findall(head))
        split = attributes.get("LEWISSPLIT")
        if attributes.get("TOPICS") != "YES" or split not in ("TRAIN", "TEST"):
            continue
        topics = [part.rpartition("<D>")[2] for part in
                  (_between(item, "<TOPICS>", "</TOPICS>") or "").split("</D>")[:-1]]  # fmt: skip
        if len(topics) == 1:
            number = attributes.get("NEWID", "")
            if not NUMBER.fullmatch(number):
                raise DataError(f"{where}: an item has the NEWID {number!r}, which is not a number")
            yield int(number), split, topics[0], _text(item)


def _between(text: str, start: str, end: str) -> str | None:
    """Return the text between two marks, or None if they are not there."""
    _, opened, rest = text.partition(start)
    found, closed, _ = rest.partition(end)
    return found if opened and closed else None


def _text(item: str) -> str:
    found = _between(item, "<TEXT", "</TEXT>")
    if found is None:
        return ""
    found = found.partition(">")[2]
    marked = (_between(found, f"<{tag}>", f"</{tag}>") for tag in ("TITLE", "BODY"))
    parts = [part for part in marked if part is not None]
    return html.unescape("\n".join(parts) if parts else TAG.sub(" ", found))

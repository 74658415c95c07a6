"""Reuters-21578: the single-topic documents known as R52."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from reseat.datasets.parsers.archives import read_members
from reseat.datasets.raw import RawDocuments, index_labels
from reseat.errors import DataError

__all__ = ["parse_reuters"]

ITEM = re.compile(r"<REUTERS\b([^>]*)>(.*?)</REUTERS>", re.DOTALL)
ATTRIBUTE = re.compile(r'([A-Z]+)="([^"]*)"')
TOPICS = re.compile(r"<TOPICS>(.*?)</TOPICS>", re.DOTALL)
TOPIC = re.compile(r"<D>(.*?)</D>", re.DOTALL)
TEXT = re.compile(r"<TEXT\b[^>]*>(.*?)</TEXT>", re.DOTALL)
TITLE = re.compile(r"<TITLE>(.*?)</TITLE>", re.DOTALL)
BODY = re.compile(r"<BODY>(.*?)</BODY>", re.DOTALL)
TAG = re.compile(r"</?(?:AUTHOR|DATELINE|TITLE|BODY)>")


def parse_reuters(paths: Mapping[str, Path]) -> RawDocuments:
    """Read the R52 subset from the 22 SGML files in a tar archive.

    Of the ModApte documents (``TOPICS="YES"``, ``LEWISSPLIT`` ``TRAIN`` or ``TEST``)
    those with exactly one topic are taken, and of these the topics that occur
    in both parts: 6,532 + 2,568 documents, 52 topics.  The text is the title
    and the body; of an item that has neither (``TYPE="UNPROC"``), all its text.

    Parameters
    ----------
    paths : mapping
        ``archive`` is the tar file.

    Raises
    ------
    DataError
        If the archive is damaged or holds no such documents.
    """
    items = []
    for parts, content in read_members(paths["archive"]):
        if parts[-1].endswith(".sgm"):
            items.extend(_single_topic(content.decode("latin-1")))
    topics = {
        split: {topic for _, part, topic, _ in items if part == split}
        for split in ("TRAIN", "TEST")
    }
    shared = topics["TRAIN"] & topics["TEST"]
    items = sorted(item for item in items if item[2] in shared)
    if not items:
        raise DataError(f"{paths['archive']} holds no single-topic Reuters documents")
    labels, names = index_labels([topic for _, _, topic, _ in items])
    return RawDocuments(
        texts=[text for _, _, _, text in items],
        labels=labels,
        label_names=names,
        document_ids=[str(number) for number, _, _, _ in items],
        has_headers=False,
    )


def _single_topic(sgml: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield NEWID, split, topic and text of the ModApte items with one topic."""
    for item in ITEM.finditer(sgml):
        attributes = dict(ATTRIBUTE.findall(item[1]))
        split = attributes.get("LEWISSPLIT")
        if attributes.get("TOPICS") != "YES" or split not in ("TRAIN", "TEST"):
            continue
        listed = TOPICS.search(item[2])
        topics = TOPIC.findall(listed[1]) if listed else []
        if len(topics) == 1:
            yield int(attributes["NEWID"]), split, topics[0], _text(item[2])


def _text(item: str) -> str:
    found = TEXT.search(item)
    if not found:
        return ""
    parts = [match[1] for match in (TITLE.search(found[1]), BODY.search(found[1])) if match]
    return html.unescape("\n".join(parts) if parts else TAG.sub(" ", found[1]))

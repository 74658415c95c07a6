"""Messages with one topic each, from a folder that the user supplies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reseat.datasets.parsers.archives import natural_key
from reseat.datasets.raw import RawDocuments, index_labels
from reseat.errors import DataError

__all__ = ["TABLE", "parse_topic_mail"]

TABLE = "topics.tsv"


def parse_topic_mail(paths: Mapping[str, Path]) -> RawDocuments:
    """Read annotated mail in one of two plain layouts.

    This serves licensed corpora such as LDC2007T22.  That corpus was not at
    hand when this was written, so its own file layout is *not* read; the user
    brings it into one of these:

    * a folder for each topic, the messages being the files in it::

          <path>/<topic>/<message>

    * a tab-separated table ``topics.tsv`` with the header ``path<TAB>topic`` and
      a line for each message, beside the messages it names (paths count from
      the table's folder).  Give the folder or the table itself.

    Messages are read as Latin-1: header lines, a blank line, the body.  Each
    has exactly one topic.

    Parameters
    ----------
    paths : mapping
        ``user`` is the folder or the table.

    Raises
    ------
    DataError
        If the layout is neither of the two, a message is absent, or a message
        is listed twice.
    """
    path = paths["user"]
    table = path / TABLE if path.is_dir() else path
    listed = _from_table(table) if table.is_file() else _from_folders(path)
    listed.sort(key=lambda item: (item[0], natural_key(item[1])))
    labels, names = index_labels([topic for topic, _, _ in listed])
    return RawDocuments(
        texts=[_read(file) for _, _, file in listed],
        labels=labels,
        label_names=names,
        document_ids=[f"{topic}/{name}" for topic, name, _ in listed],
        has_headers=True,
    )


def _from_folders(path: Path) -> list[tuple[str, str, Path]]:
    listed = [
        (topic.name, file.name, file)
        for topic in path.iterdir()
        if topic.is_dir()
        for file in topic.iterdir()
        if file.is_file() and not file.name.startswith(".")
    ]
    if not listed:
        raise DataError(
            f"{path} holds neither a table {TABLE} nor a folder of messages for each topic"
        )
    return listed


def _from_table(table: Path) -> list[tuple[str, str, Path]]:
    try:
        lines = table.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise DataError(f"{table} is not UTF-8 text") from error
    if not lines or lines[0].split("\t") != ["path", "topic"]:
        raise DataError(f"{table} must begin with the line 'path<TAB>topic'")
    listed, seen = [], set()
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != 2 or not all(cell.strip() for cell in cells):
            raise DataError(f"{table}, line {number}: a message path, a tab and a topic are needed")
        name, topic = (cell.strip() for cell in cells)
        if name in seen:
            raise DataError(f"{table}, line {number}: the message {name!r} is listed twice")
        if not (table.parent / name).is_file():
            raise DataError(f"{table}, line {number}: there is no message {name!r}")
        seen.add(name)
        listed.append((topic, name, table.parent / name))
    if not listed:
        raise DataError(f"{table} lists no message")
    return listed


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode("latin-1")
    except OSError as error:
        raise DataError(f"{file} cannot be read ({error.strerror})") from error

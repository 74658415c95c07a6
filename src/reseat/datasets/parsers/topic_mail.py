"""Messages with one topic each, from a folder of the user's own."""

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path

from reseat.datasets.features import OWN_STOP_LIST
from reseat.datasets.parsers.options import beside
from reseat.datasets.raw import RawDocuments, filed_messages
from reseat.errors import DataError
from reseat.files.texts import composed, decoded, lines_of, open_text
from reseat.reading.archives import bytes_of, files_below
from reseat.reading.source import other_format

logger = logging.getLogger(__name__)
TABLE = "topics.tsv"


def parse_topic_mail(paths: Mapping[str, Path], encoding: str = "utf-8") -> RawDocuments:
    """Read annotated mail, or other texts with one topic each, in one of two simple layouts.

    The user converts licensed corpora, such as LDC2007T22, whose own layout is *not* read, to

    * a folder for each topic, whose messages are the files in it and in its subfolders, or
    * a tab-separated table ``topics.tsv`` with the header ``path<TAB>topic`` and a line for each
      message; paths are relative to the folder of the table and stay within it.

    A message consists of header lines, a blank line and the body. Hidden files are ignored.

    `paths`: ``user`` is the folder, perhaps with the table, or the table.
    """
    path = paths["user"]
    if path.is_file() and path.name != TABLE:
        # Only the name of the table tells that the messages next to it are part of the data.
        raise DataError(
            f"{path} is neither a folder nor a table called {TABLE}; rename it if it is the table, "
            "or unpack it if it is an archive"
        )
    table = path / TABLE if path.is_dir() else path
    listed = _from_table(table) if table.is_file() else _from_folders(path)
    return filed_messages(
        (topic, name, decoded(_read(file), file, encoding)) for topic, name, file in sorted(listed)
    )


def _from_folders(path: Path) -> list[tuple[str, str, Path]]:
    beside(path, TABLE)
    listed, unread = [], []
    for file in files_below(path):
        topic, *parts = file.relative_to(path).parts
        if parts:
            listed.append((composed(topic), Path(*parts).as_posix(), file))
        else:
            unread.append(file)
    if not listed:
        raise DataError(
            f"{path} contains neither a table {TABLE} nor one folder of messages per topic"
        )
    _warn_of_unread(path, unread)
    return listed


def _from_table(table: Path) -> list[tuple[str, str, Path]]:
    # File names are looked up as they are written, so they are not normalized to NFC.
    with open_text(table) as file:
        lines = lines_of(file.read())
    if not lines or [cell.strip() for cell in lines[0].split("\t")] != ["path", "topic"]:
        raise DataError(f"{table} must begin with the line 'path<TAB>topic'")
    folder, listed, seen = table.parent.resolve(), [], set()
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        where, cells = f"{table}, line {number}", line.split("\t")
        if len(cells) != 2 or not all(cell.strip() for cell in cells):
            raise DataError(f"{where}: the line must consist of a message path, a tab and a topic")
        name, topic = (cell.strip() for cell in cells)
        place = (folder / name.replace("\0", "")).resolve()
        if place in seen:
            raise DataError(f"{where}: the message {name!r} is listed twice")
        if not place.is_relative_to(folder):
            raise DataError(
                f"{where}: {name!r} is outside the folder of the table; messages must be inside it"
            )
        if "\0" in name or not place.is_file():
            raise DataError(f"{where}: message {name!r} not found")
        seen.add(place)
        listed.append((composed(topic), name, place))
    if not listed:
        raise DataError(f"{table} lists no messages")
    unread = (file for file in files_below(table.parent) if file.resolve() not in seen)
    _warn_of_unread(table.parent, unread)
    return listed


def _warn_of_unread(folder: Path, files: Iterable[Path]) -> None:
    """Log a warning if there are files among the messages that have no topic."""
    known = (folder / TABLE, folder / OWN_STOP_LIST)
    unread = sorted(file.relative_to(folder).as_posix() for file in files if file not in known)
    if unread:
        logger.warning(
            f"{folder}: {len(unread)} files have no topic and are not read; the first is "
            f"{unread[0]!r}"
        )


def _read(file: Path) -> bytes:
    if (kind := other_format(file)) is not None:
        raise DataError(f"{file} is {kind}, which cannot be read; save its text as .txt")
    return bytes_of(file)

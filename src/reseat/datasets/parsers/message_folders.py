"""Messages in an archive, filed in folders that are the classes: Usenet articles, and mail."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reseat.checks import check_whole
from reseat.datasets.parsers.options import file_of
from reseat.datasets.raw import RawDocuments, filed_messages
from reseat.errors import DataError
from reseat.files.texts import decoded
from reseat.reading.archives import check_depth, read_members

TOP = "20_newsgroups"  # the folder, unchanged since it was published
ARTICLE, MAIL = "<top>/<group>/<number>", "<top>/<user>/<folder>/<number>"


def parse_newsgroups(paths: Mapping[str, Path], encoding: str = "latin-1") -> RawDocuments:
    """Read ``<top>/<group>/<number>`` articles, sorted, from a tar archive.

    If it has more than these, as that of a data repository, those in ``20_newsgroups`` are read.

    `paths`: ``archive`` is a tar file or a folder.
    `encoding`: of the articles, 73 of which are not UTF-8.
    """
    articles, path = [], file_of(paths, "archive")
    files = list(read_members(path))
    within = [
        (parts[parts.index(TOP, 1) :], content) for parts, content in files if TOP in parts[1:-2]
    ]
    for parts, content in within or files:
        check_depth(parts, ARTICLE, path)
        if len(parts) == 3:
            text = decoded(content, f"{path}, {'/'.join(parts)},", encoding)
            articles.append((parts[1], parts[2], text))
    if not articles:
        raise DataError(f"{path} contains no files of the form {ARTICLE}")
    return filed_messages(articles)


def parse_mail_folders(
    paths: Mapping[str, Path], user: str, max_classes: int | None = None, encoding: str = "latin-1"
) -> RawDocuments:
    """Read ``<top>/<user>/<folder>/<number>`` messages, for one user perhaps without ``<top>``.

    `paths`: ``archive`` is a tar file or a folder.
    `user`: owner of the mailbox to read.
    `max_classes`: number of folders to keep, the largest, and the alphabetically first of these.
    """
    messages, users = [], set()
    path = file_of(paths, "archive")
    for parts, content in read_members(path):
        if parts[0] == user and parts[1:2] != (user,):
            parts = ("", *parts)
        if parts[1:2] == (user,):
            check_depth(parts, MAIL, path)
        if len(parts) != 4:
            continue
        users.add(parts[1])
        if parts[1] == user:
            text = decoded(content, f"{path}, {'/'.join(parts)},", encoding)
            messages.append((parts[2], parts[3], text))
    if not messages:
        raise DataError(
            f"{path} contains no mail of {user!r}; its users are "
            f"{', '.join(sorted(users)) or 'none'}"
        )
    sizes = Counter(folder for folder, _, _ in messages)
    if max_classes is not None:
        if not 1 <= max_classes <= len(sizes):
            raise DataError(
                f"options.max_classes is {max_classes}, but {user!r} has {len(sizes)} folders"
            )
        kept = sorted(sizes, key=lambda folder: (-sizes[folder], folder))[:max_classes]
        messages = [message for message in messages if message[0] in kept]
    return filed_messages(messages)


def check_mail_folders(options: Mapping[str, Any]) -> None:
    """Check the number of folders, before any file is read."""
    if options.get("max_classes") is not None:
        check_whole("the option 'max_classes'", options["max_classes"], 1)

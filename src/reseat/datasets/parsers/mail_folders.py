"""Mail filed in folders by its owner: the folder is the class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reseat.checks import check_whole
from reseat.datasets.parsers.archives import check_depth, filed_messages, read_members
from reseat.datasets.parsers.roles import file_of
from reseat.datasets.raw import RawDocuments
from reseat.errors import DataError
from reseat.texts import decoded

__all__ = ["parse_mail_folders"]

FORM = "<top>/<user>/<folder>/<number>"


def parse_mail_folders(
    paths: Mapping[str, Path],
    user: str,
    max_classes: int | None = None,
    encoding: str = "latin-1",
) -> RawDocuments:
    """Read ``<top>/<user>/<folder>/<number>`` messages from a tar archive.

    One that holds a single mailbox need have no folder above it.

    Parameters
    ----------
    paths : mapping
        ``archive`` is the tar file, or ``user`` one of the user's own, or a folder.
    user : str
        Whose mailbox.
    max_classes : int, optional
        Keep the largest folders only; of folders of one size the
        alphabetically first ones.  By default all are kept.
    encoding : str
        Of the messages.

    Raises
    ------
    DataError
        If the archive is damaged, the user unknown, there are fewer folders, or the user's have
        folders in them.
    """
    messages, users = [], set()
    path = file_of(paths, "archive")
    for parts, content in read_members(path):
        if parts[0] == user and parts[1:2] != (user,):
            parts = ("", *parts)
        if parts[1:2] == (user,):
            check_depth(parts, FORM, path)
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
        largest = sorted(sizes, key=lambda folder: (-sizes[folder], folder))[:max_classes]
        kept = set(largest)
        messages = [message for message in messages if message[0] in kept]
    return filed_messages(messages)


def check_mail_folders(options: Mapping[str, Any]) -> None:
    """Refuse a number of folders that is none; a ConfigError that names the option."""
    if options.get("max_classes") is not None:
        check_whole("the option 'max_classes'", options["max_classes"], 1)

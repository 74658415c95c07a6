"""Sequences in FASTA form, with the class in the title line."""

from __future__ import annotations

import io
import lzma
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from reseat.datasets.parsers.archives import decompressed
from reseat.datasets.sequences import Sequences
from reseat.errors import ConfigError, DataError

__all__ = ["parse_sequence_fasta"]


def parse_sequence_fasta(
    paths: Mapping[str, Path], label: str | None = None, unlabelled: Sequence[str] = ()
) -> Sequences:
    """Read a FASTA file, plain or packed.

    Parameters
    ----------
    paths : mapping
        ``fasta`` is the file, or ``user`` one of the user's own.
    label : str, optional
        Regular expression with one group, which is the class, searched in what
        follows the name in the title line; where it is not found there is no
        class.  By default nothing has one.
    unlabelled : sequence of str
        Classes that mean none.

    Raises
    ------
    DataError
        If the file is damaged, or has a line before the first title.
    ConfigError
        If `label` is not a regular expression with one group.
    """
    path = paths["user"] if "user" in paths else paths["fasta"]
    pattern = _compiled(label) if label is not None else None
    found: dict[str, list[str]] = {key: [] for key in ("names", "sequences", "labels", "groups")}
    for number, line in enumerate(_lines(path), start=1):
        if line.startswith(">"):
            name, _, rest = line[1:].strip().partition(" ")
            if not name:
                raise DataError(f"{path}, line {number}: the sequence has no name; give it one")
            match = pattern.search(rest) if pattern else None
            text = match[1].strip() if match else ""
            found["names"].append(name)
            found["sequences"].append("")
            found["labels"].append("" if text in unlabelled else text)
            found["groups"].append("")
        elif line.strip():
            if not found["names"]:
                raise DataError(
                    f"{path}, line {number}: a title line that begins with > must come first"
                )
            found["sequences"][-1] += line.strip().rstrip("*").upper()
    if not found["names"]:
        raise DataError(f"{path} has no sequence")
    return Sequences(**found)


def _compiled(label: str) -> re.Pattern:
    try:
        compiled = re.compile(label)
    except (re.error, TypeError) as error:
        raise ConfigError(
            f"the option 'label' is {label!r}, which is no regular expression ({error})"
        ) from error
    if compiled.groups != 1:
        raise ConfigError(f"the option 'label' is {label!r}, which must have one group")
    return compiled


def _lines(path: Path) -> list[str]:
    try:
        with decompressed(path) as stream:
            return io.TextIOWrapper(stream, encoding="utf-8").read().splitlines()
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 text ({error}); convert it first") from error
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise DataError(f"{path} cannot be read to its end ({error})") from error

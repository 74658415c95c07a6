"""Sequences in FASTA format, with the class in the title line."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reseat.datasets.parsers.options import file_of, group_pattern
from reseat.datasets.sequences import Sequences
from reseat.errors import DataError
from reseat.files.texts import lines_of, read_text
from reseat.reading.values import missing_words


def parse_sequence_fasta(
    paths: Mapping[str, Path], label: str | None = None, unlabelled: Sequence[str] = ()
) -> Sequences:
    """Read a FASTA file, plain or compressed.

    `paths`: ``fasta``, or ``user`` for the user's own, is the file.
    `label`: regular expression with one group, which is the class. It is searched for in what
        follows the name in the title line; a sequence for which it is not found has no class. By
        default, no sequence has one.
    `unlabelled`: class names that mean that there is no class.
    """
    path = file_of(paths, "fasta")
    pattern = group_pattern("label", label) if label is not None else None
    found: dict[str, list[str]] = {key: [] for key in ("names", "labels", "groups")}
    pieces: list[list[str]] = []
    unlabelled = missing_words(unlabelled, "unlabelled")
    for number, line in enumerate(lines_of(read_text(path)), start=1):
        if line.startswith(">"):
            name, rest = (*line[1:].split(maxsplit=1), "", "")[:2]
            if not name:
                raise DataError(f"{path}, line {number}: the sequence has no name; add one")
            match = pattern.search(rest) if pattern else None
            text = (match[1] or "").strip() if match else ""
            found["names"].append(name)
            pieces.append([])
            found["labels"].append("" if text in unlabelled else text)
            found["groups"].append("")
        elif line.strip():
            if not found["names"]:
                raise DataError(
                    f"{path}, line {number}: a title line that begins with > must come first"
                )
            pieces[-1].append(line.strip().rstrip("*").upper())
    if not found["names"]:
        raise DataError(f"{path} contains no sequences")
    return Sequences(sequences=tuple(map("".join, pieces)), **found)


def check_sequence_fasta(options: Mapping[str, Any]) -> None:
    """Raise a ConfigError that names the option if the pattern or the list cannot be used."""
    if options.get("label") is not None:
        group_pattern("label", options["label"])
    missing_words(options.get("unlabelled", ()), "unlabelled")

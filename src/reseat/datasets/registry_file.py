"""The keys of ``config/datasets.yaml``, and of what a configuration says about data."""

import os
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from reseat.sections import Flag, Key, Section, Text, matching, one_of, unique, whole
from reseat.vocabulary import MISSING_CHOICES

Name = matching(
    "^[a-z][a-z0-9_]*$", "a data set name has lower-case letters, digits and underscores"
)
Sentence = matching(r"\S", "it must not be empty")
Sha256 = matching("^[0-9a-f]{64}$", "64 hexadecimal digits")
Address = matching(r"^https?://\S+$", "an http or https address")
Path = matching(r"^(?!/)(?!.*\.\.)\S+$", "a path below a mirror folder")


def key(description: str, default: Any = None, **bounds: int) -> Any:
    """Return the declaration of a key, which is optional unless its default is ``...``."""
    return Field(default, description=description, **bounds)


class Archive(Section):
    urls: list[Address] = key(
        "addresses of one archive, pinned to a commit or release", ..., min_length=1
    )
    folder: Sentence = key("the part of the archive that is wanted; * is any one folder", ...)
    into: Sentence = key(
        "what that folder is called in the form, a tar of names and contents alone", ...
    )
    at_most: whole(1) = key("number of bytes after which a download is aborted", ...)
    derive: Sentence = key("the table of data/derive.py that the form is, unpacked; else a tar")
    repository: Sentence = key("the owner/name that data/derive.py reads")


class Form(Section):
    path: Path
    sha256: Sha256
    bytes: whole(1)
    urls: list[Address] = key("addresses of exactly this file, pinned to a commit or release")
    archives: list[Archive] = key(
        "archives, such as that of a commit, that hold what this form is made from"
    )


class File(Form):
    origin: Text = key("where the file was taken from")
    also: list[Form] = key("other files with the same content, for instance unpacked")


class Entry(Section):
    title: Sentence = key("name in tables and figures", ...)
    about: Sentence = key("what the data are", ...)
    family: one_of("documents", "supervised", "records", "relational", "distances", "shared")
    licence: Sentence = key("of your own data by default not stated", ...)
    citation: Sentence = key("of your own data by default none", ...)
    status: one_of("faithful", "stand-in", "generated", "own") = key(
        "faithful, the data that the title names, unchanged: those of the paper, data drawn as the "
        'paper draws them or, where the note begins with "Not in the paper", further data in their '
        "original form; stand-in, other data in their place; generated; or own, your own data, "
        "which are never compared with published numbers (the default for your own data)",
        ...,
    )
    stands_for: Text = key(
        "what is replaced; empty if the data set is faithful or replaces nothing"
    )
    note: Text = key("what a reader of the results must know")
    origin: Text = key("where the data can be obtained, if no file says so")
    parser: Sentence = key("a name in reseat.datasets.parsers, none for files used by others")
    options: dict[Any, Any] = key("options of the parser")
    features: dict[Any, Any] = key("feature options that this data set changes")
    files: dict[Key, File] = key("role in the parser -> file", min_length=1)
    texts_sha256: Sha256 = key(
        "hash of the texts after parsing; with it, data.paths.<name> may be the user's own copy "
        "packed in another way or not at all"
    )
    user_path: Sentence = key("what the user supplies by data.paths.<name> for licensed data")
    obtainable: Flag = key("false if the data cannot be obtained")
    standins: unique(Text, least=0) = key(
        'data sets that take its place under "data.missing standin"'
    )


class Registry(Section):
    datasets: dict[Name, Entry] = Field(min_length=1)


SECTION = Registry


FilePath = Annotated[
    Text, BeforeValidator(lambda path: os.fspath(path) if isinstance(path, os.PathLike) else path)
]


class DataSection(Section):
    """The section ``data`` of the configuration, which says where data are looked for."""

    mirrors: list[FilePath] = None
    raw: FilePath = None
    download: Flag = None
    missing: one_of(*MISSING_CHOICES) = None
    paths: dict[Key, FilePath] = None

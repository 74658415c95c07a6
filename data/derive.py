"""Rebuild the derived tables of this folder from their pinned origins, byte for byte.

    python data/derive.py                      what can be made from files of this repository
    python data/derive.py --clones FOLDER      everything; FOLDER holds clones of the repositories
    python data/derive.py --list               the repositories and commits that are needed

A clone of github.com/OWNER/NAME is looked for as FOLDER/OWNER/NAME, FOLDER/NAME and
FOLDER/OWNER+NAME, bare or not. Each ``*/derive.py`` next to this file has a dictionary ``TABLES``
from files to the functions that make their unpacked content from an `Origins`; the source and the
hash of each file are in ``origins.csv``. Nothing is written unless ``--output`` names a folder.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import importlib.util
import io
import lzma
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from reseat.files.atomic import atomic_path

HERE = Path(__file__).resolve().parent
SUFFIXES = {".gz": gzip.decompress, ".xz": lzma.decompress}


class Missing(Exception):
    """An origin that is not on this machine."""


class Repository:
    """One commit of a git repository."""

    def __init__(self, folder: Path, commit: str):
        self._git = ["git", "-C", str(folder)]
        self._commit = commit

    def read(self, path: str) -> bytes:
        """Return the content of the file `path`."""
        return self._run("cat-file", "blob", f"{self._commit}:{path}")

    def read_all(self, paths: Sequence[str]) -> Iterator[bytes]:
        """Yield the content of each of `paths`, using one git process for all of them."""
        names = "".join(f"{self._commit}:{path}\n" for path in paths).encode()
        answer = io.BytesIO(self._run("cat-file", "--batch", input=names))
        for path in paths:
            *_, kind, size = answer.readline().split()
            if kind != b"blob":
                raise Missing(f"{' '.join(self._git)}: {self._commit} has no file {path}")
            yield answer.read(int(size))
            answer.read(1)

    def names(self, folder: str) -> list[str]:
        """Return the paths of all files below `folder`, sorted."""
        listed = self._run("ls-tree", "-r", "-z", "--name-only", self._commit, f"{folder}/")
        return sorted(name.decode() for name in listed.split(b"\0") if name)

    def _run(self, *arguments: str, input: bytes | None = None) -> bytes:
        done = subprocess.run([*self._git, *arguments], input=input, capture_output=True)
        if done.returncode:
            raise Missing(f"{' '.join(self._git)}: {done.stderr.decode().strip()}")
        return done.stdout


class StoredOrigins:
    """Origins of which this folder has packed copies, with the interface of a `Repository`.

    `advice` is the message if a file has no copy.
    """

    def __init__(self, copies: dict[str, str], advice: str):
        self._copies, self._advice = copies, advice

    def read(self, path: str) -> bytes:
        """Return the content of the file `path`."""
        if path not in self._copies:
            raise Missing(self._advice)
        return unpacked(HERE / self._copies[path])

    def names(self, folder: str) -> list[str]:
        """Raise Missing, because no whole folders are stored here."""
        raise Missing(self._advice)


class ArchivedOrigins:
    """Files of a repository in a tar archive, with the interface of a `Repository`."""

    def __init__(self, archive: Path):
        self._place = archive
        with tarfile.open(archive) as tar:
            self._files = {m.name: tar.extractfile(m).read() for m in tar if m.isfile()}

    def read(self, path: str) -> bytes:
        """Return the content of the file `path`."""
        if path not in self._files:
            raise Missing(f"{self._place} has no file {path}")
        return self._files[path]

    def names(self, folder: str) -> list[str]:
        """Return the paths of all files below `folder`, sorted."""
        return sorted(name for name in self._files if name.startswith(f"{folder}/"))


class Origins:
    """Sources of the derived tables: clones of repositories, and files next to this one.

    Without `clones`, only the files stored in this folder are available; an archive is used instead
    of a clone.
    """

    def __init__(self, clones: Path | None = None, archives: dict[str, Path] | None = None):
        self._clones, self._archives, self._rows = clones, archives or {}, origin_rows()

    def repository(
        self, name: str, commit: str | None = None
    ) -> Repository | StoredOrigins | ArchivedOrigins:
        """Return ``owner/name`` at a commit, by default the one that ``origins.csv`` names."""
        if name in self._archives:
            return ArchivedOrigins(self._archives[name])
        rows = [row for row in self._rows if row["repository"] == name]
        rows = [row for row in rows if commit in (None, row["commit"])]
        commit = rows[0]["commit"]
        if self._clones is None:
            copies = {row["path"]: row["stored"] for row in rows if row["stored"]}
            return StoredOrigins(copies, f"needs a clone of github.com/{name} with {commit}")
        tried = [name, name.split("/")[1], name.replace("/", "+")]
        for folder in (self._clones / path for path in tried):
            if folder.is_dir():
                return Repository(folder, commit)
        raise Missing(f"{self._clones} has no clone of github.com/{name}")

    def stored(self, path: str) -> bytes:
        """Return the unpacked content of a file of this folder."""
        if not (HERE / path).is_file():
            raise Missing(f"needs {path}, which is not in this folder")
        return unpacked(HERE / path)


def origin_rows() -> list[dict[str, str]]:
    """Return the rows of ``origins.csv``, each as column to text."""
    with open(HERE / "origins.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def unpacked(path: Path) -> bytes:
    """Return the content of a file, with gzip or xz compression removed."""
    return SUFFIXES.get(path.suffix, bytes)(path.read_bytes())


def packed(name: str, content: bytes) -> bytes:
    """Return `content` compressed as the suffix of `name` says, without a file name or time."""
    if name.endswith(".gz"):
        stream = io.BytesIO()
        with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as file:
            file.write(content)
        return stream.getvalue()
    if name.endswith(".xz"):
        return lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)
    return content


def git_hash(content: bytes) -> str:
    """Return the identifier of `content` in git and Software Heritage, as 40 hexadecimal digits."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def sha256(content: bytes) -> str:
    """Return the SHA-256 of `content` as 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def csv_table(header: Sequence[str], rows: Iterable[Sequence], end: str = "\n") -> bytes:
    """Return rows as comma-separated UTF-8 with lines that end in `end`."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=end)
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


def r_objects(content: bytes) -> dict:
    """Return the objects in a file of R data (``.rda``, ``.RData``) by name."""
    try:
        import rdata
    except ImportError:
        raise Missing("needs the package rdata") from None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.rda"
        path.write_bytes(content)
        return rdata.read_rda(path)


def derivations() -> Iterator[tuple[str, Callable[[Origins], bytes]]]:
    """Yield the path of each derived file below this folder, and the function that makes it."""
    sys.modules.setdefault("derive", sys.modules[__name__])  # the scripts import it by this name
    for script in sorted(HERE.glob("*/derive.py")):
        folder = script.parent.name
        spec = importlib.util.spec_from_file_location(f"derive_{folder.replace('-', '_')}", script)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for name, make in module.TABLES.items():
            yield f"{folder}/{name}", make


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every derivation whose origin is available, and report which give the stored bytes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--clones", type=Path, help="folder of clones of the repositories")
    parser.add_argument(
        "--archive",
        action="append",
        default=[],
        metavar="OWNER/NAME=TAR",
        help="a tar of files of a repository, in place of a clone",
    )
    parser.add_argument("--only", metavar="TABLE", help="make this one")
    parser.add_argument("--unpacked", action="store_true", help="write tables as they are made")
    parser.add_argument("--output", type=Path, help="folder to write what is made to")
    parser.add_argument("--list", action="store_true", help="name the repositories and end")
    options = parser.parse_args(arguments)
    rows = origin_rows()
    if options.list:
        derived = {row["file"] for row in rows if row["form"] == "derived"}
        needed = {(row["repository"], row["commit"]) for row in rows if row["file"] in derived}
        for repository, commit in sorted(needed):
            print(f"https://github.com/{repository} {commit}")
        return 0
    expected = {row["file"]: row["content_sha256"] for row in rows}
    archives = {name: Path(path) for name, _, path in (a.partition("=") for a in options.archive)}
    origins, outcomes, tables = Origins(options.clones, archives), [], dict(derivations())
    if options.only not in (None, *tables):
        parser.error(f"there is no table {options.only}; the tables are {', '.join(tables)}")
    for name, make in tables.items():
        if options.only not in (None, name):
            continue
        try:
            content = make(origins)
        except Missing as reason:
            outcomes.append("not run")
            print(f"not run   {name}: {reason}")
            continue
        outcomes.append("same" if sha256(content) == expected[name] else "DIFFERS")
        print(f"{outcomes[-1]:<9} {name}")
        if options.output:
            with atomic_path(options.output / name) as path:
                path.write_bytes(content if options.unpacked else packed(name, content))
    counts = [f"{outcomes.count(word)} {word}" for word in ("same", "DIFFERS", "not run")]
    print(f"{len(outcomes)} tables: {', '.join(counts)}")
    return int("DIFFERS" in outcomes or (options.only is not None and "not run" in outcomes))


if __name__ == "__main__":
    sys.exit(main())

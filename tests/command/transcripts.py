"""Transcripts of `reseat`: what it prints, returns and writes for the calls in transcripts.yaml."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import re
import shlex
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import digest_files
import numpy as np
import pytest
import scipy.sparse as sp
from drawings import write_nothing
from places import ROOT

from reseat.command.main import main
from reseat.configuration import read_yaml

STORED = digest_files.FOLDER / "transcripts.json"
TUTORIALS = ROOT / "docs" / "tutorials"
PAGES = tuple(f"tutorial of {path.stem}" for path in sorted(TUTORIALS.glob("*.md")))
#: Options of `cluster` where a call does not say where to write.
QUICK = "-o out --chains 2 --burn-in 4 --samples 6 --thin 2 --threads 1"
#: Lines of progress, which depend on the machine, and its memory in a sentence.
PROGRESS = re.compile(r"^(?:[\w ]+: [\d,]+/[\d,]+ .* left|The chains will take about .*)\n", re.M)
MEMORY = re.compile(r"(?<=this machine has )\d+")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def read_calls() -> dict[str, dict]:
    """Return the files and calls of each block, by its name."""
    blocks = read_yaml(Path(__file__).with_suffix(".yaml"))
    texts = blocks.pop("texts")
    for block in blocks.values():
        for path, content in block.get("files", {}).items():
            if isinstance(content, dict) and "like" in content:
                text = texts[content["like"]]
                for old, new in content.get("change", {}).items():
                    assert old in text, f"{path}: {old!r}"
                    text = text.replace(old, new)
                block["files"][path] = text
    return blocks


def transcripts(name: str, block: dict, folder: Path) -> Iterator[tuple[str, dict]]:
    """Yield the transcript of each call of a block, run in folders below `folder`."""
    calls = block["calls"]
    for number, call in enumerate(calls):
        here = folder / f"{name} {number}".replace("/", " ")
        here.mkdir(parents=True)
        with contextlib.chdir(here):
            for path, content in block.get("files", {}).items():
                place(Path(path), content)
            for step in [call] if isinstance(call, str) else call:
                key = f"{name}: {step}" if len(calls) > 1 or step != call else name
                yield key, run(step, block.get("tables", ()), block.get("stdin", ""))


def tutorial(page: str, folder: Path) -> Iterator[tuple[str, dict]]:
    """Run a tutorial, check what its Python code prints, and yield the transcripts of its calls."""
    names, printed = {}, ""
    path = TUTORIALS / f"{page.split()[-1]}.md"
    (folder / page).mkdir(parents=True)
    with contextlib.chdir(folder / page):
        for kind, code in BLOCK.findall(path.read_text(encoding="utf-8")):
            if kind == "text":
                assert printed == code
            elif kind == "python":
                with contextlib.redirect_stdout(io.StringIO()) as said:
                    exec(code, names)
                printed = said.getvalue()
            else:
                for line in code.splitlines():
                    program, _, call = line.partition(" ")
                    assert program == "reseat"
                    yield f"{page}: {call}", run(call)


def place(path: Path, content) -> None:
    """Write a file: a text, bytes, an array, arrays by name, or the members of an archive.

    Without content it is a folder.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if content is None:
        path.mkdir()
    elif isinstance(content, list):
        np.save(path, content)
    elif isinstance(content, dict) and path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in content.items():
                archive.writestr(name, text)
    elif isinstance(content, dict) and "sparse" in content:
        sp.save_npz(path, sp.csr_array(content["sparse"]))
    elif isinstance(content, dict):
        np.savez(path, **content)
    else:
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def run(call: str, tables: Iterable[str] = (), stdin: str = "") -> dict:
    """Return what `reseat` prints, its exit code, and the files that are there only after it.

    With the lines of some tables of ``out``, if they are there.
    """
    arguments = shlex.split(call)
    if arguments[0] == "cluster" and not {"-o", "--help"} & set(arguments):
        arguments = [*arguments[:2], *shlex.split(QUICK), *arguments[2:]]
    before = files_here()
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as err,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8"))
        try:
            code = main(arguments)
        except SystemExit as left:  # of argparse
            code = left.code
    return {
        "exit": code,
        "out": normalised(out.getvalue()),
        "err": normalised(err.getvalue()),
        "made": sorted(files_here() - before),
        **{
            name: path.read_text(encoding="utf-8").splitlines()
            for name in tables
            if (path := Path("out", name)).is_file()
        },
    }


def files_here() -> set[str]:
    """Return the files in this folder; the state of a chain is a folder of files of its own."""
    return {
        path.as_posix() + "/" * path.is_dir()
        for path in Path().rglob("*")
        if path.is_file() or path.suffix == ".state"
        if path.parent.suffix != ".state"
    }


def normalised(text: str) -> list[str]:
    """Return the lines of a text without what depends on the machine or the moment."""
    text = MEMORY.sub("N", PROGRESS.sub("", text))
    return text.replace(os.getcwd(), "HERE").splitlines()


def collect(folder: Path, names: Iterable[str] | None = None) -> dict[str, dict]:
    """Return the transcripts of some blocks and tutorials, by default of all."""
    blocks, found = read_calls(), {}
    with pytest.MonkeyPatch.context() as patch:
        # Pictures are drawn, but encoding them takes longer than everything else.
        patch.setattr("reseat.command.writing.save_figure", write_nothing)
        patch.setenv("COLUMNS", "100")
        # A machine may stand still for a while, of which the command would tell.
        patch.setattr("reseat.estimators.sampling.PATIENCE", 3600.0)
        for name in [*blocks, *PAGES] if names is None else names:
            made = (
                transcripts(name, blocks[name], folder)
                if name in blocks
                else tutorial(name, folder)
            )
            found |= dict(made)
    return found


def differences(stored: dict, found: dict) -> list[str]:
    """Return a sentence for each transcript that has changed, with the part that differs."""
    changed = []
    for name in sorted(stored.keys() | found.keys()):
        then, now = stored.get(name), found.get(name)
        if then is None or now is None:
            changed.append(f"{name}: {'is gone' if now is None else 'is new'}")
        elif then != now:
            part = next(part for part in now if now[part] != then[part])
            changed.append(f"{name}: {part} is {now[part]!r} instead of {then[part]!r}")
    return changed

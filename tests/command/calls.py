"""Calls of `reseat cluster` with short chains, and the files around them."""

from pathlib import Path

from reseat.command.main import main

QUICK = ["--chains", "2", "--burn-in", "4", "--samples", "6", "--thin", "2", "--threads", "1"]


def cluster(model, path, *options, out="out"):
    return main(["cluster", model, str(path), "-o", out, *QUICK, *options])


def written(name, content):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return Path(name)

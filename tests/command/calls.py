"""Calls of `reseat cluster` with short chains, and the files around them."""

import argparse
from functools import cache
from pathlib import Path

from reseat.command.inputs import READERS, open_input
from reseat.command.main import main
from reseat.command.options import check_options, configure

QUICK = ["--chains", "2", "--burn-in", "4", "--samples", "6", "--thin", "2", "--threads", "1"]


def cluster(model, path, *options, out="out"):
    return main(["cluster", model, str(path), "-o", out, *QUICK, *options])


def written(name, content):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return Path(name)


@cache
def parser_of_options():
    parser = argparse.ArgumentParser()
    configure(parser)
    return parser


def read(path, model, *options, **given):
    """Return what the command reads with some options, without running a chain."""
    options = [*options, *(f"--{name.replace('_', '-')}={value}" for name, value in given.items())]
    found = parser_of_options().parse_args([model, str(path), "-o", "out", *options])
    check_options(found)
    return READERS[model](open_input(Path(path), model, found.format, found.encoding), found)

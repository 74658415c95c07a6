"""Options shared by the subcommands that read the folder of the project and its runs."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_directory", "add_run"]


def add_directory(parser: argparse.ArgumentParser, contents: str) -> None:
    """Add ``--directory``; `contents` names the folders that it must contain."""
    parser.add_argument(
        "--directory",
        metavar="DIR",
        type=Path,
        default=Path(),
        help=f"folder of the project, with {contents} (default: the current folder)",
    )


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add ``--run``, stored as ``of_run`` because ``run`` is the function of the subcommand."""
    parser.add_argument(
        "--run",
        dest="of_run",
        metavar="NAME",
        default="",
        help="name of the run (default: the newest)",
    )

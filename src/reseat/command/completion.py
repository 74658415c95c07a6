"""`reseat completion`: a script by which a shell completes commands, options and their values."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

__all__ = ["HELP", "configure", "run"]

HELP = "Print a shell completion script for this command."
EPILOG = """examples:
  reseat completion bash > ~/.local/share/bash-completion/completions/reseat
  eval "$(reseat completion bash)"       # in this shell only
  eval "$(reseat completion zsh)"        # in ~/.zshrc, after compinit
  reseat completion fish | source        # in ~/.config/fish/config.fish
"""

SHELLS = ("bash", "fish", "zsh")
#: What the help calls values that are files or folders.
PLACES = ("DIR", "FILE", "INPUT", "OUT")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the subcommand."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    from reseat.command.main import make_parser

    parser = make_parser()
    for action in _actions(parser):
        if values := getattr(action, "values", None):
            action.choices = [str(value) for value in values]
        elif action.metavar in PLACES:
            action.complete = shtab.FILE
    print(shtab.complete(parser, arguments.shell))
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a parser and of its subcommands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for part in action.choices.values():
                yield from _actions(part)

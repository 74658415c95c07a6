"""Run the requested subcommand, and report any error in one sentence."""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import NoReturn, TextIO

from reseat import __version__
from reseat.command import Subcommand
from reseat.command.options import EPILOG, check_options, configure, in_options, with_model_first
from reseat.command.runs import EXPLAIN, PUBLISH, VERIFY
from reseat.errors import ConfigError, ReseatError, printable, shown

#: Exit codes for errors that the user can fix, and for an interrupted run.
BAD_INPUT, INTERRUPTED = 2, 130


class Plain:
    """A stream to which control characters are written as escapes, so that no name commands it.

    Rich, whose own sequences must arrive, writes to the stream behind it.
    """

    def __init__(self, stream: TextIO):
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        """Write a text with its control characters as escapes."""
        return self.rich_proxied_file.write(printable(text))

    def __getattr__(self, name: str):
        return getattr(self.rich_proxied_file, name)


class Parser(argparse.ArgumentParser):
    """A parser whose messages do not repeat very long values."""

    def error(self, message: str) -> NoReturn:
        super().error(shown(message))


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line, with all subcommands."""
    parser = Parser(
        prog="reseat", description="Bayesian clustering of your own data, with its uncertainty."
    )
    parser.add_argument("--version", action="version", version=f"reseat {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, subcommand in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=subcommand.help,
            description=subcommand.help,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            epilog=subcommand.epilog,
        )
        subcommand.configure(command)
        command.set_defaults(run=subcommand.run)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, or 2 for unusable options or files, 130 if interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # Characters that it cannot encode are replaced instead of causing an error.
            stream.reconfigure(errors="replace")
    out, err = (stream and Plain(stream) for stream in (sys.stdout, sys.stderr))
    with redirect_stdout(out), redirect_stderr(err):
        return _main(arguments)


def _main(arguments: Sequence[str] | None) -> int:
    wanted = list(sys.argv[1:] if arguments is None else arguments)
    name = wanted[0] if wanted else ""
    subcommand = COMMANDS.get(name)
    said, code = "", BAD_INPUT
    try:
        try:
            os.getcwd()
        except OSError as error:
            gone = "the current folder no longer exists; change to another one."
            raise ConfigError(gone) from error
        parser = make_parser()
        if subcommand is not None:
            wanted[1:] = subcommand.translate(wanted[1:])
        given = parser.parse_args(wanted)
        code = given.run(given)
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where an error such as a full disk can still be reported
    except ReseatError as error:
        said = error.said(subcommand.spelling) if subcommand is not None else str(error)
    except KeyboardInterrupt:
        said, code = "interrupted", INTERRUPTED
    except MemoryError:
        said = "there is not enough memory; use fewer data, or keep fewer draws."
    except OSError as error:
        code = BAD_INPUT
        # To the null device, so that the flush at exit cannot fail.
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # the reader has closed the pipe on purpose
            what = error.filename or "the standard output"
            said = f"{what} cannot be used ({error.strerror or error})."
    if said:
        print(f"reseat {name}: {said}", file=sys.stderr)
    return code


# ---- reseat completion: a script by which a shell completes commands, options and values -----

SHELLS = ("bash", "fish", "zsh")
#: What the help calls values that are files or folders.
PLACES = ("DIR", "FILE", "INPUT", "OUT")


def _configure_completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))


def _print_completion(arguments: argparse.Namespace) -> int:
    import shtab

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


COMPLETION = Subcommand(
    help="Print a shell completion script for this command.",
    configure=_configure_completion,
    run=_print_completion,
    epilog="""examples:
  reseat completion bash > ~/.local/share/bash-completion/completions/reseat
  eval "$(reseat completion bash)"       # in this shell only
  eval "$(reseat completion zsh)"        # in ~/.zshrc, after compinit
  reseat completion fish | source        # in ~/.config/fish/config.fish
""",
)


def _cluster(arguments: argparse.Namespace) -> int:
    check_options(arguments)
    # Slow to import, so only once the options have been checked.
    from reseat.command.cluster import run

    return run(arguments)


CLUSTER = Subcommand(
    help="Cluster your own data: writes a folder of tables, draws, pictures and a web page.",
    configure=configure,
    run=_cluster,
    epilog=EPILOG,
    translate=with_model_first,
    spelling=in_options,
)

COMMANDS = {
    "cluster": CLUSTER,
    "completion": COMPLETION,
    "explain": EXPLAIN,
    "publish": PUBLISH,
    "verify": VERIFY,
}

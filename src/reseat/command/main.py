"""Run the requested subcommand, and report any error in one sentence."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import NamedTuple, NoReturn, TextIO

from reseat import __version__
from reseat.command.options import EPILOG, check_options, configure, in_options, with_model_first
from reseat.errors import ConfigError, ReseatError, printable, shown

#: Exit codes for errors that the user can fix, and for an interrupted run.
BAD_INPUT, INTERRUPTED = 2, 130


class Plain:
    """A stream that escapes control characters; Rich writes its own to the stream behind it."""

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
    said, code = "", BAD_INPUT
    try:
        try:
            os.getcwd()
        except OSError as error:
            gone = "the current folder no longer exists; change to another one."
            raise ConfigError(gone) from error
        parser = make_parser()
        if name == "cluster":
            wanted[1:] = with_model_first(wanted[1:])
        given = parser.parse_args(wanted)
        code = given.run(given)
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where an error such as a full disk can still be reported
    except ReseatError as error:
        said = error.said(in_options) if name == "cluster" else str(error)
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


class Subcommand(NamedTuple):
    """A subcommand; `run` imports what is slow to import, and returns an exit code."""

    help: str
    configure: Callable  # called with a parser, to which it adds the arguments
    run: Callable
    epilog: str


def _cluster(arguments: argparse.Namespace) -> int:
    check_options(arguments)
    from reseat.command.cluster import run

    return run(arguments)


# ---- reseat completion: a script by which a shell completes commands, options and values -----

SHELLS = ("bash", "fish", "zsh")
PLACES = ("DIR", "FILE", "INPUT", "OUT")  # what the help calls values that are files or folders


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


# ---- Runs of the workflow: explain a result, keep a run, compare one with it -----------------


def _of_runs(name: str) -> Callable:
    """Return what runs a subcommand, by the name of a function."""

    def run(arguments: argparse.Namespace) -> int:
        from reseat.command import runs

        return getattr(runs, name)(arguments)

    return run


def _add_directory(parser: argparse.ArgumentParser, contents: str) -> None:
    """Add ``--directory``; `contents` names the folders that it must contain."""
    about = f"folder of the project, with {contents} (default: the current folder)"
    parser.add_argument("--directory", metavar="DIR", type=Path, default=Path(), help=about)


def _add_run(parser: argparse.ArgumentParser) -> None:
    """Add ``--run``, stored as ``of_run`` because ``run`` is the function of the subcommand."""
    about = "name of the run (default: the newest)"
    parser.add_argument("--run", dest="of_run", metavar="NAME", default="", help=about)


def _configure_explain(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "target", metavar="WHAT", help="a file of a run, the name of an artefact, or a claim"
    )
    parser.add_argument("--json", action="store_true", help="print all details as JSON")
    _add_directory(parser, "results/ and reports/")
    _add_run(parser)


def _configure_publish(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("of_run", metavar="RUN", help="name of the run, such as standard")
    about = "replace a published run even if it is of a larger scale than RUN, or made more"
    parser.add_argument("--smaller", action="store_true", help=about)
    _add_directory(parser, "results/ and reports/")


def _configure_verify(parser: argparse.ArgumentParser) -> None:
    about = "tables to compare (default: all tables of the run)"
    parser.add_argument("artefacts", metavar="ARTEFACT", nargs="*", help=about)
    _add_run(parser)
    parser.add_argument(
        "--csv", metavar="FILE", type=Path, help="write every number and its verdict to this file"
    )
    _add_directory(parser, "reports/")


COMMANDS = {
    "cluster": Subcommand(
        help="Cluster your own data: writes a folder of tables, draws, pictures and a web page.",
        configure=configure,
        run=_cluster,
        epilog=EPILOG,
    ),
    "completion": Subcommand(
        help="Print a shell completion script for this command.",
        configure=_configure_completion,
        run=_print_completion,
        epilog="""examples:
  reseat completion bash > ~/.local/share/bash-completion/completions/reseat
  eval "$(reseat completion bash)"       # in this shell only
  eval "$(reseat completion zsh)"        # in ~/.zshrc, after compinit
  reseat completion fish | source        # in ~/.config/fish/config.fish
""",
    ),
    "explain": Subcommand(
        help="Show where a table, a figure or the verdict on a claim comes from.",
        configure=_configure_explain,
        run=_of_runs("explain_result"),
        epilog="""examples:
  reseat explain tiwd_fig2
  reseat explain tiwd_fig2 --run standard-seed7
  reseat explain reports/standard/figures/tiwd_fig2.png
  reseat explain TIWD-3a
  reseat explain docs_table2 --run published
  reseat explain results/standard/distances/globins/scores.csv --json
""",
    ),
    "publish": Subcommand(
        help="Copy what the repository keeps of a finished run to reports/published.",
        configure=_configure_publish,
        run=_of_runs("publish_run"),
        epilog="""example:
  reseat publish standard

Tables, figures, claims, comparison, diagnostics, configuration, the pages of the report, and a
manifest with the hashes of the chains; at most 12 MB.  The documentation, README.md and
`reseat verify` read from that folder.
""",
    ),
    "verify": Subcommand(
        help="Show which numbers of the published run your own run confirms.",
        configure=_configure_verify,
        run=_of_runs("verify_run"),
        epilog="""examples:
  reseat verify
  reseat verify --run standard-seed7
  reseat verify docs_table2 micro_table1 --csv numbers.csv

The exit code is 0 if no number differs, 1 if some do, and 2 if there is nothing to compare
or a file cannot be read or written.
""",
    ),
}

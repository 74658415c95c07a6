"""`reseat completion`: a script by which a shell completes commands, options and their values."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from shlex import quote

__all__ = ["HELP", "configure", "run"]

HELP = "Print a shell completion script for this command."
EPILOG = """examples:
  reseat completion bash > ~/.local/share/bash-completion/completions/reseat
  source <(reseat completion bash)       # in this shell only
  source <(reseat completion zsh)        # in ~/.zshrc, after compinit
"""

#: The words typed so far select a parser, whose options or subcommands are then offered; if none of
#: them match, ``-o default`` leaves the word to the shell, which completes file names.
SCRIPT = """\
_reseat() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}"
    local place parser=reseat options= words=
    for ((place = 1; place < COMP_CWORD; place++)); do
        case "$parser ${{COMP_WORDS[place]}}" in
            {parsers}) parser="$parser ${{COMP_WORDS[place]}}" ;;
        esac
    done
    case "$parser" in
{cases}
    esac
    case "$parser $before" in
{values}
        *) if [[ "$word" == -* ]]; then words="$options"; fi ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _reseat reseat
"""
SHELLS = {"bash": "", "zsh": "autoload -U +X bashcompinit && bashcompinit\n"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the subcommand."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=" or ".join(SHELLS))


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    from reseat.command.main import make_parser

    print(SHELLS[arguments.shell] + _script(make_parser()), end="")
    return 0


def _script(parser: argparse.ArgumentParser) -> str:
    cases, values, parsers = [], [], []
    for name, part in _parsers(parser):
        options = [action for action in _shown(part) if action.option_strings]
        words = [word for action in options for word in action.option_strings]
        case = f"options={quote(' '.join(words))}"
        offered = [word for action in _shown(part) for word in _positional(action)]
        if offered:
            case += f" words={quote(' '.join(offered))}"
        cases.append(f"        {quote(name)}) {case} ;;")
        for action in options:
            if action.nargs == 0:
                continue
            patterns = "|".join(quote(f"{name} {word}") for word in action.option_strings)
            known = " ".join(map(str, getattr(action, "values", None) or action.choices or ()))
            values.append(f"        {patterns}) words={quote(known)} ;;")
        if name != parser.prog:
            parsers.append(quote(name))
    return SCRIPT.format(
        parsers="|".join(parsers), cases="\n".join(cases), values="\n".join(values)
    )


def _parsers(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield a parser and those of its subcommands, each after the words that select it."""
    yield parser.prog, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for part in action.choices.values():
                yield from _parsers(part)


def _shown(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.help != argparse.SUPPRESS]


def _positional(action: argparse.Action) -> list[str]:
    return [] if action.option_strings else list(action.choices or ())

"""Completion of the command by a shell, tested in bash itself."""

import shutil
import subprocess

import pytest

from reseat.command.main import COMMANDS, main

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """Return the path of a file with the output of `reseat completion bash`."""
    path = tmp_path_factory.mktemp("completion") / "reseat.bash"
    with pytest.MonkeyPatch.context() as patch, open(path, "w", encoding="utf-8") as file:
        patch.setattr("sys.stdout", file)
        assert main(["completion", "bash"]) == 0
    return path


def offered(script, *typed):
    """Return the words that are offered for the last word typed after ``reseat``."""
    words = ("reseat", *typed)
    ask = f'source "$1"; shift; COMP_WORDS=("$@") COMP_CWORD={len(typed)}; _shtab_reseat'
    done = subprocess.run(
        ["bash", "-c", ask + '; printf "%s\\n" "${COMPREPLY[@]}"', "bash", script, *words],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert not done.stderr
    return done.stdout.split()


def test_bash_offers_subcommands_models_options_and_values(script):
    assert offered(script, "") == list(COMMANDS)
    assert offered(script, "cl") == ["cluster"]
    assert offered(script, "cluster", "re") == ["records", "relational"]
    assert offered(script, "cluster", "records", "--like") == ["--likelihood"]
    assert offered(script, "cluster", "records", "in.csv", "-o", "out", "--prior", "nb") == [
        "nbd",
        "nbnb",
    ]
    assert offered(script, "cluster", "documents", "--stop-list", "") == ["sklearn", "none"]
    assert offered(script, "completion", "") == ["bash", "fish", "zsh"]


def test_bash_offers_files_where_these_are_asked_for(script, tmp_path, monkeypatch):
    """Neither options of other models nor words in the place of a file are completed."""
    (tmp_path / "cups.csv").touch()
    monkeypatch.chdir(tmp_path)
    assert offered(script, "cluster", "documents", "--like") == []
    assert offered(script, "cluster", "records", "cu") == ["cups.csv"]
    assert offered(script, "cluster", "records", "in.csv", "-o", "cu") == ["cups.csv"]


@pytest.mark.parametrize("shell", ["fish", "zsh"])
def test_other_shells_have_a_script_of_their_own(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "--stop-list" in script or "stop-list" in script
    assert "dirichlet_process" in script

"""The tutorials are run: their Python code and commands, and the output that they show."""

import re
import shlex

import pytest
from places import ROOT

from reseat.command.main import main

FOLDER = ROOT / "docs" / "tutorials"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def test_there_is_a_tutorial_for_each_model_and_the_first_page_names_it():
    names = {path.stem for path in FOLDER.glob("*.md")}
    assert names == {"documents", "records", "distances", "relational", "supervised"}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"docs/tutorials/{name}.md" in readme for name in names)


@pytest.mark.parametrize("name", ["documents", "records", "distances", "relational", "supervised"])
def test_tutorial(name, tmp_path, monkeypatch, capsys, only_svg):
    monkeypatch.chdir(tmp_path)
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    names, printed, n_commands = {}, "", 0
    for kind, code in BLOCK.findall(text):
        if kind == "text":
            assert printed == code
        elif kind == "python":
            exec(code, names)
            printed = capsys.readouterr().out
        else:
            for line in code.splitlines():
                program, *arguments = shlex.split(line)
                assert program == "reseat"
                assert main(arguments) == 0
                folder = tmp_path / arguments[arguments.index("-o") + 1]
                assert {"labels.csv", "clusters.csv", "summary.csv", "coclustering.npz"} <= {
                    path.name for path in folder.iterdir()
                }
                assert "Number of clusters" in capsys.readouterr().out
                n_commands += 1
    assert n_commands and names

"""`reseat` prints, returns and writes what it did when the transcripts were stored."""

import sys

import pytest
import transcripts
from digest_files import read, remedy
from places import ROOT

STORED = read(transcripts.STORED)
BLOCKS = [*transcripts.read_calls(), *transcripts.PAGES]


def of_block(name):
    return {key: stored for key, stored in STORED.items() if key.split(": ")[0] == name}


@pytest.mark.parametrize("name", BLOCKS)
def test_the_command_says_and_does_what_it_did(name, tmp_path):
    found, stored = transcripts.collect(tmp_path, [name]), of_block(name)
    if name == "help" and sys.version_info >= (3, 13):  # argparse writes it in another way
        assert {made["exit"] for made in found.values()} == {0}
        found = stored
    changed = transcripts.differences(stored, found)
    what = "What the command prints, returns or writes"
    assert not changed, remedy(changed, transcripts.STORED, "--transcripts", what)


def test_every_transcript_is_of_a_call():
    without = {"tutorial of new-objects"}  # from Python only
    assert {key.split(": ")[0] for key in STORED} == set(BLOCKS) - without
    assert {made["exit"] for made in STORED.values()} == {0, 2}
    for name, made in STORED.items():
        said = made["err"]
        assert not any("Traceback" in line for line in said), name
        if made["exit"]:  # one sentence, unless it is about the use of the command
            assert said[-1].startswith("reseat "), name
            assert sum(line.startswith("reseat ") for line in said) == 1, name
            assert not made["out"] and not made["made"], name


def test_there_is_a_tutorial_for_each_model_and_the_first_page_names_it():
    names = {page.split()[-1] for page in transcripts.PAGES}
    assert names >= {"documents", "records", "points", "distances", "relational", "supervised"}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"docs/tutorials/{name}.md" in readme for name in names)

"""The data behind a number, and the judging of claims about several cells."""

from functools import partial
from importlib import import_module

import pandas as pd
import pytest

from reseat.papers.catalogue import CATALOGUE
from reseat.papers.claims import (
    NOT_RUN,
    PRINTED,
    Cell,
    Claims,
    Evidence,
    Verdict,
    above,
    exact,
    judge_cells,
    not_converged,
)
from reseat.papers.statistics import LEVEL
from reseat.vocabulary import AS_PRINTED, CONFIRMED, REFUTED, UNTESTABLE

STATUS = {"italy": "faithful", "mail": "stand-in", "made": "generated"}


class Some(Evidence):
    """Evidence with three data sets; any other did not run."""

    judged = ("italy",)

    def rows(self, role):
        return pd.DataFrame({"status": [STATUS[role]] if role in STATUS else []})

    def title(self, role):
        return role.capitalize()


def judged(*cells, **options):
    """Return the row of a claim that requires each cell, given by its role, to be above 0."""
    levels = set()

    def measured(interval, level):
        levels.add(level)
        return interval

    cells = [
        Cell(
            f"{role} {place}",
            role,
            partial(measured, interval),
            above(0.0),
            f"no {role}",
        )
        for place, (role, interval) in enumerate(cells)
    ]

    def text(found):
        return f"{len(found)} cells"

    found = judge_cells(Some(), cells, text, **options)
    assert levels == {1 - (1 - LEVEL) / len(cells)}
    return dict(zip(("effect", "low", "high"), found.interval, strict=True)) | {
        "verdict": found.verdict,
        "evidence": found.evidence,
    }


def test_what_serves_for_a_role():
    some = Some()
    assert some.where(["italy", "mail", "other"]) == "On Italy, and the stand-in Mail"
    assert some.where() == "On Italy" and not some.generated()
    assert some.generated(["italy", "made"]) and some.status("other") is None


@pytest.mark.parametrize(
    ("cells", "verdict", "effect"),
    [
        ([("italy", (2, 1, 3)), ("mail", (5, 4, 6))], CONFIRMED, 2),
        ([("italy", (2, 1, 3)), ("mail", (-5, -6, -4))], REFUTED, -5),
        ([("italy", (2, 1, 3)), ("mail", (5, -1, 6))], UNTESTABLE, 5),
        ([("italy", (2, 1, 3)), ("mail", NOT_RUN)], UNTESTABLE, 2),
        ([("italy", (-2, -3, -1)), ("mail", NOT_RUN)], REFUTED, -2),
        ([("italy", (2, 1, 3)), ("made", (-5, -6, -4))], UNTESTABLE, -5),
    ],
)
def test_a_claim_holds_if_the_rule_of_every_cell_does(cells, verdict, effect):
    row = judged(*cells)
    assert (row["verdict"], row["effect"]) == (verdict, effect)
    n_run = sum(interval is not NOT_RUN for _role, interval in cells)
    rest = "" if n_run == 2 else "; nothing was run for no mail"
    assert row["evidence"] == f"{n_run} cells{rest}."


def test_the_interval_that_is_shown_decides():
    row = judged(("italy", (2, -1, 3)), ("mail", (-5, -20, 9)), ("italy", (-1, -2, -0.5)))
    assert (row["verdict"], row["effect"], row["high"]) == ("refuted", -1, -0.5)


def test_what_has_not_converged_is_named_or_counted():
    assert not_converged([]) == ""
    assert not_converged(["DP on Italy"] * 2) == "; not converged: DP on Italy"
    assert not_converged(["A", "B"]) == "; not converged: A and B"
    assert not_converged("ABCDEF") == "; not converged: A, B, C, D and 2 more"


def test_another_cell_can_be_shown_and_nothing_run_is_said_once():
    row = judged(("italy", (2, 1, 3)), ("mail", (5, 4, 6)), shown=max)
    assert (row["effect"], row["low"], row["high"]) == (5, 4, 6)
    row = judged(("mail", NOT_RUN), ("mail", NOT_RUN))
    assert row["verdict"] == UNTESTABLE and row["evidence"] == "nothing was run for no mail."


def test_claims_are_judged_in_the_order_of_their_numbers_and_in_every_way():
    claims = Claims("A paper")

    def wet(evidence):
        return Verdict(CONFIRMED, (evidence, 0, 2), "Seen.", {"mail": exact(False, 3, "No.")})

    claims.claim("A-10", "the sea is wet", effect="how wet", again=("night",))(wet)
    claims.claim("A-2b", "the sky is wide", effect="how wide", only="night")(wet)

    @claims.claim("A-2a", "the sky is blue", effect="how blue it is", again=("never",))
    def blue(evidence):
        return exact(evidence > 0, evidence, "Seen.")

    @claims.claim("A-2a", reading="by eye")
    def by_eye(evidence):
        return exact(evidence > 1, evidence, "Seen.")

    @claims.claim("A-10", only=PRINTED)
    def printed(text):
        return exact(len(text) > 9, len(text), "Read.")

    @claims.ways("night", PRINTED)
    def ways(evidence):
        yield "night", "at night", evidence - 1
        yield PRINTED, AS_PRINTED, "wet"

    rows = claims.judge_all(1)
    assert list(zip(rows["claim"].str.split(":").str[0], rows["verdict"], strict=True)) == [
        ("A-2a", CONFIRMED),
        ("A-2a (by eye)", REFUTED),
        ("A-10", CONFIRMED),
        ("A-2b (at night)", CONFIRMED),
        ("A-10 (at night)", CONFIRMED),
        ("A-10 (as printed)", REFUTED),
    ]
    assert rows["effect"].tolist() == [1, 1, 1, 0, 0, 3]
    assert rows["high"].isna().tolist() == [False] * 5 + [True]
    assert list(claims.claims) == ["A-2a", "A-2b", "A-10"]
    assert list(claims.judge_again(1, PRINTED)["claim"]) == ["A-10 (as printed): the sea is wet"]
    assert blue(3)["measured"] == "how blue it is"
    assert claims.undeclared == {"never"}


@pytest.mark.parametrize("module", CATALOGUE.claim_modules)
def test_claims_are_judged_again_only_in_ways_that_there_are(module):
    assert import_module(module).CLAIMS.undeclared == set()

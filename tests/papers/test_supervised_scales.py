"""The scale of the data that held-out entities choose, and models on further draws of the items."""

import numpy as np
import pandas as pd
import pytest
import supervised_frames as frames

from reseat.datasets import EmbeddedMentions
from reseat.papers.supervised.full import chosen_table
from reseat.papers.supervised.scales import BY_RULE, CHOSEN, draw_rows, scaled_rows
from reseat.papers.tables import rows_of

HYPERPRIOR = {"shape": 1.0, "rate": 0.01}
SETTINGS = {"sigma": 1e-6, "shape": 1.0, "rate": 1.0, "concentration": HYPERPRIOR}
JOINT = {"n_proposals": 5, "n_neighbours": 3, "n_type_proposals": 1}
MODELS = {
    "scdp1": {"system": "SCDP-1", "model": "scdp1", "moves": "joint", "move": JOINT, **SETTINGS},
    "cdp": {"system": "CDP", "model": "cdp", **SETTINGS},
}
SEARCH = {"sigmas": [1e-6, 1.0], "n_folds": 2, "burn_in": 5, "n_samples": 3}
GIVEN = {"models": MODELS, "search": SEARCH, "length": {"burn_in": 8, "n_samples": 4}}


@pytest.fixture(scope="module")
def items():
    """Return items that lie close to means of variance 1, with eight entities to learn from."""
    rng = np.random.default_rng(3)
    entities = np.repeat(np.arange(12), 8)
    points = rng.standard_normal((12, 5))[entities] + 0.02 * rng.standard_normal((96, 5))
    return EmbeddedMentions(
        coordinates=points,
        feature_of=np.arange(5),
        features=tuple("abcde"),
        entities=entities,
        test=entities >= 8,
        groups=(entities >= 8).astype(int),
        item_ids=tuple(map(str, range(96))),
    )


def test_held_out_entities_choose_the_variance_that_means_have(items):
    found = pd.DataFrame(scaled_rows(items, GIVEN, 1, ("a",)))
    own = rows_of(found, system="SCDP-1")
    held = rows_of(own, metric="held-out F").set_index("setting")["value"]
    assert held["sigma 1"] > 0.9 > held["sigma 1e-06"]
    scores = rows_of(own, metric="F").groupby("setting")[["sigma", "value"]].mean()
    assert scores.loc[CHOSEN].tolist() == [1.0, pytest.approx(1.0)]
    assert scores.loc["sigma 1e-06", "value"] < 0.7
    assert scores.loc[BY_RULE, "sigma"] == pytest.approx(1 / 5)
    clusters = rows_of(own, metric="test clusters", setting=CHOSEN)
    assert set(clusters["start"]) == {"singletons", "k_means"} and (clusters["value"] == 4).all()
    # The scale of CDP is that of its data, whose precision is far above 1.
    other = rows_of(found, system="CDP", setting=CHOSEN, metric="F")
    assert set(other["sigma"]) == {1e-6} and (other["value"] > 0.9).all()


def test_models_have_a_chain_on_each_draw_and_a_chosen_scale_beside_it(items):
    given = {"models": MODELS, "length": GIVEN["length"], "chosen": GIVEN}
    found = pd.DataFrame(draw_rows(given, items, 1, ("digits", "draw", "0")))
    each = found.groupby("system")["metric"].value_counts()
    assert each.max() == 1
    assert {"SCDP-1", "CDP", f"SCDP-1, {CHOSEN}", f"CDP, {BY_RULE}"} <= set(found["system"])
    assert frames.row_of(found, system=f"SCDP-1, {CHOSEN}", metric="F")["value"] > 0.9
    alone = pd.DataFrame(draw_rows({**given, "chosen": None}, items, 1, ("digits", "draw", "0")))
    assert set(alone["system"]) == {"SCDP-1", "CDP"}
    pd.testing.assert_frame_equal(alone, found.iloc[: len(alone)])


def test_scores_are_means_over_seeds_and_the_scales_that_they_chose_are_counted():
    table = chosen_table("scdp_chosen", frames.chosen(), frames.PUBLISHED)
    row = frames.row_of(table, system=f"SCDP-1, distances, {CHOSEN}", metric="F")
    assert row["mean"] == pytest.approx(0.7) and row["n_chains"] == 3 and row["note"] == ""
    assert row["se"] == pytest.approx(0.1 / np.sqrt(3)) and row["sigma"] == "0.01 (2), 0.3 (1)"
    assert row["published"] == frames.value("refmatch", "SCDP-1", "F", None)
    apart = chosen_table("t", frames.chosen().assign(rhat=1.2), frames.PUBLISHED)
    assert (apart["note"] == "not converged").all()

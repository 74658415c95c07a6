"""Data whose clusters are known: what is drawn, that models find it, and the claim about pluses."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import supervised_frames as frames

from reseat.papers.supervised import claims, worlds

SETTINGS = {"joint": {"n_proposals": 10, "n_neighbours": 5, "n_type_proposals": 1}}


@pytest.fixture(scope="module")
def sampled():
    how = {"n_draws": 2, "n_entities": 6, "n_items": 10, "n_sweeps": 10}
    return worlds.sample_worlds(how, SETTINGS, seed=1)


def test_items_of_a_plus_lie_on_two_lines(rng):
    data = worlds.draw_pluses(4, rng, 3, 400)
    assert data.test.sum() == 1200 and not data.test[data.entities < 3].any()
    for entity in range(6):
        for kind in (0, 1):
            own = data.points[(data.entities == entity) & (data.types == kind)]
            spread = own.std(axis=0)
            assert np.allclose(spread[kind::2], worlds.ALONG, rtol=0.2)
            assert np.allclose(spread[1 - kind :: 2], worlds.ACROSS, rtol=0.2)


def test_precisions_of_scdp3_have_their_law(rng):
    """Items tell the precisions, whose density is exp(-t - S/t): for a large S, sqrt(S)."""
    data = worlds.draw_from("SCDP-3", rng, 20, 300)
    centres = np.array([data.points[data.entities == e].mean(axis=0) for e in range(40)])
    gaps = centres[:, None] - centres
    sums = (gaps**2).sum(axis=(0, 1)) / 2
    apart = data.points - centres[data.entities]
    found = 1 / np.array([apart[data.types == kind].var(axis=0) for kind in range(3)])
    # The standard deviation of t is the fourth root of S divided by the square root of two.
    z = (found.mean(axis=0) - np.sqrt(sums)) / (sums**0.25 / np.sqrt(2 * 3))
    assert np.abs(z).max() < 4.5


def test_types_find_pluses_and_no_metric_does(sampled):
    wide = sampled[sampled["quantity"] == "ARI"].pivot_table("value", "world", "system")
    assert wide.loc["pluses", "SCDP-1"] > wide.loc["pluses", worlds.BEST_METRIC] + 0.3
    assert wide.loc["pluses", worlds.BEST_METRIC] >= wide.loc["pluses", "K-Means"]
    table = worlds.worlds_table("scdp_worlds", sampled)
    row = frames.row_of(table, dataset="pluses", system="SCDP-1", metric="ARI")
    assert row["mean"] == pytest.approx(wide.loc["pluses", "SCDP-1"]) and row["n_chains"] == 2
    types = table[table["metric"] == "types"]
    assert set(types["system"]) == {"SCDP-1", "SCDP-2", "SCDP-3 (covariance)", "CDP"}


def test_the_claim_about_pluses_needs_a_large_lead(sampled):
    many = pd.concat([sampled.assign(draw=sampled["draw"] + shift) for shift in range(0, 8, 2)])
    evidence = replace(frames.evidence(), worlds=many)
    found = claims.sc21(evidence)
    assert found["verdict"] == "confirmed" and found["low"] > 0.3
    metric = (many["system"] == worlds.BEST_METRIC) & (many["quantity"] == "ARI")
    close = many.assign(value=many["value"].mask(metric, 0.9))
    assert claims.sc21(replace(evidence, worlds=close))["verdict"] == "refuted"
    assert claims.sc21(frames.evidence())["verdict"] == "untestable"

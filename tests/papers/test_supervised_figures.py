"""The growth figure of the supervised paper, and its check."""

import numpy as np
import pytest
import supervised_frames as frames
from drawings import names_in_legend

from reseat.papers.enumerated import check_table
from reseat.papers.supervised.figures import entity_growth
from reseat.papers.supervised.results import ROLES
from reseat.papers.supervised.tables import growth_table
from reseat.plots import exact_versus_sampled


@pytest.fixture(scope="module")
def table():
    made = growth_table("scdp_fig3", *frames.growth(frames.DATASETS | frames.MORE))
    return made[made["main"]]


def test_four_panels_have_the_curves_of_model_and_data(table):
    fig = entity_growth(table, ROLES)
    panels = [ax for ax in fig.axes if ax.get_title(loc="left")]
    assert [ax.get_title(loc="left") for ax in panels] == [
        "(a) digits",
        "(b) researchers (stand-in)",
        "(c) proper nouns (stand-in)",
        "(d) references",
    ]
    # Three means, and two bands of two standard deviations on either side.
    assert {(len(ax.lines), len(ax.collections)) for ax in panels} == {(3, 2)}
    mean, data = panels[0].lines[:2]
    digits = table[table["role"] == "digits"]
    np.testing.assert_allclose(mean.get_ydata(), digits["dp_mean"])
    band = panels[0].collections[0].get_paths()[0].vertices
    for n, top in zip(digits["n"], digits["dp_mean"] + 2 * digits["dp_sd"], strict=True):
        assert band[band[:, 0] == n, 1].max() == pytest.approx(top)
    np.testing.assert_allclose(data.get_ydata(), digits["empirical_mean"])
    assert (band[:, 1] >= 0).all()
    assert mean.get_color() == "#000000" and data.get_color() == "#0072B2"
    # Lines differ in dashes as well as in colour.
    assert (
        len({str(line.get_linestyle()) + str(line._dash_pattern) for line in panels[0].lines}) == 3
    )
    texts = names_in_legend(fig)
    assert texts == ["Dirichlet process", "Dirichlet process ± 2 sd", "data", "data ± 2 sd",
                     "Pitman-Yor"]  # fmt: skip


def test_a_single_set_has_one_panel(table):
    fig = entity_growth(table[table["role"] == "coref"])
    assert [ax.get_title(loc="left") for ax in fig.axes] == ["(a) coref (stand-in)"]


def test_the_check_has_a_panel_a_model():
    fig = exact_versus_sampled(check_table("scdp_check", frames.enumeration()))
    titles = [ax.get_title() + ax.get_title(loc="left") for ax in fig.axes]
    assert titles[0].startswith("SCDP-1: distance 0.0") and len(titles) == 2

"""Figures of the distances paper: what is drawn."""

import distance_frames as frames
import numpy as np
import pandas as pd
import pytest
from drawings import names_in_legend, titles_of

from reseat.errors import DataError
from reseat.papers.distances import figures
from reseat.papers.distances.evidence import DistancesEvidence
from reseat.papers.distances.figure4 import verdicts_table
from reseat.papers.distances.samplers import trace_table, with_identity
from reseat.papers.distances.tables import TITLES, figure2_table, figure4_table, scaling_table


def dots_of(ax):
    """Return the heights of the dots of each box."""
    return [line.get_ydata() for line in ax.lines if line.get_marker() == "o"]


def test_every_repetition_is_a_dot_on_the_box_of_its_model():
    scores = frames.scores(frames.EXPERIMENT3, 7, noise=0.05)
    table = figure4_table("tiwd_fig4", scores)
    fig = figures.accuracy_boxes(table, TITLES)
    assert len(fig.axes) == 8 and titles_of(fig)[0].startswith("(a) $\\theta = 100/d$")
    part = table[table["role"] == "means_c100_d3_mu40"]
    for dots, (_system, rows) in zip(
        dots_of(fig.axes[1]), part.groupby("system", sort=False), strict=True
    ):
        np.testing.assert_allclose(dots, rows["ari"])
    names = [text.get_text() for text in fig.axes[0].get_xticklabels()]
    assert names == ["WD", "WD$_R$", "WD$_R$\nkPCA", "TIWD"]
    assert all(ax.get_ylim()[0] < table["ari"].min() for ax in fig.axes)
    demo = figures.accuracy_boxes(part.assign(status="generated"), TITLES)
    assert titles_of(demo)[0].endswith("(generated)")


def test_verdicts_on_figure_4_are_squares_with_their_effects_and_a_star_for_the_joint_reading():
    role = "means_c100_d3_mu40"
    means = frames.EXPERIMENT3 | {role: frames.EXPERIMENT3[role] | {"wd": 0.5}}
    found = frames.scores(means)
    many = found.assign(chain=1, start="many")
    table = verdicts_table("t", DistancesEvidence(pd.concat([found, many]), None))
    joint = table[table["joint"]]
    assert set(joint["claim"]) == {f"TIWD-{key}" for key in ("3a", "3b", "4a", "4b", "4c", "4d")}
    assert set(joint["verdict"]) == {"confirmed"} and set(joint["theta"]) == {"15/d"}
    apart = table[(table["claim"] == "TIWD-4a") & (table["theta"] == "100/d")]
    assert set(apart["verdict"]) == {"refuted"} and len(apart) == 2 * 4
    assert set(table["start"]) == {"one", "many"}
    with pytest.raises(DataError, match="run the models of means"):
        verdicts_table("t", DistancesEvidence(found.iloc[:0], None))
    fig = figures.verdict_maps(table)
    assert titles_of(fig) == ["theta = 100/d", "theta = 15/d"]
    assert set(names_in_legend(fig)) == {"confirmed", "refuted", "untestable"}
    first, second = fig.axes
    assert len(second.patches) == (table["theta"] == "15/d").sum()
    stars = [[text for text in ax.texts if text.get_text() == "\N{BLACK STAR}"] for ax in fig.axes]
    assert [len(found) for found in stars] == [0, 1]
    effect = f"{joint['effect'].iloc[0]:.2f}"
    assert effect in {text.get_text() for text in second.texts}
    assert first.get_yticklabels()[0].get_text() == "one block, kernel PCA, d - 1"


def test_starts_stand_side_by_side_in_one_order_with_fills_of_their_own():
    one = frames.scores({"means_c15_d3_mu40": {"wd": 0.2, "tiwd": 0.9}}, 5)
    starts = {"truth": 0.95, "many": 0.5, "one": 0.2}
    scores = [
        one.assign(chain=chain, start=start, ari=ari)
        for chain, (start, ari) in enumerate(starts.items())
    ]
    fig = figures.accuracy_boxes(figure4_table("tiwd_fig4", pd.concat(scores)), TITLES)
    names = names_in_legend(fig)
    assert names == ["started in one block", "in many blocks", "in the true blocks"]
    assert figures.accuracy_boxes(figure4_table("tiwd_fig4", one), TITLES).legends == []
    (ax,) = fig.axes
    np.testing.assert_allclose([np.mean(dots) for dots in dots_of(ax)], [0.2, 0.5, 0.95] * 2)
    places = [np.mean(line.get_xdata()) for line in ax.lines if line.get_marker() == "o"]
    room = places[2]
    assert 0.2 < room < 0.3  # three of them, and a gap to the next model
    np.testing.assert_allclose(places, [-room, 0, room, 1 - room, 1, 1 + room])
    looks = [line.get_markerfacecolor() for line in ax.lines if line.get_marker() == "s"]
    assert looks[1:3] == ["white", "#d0d0d0"] and looks[0] != "white"


def test_points_stand_beside_the_boxes():
    table = figure2_table("tiwd_fig2", frames.scores(frames.EXPERIMENT1, 3))
    points = frames.embedding()
    fig = figures.embeddings_and_accuracy(points, table, TITLES)
    first, second = "(a) separated clusters: one draw", "(c) overlapping clusters: one draw"
    assert titles_of(fig) == [first, "(b) 3 draws", second, "(d) 3 draws"]
    drawn = fig.axes[2].lines
    looks = [(line.get_color(), line.get_marker()) for line in drawn]
    assert len(set(looks)) == len(looks) == 10
    assert not any(marker.startswith("$") for _color, marker in looks)
    assert sum(len(line.get_xdata()) for line in drawn) == 120


def test_traces_show_every_chain_the_truth_and_when_it_is_stable():
    scores = frames.scores({"large": {"tiwd": 0.9}}, 1, n_items=8000)
    found = frames.traces(n_draws=1, n_sweeps=400)
    trace = trace_table("tiwd_fig3", found, scores, frames.PUBLISHED.fig3)
    fig = figures.cluster_traces(trace)
    left, right, shares = fig.axes
    assert left.get_title(loc="left") == "(a) one chain, n = 8,000"
    assert right.get_xscale() == "log"
    settled = trace.loc[trace["metric"] == "sweeps until stable", "mean"].iloc[0]
    marks = {line.get_label(): line.get_xdata()[0] for line in left.lines}
    assert marks[f"stable from sweep {settled:.0f}"] == settled
    assert marks["printed: stable from roughly sweep 500"] == 500
    assert len([line for line in left.lines if len(line.get_xdata()) == 400]) == 1
    chains = [line for line in right.lines if len(line.get_xdata()) == 400]
    np.testing.assert_array_equal(chains[-1].get_ydata(), frames.rising(400, chain=0))
    assert "true number, 10" in marks and len(chains) == 2
    assert len({line.get_color() for line in chains}) == 2
    assert [sum(line.get_ydata()) for line in shares.lines] == pytest.approx([1, 1])


def test_maps_have_the_classes_first_and_lines_before_the_new_blocks():
    scores = frames.scores({"globins": {"tiwd": 0.8}}, 1, status="stand-in")
    heat = with_identity(frames.heat(), scores, "tiwd_fig5")
    shuffled = heat.sample(frac=1, random_state=1)
    fig = figures.membership_maps(shuffled, {"globins": "Globins"})
    ax = fig.axes[0]
    assert titles_of(fig) == ["(a) Globins (stand-in)"]
    assert ax.get_xlabel() == "6 classes, 2 new blocks"
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == [f"class{i}" for i in range(6)] + ["new 1", "new 2"]
    np.testing.assert_allclose(np.diag(ax.collections[0].get_array()), 0.95)
    assert [line.get_ydata()[0] for line in ax.lines][0] == 6


def test_costs_have_the_exponents_in_the_legend():
    costs = scaling_table("tiwd_scaling", frames.timings(), frames.PUBLISHED.scaling)
    fig = figures.sweep_costs(costs)
    assert titles_of(fig) == ["(a) cost in n", "(b) cost in k"]
    labels = [text.get_text() for text in fig.axes[1].get_legend().get_texts()]
    secular = costs[(costs["algorithm"] == "secular") & (costs["axis"] == "k")].iloc[0]
    wanted = f"$k^{{{secular['exponent']:.2f} \\pm {secular['exponent_se']:.2f}}}$, n = 400"
    assert labels[1] == f"secular roots (the paper's): {wanted}"
    assert all(ax.get_xscale() == ax.get_yscale() == "log" for ax in fig.axes)
    unfitted = costs.assign(exponent=np.nan)
    legend = figures.sweep_costs(unfitted).axes[0].get_legend()
    assert legend.get_texts()[0].get_text() == "dense matrices: k = 10"

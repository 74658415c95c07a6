"""Figures of the relational paper: what is drawn, and how large."""

import numpy as np
import pytest
import relational_frames as frames
from drawings import names_in_legend, titles_of

from reseat.papers.relational import figures, tables
from reseat.papers.relational.results import ROLES, SIDES
from reseat.plots import save_figure


@pytest.fixture(scope="module")
def dots():
    found = [frames.sorted_pairs()]
    given = ("firm", frames.restarts(), found, frames.PUBLISHED)
    return found, tables.blocks_table("firm_fig3", *given)


def test_the_toy_is_drawn_before_and_after():
    toy = frames.toy()
    fig = figures.toy_blocks(toy)
    before, after = (np.asarray(ax.images[0].get_array()) for ax in fig.axes)
    np.testing.assert_array_equal(before, toy.matrix)
    # After sorting, the blocks are whole, so rows change at two places at most.
    assert (np.diff(after.astype(int), axis=0) != 0).any(axis=1).sum() <= 2
    assert [line.get_ydata()[0] for line in fig.axes[1].lines[:2]] == [3.5, 6.5]
    assert [text.get_text() for text in fig.axes[0].get_xticklabels()] == list("abcdefghij")


def test_every_pair_is_a_dot_and_every_limit_a_line(dots):
    found, table = dots
    fig = figures.dot_matrices(found, table, ROLES, SIDES)
    ax = fig.axes[0]
    cloud, *lines = ax.lines
    assert cloud.get_rasterized() and len(cloud.get_xdata()) == len(found[0].rows)
    assert len(lines) == (4 - 1) + (6 - 1) and not lines[0].get_rasterized()
    assert lines[0].get_ydata()[0] == found[0].row_edges[1] - 0.5
    about = "(a) adjectives and nouns (stand-in): FIRM"
    assert titles_of(fig) == [f"{about}, 4 × 6 clusters, printed 45 × 107"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("90 nouns", "60 adjectives")
    unprinted = figures.dot_matrices(found, table.assign(published=np.nan))
    assert titles_of(unprinted) == ["(a) adjectives (stand-in): FIRM, 4 × 6 clusters"]


def test_files_of_the_published_size_stay_small(dots, tmp_path):
    found = [frames.sorted_pairs((1291, 3705), (45, 107), 0.044)]
    assert len(found[0].rows) > 100_000
    fig = figures.dot_matrices(found, dots[1], ROLES, SIDES)
    for path in save_figure(fig, tmp_path / "x").values():
        assert path.stat().st_size < 2_000_000, path


def test_shares_come_by_rank_with_the_classes_covered_in_the_legend():
    shares = tables.classes_table("firm_fig4", frames.classes())
    fig = figures.class_shares(shares, ROLES)
    about = "adjectives and nouns (stand-in)"
    assert titles_of(fig) == [f"(a) {about}: all pairs", f"(b) {about}: observed pairs"]
    lines = {line.get_label(): line for line in fig.axes[0].lines}
    names = ("FIRM\n50", "IRM\n43", "FIRM\nwith the IRM's numbers\n47")
    assert list(lines) == [f"{name} of 50 covered" for name in names]
    irm = lines["IRM\n43 of 50 covered"]
    assert irm.get_xdata().tolist() == list(range(1, 51)) and (irm.get_ydata()[43:] == 0).all()
    assert irm.get_linestyle() == "-." and list(lines.values())[2].get_linestyle() == "--"


def test_curves_of_controls_are_dashed_and_have_a_band():
    curves = tables.purity_table("firm_fig5", frames.purity(2, 3))
    fig = figures.purity_curves(curves, ROLES)
    assert len(fig.axes) == 2 * 3
    left, middle, _right = fig.axes[:3]
    assert [len(ax.lines) for ax in (left, middle)] == [2, 5]
    assert [line.get_linestyle() for line in middle.lines] == ["-", "-.", "--", "--", "--"]
    # Two kinds of random partitions.
    assert len(middle.collections) == 2 and len(left.collections) == 0
    assert left.texts[0].get_text() == "$\\beta$ = 1"
    low = curves.loc[curves["pairs"] == "all", "purity"].min()
    assert all(ax.get_ylim()[0] < low for ax in fig.axes[:3])
    names = names_in_legend(fig)
    assert names[:2] == ["FIRM", "IRM"] and len(names) == 5


def test_runs_stand_above_the_checks():
    given = frames.predictive(0.001, roles=("adjectives", "animals"))
    parts = (given, frames.enumeration(), frames.bound())
    runs = tables.inference_table("firm_vb_vs_gibbs", *parts)
    fig = figures.inference_comparison(runs, ROLES)
    titles = titles_of(fig)
    assert titles[0] == "(a) FIRM\nadjectives and nouns (stand-in)" and len(titles) == 6
    assert titles[4].startswith("(e) FIRM, DP\n0.00")
    vb, gibbs = fig.axes[0].lines
    assert len(vb.get_xdata()) == 6 and len(gibbs.get_xdata()) == 4
    assert vb.get_ydata().min() > gibbs.get_ydata().max()
    assert fig.axes[4].texts[1].get_text() == "ELBO 12.02 nats\nbelow the evidence"
    assert names_in_legend(fig) == ["variational", "collapsed Gibbs"]
    # Panels of a row have the same range of seconds, and as many nats per inch.
    for left, right in (fig.axes[0:2], fig.axes[2:4]):
        assert left.get_xlim() == pytest.approx(right.get_xlim())
        assert np.ptp(left.get_ylim()) == pytest.approx(np.ptp(right.get_ylim()))
        assert left.get_xlim()[1] / left.get_xlim()[0] > 10
    only = figures.inference_comparison(runs[runs["part"] == "held-out"])
    assert len(only.axes) == 4

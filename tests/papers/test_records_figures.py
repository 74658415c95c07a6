"""Figures of the records paper: what is drawn."""

import numpy as np
import pandas as pd
import pytest
import record_frames as frames
from drawings import names_in_legend, titles_of
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb

from reseat.papers.enumerated import check_table
from reseat.papers.records import figures
from reseat.papers.records.results import SETS
from reseat.papers.records.study_tables import MOVES, chaperones_table, move_traces, theorem_table
from reseat.papers.records.tables import boxes_table, growth_table, sizes_table
from reseat.plots import exact_versus_sampled
from reseat.plots.layout import noted
from reseat.plots.style import in_order, prior_style


@pytest.fixture(scope="module")
def boxes():
    return boxes_table("micro_fig2", frames.boxes_of_figure2(), frames.PUBLISHED.fig2)


@pytest.fixture(scope="module")
def draws():
    return frames.prior_draws()


def test_boxes_have_a_panel_for_each_set_and_statistic(boxes):
    panels = figures.posterior_boxes(boxes, SETS)
    assert len(panels.axes) == 4 * 4
    titles = ["Italy", "NLTCS5000", "Syria2000 (stand-in)", "SyriaSizes (stand-in)"]
    assert titles_of(panels) == titles
    ax = panels.axes[0]
    # Four priors at three deltas, ours and the published.
    assert len(ax.patches) == 2 * 4 * 3
    fills = {patch.get_facecolor()[:3] for patch in ax.patches}
    assert (1.0, 1.0, 1.0) in fills and to_rgb(prior_style("NBD")["color"]) in fills
    # Our box of the DP at the smallest delta spans our quartiles.
    row = boxes.iloc[0]
    heights = ax.patches[0].get_path().vertices[:, 1]
    assert (heights.min(), heights.max()) == pytest.approx((row["q25"], row["q75"]))
    truth = [n for n in ax.lines if list(n.get_ydata()) == [385, 385] and n.get_linestyle() == "--"]
    assert len(truth) == 1


def test_boxes_without_published_ones_are_drawn_alone(boxes):
    alone = boxes[boxes["role"] == "italy"].assign(status="generated")
    alone[[c for c in alone if c.startswith("published_")]] = np.nan
    fig = figures.posterior_boxes(alone)
    assert titles_of(fig)[0] == "italy (generated)" and len(fig.axes[0].patches) == 4 * 3
    few = figures.posterior_boxes(alone[alone["delta"] == 0.05])
    assert few.axes[0].get_xlim() == (-0.5, 0.5)  # no room for what was not drawn
    assert [text.get_text() for text in few.axes[-1].get_xticklabels()] == ["0.05"]
    assert "published" not in names_in_legend(fig)


def test_growth_shows_each_published_prior_beside_ours(draws):
    fig = figures.prior_growth(growth_table("micro_fig1", draws, frames.PUBLISHED.fig1))
    assert titles_of(fig) == ["(a) NBNB", "(b) NBD", "(c) all priors"]
    crosses = [n for n in fig.axes[1].lines if n.get_marker() == "x"]
    assert len(crosses) == 1
    printed = frames.PUBLISHED.fig1[frames.PUBLISHED.fig1["system"] == "NBD"]
    np.testing.assert_allclose(crosses[0].get_xdata(), printed["n_items"])
    np.testing.assert_allclose(crosses[0].get_ydata(), printed["max_size"] / printed["n_items"])
    assert [n.get_label() for n in fig.axes[1].lines] == ["published", "DP", "PYP", "NBD"]
    assert all(ax.get_xscale() == ax.get_yscale() == "log" for ax in fig.axes)
    names = sorted((text.xy[1], text.get_text()) for text in fig.axes[1].texts)
    assert {name for _height, name in names} == {"published", "DP", "PYP", "NBD"}
    heights = np.log10([height for height, _name in names])
    assert np.diff(heights).min() > 0.05  # no two names overlap


@pytest.mark.parametrize("notes", [["", "x"], [None, "x"], [np.nan, "x"]])
def test_rows_without_a_note_have_an_empty_text_or_nothing(notes):
    assert noted(pd.DataFrame({"note": notes})).tolist() == [False, True]
    assert noted(pd.DataFrame({"mean": [1, 2]})).tolist() == [False, False]


def test_boxes_of_chains_that_disagree_are_pale_and_the_legend_says_so(boxes):
    one = boxes[(boxes["role"] == "italy") & (boxes["delta"] == 0.05)]
    agreed = figures.posterior_boxes(one.assign(note=""))
    apart = figures.posterior_boxes(one.assign(note="not converged"))

    def opacities(fig):
        return {patch.get_facecolor()[3] for ax in fig.axes for patch in ax.patches}

    assert min(opacities(agreed)) == 1 and "chains disagree" not in names_in_legend(agreed)
    assert min(opacities(apart)) < 0.5 and "chains disagree" in names_in_legend(apart)


def test_shares_have_bars_of_two_errors_inside_their_range(draws):
    table = theorem_table("micro_thm1", draws)
    fig = figures.largest_share(table)
    row = table[(table["system"] == "DP") & (table["quantity"] == "largest_share")].iloc[0]
    ends = fig.axes[0].collections[0].get_segments()[0][:, 1]
    assert ends == pytest.approx([row["mean"] - 2 * row["se"], row["mean"] + 2 * row["se"]])
    for bars in fig.axes[1].collections:
        heights = np.concatenate([segment[:, 1] for segment in bars.get_segments()])
        assert heights.min() >= -1e-12 and heights.max() <= 1 + 1e-12


def test_sizes_have_strokes_of_the_truth_and_dots_of_the_posterior():
    parts = [
        frames.size_counts("syria2000", delta, model=model)
        for delta in (0.02, 0.1)
        for model in ("dp", "nbd")
    ]
    summaries = frames.boxes_of_figure2()
    sizes = sizes_table("micro_fig3", pd.concat(parts), summaries, frames.PUBLISHED.fig3)
    fig = figures.size_distributions(sizes, SETS)
    assert titles_of(fig)[0] == "Syria2000 (stand-in), \N{GREEK SMALL LETTER DELTA} = 0.02"
    ax = fig.axes[0]
    (strokes,) = (lines for lines in ax.collections if isinstance(lines, LineCollection))
    assert [stroke[0, 1] for stroke in strokes.get_segments()] == [1459, 260, 4, 1, 1]
    assert ax.get_yscale() == "log"
    dots = [n for n in ax.lines if n.get_marker() == prior_style("NBD")["marker"]]
    assert dots[0].get_ydata() == pytest.approx(1.1 * np.array([1459, 260, 4, 1, 1]) + 0.2)
    assert dots[0].get_markerfacecolor() == prior_style("NBD")["color"]
    apart = figures.size_distributions(sizes.assign(note="not converged"), SETS)
    assert "chains disagree" in names_in_legend(apart)
    assert "chains disagree" not in names_in_legend(fig)
    hollow = [n for n in apart.axes[0].lines if n.get_marker() == prior_style("NBD")["marker"]]
    assert hollow[0].get_markerfacecolor() == "white"
    rare = figures.size_distributions(sizes.assign(mean=sizes["mean"] / 2), SETS).axes[0]
    (line,) = [n for n in rare.lines if n.get_marker() == prior_style("NBD")["marker"]]
    assert min(line.get_ydata()) >= 1 and len(line.get_ydata()) < 5  # no fractions of a cluster
    assert rare.get_ylim()[0] > 0.5


def test_moves_show_traces_and_how_many_times_faster_they_are():
    runs = frames.moves({"gibbs": 0.5, "chaperones_similarity": 5.0})
    table = chaperones_table("micro_chaperones", runs)
    trace = np.linspace(700, 590, 50)[None] + np.array([[0.0], [3.0]])
    arrays = {"n_clusters": trace, "log_joint": -10 * trace}
    names = table["move"].unique()
    traces = pd.concat([move_traces("italy_d05_0", name, arrays, [0.2, 0.2]) for name in names])
    fig = figures.mixing_of_moves(traces, table, MOVES)
    left, _middle, right = fig.axes
    lines = [n for n in left.lines if len(n.get_xdata())]
    assert len(lines) == 2 * 2  # two moves with two chains each
    assert lines[0].get_xdata()[-1] == pytest.approx(50 * 0.2)
    speeds = sorted(line.get_xdata()[0] for line in right.lines)
    assert speeds == pytest.approx(sorted(table["ess_per_second"]))
    rows = table[table["move"] == "chaperones_similarity"]
    labels = [
        f"\N{MULTIPLICATION SIGN}{row.ratio:.2g} [{row.ratio_low:.2g}, {row.ratio_high:.2g}]"
        for row in rows.itertuples()
    ]
    assert [text.get_text() for text in right.texts] == labels


def test_exact_and_sampled_lie_on_a_line_with_a_band():
    exact = np.full(52, 1 / 52)
    drawn = np.random.default_rng(3).multinomial(20_000, exact)
    names = [f"{place:05d}" for place in range(52)]
    one = pd.DataFrame({"partition": names, "exact": exact, "count": drawn})
    both = pd.concat([one.assign(prior=prior) for prior in ("NBD", "DP")], ignore_index=True)
    counts = check_table("micro_prior_check", both)
    fig = exact_versus_sampled(counts)
    distance = counts.groupby("prior", sort=False)["total_variation"].first()
    assert [title.rpartition("\n")[0] for title in titles_of(fig)] == [
        f"{prior}\n{far:.4f} away" for prior, far in distance.items()
    ]
    dots = fig.axes[0].lines[-1]
    np.testing.assert_allclose(dots.get_xdata(), 1 / 52)
    (corner,) = fig.axes[0].texts
    assert corner.get_text().startswith("by chance\n0.")
    missed = counts.assign(sampled=counts["sampled"].where(counts.index > 1, 0.0))
    _corner, other = exact_versus_sampled(missed).axes[0].texts
    assert other.get_text() == "2 of 52\nnever sampled"
    assert fig.axes[0].get_xlim() == fig.axes[0].get_ylim()


def test_the_distance_of_independent_draws_is_due_to_chance_and_three_times_it_is_not():
    rng = np.random.default_rng(4)
    exact = rng.dirichlet(np.ones(200))
    n_draws, distances = 5000, []
    for _ in range(200):
        sampled = rng.multinomial(n_draws, exact) / n_draws
        distances.append(np.abs(sampled - exact).sum() / 2)
    usual = np.sqrt(exact * (1 - exact) / (2 * np.pi * n_draws)).sum()
    for distance, verdict in ((usual, "by chance"), (3 * usual, "NOT by chance")):
        table = pd.DataFrame({"prior": "DP", "exact": exact, "sampled": exact, "n_draws": n_draws})
        table = table.assign(total_variation=distance, by_chance=usual)
        (ax,) = exact_versus_sampled(table).axes
        assert titles_of(ax.figure) == [f"DP\n{distance:.4f} away\n{verdict}"]
    spread = float(ax.texts[0].get_text().split("\N{PLUS-MINUS SIGN}")[1])
    assert np.mean(distances) == pytest.approx(usual, rel=0.05)
    assert spread == pytest.approx(np.std(distances), rel=0.2)


def test_priors_keep_their_look_and_order():
    assert in_order(["NBD", "own", "DP"]) == ["DP", "NBD", "own"]
    looks = [prior_style(name)["color"] for name in ("DP", "PYP", "NBNB", "NBD")]
    assert len({*looks, prior_style("own", ["own"])["color"]}) == 5
    names = [*("DP", "PYP", "NBNB", "NBD"), "own", "other"]
    for part in ("color", "marker"):
        assert len({prior_style(name, names)[part] for name in names}) == 6

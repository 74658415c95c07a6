"""Traces of the number of clusters (Vogt et al. 2010, Figure 3)."""

from __future__ import annotations

from matplotlib.ticker import MaxNLocator

from reseat.plots.checks import require_columns
from reseat.plots.style import PALETTE, TEXT_WIDTH, house_style, new_figure, plain_ticks

_INK, _PRINTED = "#222222", "#A34700"


def cluster_traces(table):
    """Number of clusters after each sweep: all sweeps, and the first ones on a logarithmic axis.

    Parameters
    ----------
    table : pandas.DataFrame
        Of one data set: `status`, `n_items`, and rows `summary` ``trace``: `draw`, `chain`,
        `sweep`, `mean` (the number of clusters). Rows `summary` ``chains``, one a `metric`:
        ``clusters`` with the true number in `truth`, and ``sweeps until stable`` with ours in
        `mean` and the printed one in `published`.

    Returns
    -------
    matplotlib.figure.Figure
        The first chain is drawn strongly, further ones lightly; dashed is the true number, and
        vertical lines are the sweeps from which the number is stable, ours and the printed.

    Raises
    ------
    ValueError
        If a column is missing or there is no trace.
    """
    columns = [
        "status",
        "n_items",
        "summary",
        "metric",
        "draw",
        "chain",
        "sweep",
        "mean",
        "truth",
        "published",
    ]
    require_columns(table, columns, "the table of traces")
    traces = table[table["summary"] == "trace"]
    require_columns(traces, columns, "the part of the table with traces")
    known = table[table["summary"] == "chains"].drop_duplicates("metric").set_index("metric")
    chains = [chain for _key, chain in traces.groupby(["draw", "chain"], sort=False)]
    with house_style():
        fig = new_figure(TEXT_WIDTH, 2.55)
        axes = fig.subplots(1, 2, sharey=True, width_ratios=(1.6, 1))
        for ax in axes:
            for place, chain in reversed(list(enumerate(chains))):
                ax.plot(
                    chain["sweep"],
                    chain["mean"],
                    color=PALETTE[0] if place == 0 else PALETTE[5],
                    alpha=1.0 if place == 0 else 0.6,
                    linewidth=0.8,
                    drawstyle="steps-post",
                )
            _mark(ax, known)
            ax.set_xlabel("sweep")
        last = max(2, traces["sweep"].max())
        axes[0].set_xlim(0, last)
        axes[1].set_xscale("log")
        axes[1].set_xlim(1, last)
        plain_ticks(axes[1].xaxis)
        axes[0].xaxis.set_major_locator(MaxNLocator(6, integer=True, steps=[1, 2, 5, 10]))
        axes[0].yaxis.set_major_locator(MaxNLocator(7, integer=True))
        axes[0].set_ylim(bottom=0)
        axes[0].set_ylabel("number of clusters")
        first = table.iloc[0]
        note = "" if first["status"] == "faithful" else f" ({first['status']})"
        axes[0].set_title(f"(a) n = {int(first['n_items']):,}{note}")
        axes[1].set_title("(b) the same, logarithmic")
        handles, labels = axes[0].get_legend_handles_labels()
        if labels:
            fig.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return fig


def _mark(ax, known):
    if "clusters" in known.index and known.loc["clusters", "truth"] > 0:
        truth = known.loc["clusters", "truth"]
        label = f"true number, {truth:g}"
        ax.axhline(truth, color=_INK, linestyle=(0, (4, 2)), linewidth=0.8, label=label)
    if "sweeps until stable" not in known.index:
        return
    for column, color, dashes, words in (
        ("mean", PALETTE[2], "solid", "stable from"),
        ("published", _PRINTED, (0, (1.2, 1.2)), "printed: stable from roughly"),
    ):
        sweep = known.loc["sweeps until stable", column]
        if sweep > 0:
            label = f"{words} sweep {sweep:.0f}"
            ax.axvline(sweep, color=color, linestyle=dashes, linewidth=1.1, label=label)

"""What figures of several panels have in common: their rows, their letters and their legend."""

from __future__ import annotations

import math
import string
import textwrap

from reseat.plots.style import new_figure


def panel_grid(n_panels, columns, width, height, rest=0.0, **shared):
    """A figure whose panels stand in rows; places of the last row that are left over are blank.

    Parameters
    ----------
    n_panels, columns : int
        Panels in all, and in a row.
    width, height : float
        Of the figure and of a row, in inches.
    rest : float
        By how much the figure is higher than its rows.
    **shared
        Of `matplotlib.figure.Figure.subplots`.

    Returns
    -------
    fig : matplotlib.figure.Figure
    axes : ndarray of matplotlib.axes.Axes, shape (n_panels,)
    """
    rows = math.ceil(n_panels / columns)
    fig = new_figure(width, height * rows + rest)
    axes = fig.subplots(rows, columns, squeeze=False, **shared).ravel()
    for ax in axes[n_panels:]:
        ax.set_axis_off()
    for ax in axes[max(0, n_panels - columns) : n_panels]:
        ax.tick_params(labelbottom=True)  # a shared axis is labelled in the last row alone
    return fig, axes[:n_panels]


def letter(index):
    """The letter of a panel, counted from 0."""
    return string.ascii_lowercase[index % len(string.ascii_lowercase)]


def fitted(title, n_columns):
    """A title in as many lines as it needs above one of so many panels beside each other.

    Parameters
    ----------
    title : str
    n_columns : int
    """
    # Beside its title a panel has the labels of its axis.
    width = max(100 // n_columns - 6, 21)
    return textwrap.fill(title, width, break_on_hyphens=False)


def legend_below(fig, ax, most=None):
    """Put what one panel shows into a legend below all, in one row or with `most` names in each."""
    handles, labels = ax.get_legend_handles_labels()
    if labels:
        columns = min(most or len(labels), len(labels))
        fig.legend(handles, labels, loc="outside lower center", ncols=columns)

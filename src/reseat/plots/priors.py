"""Colours, dashes and markers of the partition priors, the same in every figure."""

from __future__ import annotations

from reseat.plots.style import DASHES, MARKERS, PALETTE

#: Places in the palette: Dirichlet and Pitman-Yor processes are blue, microclustering priors have
#: warm colours; each pair has a dark and a light one, so that all four differ in grey as well.
_PLACES = {"DP": 0, "PYP": 5, "NBNB": 1, "NBD": 4}


def prior_style(system, others=()):
    """Return the colour, dashes and marker of a prior.

    Those of `others`, the priors in the figure, without a style of their own get the remaining
    colours, in this order.
    """
    if system in _PLACES:
        shape = list(_PLACES).index(system)
        color = PALETTE[_PLACES[system]]
        return {"color": color, "linestyle": DASHES[shape], "marker": MARKERS[shape]}
    unknown = [name for name in others if name not in _PLACES]
    position = unknown.index(system) if system in unknown else 0
    left = [place for place in range(len(PALETTE)) if place not in _PLACES.values()]
    shape = (len(_PLACES) + position) % len(MARKERS)
    return {
        "color": PALETTE[left[position % len(left)]],
        "linestyle": DASHES[shape],
        "marker": MARKERS[shape],
    }


def in_order(systems):
    """Return the priors of the paper in the order of its tables, then the others as given."""
    systems = list(dict.fromkeys(systems))
    return [s for s in _PLACES if s in systems] + [s for s in systems if s not in _PLACES]

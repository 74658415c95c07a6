"""One look for each partition prior in every figure."""

from __future__ import annotations

from reseat.plots.style import DASHES, MARKERS, PALETTE

#: Dirichlet and Pitman-Yor processes in blues, microclustering priors in warm colours; within a
#: pair one is dark and one light, so that all four differ in grey as well.
_PLACES = {"DP": 0, "PYP": 5, "NBNB": 1, "NBD": 4}


def prior_style(system, others=()):
    """Colour, dashes and marker of a prior.

    Parameters
    ----------
    system : str
        Its printed name.
    others : sequence of str
        Names without a look of their own, which get the colours that are left, in this order.

    Returns
    -------
    dict
        `color`, `linestyle`, `marker`.
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
    """The priors of the paper in the order of its tables, then the others as they come."""
    systems = list(dict.fromkeys(systems))
    return [s for s in _PLACES if s in systems] + [s for s in systems if s not in _PLACES]

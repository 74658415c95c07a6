"""The numbers and words that Kurihara et al. (2006) print."""

from __future__ import annotations

from dataclasses import dataclass

from reseat.experiments.published import PublishedNumbers
from reseat.experiments.relational.results import START


@dataclass(frozen=True)
class Published(PublishedNumbers):
    """The published numbers of this paper, whose text gives none for its curves."""

    FILES = {
        "firm_setup": ("quantity", "value"),
        "firm_models": ("model", "quantity", "value"),
        "firm_fig1": ("quantity", "value"),
        "firm_table1": ("side", "words"),
    }

    #: Sizes of the data, truncations, hyperparameters, ``restarts``, ``minutes a restart`` (an
    #: upper bound) and ``classes`` of SAM.
    setup: dict
    #: (model, quantity) to value, at beta = 0.1: ``row clusters`` (of adjectives), ``column
    #: clusters`` (of nouns), ``covered`` (classes) and ``coverage``.
    models: dict
    #: ``row clusters`` and ``column clusters`` of the toy table, and its ``rows`` and ``columns``.
    fig1: dict
    #: Words of the printed clusters of ``adjectives`` and of ``nouns``.
    table1: dict

    def beside(self, model, initialisation=START, beta=0.1):
        """Return quantity to value for a model as the paper ran it, otherwise an empty dict.

        The paper does not say how it starts, so its numbers are shown only beside the first start.
        """
        if initialisation != START or beta != self.setup["beta"]:
            return {}
        return {name: value for (of, name), value in self.models.items() if of == model}

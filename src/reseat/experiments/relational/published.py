"""The numbers and words that Kurihara et al. (2006) print."""

from __future__ import annotations

from dataclasses import dataclass

from reseat.experiments.published import PublishedNumbers
from reseat.experiments.relational.results import START


@dataclass(frozen=True)
class Published(PublishedNumbers):
    """The published numbers of this paper; of its curves the text gives none.

    Attributes
    ----------
    setup : dict of str to float
        Sizes of the data, truncations, hyperparameters, ``restarts``, ``minutes a restart`` (an
        upper bound) and ``classes`` of SAM.
    models : dict
        (model, quantity) to value, at beta = 0.1: ``row clusters`` (of adjectives), ``column
        clusters`` (of nouns), ``covered`` (classes) and ``coverage``.
    fig1 : dict of str to float
        ``row clusters`` and ``column clusters`` of the toy table, and its ``rows`` and ``columns``.
    table1 : dict of str to str
        Words of the cluster of ``adjectives`` and of that of ``nouns``.
    """

    FILES = {
        "firm_setup": ("quantity", "value"),
        "firm_models": ("model", "quantity", "value"),
        "firm_fig1": ("quantity", "value"),
        "firm_table1": ("side", "words"),
    }

    setup: dict
    models: dict
    fig1: dict
    table1: dict

    def beside(self, model, initialisation=START, beta=0.1):
        """Quantity to value for a model as the paper ran it, else nothing.

        The paper does not say how it starts; its numbers stand beside the first start only.
        """
        if initialisation != START or beta != self.setup["beta"]:
            return {}
        return {name: value for (of, name), value in self.models.items() if of == model}

"""The family's models, from configuration to finished chains."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from reseat.datasets import EmbeddedMentions
from reseat.errors import DataError
from reseat.likelihoods import GaussianReferences
from reseat.models.supervised import Items, build
from reseat.papers.supervised.plan import Run
from reseat.priors import sampled_settings


def settings_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a model, with the priors of its partitions added."""
    name = settings.get("prior", "dirichlet_process")
    prior = sampled_settings(name, settings["concentration"])
    if settings["model"] != "cdp":  # types are always a Dirichlet process
        types = sampled_settings("dirichlet_process", settings["concentration"])
        return settings | {"publication_prior": prior, "type_prior": types}
    if name != "dirichlet_process" or settings.get("sample_concentration"):
        return settings | {"publication_prior": prior}
    return settings | {"publication_prior": prior | {"hyperprior": None}}


def items_of(references: EmbeddedMentions) -> Items:
    """Return the items of a data set, whose training items need at least two entities."""
    learned = references.n_train_entities
    if learned < 2:
        raise DataError(
            f"The training items of {references.identity.name!r} belong to {learned} entities; "
            "mark items of at least two entities as training items."
        )
    data = GaussianReferences(references.coordinates, references.feature_of)
    return Items(data, references.test, references.entities, references.groups)


def chains_of(run: Run, references: EmbeddedMentions) -> Callable[[int, Path], dict[str, Any]]:
    """Return the `prepare` of a model on some items, as `run_studies` expects it."""
    make = partial(build, settings_of(run.settings), items_of(references))
    identity = {"model": {"name": run.model, **run.settings}, **references.source()}

    def prepare_chain(number: int, _: Path) -> dict[str, Any]:
        start = run.start(number)
        begin = references.entities if start == "truth" else start
        return {"build": partial(make, start=begin), "identity": identity}

    return prepare_chain

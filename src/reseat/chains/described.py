"""Descriptions of models at their start, so that no chain is resumed with a different model."""

from __future__ import annotations

from typing import Any

from reseat.chains.coupled import CoupledModel
from reseat.chains.model import MixtureModel

__all__ = ["describe_model"]


def describe_model(model: MixtureModel | CoupledModel, *, values: bool) -> dict[str, Any]:
    """Return what must be the same when a chain is resumed, as JSON types.

    `values` adds the hyperparameters and the log joint density at the start, which distinguish
    models of the same kind, and data of the same shape.
    """
    if isinstance(model, CoupledModel):
        found: dict[str, Any] = {name: _describe_part(part) for name, part in model.parts.items()}
    else:
        found = _describe_part(model)
    found |= {"model": type(model).__name__, "n_items": int(model.n_items)}
    if hasattr(model, "joint"):
        found["joint moves"] = [_name(move) for move in model.joint]
    if values:
        found["start"] = {name: float(value) for name, value in model.hyperparameters.items()}
        found["log joint of the start"] = float(model.log_joint())
    return found


def _describe_part(model: MixtureModel) -> dict[str, Any]:
    return {
        "prior": _name(model.prior),
        "likelihood": _name(model.likelihood),
        "moves": [_name(move) for move in model.moves],
    }


def _name(thing) -> str:
    """Return the name of a function, or of the class of any other object."""
    return getattr(thing, "__name__", type(thing).__name__)

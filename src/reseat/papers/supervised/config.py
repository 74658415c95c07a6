"""Checks of the section `supervised` of the configuration that no schema can express."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reseat.errors import ConfigError
from reseat.papers.configuration import Rules
from reseat.papers.supervised.plan import STARTS

__all__ = ["RULES"]

#: Models of references, by the name under which tables print the system.
SYSTEMS = {
    "SCDP-1": "scdp1",
    "SCDP-2": "scdp2",
    "SCDP-2x": "scdp2_exact",
    "SCDP-3": "scdp3_covariance",
    "SCDP-3p": "scdp3_precision",
    "CDP": "cdp",
}
WITH_TYPES = tuple(model for model in SYSTEMS.values() if model != "cdp")


def _check_section(section: Mapping[str, Any]) -> None:
    """Raise a ConfigError for a model named as another system, or an option it cannot use."""
    for name, entry in section["models"].items():
        where, model = f"config, supervised.models.{name}", entry["model"]
        if model != SYSTEMS[entry["system"]]:
            raise ConfigError(
                f"{where}: the system {entry['system']} is the model {SYSTEMS[entry['system']]}, "
                f"not {model}; correct one of them."
            )
        explicit = model not in ("scdp1", "scdp2", "cdp") or entry.get("form") == "explicit"
        if "aux" in entry and not explicit:
            raise ConfigError(
                f"{where}.aux: has no effect, since the means are integrated out; omit it, or add "
                "form: explicit."
            )
        if entry.get("types") == "collapsed" and model == "scdp3_covariance":
            raise ConfigError(
                f"{where}.types: the precisions of {model} cannot be integrated out; omit it."
            )
        moves, starts = entry.get("moves"), [*entry.get("starts", STARTS)]
        if moves == "split_merge" and explicit:
            raise ConfigError(
                f"{where}.moves: split_merge needs means that are integrated out, which those of "
                "this model are not; use joint."
            )
        if moves == "joint" and model == "cdp":
            raise ConfigError(f"{where}.moves: cdp has no types to move; use split_merge.")
        if entry.get("held") and (moves != "joint" or starts != ["truth"]):
            raise ConfigError(
                f"{where}.held: only the true publications are held; add moves: joint and starts: "
                "[truth]."
            )
        alone = {"learned", "scdp1"} & {*starts}
        if alone and model == "cdp":
            raise ConfigError(f"{where}.starts: cdp cannot start from {min(alone)}; leave it out.")


RULES = Rules(
    decides="model",
    only_with={
        **dict.fromkeys(("types", "aux", "share", "held"), WITH_TYPES),
        "form": ("scdp1", "scdp2"),
        **dict.fromkeys(("precision", "sample_concentration"), ("cdp",)),
        "law": ("scdp2",),
        "pairs": tuple(model for model in WITH_TYPES if model != "scdp1"),
    },
    check_section=_check_section,
)

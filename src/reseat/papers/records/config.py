"""Checks of the section `records` of the configuration that no schema can express."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reseat.datasets import Registry
from reseat.datasets.identity import cell_name
from reseat.errors import ConfigError
from reseat.papers.configuration import Rules, check_kind
from reseat.papers.records.plan import Plan
from reseat.priors import BetaHyperprior, GammaHyperprior

__all__ = ["RULES"]


def _check_section(section: Mapping[str, Any]) -> None:
    """Raise a ConfigError if a parameter starts above its bound, or its prior does not exist."""
    for name in ("delta", "miss"):
        start, bound = (section[name][key] for key in ("start", "bound"))
        if start > bound:
            raise ConfigError(
                f"config, records.{name}.start: {start:g} is above the bound {bound:g}; lower it."
            )
    delta, miss = section["delta"], section["miss"]
    for name, law in (
        ("delta", lambda: GammaHyperprior(delta["shape"], delta["rate"], delta["bound"])),
        ("miss", lambda: BetaHyperprior.from_moments(miss["mean"], miss["sd"], miss["bound"])),
    ):
        try:
            law()
        except ConfigError as error:
            raise ConfigError(f"config, records.{name}: {error}") from error


def _check_data(
    section: Mapping[str, Any], scale: str, registry: Registry, own: Mapping[str, Any]
) -> None:
    for name in Plan.wanted(section, scale):
        if name in registry and name not in section["recipes"]:
            check_kind(f"config, records.scales.{scale}", registry, name, ("records",))
    _check_draws(section, own)


def _check_draws(section: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    """Raise a ConfigError for a data set that has the name of the draws of a recipe."""
    for recipe in section["recipes"]:
        for delta in section["deltas"]:
            name = cell_name(recipe, delta)
            if name in own:
                raise ConfigError(
                    f"config, datasets.{name}: this is what the draws of {recipe!r} at delta "
                    f"{delta:g} are called; choose another name."
                )


RULES = Rules(
    entries={"recipes": ("recipe",)},
    decides="likelihood",
    otherwise="categorical",
    only_with={
        "per_field": ("categorical",),
        "bounded": ("categorical",),
        "marginals": ("categorical", "hitmiss"),
    },
    counted=True,
    check_section=_check_section,
    check_data=_check_data,
)

"""Checks of the section `sixth` of the configuration that no schema can express."""

from reseat.experiments.configuration_checks import Rules

__all__ = ["RULES"]

RULES = Rules(entries={"sets": ()})

"""Chains: seeds, schedules, checkpoints, files."""

import lazy_loader

# Imported on first use: code that only reads chains need not be able to run them.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "annealing": ["AnnealedModel", "anneal"],
        "coupled": ["CoupledModel"],
        "decided": ["DecidedModel"],
        "folder": ["run_folder"],
        "grouped": ["GroupedModel"],
        "model": ["MixtureModel"],
        "output": ["open_chain", "read_groups"],
        "parts": ["split_labels"],
        "runner": ["Chain", "Kept", "run_chain", "run_chains"],
        "schedule": ["Schedule", "by_turns"],
        "seeds": ["chain_seed"],
        "stopping": ["Interrupted"],
        "supervised": ["SupervisedModel"],
    },
)

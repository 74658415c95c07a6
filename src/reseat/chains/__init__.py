"""Chains: seeds, schedules, checkpoints, files."""

from reseat.chains.annealing import anneal
from reseat.chains.coupled import CoupledModel, split_labels
from reseat.chains.folder import run_folder
from reseat.chains.model import MixtureModel
from reseat.chains.output import open_chain, read_groups
from reseat.chains.runner import Chain, Interrupted, run_chain, run_chains
from reseat.chains.schedule import Schedule
from reseat.chains.seeds import chain_seed

__all__ = [
    "Chain",
    "CoupledModel",
    "Interrupted",
    "MixtureModel",
    "Schedule",
    "anneal",
    "chain_seed",
    "open_chain",
    "read_groups",
    "run_chain",
    "run_chains",
    "run_folder",
    "split_labels",
]

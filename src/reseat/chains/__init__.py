"""Chains: seeds, schedules, checkpoints, files."""

from reseat.chains.annealing import anneal
from reseat.chains.coupled import CoupledModel, split_labels
from reseat.chains.folder import run_folder
from reseat.chains.grouped import GroupedModel
from reseat.chains.model import MixtureModel
from reseat.chains.output import open_chain, read_groups
from reseat.chains.references import SUPERVISED_MODELS, build_supervised
from reseat.chains.runner import Chain, Interrupted, run_chain, run_chains
from reseat.chains.schedule import Schedule
from reseat.chains.seeds import chain_seed
from reseat.chains.supervised import SupervisedModel

__all__ = [
    "SUPERVISED_MODELS",
    "Chain",
    "CoupledModel",
    "GroupedModel",
    "Interrupted",
    "MixtureModel",
    "Schedule",
    "SupervisedModel",
    "anneal",
    "build_supervised",
    "chain_seed",
    "open_chain",
    "read_groups",
    "run_chain",
    "run_chains",
    "run_folder",
    "split_labels",
]

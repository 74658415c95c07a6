"""Summaries of posterior draws of a partition.

Point summaries (`marginal_labels`, `MarginalCounts`, `map_index`), the co-clustering matrix, the
partition that minimises a posterior expected loss, and statistics of single partitions.
"""

from reseat.summaries.coclustering import coclustering, coclustering_blocks
from reseat.summaries.loss import LOSSES, expected_loss
from reseat.summaries.points import MarginalCounts, map_index, marginal_labels
from reseat.summaries.search import PartitionEstimate, minimise_expected_loss
from reseat.summaries.statistics import PartitionStatistics, size_statistics

__all__ = [
    "LOSSES",
    "MarginalCounts",
    "PartitionEstimate",
    "PartitionStatistics",
    "coclustering",
    "coclustering_blocks",
    "expected_loss",
    "map_index",
    "marginal_labels",
    "minimise_expected_loss",
    "size_statistics",
]

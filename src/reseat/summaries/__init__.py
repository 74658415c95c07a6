"""Summaries of posterior draws of a partition.

Point summaries (`marginal_labels`, `MarginalCounts`, `map_index`), the co-clustering matrix, the
partition that minimises a posterior expected loss, and statistics of single partitions.
"""

import lazy_loader

# Imported when they are asked for: a summary needs one of them.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "coclusters": ["coclustering", "coclustering_blocks"],
        "loss": ["LOSSES", "expected_loss"],
        "points": ["MarginalCounts", "map_index", "marginal_labels"],
        "search": ["PartitionEstimate", "minimise_expected_loss"],
        "statistics": ["PartitionStatistics", "size_statistics"],
    },
)

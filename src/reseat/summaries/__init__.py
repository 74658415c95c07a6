"""Summaries of posterior draws of a partition.

The most frequent labels (`MarginalCounts`) and sets (`matching_sets`), the co-clustering matrix,
the partition that minimises a posterior expected loss, statistics of single partitions, and
statistics of any quantity over chains (`describe`).
"""

import lazy_loader

# Imported on first use, because a summary needs only one of them.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "asking": ["questions"],
        "posterior": ["rhat_in_words", "AGREED", "FEWEST", "STILL", "describe", "whole_trace"],
        "coclusters": ["coclustering", "coclustering_blocks"],
        "duplicates": [
            "ExpectedQuality",
            "expected_quality",
            "golden_records",
            "golden_sources",
            "n_pairs",
            "probable_pairs",
        ],
        "search": ["LOSSES", "expected_loss", "PartitionEstimate", "minimise_expected_loss"],
        "points": ["MarginalCounts", "matching_sets"],
        "statistics": ["PartitionStatistics", "over_draws", "size_statistics"],
    },
)

"""Summaries of posterior draws of a partition.

The most frequent labels (`MarginalCounts`) and sets (`matching_sets`), co-clustering, the partition
of least expected loss, statistics of partitions, and those of chains (`describe`).
"""

import lazy_loader

# Imported on first use, because a summary needs only one of them.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

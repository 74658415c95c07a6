"""Summaries of posterior draws of a partition.

The most frequent labels (`MarginalCounts`) and sets (`matching_sets`), the co-clustering matrix,
the partition that minimises a posterior expected loss, statistics of single partitions, and
statistics of any quantity over chains (`describe`).
"""

import lazy_loader

# Imported on first use, because a summary needs only one of them.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

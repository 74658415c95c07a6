"""Moves: how does the partition change?"""

import lazy_loader

# Imported on first use, because a chain needs only one or two moves.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "_chaperones": ["Chaperones"],
        "_decided": ["Decided"],
        "_gibbs": ["gibbs_sweep"],
        "_joint_split_merge": ["JointSplitMerge"],
        "_joint_sweep": ["JointSweep"],
        "_pairs": ["MOST_WEIGHT", "ListedPairs", "Pairs", "PairsOfUnits", "SimilarPairs"],
        "_precision_steps": ["PrecisionSteps"],
        "_publication_types": ["PublicationTypes"],
        "_restricted": ["RestrictedSweep"],
        "_split_merge": ["SplitMerge"],
        "record_keys": ["pairs_by_keys", "phonetic_key", "record_keys"],
        "canopies": ["CanopySweep"],
        "types": ["TypeSplitMerge", "IntegratedTypeSplitMerge"],
        "clamped": ["UNLABELLED", "ClampedSweep"],
    },
)

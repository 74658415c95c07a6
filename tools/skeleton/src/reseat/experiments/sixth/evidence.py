"""What Author 2000 claims."""

from __future__ import annotations

from reseat.experiments.sixth import PAPER
from reseat.experiments.verdicts import Claim, Claims

#: What the paper claims, and what the effect of each claim is.
CLAIMS = Claims(
    PAPER,
    {
        "SIXTH-1": Claim(
            "the clusters have to do with the classes",
            "adjusted Rand index, the mean over chains",
        ),
    },
)

"""The claims of Author 2000."""

from __future__ import annotations

from reseat.papers.claims import Claim, Claims
from reseat.papers.sixth import PAPER

#: The claims of the paper, with the effect on which each is judged.
CLAIMS = Claims(
    PAPER,
    {
        "SIXTH-1": Claim(
            "the clusters have to do with the classes",
            "adjusted Rand index, the mean over chains",
        ),
    },
)

"""What the claims of Walker & Ringger 2008 say, and what they are judged from."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from reseat.experiments.documents import PAPER
from reseat.experiments.evidence import Evidence
from reseat.experiments.verdicts import Claims

#: What each claim says.
STATEMENTS = {
    "DOC-1": "collapsed Gibbs sampling beats EM on five metrics and three data sets",
    "DOC-2": "the marginal, the MAP and a random summary of a Gibbs chain differ little",
    "DOC-3": "the marginal summary of a Gibbs chain is generally superior, except on Enron",
    "DOC-4": "clusters keep their labels along a Gibbs chain",
    "DOC-5a": "the likelihood reaches its plateau at about 1000 sweeps on Enron, 100 on 20 "
    "Newsgroups and 50 on del.icio.us",
    "DOC-5b": "the plateau of the likelihood marks convergence",
    "DOC-6": "the score of a single Gibbs sample is flat after about 100 samples",
    "DOC-7": "most documents of 20 Newsgroups lie in about 7 of 20 clusters",
    "DOC-8": "misc.forsale and sci.electronics are almost evenly split over two clusters each",
}

CLAIMS = Claims(PAPER, STATEMENTS)

#: Data sets that are read in a way that was found by looking at the published numbers.
FITTED = {"newsgroups20": "its stop list and words found by looking at Table 2"}

#: The paper's data sets in the order of its tables.
ROLES = ("delicious", "newsgroups", "enron")


@dataclass(frozen=True)
class DocumentsEvidence(Evidence):
    """What the claims are judged from.

    Attributes
    ----------
    scores : pandas.DataFrame
        One row a (data set, model, chain, summary).
    roles : dict of str to list of str
        The paper's data sets (`newsgroups`, `enron`, `delicious`) to those that serve for them.
    traces : dict of str to Traces
        Data set to the traces of its Gibbs chains.
    switching : pandas.DataFrame
        One row a (data set, chain): the summary of the label switching comparison.
    table7 : pandas.DataFrame
    seed : int
        Of the bootstrap.
    """

    claims = CLAIMS

    scores: pd.DataFrame
    roles: dict
    traces: dict
    switching: pd.DataFrame
    table7: pd.DataFrame
    seed: int = 20080824

    def pairs(self, roles=ROLES):
        """(role, data set) of every data set with scores, in the paper's order."""
        return [
            (role, name) for role in roles for name in self.roles.get(role, ()) if self.status(name)
        ]

    def rows(self, dataset):
        """Scores of one data set."""
        return self.scores[self.scores["dataset"] == dataset]

    def title(self, dataset):
        """Data sets are called by their names; that of a reading found by looking says so."""
        return f"{dataset} ({FITTED[dataset]})" if dataset in FITTED else dataset

    def missing(self, roles=ROLES):
        """Roles without any scored data set."""
        return [role for role in roles if not self.pairs((role,))]

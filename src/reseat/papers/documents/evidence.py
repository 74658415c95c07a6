"""The claims of Walker & Ringger 2008, and the evidence on which they are judged."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from reseat.papers.claims import Claim, Claims, Evidence
from reseat.papers.documents import PAPER
from reseat.papers.documents.results import FITTED, ROLES, Published
from reseat.papers.statistics import rhat_of_modes
from reseat.summaries import AGREED

#: The claims of the paper.
CLAIMS = Claims(
    PAPER,
    {
        "DOC-1": Claim(
            "collapsed Gibbs sampling beats EM on five metrics and three data sets",
            "smallest lead of Gibbs over EM, in units of the metric",
        ),
        "DOC-2": Claim(
            "the marginal, the MAP and a random summary of a Gibbs chain differ little",
            "largest difference in mean F of two summaries, from 0 to 1",
        ),
        "DOC-3": Claim(
            "the marginal summary of a Gibbs chain is generally superior, except on Enron",
            "share of the metrics, outside Enron, on which marginal beats MAP",
        ),
        "DOC-4": Claim(
            "clusters keep their labels along a Gibbs chain",
            "share of occupied clusters that are nearest to themselves later in the chain",
        ),
        "DOC-5a": Claim(
            "the likelihood reaches its plateau at about 1000 sweeps on Enron, 100 on 20 "
            "Newsgroups and 50 on del.icio.us",
            "largest sweep of a plateau, as a multiple of the printed one",
        ),
        "DOC-5b": Claim(
            "the plateau of the likelihood marks convergence",
            "largest R-hat of the log joint after the printed number of sweeps",
        ),
        "DOC-6": Claim(
            "the score of a single Gibbs sample is flat after about 100 samples",
            "largest change of a score a hundred samples, after the first hundred, from 0 to 1",
        ),
        "DOC-7": Claim(
            "most documents of 20 Newsgroups lie in about 7 of 20 clusters",
            "share of the documents in the 7 largest clusters",
        ),
        "DOC-8": Claim(
            "misc.forsale and sci.electronics are almost evenly split over two clusters each",
            "smaller part of the two clusters that hold most of a class, as a share",
        ),
    },
)

#: Largest difference in F between summaries that still counts as little (DOC-2).
LITTLE = 0.01
#: "Most documents" in DOC-7: more than four in five. (An even spread puts 7 of 20 at .35.)
MOST = 0.8
#: "Almost evenly split" in DOC-8: the smaller part is more than two fifths of the two.
EVEN = 0.4


@dataclass(frozen=True)
class DocumentsEvidence(Evidence):
    """The evidence on which the claims are judged."""

    claims = CLAIMS

    #: One row per (data set, model, chain, summary).
    scores: pd.DataFrame
    #: The paper's data sets (`newsgroups`, `enron`, `delicious`) to those that stand for them.
    roles: dict
    identities: list
    #: Traces of the Gibbs chains on each of `identities`.
    traces: list
    #: One row per (data set, chain): the summary of the label-switching comparison.
    switching: pd.DataFrame
    table7: pd.DataFrame
    published: Published
    #: Seed of the bootstrap.
    seed: int = 20080824

    @cached_property
    def traces_on(self):
        """Mapping of each data set to the traces of its Gibbs chains."""
        names = (identity.name for identity in self.identities)
        return dict(zip(names, self.traces, strict=True))

    def pairs(self, roles=ROLES):
        """Return (role, data set) for every data set with scores, in the paper's order."""
        return [
            (role, name) for role in roles for name in self.roles.get(role, ()) if self.status(name)
        ]

    def in_modes(self, roles):
        """Return the data sets whose Gibbs chains are in different modes, and their R-hat."""
        found = [
            (name, rhat_of_modes(self.traces_on[name]))
            for _role, name in self.pairs(roles)
            if name in self.traces_on
        ]
        return [(name, rhat) for name, rhat in found if rhat > AGREED]

    def rows(self, dataset):
        """Return the scores of one data set."""
        return self.scores[self.scores["dataset"] == dataset]

    def title(self, dataset):
        """Return the name of a data set, with a remark if it is in :data:`FITTED`."""
        return f"{dataset} ({FITTED[dataset]})" if dataset in FITTED else dataset

    def missing(self, roles=ROLES):
        """Return the roles without any scored data set."""
        return [role for role in roles if not self.pairs((role,))]

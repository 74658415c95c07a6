"""The evidence on which the claims of Walker & Ringger 2008 are judged."""

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from reseat.papers.claims import Evidence
from reseat.papers.documents.results import FITTED, ROLES, Published
from reseat.papers.statistics import rhat_of_modes
from reseat.summaries import AGREED


@dataclass(frozen=True)
class DocumentsEvidence(Evidence):
    """The evidence on which the claims are judged."""

    scores: pd.DataFrame
    #: The paper's data sets (`newsgroups`, `enron`, `delicious`) to those that stand for them.
    roles: dict
    identities: list
    #: Traces of the Gibbs chains on each of `identities`.
    traces: list
    switching: pd.DataFrame
    table7: pd.DataFrame
    published: Published
    seed: int

    @cached_property
    def traces_on(self):
        """Mapping of each data set to the traces of its Gibbs chains."""
        names = (identity.name for identity in self.identities)
        return dict(zip(names, self.traces, strict=True))

    def names(self, *roles):
        """Return the data sets with scores that serve for some roles, by default for all."""
        wanted = [name for role in roles or ROLES for name in self.roles.get(role, ())]
        return list(filter(self.status, wanted))

    def pairs(self):
        """Return (role, data set) for every data set with scores, in the paper's order."""
        return [(role, name) for role in ROLES for name in self.names(role)]

    @cached_property
    def in_modes(self):
        """The R-hat of each data set whose Gibbs chains are in different modes."""
        found = {name: rhat_of_modes(chains) for name, chains in self.traces_on.items()}
        return {name: rhat for name, rhat in found.items() if rhat > AGREED}

    def rows(self, dataset):
        return self.scores[self.scores["dataset"] == dataset]

    def title(self, dataset):
        """Return the name of a data set, with a remark if it is in :data:`FITTED`."""
        return f"{dataset} ({FITTED[dataset]})" if dataset in FITTED else dataset

    def missing(self):
        """Return the roles without any scored data set."""
        return [role for role in ROLES if not self.names(role)]

"""Every table and figure that the workflow makes, by the name under which it is requested."""

from collections.abc import Iterable, Mapping
from typing import Any

from reseat.papers.declare import Job, Paper, Product
from reseat.papers.distances.paper import PAPER as DISTANCES
from reseat.papers.documents.paper import PAPER as DOCUMENTS
from reseat.papers.recipe import look_up
from reseat.papers.records.paper import PAPER as RECORDS
from reseat.papers.relational.paper import PAPER as RELATIONAL
from reseat.papers.supervised.paper import PAPER as SUPERVISED


class Catalogue:
    """The artefacts of some papers, in order; `products` are artefacts and verdicts on claims."""

    def __init__(self, papers: Iterable[Paper]):
        self.papers = {paper.key: paper for paper in papers}
        self.families = {paper.family: paper.about for paper in self.papers.values()}
        self.products: dict[str, Product] = {}
        self.jobs: dict[str, Job] = {}
        for paper in self.papers.values():
            self.products |= paper.products
            self.jobs |= paper.jobs
        self.artefacts = {a.name: a for paper in self.papers.values() for a in paper.artefacts}

    @property
    def claim_modules(self) -> list[str]:
        """Modules in which the papers' claims are declared."""
        return [f"reseat.papers.{family}.claims" for family in self.families]

    def claims(self) -> dict[str, Any]:
        """Return the papers' claims: identifier to `reseat.papers.claims.Claim`."""
        return {
            key: claim
            for module in self.claim_modules
            for key, claim in look_up(f"{module}:CLAIMS").claims.items()
        }

    def __str__(self) -> str:
        """Return a text for a terminal: one line per artefact, grouped by paper."""
        return self.listing({})

    def listing(self, costs: Mapping[str, str]) -> str:
        """Return the same text with the cost of each artefact, in words, where it is known."""
        width = max(len(name) for name in self.artefacts)
        label = max(len(a.published) for a in self.artefacts.values())
        room = max(map(len, costs.values())) + 2 if costs else 0
        lines = []
        for paper in self.papers.values():
            lines += ["", f"{paper.short} (target: {paper.family})"]
            for a in paper.artefacts:
                cost = costs.get(a.name, "")
                lines.append(
                    f"  {a.name:<{width}}  {a.published:<{label}}  {cost:<{room}}{a.shows}"
                )
        return "\n".join(lines[1:])


CATALOGUE = Catalogue((DOCUMENTS, RECORDS, DISTANCES, RELATIONAL, SUPERVISED))

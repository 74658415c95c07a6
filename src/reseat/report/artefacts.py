"""The catalogue of tables and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from reseat.configuration import read_yaml, validate
from reseat.errors import ConfigError


@dataclass(frozen=True)
class Paper:
    """A paper whose tables and figures are made.

    Attributes
    ----------
    key, family, short, authors, title, venue : str
    year : int
    times : tuple of dict
        How long the authors' runs took, as the catalogue tells it.
    """

    key: str
    family: str
    short: str
    authors: str
    title: str
    venue: str
    year: int
    times: tuple = ()

    @property
    def page(self):
        """Name of the file with the paper's tables and figures."""
        return f"{self.key}.html"


@dataclass(frozen=True)
class Comparison:
    """Which numbers of an artefact's table stand beside published ones.

    Attributes
    ----------
    pairs : mapping of str to str
        Columns of ours to columns of the paper's.
    error, metric : str
        Columns of our Monte Carlo error, and of what is measured.
    readings : sequence of str
        Systems, or ends of their names, that repeat a published number under another reading.
    repeated_over : sequence of str
        ``system`` or ``variant``, where one published number stands beside all of them.
    times : mapping of str to str
        Metrics that are times, to their units.
    without_error, not_comparable : str
        Why numbers without an error, or all, cannot be compared; empty if they can.
    rule : str
        What the table's own column `agrees` means; empty if it has none.
    """

    pairs: Mapping = field(default_factory=lambda: {"mean": "published"})
    error: str = "se"
    metric: str = "metric"
    readings: tuple = ()
    repeated_over: tuple = ()
    times: Mapping = field(default_factory=dict)
    without_error: str = ""
    not_comparable: str = ""
    rule: str = ""


@dataclass(frozen=True)
class Artefact:
    """A table or figure.

    Attributes
    ----------
    name : str
        The name it is asked for by.
    paper : Paper
    published : str
        The paper's own label, such as ``Table 2``; empty if it has none.
    kind : {"figure", "table", "contingency"}
    shows : str
        One line.
    claims : tuple of str
        Identifiers of the claims that it bears on.
    compare : Comparison
    """

    name: str
    paper: Paper
    published: str
    kind: str
    shows: str
    claims: tuple = ()
    compare: Comparison = field(default_factory=Comparison)


@dataclass(frozen=True)
class Catalogue:
    """All artefacts, in the order in which they are reported.

    Attributes
    ----------
    families : dict of str to str
        Key to title.
    papers : dict of str to Paper
    artefacts : dict of str to Artefact
    """

    families: dict[str, str]
    papers: dict[str, Paper]
    artefacts: dict[str, Artefact]

    def of_family(self, family):
        """Artefacts of one family."""
        return [a for a in self.artefacts.values() if a.paper.family == family]

    def of_paper(self, paper):
        """Artefacts of one paper."""
        return [a for a in self.artefacts.values() if a.paper.key == paper.key]


def load_artefacts(path, schema=None):
    """Read and check the catalogue of artefacts.

    Parameters
    ----------
    path : path-like
        ``config/artefacts.yaml``.
    schema : path-like, optional
        ``workflow/schemas/artefacts.schema.yaml``; without it only the references between the
        sections are checked.

    Returns
    -------
    Catalogue

    Raises
    ------
    ConfigError
        If the file is not YAML, breaks the schema, or names a family or paper that it does not
        describe.
    """
    raw = read_yaml(path)
    if schema is not None:
        validate(raw, read_yaml(schema), str(path))
    papers = {}
    for key, fields in raw["papers"].items():
        if fields["family"] not in raw["families"]:
            raise ConfigError(
                f"{path}, papers.{key}.family: '{fields['family']}' is not a key of families."
            )
        papers[key] = Paper(key=key, **{**fields, "times": tuple(fields.get("times", ()))})
    artefacts = {}
    for name, fields in raw["artefacts"].items():
        if fields["paper"] not in papers:
            raise ConfigError(
                f"{path}, artefacts.{name}.paper: '{fields['paper']}' is not a key of papers."
            )
        parts = {
            "paper": papers[fields["paper"]],
            "claims": tuple(fields.get("claims", ())),
            "compare": Comparison(**fields.get("compare", {})),
        }
        artefacts[name] = Artefact(name=name, **{**fields, **parts})
    return Catalogue(dict(raw["families"]), papers, artefacts)


def list_artefacts(catalogue):
    """The catalogue as text for a terminal: one line an artefact, grouped by paper."""
    width = max(len(name) for name in catalogue.artefacts)
    label = max(len(a.published) for a in catalogue.artefacts.values())
    lines = []
    for paper in catalogue.papers.values():
        own = [a for a in catalogue.artefacts.values() if a.paper.key == paper.key]
        if own:
            lines += ["", f"{paper.short} (target: {paper.family})"]
            lines += [f"  {a.name:<{width}}  {a.published:<{label}}  {a.shows}" for a in own]
    return "\n".join(lines[1:]) + "\n"

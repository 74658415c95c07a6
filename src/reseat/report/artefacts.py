"""The catalogue of tables and figures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from reseat.configuration import validate
from reseat.errors import ConfigError


@dataclass(frozen=True)
class Paper:
    """A paper whose tables and figures are made.

    Attributes
    ----------
    key, family, short, authors, title, venue : str
    year : int
    """

    key: str
    family: str
    short: str
    authors: str
    title: str
    venue: str
    year: int


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
    """

    name: str
    paper: Paper
    published: str
    kind: str
    shows: str


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
        If the file breaks the schema, or names a family or paper that it does not describe.
    """
    path = Path(path)
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise ConfigError(
            f"{path} cannot be read as YAML ({error}); mend or restore it."
        ) from error
    if schema is not None:
        rules = yaml.safe_load(Path(schema).read_text(encoding="utf-8"))
        validate(raw, rules, str(path))
    papers = {}
    for key, fields in raw["papers"].items():
        if fields["family"] not in raw["families"]:
            raise ConfigError(
                f"{path}, papers.{key}.family: '{fields['family']}' is not a key of families."
            )
        papers[key] = Paper(key=key, **fields)
    artefacts = {}
    for name, fields in raw["artefacts"].items():
        if fields["paper"] not in papers:
            raise ConfigError(
                f"{path}, artefacts.{name}.paper: '{fields['paper']}' is not a key of papers."
            )
        artefacts[name] = Artefact(name=name, **{**fields, "paper": papers[fields["paper"]]})
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

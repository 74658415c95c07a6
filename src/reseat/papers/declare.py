"""Declarations of the tables, figures, verdicts and studies of a paper, each in one place.

Declarations name functions as ``module:function`` instead of importing them, so that a workflow
can read them without loading the code that makes the artefacts, and a job depends only on its own
functions. A module with a leading dot, as in ``.tables:table1``, belongs to the family's package.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from reseat.errors import ConfigError


@dataclass(frozen=True)
class Comparison:
    """How the numbers in the table of an artefact are compared with published ones."""

    #: Columns of our numbers, mapped to the columns of the published ones.
    pairs: Mapping[str, str] = field(default_factory=lambda: {"mean": "published"})
    #: Columns of our Monte Carlo error, and of the name of the metric.
    error: str = "se"
    metric: str = "metric"
    #: Systems, endings of their names, or metrics, whose published numbers are shown but not
    #: counted, as times never are: they appear elsewhere, were calculated, or were inputs.
    uncounted: tuple[str, ...] = ()
    #: Columns over whose values the table repeats one published number, so that it counts once.
    repeated_over: tuple[str, ...] = ()
    #: Why numbers without an error, or all, cannot be compared; empty if they can, as exact.
    without_error: str = ""
    not_comparable: str = ""
    #: The criterion behind the table's own column `agrees`; empty if it has none.
    rule: str = ""


@dataclass(frozen=True)
class Input:
    """Files that a reader loads for the functions of an artefact."""

    #: Paths with the placeholders ``{results}``, ``{processed}``, ``{tables}`` and ``{published}``,
    #: folders, and those whose values come from `over`, as ``{dataset}`` does.
    files: str | tuple[str, ...]
    read: str
    #: Takes the plan, and returns the data sets meant, or mappings with values of placeholders.
    over: Callable[[Any], Iterable[str | Mapping[str, str]]] | None = None
    #: What the reader is called with: the path of ``one`` file, a list of ``all`` paths, ``each``
    #: path in turn, or the ``folder`` that contains the files.
    takes: str = "all"
    #: Further arguments of the reader, which also gets settings named as its parameters.
    options: Mapping[str, Any] = field(default_factory=dict)
    #: Attribute of the reader's result to use; the whole result if empty.
    part: str = ""
    #: Family whose results and plan are meant; the artefact's own if empty.
    family: str = ""
    #: Whether the artefact is left out if the files are missing; if not, its functions get None.
    needed: bool = True

    def paths(self, plan: Any, places: Mapping[str, str]) -> list[str]:
        """Return the paths of the files, each once."""
        patterns = [self.files] if isinstance(self.files, str) else self.files
        found = [{}] if self.over is None else list(self.over(plan))
        paths = [
            pattern.format(**{**places, **({"dataset": of} if isinstance(of, str) else of)})
            for of in (found[:1] if self.takes == "one" else found)
            for pattern in patterns
        ]
        return list(dict.fromkeys(paths))


@dataclass(frozen=True, kw_only=True)
class Product:
    """Something that functions make from results of the workflow.

    The arguments of a function are chosen by the names of its parameters: inputs, things made by
    earlier functions, settings, constants, wildcards, threads and, except in a `Job`, `artefact`.
    """

    name: str
    family: str
    #: Path of its log, record and benchmark, without folder and ending. Names in braces are the
    #: wildcards of a job, and the last part, after the name of the family, is the name of its rule.
    log: str
    inputs: Mapping[str, Input]
    #: What is made, mapped to its function, in order; several have all names: ``"runs, traces"``.
    makes: Mapping[str, str]
    #: Things that are written, each mapped to its file, CSV or NPZ: paths as in `Input.files`.
    writes: Mapping[str, str]
    #: Function that draws the figure; empty if there is none.
    draws: str = ""
    #: Values, or functions that calculate them from the plan, and in a `Job` also from wildcards
    #: that their parameters name: ``lambda plan, dataset: plan.role(dataset)``.
    settings: Mapping[str, Any] = field(default_factory=dict)
    #: Values that are defined in modules, as ``module:NAME``.
    constants: Mapping[str, str] = field(default_factory=dict)
    #: Takes the plan, and returns whether the product can be made, if its inputs can.
    needs: Callable[[Any], Any] | None = None
    #: Takes the plan, and returns runs whose chains it samples, on whose priors it also depends.
    samples: Callable[[Any], Iterable[Any]] = field(default_factory=lambda: lambda plan: ())

    def files(
        self, plans: Mapping[str, Any], places: Callable[[str], Mapping[str, str]]
    ) -> dict[str, list[str]]:
        """Return the paths of the files of each input; `places` gives the folders of a family."""
        found = {}
        for name, given in self.inputs.items():
            family = given.family or self.family
            found[name] = given.paths(plans[family], {**places(family), **self.wildcards})
        return found

    def outputs(self, places: Callable[[str], Mapping[str, str]]) -> dict[str, str]:
        """Return the path of each thing that is written."""
        names = {**places(self.family), **self.wildcards}
        return {name: pattern.format(**names) for name, pattern in self.writes.items()}

    def can_be_made(self, plans: Mapping[str, Any]) -> bool:
        """Return whether the data that it needs are available."""
        plan = plans[self.family]
        return (self.needs is None or bool(self.needs(plan))) and all(
            any(True for _ in given.over(plans[given.family or self.family]))
            for given in self.inputs.values()
            if given.needed and given.over is not None
        )

    def settings_of(self, plans: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings, with functions of the plan, or of wildcards too, called with it."""
        plan = plans[self.family]
        return {name: _of_plan(value, plan) for name, value in self.settings.items()}

    def recipe(self) -> dict[str, Any]:
        """Return what a job has to do, as plain arguments of `reseat.papers.recipe.Recipe`."""
        how = ("read", "takes", "part", "options")
        reads = {
            name: {key: getattr(given, key) for key in how} for name, given in self.inputs.items()
        }
        made = {"reads": reads, "makes": dict(self.makes), "draws": self.draws}
        return made | {"constants": dict(self.constants)}

    @property
    def wildcards(self) -> dict[str, str]:
        """Each wildcard of its job, with itself in braces as its value in the paths of files."""
        return {name: f"{{{name}}}" for name in re.findall(r"\{(\w+)\}", self.log)}

    @property
    def references(self) -> tuple[str, ...]:
        """Every function and constant that the product names, as ``module:name``."""
        readers = (given.read for given in self.inputs.values())
        named = (*readers, *self.makes.values(), *self.constants.values(), self.draws)
        return tuple(dict.fromkeys(filter(None, named)))

    @property
    def modules(self) -> tuple[str, ...]:
        """Modules of the `references`, which a job imports by name."""
        return tuple(sorted({reference.partition(":")[0] for reference in self.references}))


@dataclass(frozen=True, kw_only=True)
class Artefact(Product):
    """A table or figure."""

    paper: Paper
    #: ``figure``, ``table`` (tidy, with system, metric and mean) or ``contingency`` (of counts).
    kind: str = "table"
    shows: str
    #: How to read it, in reStructuredText.
    caption: str
    #: The paper's own label, such as ``Table 2``, without which numbers are not counted.
    published: str = ""
    #: Identifiers of the claims on which it bears, without their readings.
    claims: tuple[str, ...] = ()
    compare: Comparison = field(default_factory=Comparison)


@dataclass(frozen=True, kw_only=True)
class Job(Product):
    """A study, or another job whose results products show."""

    #: Minutes and megabytes that its first attempt may take.
    minutes: int = 10
    memory: int = 1000
    #: Whether it uses as many threads as chains do, instead of one.
    parallel: bool = False
    #: Name of its group of short jobs, without the family; empty if it runs alone.
    group: str = ""


@dataclass(frozen=True)
class Paper:
    """A paper whose tables and figures are reproduced."""

    key: str
    family: str
    about: str
    #: Short name, as in the column `paper` of ``claims.csv``.
    short: str
    authors: str
    title: str
    venue: str
    year: int
    #: Run times of the authors that no table contains: `what`, `file`, `row` (values that select
    #: it; its last column is the time), `unit`, and `models` of ours to compare.
    times: tuple[Mapping[str, Any], ...] = ()
    #: Tables, figures and verdicts that have been declared, by name, and jobs, by their rule.
    products: dict[str, Product] = field(default_factory=dict, compare=False, repr=False)
    jobs: dict[str, Job] = field(default_factory=dict, compare=False, repr=False)

    @property
    def page(self) -> str:
        """Name of the report page with the paper's tables and figures."""
        return f"{self.key}.html"

    @property
    def artefacts(self) -> list[Artefact]:
        """Tables and figures, in the order in which they were declared."""
        return [product for product in self.products.values() if isinstance(product, Artefact)]

    def table(
        self,
        name: str,
        table: str,
        *,
        before: Mapping[str, str] | None = None,
        beside: Sequence[str] = (),
        **declared: Any,
    ) -> None:
        """Declare a table.

        `before` maps things that must be made before it to their functions, and those in `beside`
        are also written, as ``NAME_WHAT.csv``. Other arguments are attributes of `Artefact`.
        """
        written = {"table": f"{{tables}}/{name}.csv"}
        written |= {what: f"{{tables}}/{name}_{what}.csv" for what in beside}
        self._declare(
            Artefact,
            name=name,
            paper=self,
            makes={**(before or {}), "table": table},
            writes=written,
            **declared,
        )

    def figure(self, name: str, table: str, draws: str, **declared: Any) -> None:
        """Declare a figure and the function that draws it, otherwise as for `table`."""
        self.table(name, table, kind="figure", draws=draws, **declared)

    def enumeration(self, name: str, counts: str, **declared: Any) -> None:
        """Declare the figure of sampled against enumerated probabilities, from a file of counts."""
        self.figure(
            name,
            "reseat.papers.enumerated:check_table",
            "reseat.plots.enumeration:exact_versus_sampled",
            caption=ENUMERATION,
            inputs={"counts": Input(counts, "reseat.papers.enumerated:read_counts", takes="one")},
            **declared,
        )

    def verdicts(self, *, before: Mapping[str, str] | None = None, **declared: Any) -> None:
        """Declare the `evidence` on the claims in ``claims.py``; `before` is that of `table`."""
        self._declare(
            Product,
            name=f"{self.family}_claims",
            makes={**(before or {}), "claims": ".claims:CLAIMS.judge_all"},
            writes={"claims": "{results}/claims.csv"},
            **declared,
        )

    def job(
        self,
        place: str,
        makes: Mapping[str, str],
        *,
        inputs: Mapping[str, Input] | None = None,
        writes: Mapping[str, str] | None = None,
        **declared: Any,
    ) -> None:
        """Declare a job with the log `place`, whose one file is by default ``PLACE.csv``."""
        name = f"{self.family}_{place.rpartition('/')[2]}"
        writes = writes or dict.fromkeys(makes, f"{{results}}/{place}.csv")
        inputs = inputs or {}
        self._declare(
            Job, name=name, log=place, makes=makes, inputs=inputs, writes=writes, **declared
        )

    def _declare(
        self, product, *, name, inputs, makes, log="", constants=None, draws="", **declared
    ):
        if name in self.products or name in self.jobs:
            raise ConfigError(f"{name} is declared twice; rename one of them.")
        own = f"reseat.papers.{self.family}"
        into = self.jobs if product is Job else self.products
        into[name] = product(
            name=name,
            family=self.family,
            log=log or name.removeprefix(f"{self.family}_"),
            inputs={
                key: replace(given, read=_within(own, given.read)) for key, given in inputs.items()
            },
            makes={key: _within(own, function) for key, function in makes.items()},
            constants={key: _within(own, value) for key, value in (constants or {}).items()},
            draws=_within(own, draws),
            **declared,
        )


def _within(package, reference):
    """Return a reference, with the package prepended if it begins with a dot."""
    return f"{package}{reference}" if reference.startswith(".") else reference


def _of_plan(value, plan):
    """Return a setting, or its value for a plan, or a function of the wildcards that it names."""
    if not callable(value):
        return value
    names = list(inspect.signature(value).parameters)[1:]
    if not names:
        return value(plan)
    return lambda wildcards: value(plan, **{name: getattr(wildcards, name) for name in names})


def published_numbers(stem: str, names: Iterable[str], part: str = "") -> Input:
    """Return the input of published numbers, as the class `Published` of the family reads them."""
    files = tuple(f"{{published}}/{stem}_{name}.csv" for name in names)
    return Input(files, ".results:Published.load", takes="folder", part=part)


# ---- Captions that artefacts of several papers share -----------------------------------------

#: For tables with one row per data set, system and metric, averaged over chains.
SCORES = """\
one row per data set, system and metric. ``mean`` is over chains (or EM restarts) and ``se`` its
Monte Carlo standard error; ``published`` is the value printed in the paper and ``comparable``
says whether the data are the paper's own. On a stand-in the difference is given, but it does not
measure agreement."""

#: For figures of `reseat.plots.exact_versus_sampled`.
ENUMERATION = """\
Sampled against enumerated probabilities of all partitions of a few items, one panel per prior. The
line is equality and the band two standard errors of independent draws; the title gives the total
variation distance between the two, and the corner the distance that independent draws would have by
chance, with its standard deviation. Up to three of these, chance explains the distance."""

"""The chains and restarts that the configuration asks for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from reseat.chains import Schedule, chain_seed
from reseat.configuration import MERGED, Place, did_you_mean
from reseat.errors import ConfigError
from reseat.papers.plan import StudyPlan, StudyRun, jobs

#: First part of the name of every random stream of the family.
PAPER_KEY = "documents"

#: The paper's sampler. EM that has this word as its `start` starts from samples of its chains.
SAMPLER = "gibbs"

#: Sweeps whose samples are scored one by one in Figure 4; Table 7 shows one of them.
FIXED_LOCATIONS = tuple(range(10, 201, 10))


@dataclass(frozen=True)
class Run(StudyRun):
    """One model on one data set, or on a reading of one."""

    #: Number of clusters in the paper, or at the start if it is unknown.
    n_clusters: int
    #: Number of sweeps between the two samples that Figure 3 compares.
    switching_lag: int | None

    @property
    def stream(self) -> tuple[str, ...]:
        """First parts of the names of the random streams."""
        return (PAPER_KEY, self.dataset, self.model)

    def file(self, chain: int) -> str:
        return f"chain-{chain:04d}.nc"

    def random_sweep(self, chain: int) -> int:
        """Return the "arbitrary point" of a chain: a kept sweep that is drawn before it runs."""
        stream = chain_seed(self.seed, *self.stream, chain, "random sample")
        return self.burn_in + 1 + int(stream.generate_state(1)[0]) % self.schedule.n_samples

    def fixed_sweeps(self) -> tuple[int, ...]:
        """Return the sweeps that Figure 4 and Table 7 use, counted from the start."""
        return tuple(sweep for sweep in FIXED_LOCATIONS if sweep <= self.n_sweeps)

    def switching_sweeps(self) -> tuple[int, ...]:
        """Return the first kept sweep and, if any, the one with which Figure 3 compares it."""
        first, lag = self.burn_in + 1, self.switching_lag
        return (first,) if lag is None else (first, first + lag)

    def chain_schedule(self, chain: int) -> Schedule:
        kept = (*self.fixed_sweeps(), *self.switching_sweeps(), self.random_sweep(chain))
        return replace(self.schedule, snapshots=kept)


@dataclass(frozen=True)
class Plan(StudyPlan):
    """The documents section of the configuration at one scale, which is one study."""

    family: ClassVar[str] = PAPER_KEY
    RUN: ClassVar[type[Run]] = Run
    STORED: ClassVar[str] = "documents/{dataset}.npz"

    def __post_init__(self):
        known = self.section["datasets"]
        for name in self.datasets:  # those that stand in for others among them
            if name not in known:
                said = f"there is no section {name} that says how to run the data set {name!r}"
                place = Place(MERGED, ("documents", "datasets"))
                raise ConfigError(said + did_you_mean(name, known), source=place)

    @classmethod
    def wanted(
        cls, section: Mapping, scale: str, given: Mapping[str, str] | None = None
    ) -> tuple[str, ...]:
        """Return the data sets of a scale, a licensed set `given` in place of its stand-in."""
        names = []
        for name in section["scales"][scale]["datasets"]:
            original = section["datasets"].get(name, {}).get("instead_of")
            names.append(original if original and (given or {}).get(original) else name)
        return tuple(names)

    def studies(self, *parts: str) -> Iterator[Mapping]:
        """Yield the scale itself, which is the only study."""
        yield self.settings

    @property
    def datasets(self) -> tuple[str, ...]:
        return self.sources

    @property
    def modelled(self) -> tuple[str, ...]:
        """Every data set on which models run, followed by the other readings of them."""
        return (*self.datasets, *self._readings_of(self.datasets))

    def models(self, dataset: str) -> tuple[str, ...]:
        """Return the models that run on a data set or reading: all but those of others."""
        if dataset in self._readings:
            return tuple(self._readings[dataset].get("models", (SAMPLER,)))
        return tuple(
            model
            for model in self.settings["n_chains"]
            if dataset in self.section["models"][model].get("datasets", (dataset,))
        )

    def role(self, dataset: str) -> str:
        return self.section["datasets"][self.source(dataset)]["role"]

    def playing(self, role: str) -> tuple[str, ...]:
        """Return the data sets that stand for one of the paper's three."""
        return tuple(dataset for dataset in self.datasets if self.role(dataset) == role)

    def readings(self, role: str) -> tuple[str, ...]:
        """Return the readings of a role's data sets, which fill the paper's gaps in other ways."""
        return self._readings_of(self.playing(role))

    def _readings_of(self, datasets: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name, entry in self._readings.items() if entry["of"] in datasets)

    def reading_features(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the registered data set and the feature options of each reading that runs."""
        for name in self._readings_of(self.datasets):
            yield self.source(name), self.features(name)

    def betas(self) -> list[str]:
        """Return the values of beta under which the posterior is looked at, as parts of names."""
        return [str(beta) for beta in self.settings["posterior"]["betas"]]

    @property
    def _readings(self) -> Mapping[str, Any]:
        return self.section.get("readings", {})

    def source(self, dataset: str) -> str:
        """Return the registered data set behind a data set or a reading of one."""
        return self._readings.get(dataset, {}).get("of", dataset)

    def features(self, dataset: str) -> dict[str, Any]:
        """Return the feature options of a data set or a reading of one."""
        return {**self.section["features"], **self._readings.get(dataset, {}).get("features", {})}

    def chains_of(self, dataset: str, model: str) -> Sequence[range]:
        """Return the numbers of the chains, or restarts, of each job of a model."""
        return jobs(self.run(dataset, model).chains, self.settings["chains_per_job"])

    def job(self, dataset: str, model: str, block: int) -> dict[str, Any]:
        """Return what a job depends on: `run`, without ``n_chains``, and the `numbers`."""
        run = self.run(dataset, model).without_words().to_dict()
        run["length"].pop("n_chains")
        return {"run": run, "numbers": self.chains_of(dataset, model)[block]}

    def finished(self, dataset: str, model: str) -> list[str]:
        """Return where finished jobs of a model are, relative to the family's folder of results."""
        name = "chains/block-{}" if self.sampled(model) else "restarts/block-{}.npz"
        numbers = range(len(self.chains_of(dataset, model)))
        return [f"{dataset}/{model}/{name.format(number)}" for number in numbers]

    def sampled(self, model: str) -> bool:
        """Return whether a model is sampled, not fitted by EM."""
        return self.section["models"][model]["kind"] == "chains"

    def chain_folders(self, *datasets: str) -> list[str]:
        return [
            path
            for dataset in datasets or self.modelled
            for model in filter(self.sampled, self.models(dataset))
            for path in self.finished(dataset, model)
        ]

    def starts(self, dataset: str, model: str, block: int) -> list[str]:
        """Return the folder of the chains from whose samples restarts begin, or none."""
        from_samples = self.section["models"][model].get("start") == SAMPLER
        return [self.finished(dataset, SAMPLER)[block]] if from_samples else []

    def reported(self, dataset: str, model: str, runs: Sequence[Run]) -> dict[str, Any]:
        """Return what ran, for the report; restarts of EM have no sweeps."""
        found = super().reported(dataset, model, runs)
        return found if self.sampled(model) else found | {"n_sweeps": None, "burn_in": None}

    def runs_of(self, dataset: str, model: str) -> list[Run]:
        return [self.run(dataset, model)]

    def run(self, dataset: str, model: str) -> Run:
        """Return the run of a model on a data set or a reading of one."""
        entry = self.section["datasets"][self.source(dataset)]
        length = {key: entry[key] for key in ("burn_in", "n_samples", "thin") if key in entry}
        settings = dict(self.section["models"][model])
        # Draws at a power below one are not from the posterior, so they are part of the burn-in.
        length["burn_in"] += settings.get("anneal", {}).get("n_sweeps", 0)
        # Figure 3 on 20 Newsgroups is not in the paper; by default, it compares the last sample.
        lag = length["n_samples"] - 1 if entry["role"] == "newsgroups" else None
        more = {"settings": settings, "n_clusters": entry["n_clusters"]}
        more["length"] = {"n_chains": self.n_chains(dataset, model), **length}
        more["switching_lag"] = entry.get("switching_lag", lag)
        return self.make_run(dataset, model, draw=0, **more)

    def n_chains(self, dataset: str, model: str) -> int:
        """Return the number of chains, or restarts, of a model on a data set."""
        settings = self.settings
        reading = dataset in self._readings
        usual = settings["reading_chains"] if reading else settings["n_chains"][model]
        return settings.get("more_chains", {}).get(dataset, {}).get(model, usual)

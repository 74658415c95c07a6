"""Folders of chains, chains that are made longer, and what users bring."""

import shutil
import threading

import numpy as np
import pytest
from strikes import contents
from test_chains import COUNTS, INDEX, SCHEDULE, make_chain

from reseat.chains import (
    Chain,
    Interrupted,
    MixtureModel,
    Schedule,
    open_chain,
    read_groups,
    run_chain,
    run_chains,
    run_folder,
)
from reseat.errors import CheckpointError, ConfigError, DataError
from reseat.likelihoods import DirichletMultinomial
from reseat.priors import DirichletProcess


def folder_of_chains(folder, n_chains, after=None, **changes):
    """Run chains into a folder; stop after `after` of them if this is given."""
    stop = threading.Event()

    def make(done, scratch):
        for number in range(n_chains):
            if number == after:
                stop.set()
            chain = make_chain(scratch, number, path=done / f"chain-{number}.nc", **changes)
            if after is not None and number < after:
                run_chain(chain)
            yield chain

    run_folder(make, output=folder / "done", scratch=folder / "part", stop=stop)


def test_a_folder_never_holds_chains_of_two_configurations(tmp_path):
    with pytest.raises(Interrupted):
        folder_of_chains(tmp_path, 3, after=1)
    with pytest.raises(CheckpointError, match=f"left unfinished is in {tmp_path / 'part'}"):
        folder_of_chains(tmp_path, 3, seed=18)
    assert not (tmp_path / "done").exists()
    shutil.rmtree(tmp_path / "part")
    folder_of_chains(tmp_path, 3, seed=18)
    found = [read_groups(path, only=())[1] for path in (tmp_path / "done").iterdir()]
    assert [each["configuration"]["seed"] for each in found] == [18] * 3


def test_a_folder_has_no_chains_that_are_no_longer_wanted(tmp_path):
    with pytest.raises(Interrupted):
        folder_of_chains(tmp_path, 3, after=2)
    folder_of_chains(tmp_path, 1)
    assert [path.name for path in (tmp_path / "done").iterdir()] == ["chain-0.nc"]


def test_a_folder_of_chains_that_can_be_extended_has_their_states(tmp_path):
    def make(done, scratch):
        return [
            make_chain(
                tmp_path, n, path=done / f"{n}.nc", scratch=scratch / str(n), extensible=True
            )
            for n in range(2)
        ]

    for _ in range(2):  # the second round finds the finished chains
        run_folder(make, output=tmp_path / "done", scratch=tmp_path / "part")
        found = sorted(path.name for path in (tmp_path / "done").iterdir())
        assert found == ["0.nc", "0.state", "1.nc", "1.state"]
    run_folder(lambda *_: [], output=tmp_path / "none", scratch=tmp_path / "part")
    assert list((tmp_path / "none").iterdir()) == []


@pytest.mark.parametrize("killed", [False, True])
def test_chains_are_made_longer_all_or_none(tmp_path, killed):
    longer = Schedule(burn_in=10, n_samples=90, thin=4, snapshots=SCHEDULE.snapshots)
    whole = [run_chain(make_chain(tmp_path / "whole", n, schedule=longer)) for n in range(2)]

    def chains(schedule, **changes):
        return [
            make_chain(tmp_path, n, schedule=schedule, extensible=True, **changes) for n in range(2)
        ]

    run_chains(chains(SCHEDULE))
    if killed:  # after the file was written, before the last state was moved to its place
        (tmp_path / "chain-0.state").rename(tmp_path / "scratch-0")
    (tmp_path / "chain-1.state").rename(tmp_path / "away")
    with pytest.raises(CheckpointError, match="its last state in .*chain-1.state is missing"):
        run_chains(chains(longer))
    assert (tmp_path / "chain-0.nc").exists()
    (tmp_path / "away").rename(tmp_path / "chain-1.state")
    with pytest.raises(CheckpointError, match=r"chain-0\.nc was created with seed = 17"):
        run_chains(chains(longer, seed=18))
    paths = [run_chain(chains(longer)[0]), *run_chains(chains(longer)[1:])]
    assert [contents(path) for path in paths] == [contents(path) for path in whole]
    with pytest.raises(CheckpointError, match="n_samples = 90, this run has 60"):
        run_chains(chains(SCHEDULE))


def test_a_chain_without_identity_is_not_made_longer_by_another_model(tmp_path):
    def chain(n_samples, concentration):
        def build(rng):
            model = MixtureModel(DirichletProcess(concentration), DirichletMultinomial(INDEX, 0.5))
            model.start(np.zeros(len(COUNTS), dtype=int))
            return model

        schedule = Schedule(burn_in=2, n_samples=n_samples)
        return make_chain(tmp_path, schedule=schedule, build=build, identity={}, extensible=True)

    path = run_chain(chain(5, 1.0))
    with pytest.raises(CheckpointError, match=r"start\.concentration = 1\.0, this run has 2"):
        run_chain(chain(8, 2.0))
    assert path.exists()
    run_chain(chain(8, 1.0))
    assert open_chain(path)["posterior"].sizes["draw"] == 8


@pytest.mark.parametrize("run", [run_chain, lambda chain: run_chains([chain])])
def test_a_folder_that_holds_what_is_not_of_a_chain_is_left_alone(tmp_path, run):
    chain = make_chain(tmp_path)
    chain.scratch.mkdir(parents=True)
    mine = chain.scratch / "thesis.tex"
    mine.write_text("years of work")
    with pytest.raises(ConfigError, match=r"holds thesis\.tex, which no chain .* of their own"):
        run(chain)
    assert mine.read_text() == "years of work"
    assert not chain.path.exists()


@pytest.mark.parametrize("place", ["done", "part", "part/done", "part/0", "part/mine"])
def test_a_job_leaves_folders_alone_that_hold_something_else(tmp_path, place):
    mine = tmp_path / place / "thesis.tex"
    mine.parent.mkdir(parents=True)
    mine.write_text("years of work")

    def make(done, scratch):
        return [make_chain(tmp_path, path=done / "0.nc", scratch=scratch / "0")]

    with pytest.raises(ConfigError, match=r"holds thesis\.tex, which no chain"):
        run_folder(make, output=tmp_path / "done", scratch=tmp_path / "part")
    assert mine.read_text() == "years of work"


def mine(prior=None, likelihood=None):
    def build(_rng):
        model = MixtureModel(
            prior or DirichletProcess(1.0), likelihood or DirichletMultinomial(MINE)
        )
        model.start(np.zeros(len(MINE), dtype=int))
        return model

    return build


MINE = np.random.default_rng(0).integers(0, 3, (400, 10))


def of_number(number, build, **keys):
    return Chain(
        number=number, build=build, schedule=Schedule(2, 4), seed=1, stream=("mine",), **keys
    )


def test_a_likelihood_that_a_sweep_of_another_thread_is_at_is_refused():
    shared, sweeping, tried = DirichletMultinomial(MINE), threading.Event(), threading.Event()

    def move(*_given):
        sweeping.set()
        tried.wait(30)
        return 0

    def build(rng):
        first = MixtureModel(DirichletProcess(1.0), shared, [move])
        if threading.current_thread() is not threads[0]:
            sweeping.wait(30)
        try:
            first.start(np.zeros(len(MINE), dtype=int))
        finally:
            if sweeping.is_set():
                tried.set()
        return first

    errors = []

    def work(number):
        try:
            run_chain(of_number(number, build))
        except ConfigError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=work, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 1 and "give each model a likelihood of its own" in errors[0]


def test_two_chains_of_one_number_are_refused():
    with pytest.raises(ConfigError, match=r"2 chains of the stream \('mine',\) have the number 0"):
        run_chains([of_number(0, mine()), of_number(0, mine())])
    with pytest.raises(ConfigError, match="have the number 0 and would draw the same"):
        run_chains([of_number(0, mine()), of_number("0", mine())])


def test_statistics_have_names():
    with pytest.raises(ConfigError, match="statistics has no attribute names"):
        of_number(0, mine(), statistics=lambda labels, sizes: {})


def test_names_of_traces_are_told_apart():
    class Statistics:
        names = ("log_joint",)

        def __call__(self, labels, sizes):
            return {"log_joint": 0.0}

    with pytest.raises(
        ConfigError, match="Two things that the chain traces are called 'log_joint'"
    ):
        run_chain(of_number(0, mine(), statistics=Statistics()))

    class Prior(DirichletProcess):
        hyperparameters = {"beta": 1.0}

    with pytest.raises(ConfigError, match="both have a hyperparameter 'beta'"):
        run_chain(of_number(0, mine(Prior(1.0))))


def test_weights_and_densities_that_are_no_numbers_are_refused():
    class Tables(DirichletProcess):
        def tabulate(self):
            self.set_tables(log_open=np.full(self.n_items + 1, np.nan))

    class Density(DirichletProcess):
        def __init__(self, value):
            super().__init__(1.0)
            self.value = value

        def log_prob(self, sizes):
            return self.value

    with pytest.raises(ConfigError, match="log_open of Tables has nan in entry 0"):
        run_chain(of_number(0, mine(Tables(1.0))))
    for value in (np.nan, np.inf):
        with pytest.raises(DataError, match=f"log joint density after sweep 3 is {value}; look"):
            run_chain(of_number(0, mine(Density(value))))

"""The chain runner: determinism, files, resume, refusals."""

import re
import threading
from pathlib import Path

import arviz_stats
import numpy as np
import pytest
import xarray as xr
from strikes import chain_of, contents, interrupt

import reseat
from reseat.chains import (
    AnnealedModel,
    CoupledModel,
    Interrupted,
    MixtureModel,
    Schedule,
    chain_seed,
    checkpoint,
    open_chain,
    read_groups,
    run_chain,
    run_chains,
)
from reseat.errors import CheckpointError, ConfigError, DataError
from reseat.likelihoods import DirichletMultinomial, LinkTable, RelationalLinks, TermIndex
from reseat.moves import RestrictedSweep, SplitMerge, gibbs_sweep
from reseat.priors import DirichletProcess, FiniteDirichlet, GammaHyperprior, PitmanYor
from reseat.summaries import PartitionStatistics

COUNTS = np.random.default_rng(3).poisson(0.4, (50, 30))
INDEX = TermIndex(COUNTS)
PRIORS = {
    "finite": lambda: FiniteDirichlet(6),
    "dp": lambda: DirichletProcess(1.0, GammaHyperprior()),
    "pitman-yor": lambda: PitmanYor(1.0, 0.3, GammaHyperprior(), sample_discount=True),
}
SCHEDULE = Schedule(burn_in=10, n_samples=60, thin=4, snapshots=(1, 10, 11, 70))


def make_chain(folder, number=0, prior="dp", schedule=SCHEDULE, **changes):
    def build(rng):
        model = MixtureModel(PRIORS[prior](), DirichletMultinomial(INDEX, 0.5))
        model.start_at_random(4, rng)
        return model

    given = {"build": build, "seed": 17, "stream": ("test", prior), "identity": {"model": prior}}
    return chain_of(folder=folder, schedule=schedule, number=number, **(given | changes))


@pytest.mark.parametrize("prior", PRIORS)
def test_a_chain_in_memory_has_what_its_file_would_have(tmp_path, prior):
    stored, _ = read_groups(run_chain(make_chain(tmp_path / "a", prior=prior)))
    (kept,) = run_chains([make_chain(tmp_path / "b", prior=prior, path=None, scratch=None)])
    assert not (tmp_path / "b").exists() and kept.seconds > 0
    record = kept.record
    np.testing.assert_array_equal(record.draws(), stored["partition"]["labels"][0])
    np.testing.assert_array_equal(record.best_labels, stored["summary"]["map"])
    np.testing.assert_array_equal(record.snapshots, stored["snapshots"]["labels"])
    assert {"log_joint", "n_clusters", "n_moved"} <= record.traces.keys()
    for name, trace in record.traces.items():
        group = stored["sample_stats" if name in ("log_joint", "n_moved") else "posterior"]
        np.testing.assert_array_equal(trace[SCHEDULE.burn_in :], group[name][0])
    stop = threading.Event()
    stop.set()
    with pytest.raises(Interrupted, match="chain 0 stopped after sweep 1"):
        run_chain(make_chain(tmp_path, prior=prior, path=None, scratch=None), stop=stop)


@pytest.mark.parametrize("prior", PRIORS)
def test_file_holds_what_the_schedule_promises(tmp_path, prior):
    path = run_chain(make_chain(tmp_path, prior=prior))
    tree = open_chain(path)
    assert tree["posterior"].sizes == {"chain": 1, "draw": 60}
    assert tree["warmup_posterior"].sizes == {"chain": 1, "draw": 10}
    assert list(tree["posterior"]["draw"].values) == list(range(11, 71))
    labels = tree["partition"]["labels"].values[0]
    assert labels.shape == (15, 50)
    assert list(tree["partition"]["draw"].values) == list(range(14, 71, 4))
    # The thinned draws and the traces belong to the same states.
    n_clusters = tree["posterior"]["n_clusters"].sel(draw=tree["partition"]["draw"]).values[0]
    assert [np.unique(z).size for z in labels] == list(n_clusters)
    best = tree["sample_stats"]["log_joint"].values[0]
    assert tree["summary"].attrs["map_log_joint"] == best.max()
    assert tree["summary"].attrs["map_sweep"] == 11 + best.argmax()
    assert ("marginal" in tree["summary"]) == (prior == "finite")
    assert tree.attrs["configuration"]["stream"] == ["test", prior]
    assert not (tmp_path / "scratch-0").exists()


def test_recorded_log_joint_is_that_of_the_recorded_partition(tmp_path):
    schedule = Schedule(burn_in=0, n_samples=12)
    tree = open_chain(run_chain(make_chain(tmp_path, prior="pitman-yor", schedule=schedule)))
    for i, labels in enumerate(tree["partition"]["labels"].values[0]):
        prior = PRIORS["pitman-yor"]()
        prior.concentration = float(tree["posterior"]["concentration"][0, i])
        prior.discount = float(tree["posterior"]["discount"][0, i])
        model = MixtureModel(prior, DirichletMultinomial(INDEX, 0.5))
        model.start(labels)
        assert model.log_joint() == pytest.approx(
            float(tree["sample_stats"]["log_joint"][0, i]), rel=1e-9
        )


def test_arviz_opens_the_file_as_it_is(tmp_path):
    path = run_chain(make_chain(tmp_path))
    data = xr.open_datatree(path)
    assert {"posterior", "sample_stats", "warmup_posterior"} <= set(data.children)
    summary = arviz_stats.summary(data, var_names=["n_clusters", "concentration"])
    assert list(summary.index) == ["n_clusters", "concentration"]


def test_a_chain_may_have_a_name(tmp_path):
    path = run_chain(make_chain(tmp_path, "from truth"))
    groups, attributes = read_groups(path)
    assert groups["posterior"]["chain"].tolist() == ["from truth"]
    assert attributes["configuration"]["chain"] == "from truth"
    assert open_chain(path)["partition"]["chain"].values.tolist() == ["from truth"]


def test_a_chain_takes_paths_as_texts_and_numbers_of_numpy(tmp_path):
    path = run_chain(make_chain(tmp_path, 1))
    texts = {"path": str(tmp_path / "other.nc"), "scratch": str(tmp_path / "other")}
    other = run_chain(make_chain(tmp_path, np.int64(1), seed=np.uint32(17), **texts))
    assert contents(other) == contents(path)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"number": 0.5}, "number is 0.5; it must be a whole number"),
        ({"number": None}, "number is None"),
        ({"seed": "one"}, "seed is 'one'; it must be a whole number"),
        ({"seed": -1}, "seed is -1"),
        ({"scratch": None}, "has no scratch; give a folder"),
        ({"identity": {"table": np.arange(3)}}, "identity or stream cannot be written"),
    ],
)
def test_what_a_file_could_not_hold_is_refused_at_once(tmp_path, changes, sentence):
    with pytest.raises(ConfigError, match=sentence):
        make_chain(tmp_path, **changes)


@pytest.mark.parametrize("name", ["path", "scratch"])
def test_two_chains_never_write_to_one_place(tmp_path, name):
    chains = [make_chain(tmp_path, i, **{name: tmp_path / "both"}) for i in (0, 1)]
    with pytest.raises(ConfigError, match=f"2 chains have the {name} .*both; give each one"):
        run_chains(chains, threads=2)
    in_memory = [make_chain(tmp_path, i, path=None, scratch=tmp_path) for i in (0, 1)]
    assert len(run_chains(in_memory)) == 2


def test_threads_and_order_do_not_change_the_draws(tmp_path):
    for folder, threads, order in (("one", 1, (0, 1, 2, 3)), ("four", 4, (3, 1, 0, 2))):
        (tmp_path / folder).mkdir()
        run_chains([make_chain(tmp_path / folder, i) for i in order], threads=threads)
    files = [
        {i: contents(tmp_path / folder / f"chain-{i}.nc") for i in range(4)}
        for folder in ("one", "four")
    ]
    assert files[0] == files[1]
    assert files[0][0] != files[0][1]


@pytest.mark.parametrize("prior", PRIORS)
def test_interrupted_chain_resumes_to_identical_draws(tmp_path, prior):
    whole = contents(run_chain(make_chain(tmp_path / "whole", prior=prior)))
    for stop_after in (1, 9, 10, 69):
        chain = interrupted(tmp_path / str(stop_after), after=stop_after, prior=prior)
        assert (chain.scratch / "checkpoint.npz").exists()
        assert contents(run_chain(chain)) == whole


@pytest.mark.parametrize("stop_after", [3, 20, 40])
def test_a_chain_stopped_while_it_is_annealed_resumes_at_the_same_power(tmp_path, stop_after):
    def build(rng):
        likelihood = DirichletMultinomial(INDEX, 0.5)
        model = AnnealedModel(FiniteDirichlet(6), likelihood, n_sweeps=20, lowest=0.01)
        model.start_at_random(6, rng)
        return model

    annealed = {"build": build, "schedule": Schedule(20, 50, 4)}
    whole = run_chain(make_chain(tmp_path / "whole", **annealed))
    chain = interrupted(tmp_path / "parts", after=stop_after, **annealed)
    assert contents(run_chain(chain)) == contents(whole)
    with pytest.raises(ConfigError, match="annealed for 20 sweeps, .* but burn_in is 19; raise it"):
        run_chain(make_chain(tmp_path / "short", build=build, schedule=Schedule(19, 50)))
    plain = make_chain(tmp_path / "other", prior="finite", schedule=annealed["schedule"])
    assert contents(whole) != contents(run_chain(plain))


def test_parts_that_are_annealed_resume_at_the_same_power(tmp_path):
    links = LinkTable(np.random.default_rng(4).poisson(0.5, (12, 9)))

    def build(rng):
        parts = {
            kind: AnnealedModel(
                DirichletProcess(1.0), RelationalLinks(links, place), n_sweeps=6, lowest=0.05
            )
            for place, kind in enumerate(KINDS)
        }
        model = CoupledModel(parts)
        model.start_at_random(dict.fromkeys(KINDS, 3), rng)
        return model

    annealed = {"build": build, "schedule": Schedule(6, 6)}
    whole = run_chain(make_chain(tmp_path / "whole", **annealed))
    chain = interrupted(tmp_path / "parts", after=3, **annealed)
    assert contents(run_chain(chain)) == contents(whole)


def interrupted(tmp_path, after=0, **changes):
    """Return a chain that was stopped after `after` sweeps, by default after the first."""
    return interrupt(make_chain(tmp_path, **changes), after)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"seed": 18}, "seed = 17, this run has 18"),
        ({"schedule": Schedule(10, 61, 4)}, "with n_samples = 60, this run has 61"),
        ({"identity": {"model": "other"}}, "model = dp, this run has other"),
        ({"identity": {"model": "dp", "x": 1}}, "x = nothing, this run has 1"),
    ],
)
def test_checkpoint_of_another_configuration_is_refused(tmp_path, changes, named):
    interrupted(tmp_path)
    if "schedule" in changes:
        changes = {"schedule": Schedule(10, 61, 4, SCHEDULE.snapshots)}
    with pytest.raises(CheckpointError, match=named):
        run_chain(make_chain(tmp_path, **changes))


def test_checkpoint_of_another_version_is_refused(tmp_path, monkeypatch):
    chain = interrupted(tmp_path)
    monkeypatch.setattr("reseat.chains.chain.__version__", "99.0")
    sentence = f"version = {re.escape(reseat.__version__)}, this run has 99"
    with pytest.raises(CheckpointError, match=sentence):
        run_chain(chain)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"prior": PitmanYor(1.0)}, "prior = DirichletProcess, this run has PitmanYor"),
        ({"prior": DirichletProcess(9.0)}, r"start\.concentration = 1\.0, this run has 9"),
        ({"counts": COUNTS + 1}, "log joint of the start = "),
        ({"moves": [SplitMerge()]}, "moves = .'gibbs_sweep'., this run has .'S"),
        ({"counts": COUNTS[1:]}, "n_items = 50, this run has 49"),
    ],
)
def test_a_chain_without_identity_is_not_taken_for_that_of_another_model(tmp_path, changes, named):
    def build_of(prior=None, counts=COUNTS, moves=(gibbs_sweep,)):
        def build(rng):
            likelihood = DirichletMultinomial(counts, 0.5)
            model = MixtureModel(prior or DirichletProcess(1.0), likelihood, moves)
            model.start(np.zeros(len(counts), dtype=int))
            return model

        return build

    same, other = build_of(), build_of(**changes)
    interrupted(tmp_path, build=same, identity={})
    for _ in ("unfinished", "finished"):
        with pytest.raises(CheckpointError, match=named):
            run_chain(make_chain(tmp_path, build=other, identity={}))
        path = run_chain(make_chain(tmp_path, build=same, identity={}))
    assert run_chain(make_chain(tmp_path, build=same, identity={})) == path


def test_an_identity_says_what_is_not_to_change_beside_the_names_of_the_parts(tmp_path):
    chain = interrupted(tmp_path, prior="dp")
    path = chain.scratch / "checkpoint.npz"
    header, _ = checkpoint.load(path, chain.fingerprint)
    assert header["built"].keys() == {"model", "n_items", "prior", "likelihood", "moves"}
    with pytest.raises(CheckpointError, match="prior = DirichletProcess, this run has Finite"):
        run_chain(
            make_chain(tmp_path, prior="finite", stream=("test", "dp"), identity={"model": "dp"})
        )
    assert run_chain(chain).exists()


@pytest.mark.parametrize(
    ("wanted", "lacking"),
    [
        ({"statistics": PartitionStatistics(np.zeros(50, dtype=int))}, "fnr, fdr"),
        ({"finish": lambda model, rng: {}}, "finish"),
    ],
)
def test_what_a_chain_was_run_without_is_not_taken_to_be_there(tmp_path, wanted, lacking):
    without = {"statistics": PartitionStatistics(), "schedule": Schedule(0, 3)}
    run_chain(make_chain(tmp_path, **without))
    with pytest.raises(CheckpointError, match=f"was run without {lacking}; ask for what it has"):
        run_chain(make_chain(tmp_path, **without | wanted))
    chain = make_chain(tmp_path, 1, **without | wanted)
    assert run_chain(chain) == run_chain(chain)
    if "statistics" in wanted:
        interrupted(tmp_path, number=2, **without)
        with pytest.raises(CheckpointError, match=r"scratch-2 has no trace of fnr, fdr; ask for"):
            run_chain(make_chain(tmp_path, 2, **without | wanted))


def test_numbers_of_numpy_are_kept_in_checkpoints(tmp_path):
    class Mine(DirichletProcess):
        hyperparameters = {"level": np.float32(0.5)}

    def build(rng):
        model = MixtureModel(Mine(1.0), DirichletMultinomial(INDEX, 0.5))
        model.start_at_random(4, rng)
        return model

    chain = make_chain(tmp_path, build=build)
    assert run_chain(chain, checkpoint_seconds=0).exists()


def test_annealing_begins_anew_with_another_start():
    likelihood = DirichletMultinomial(INDEX, 0.5)
    model = AnnealedModel(FiniteDirichlet(6), likelihood, n_sweeps=3, lowest=0.01)
    rng = np.random.default_rng(2)
    model.start_at_random(6, rng)
    for _ in range(4):
        model.sweep(rng)
    assert model.power == 1.0
    model.start_at_random(6, rng)
    assert model.power == pytest.approx(0.01)


def test_slips_of_callers_are_named():
    with pytest.raises(ConfigError, match="snapshots is 3; it must be a list of sweeps"):
        Schedule(1, 5, snapshots=3)
    links, kinds = LinkTable(np.eye(3, 2)), ("row", "column")
    model = CoupledModel(
        {kind: MixtureModel(DirichletProcess(1.0), RelationalLinks(links, place))
         for place, kind in enumerate(kinds)}
    )  # fmt: skip
    with pytest.raises(ConfigError, match="labels lacks the part 'column'; add an entry"):
        model.start({"row": [0, 0, 0]})
    with pytest.raises(ConfigError, match="n_blocks lacks the part 'row'"):
        model.start_at_random({"column": 1}, np.random.default_rng(0))


def test_a_mask_is_no_list_of_items():
    with pytest.raises(DataError, match="items: a mask was given; give whole numbers, such as"):
        SplitMerge(items=np.arange(50) > 30)


def test_error_of_one_chain_is_reported_and_the_others_keep_their_work(tmp_path):
    def fail(rng):
        raise RuntimeError("no such model")

    chains = [make_chain(tmp_path, 0), make_chain(tmp_path, 1, build=fail)]
    with pytest.raises(RuntimeError, match="no such model"):
        run_chains(chains, threads=2)
    run_chains([make_chain(tmp_path, 0), make_chain(tmp_path, 1)], threads=2)
    assert chains[0].path.exists() and chains[1].path.exists()


def test_full_disk_leaves_no_half_file(tmp_path, monkeypatch):
    def full(path, content):
        with open(path, "wb") as file:
            file.write(content[: len(content) // 2])
        raise OSError(28, "No space left on device")

    # HDF5 itself must not meet a full disk, because it may crash when it cannot close its file.
    monkeypatch.setattr(Path, "write_bytes", full)
    chain = make_chain(tmp_path)
    with pytest.raises(OSError, match="No space left"):
        run_chain(chain, checkpoint_seconds=0)
    assert [p.name for p in tmp_path.iterdir()] == ["scratch-0"]
    monkeypatch.undo()
    whole = contents(run_chain(make_chain(tmp_path / "whole")))
    assert contents(run_chain(chain)) == whole


def test_streams_differ_and_are_stable():
    seeds = [chain_seed(1, "documents", "a", "gibbs", i) for i in range(4)]
    states = {tuple(seed.generate_state(4)) for seed in seeds}
    assert len(states) == 4
    # The stream of a chain may never change: published draws depend on it.
    assert chain_seed(2008, "documents", "x", "gibbs", 0).spawn_key == (
        2061063939,
        561712427,
        2330803439,
        2436807845,
    )
    # Names are kept apart: ("ab", "c") is not ("a", "bc").
    assert chain_seed(1, "ab", "c").spawn_key != chain_seed(1, "a", "bc").spawn_key


@pytest.mark.parametrize(
    "wrong", [{"n_samples": 0}, {"thin": 0}, {"snapshots": (0,)}, {"snapshots": (71,)}]
)
def test_schedule_refuses_what_cannot_be(wrong):
    with pytest.raises(ConfigError):
        Schedule(**({"burn_in": 10, "n_samples": 60} | wrong))


FAR = [0, 256, 512]


def still(labels, likelihood):
    """Return a model that stays at its labels."""
    model = MixtureModel(DirichletProcess(1.0), likelihood, [RestrictedSweep(items=[])])
    if labels is not None:
        model.start(labels)
    return model


def far(rng):
    return still(FAR, DirichletMultinomial(np.eye(3, dtype=int)))


def far_coupled(rng):
    links = LinkTable(np.eye(3, dtype=int))
    parts = {kind: still(None, RelationalLinks(links, place)) for place, kind in enumerate(KINDS)}
    model = CoupledModel(parts)
    model.start({"row": FAR, "column": [0, 1, 2]})
    return model


KINDS = ("row", "column")


@pytest.mark.parametrize(
    ("build", "expected"), [(far, FAR), (far_coupled, [*FAR, 0, 1, 2])], ids=["one", "coupled"]
)
def test_labels_beyond_the_number_of_items_are_stored_as_they_are(tmp_path, build, expected):
    chain = make_chain(
        tmp_path,
        build=build,
        schedule=Schedule(1, 4, 2, (1,)),
        finish=lambda model, rng: {"last": model.labels},
    )
    groups, _ = read_groups(run_chain(chain))
    assert groups["partition"]["labels"].tolist() == [[expected] * 2]
    assert groups["snapshots"]["labels"].tolist() == [expected]
    assert groups["summary"]["map"].tolist() == expected
    assert groups["finish"]["last"].tolist() == expected


def test_no_sweep_is_lost_if_finish_fails(tmp_path):
    labels = {"build": far, "schedule": Schedule(0, 4)}
    with pytest.raises(ZeroDivisionError):
        run_chain(make_chain(tmp_path, finish=lambda model, rng: 1 / 0, **labels))
    sweeps = []

    def finish(model, rng):
        sweeps.append(model.labels.tolist())
        return {"last": model.labels}

    counted = Counted()
    run_chain(make_chain(tmp_path, finish=finish, **labels), progress=counted)
    assert counted.steps == 0 and sweeps == [FAR]


class Counted:
    """Progress that counts the sweeps of this run."""

    steps = 0

    def skip(self, n):
        """Ignore the sweeps that were made before."""

    def step(self):
        """Count a sweep."""
        self.steps += 1


def test_a_label_that_does_not_fit_is_never_stored(tmp_path):
    chain = make_chain(tmp_path, finish=lambda model, rng: {"last": model.labels + 1000})
    with pytest.raises(OverflowError, match=r"label 100\d does not fit into uint8, the type in wh"):
        run_chain(chain)


def test_a_journal_that_lacks_draws_is_refused(tmp_path):
    chain = interrupted(tmp_path, schedule=Schedule(0, 20))
    journal = chain.scratch / "draws.bin"
    assert journal.stat().st_size == 50
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-1])
    with pytest.raises(CheckpointError, match="lacks draws .* delete its folder"):
        run_chain(chain)
    journal.write_bytes(bytes([whole[0] ^ 1]) + whole[1:])
    with pytest.raises(CheckpointError, match="has been changed .* delete its folder"):
        run_chain(chain)
    journal.write_bytes(whole + b"what came after the checkpoint")
    assert run_chain(chain) == chain.path

"""Files of chains that were damaged or changed: each is refused in a sentence, and none hangs."""

import os

import h5py
import numpy as np
import pytest
from chain_worker import chain
from places import TESTS
from strikes import chain_of, contents, interrupt, kill_at_random, kill_at_the_end, started

from reseat.chains import MixtureModel, Schedule, checkpoint, open_chain, read_groups, run_chain
from reseat.errors import ReseatError
from reseat.files.atomic import SEALED, seal
from reseat.likelihoods import DirichletMultinomial
from reseat.priors import DirichletProcess

COUNTS = np.random.default_rng(3).poisson(0.4, (20, 8))


def make_chain(folder, n_samples=30):
    def build(rng):
        model = MixtureModel(DirichletProcess(1.0), DirichletMultinomial(COUNTS, 0.5))
        model.start_at_random(4, rng)
        return model

    given = {"identity": {"model": "dp"}, "extensible": True}
    return chain_of(build, folder, Schedule(5, n_samples, 2), **given)


def values_in(path):
    return {
        f"{group}/{name}": found.tobytes()
        for group, members in read_groups(path)[0].items()
        for name, found in members.items()
    }


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return values_in(run_chain(make_chain(tmp_path_factory.mktemp("another"))))


@pytest.fixture
def finished(tmp_path):
    return run_chain(make_chain(tmp_path))


@pytest.fixture
def unfinished(tmp_path):
    return interrupt(make_chain(tmp_path), after=3).scratch / "checkpoint.npz"


#: What may become of the content of a file; None is a pipe in its place.
DAMAGE = {
    "cut": lambda content: content[:-100],
    "empty": lambda content: b"",
    "of an earlier version": lambda content: content[:-SEALED],
    "longer": lambda content: content + b"\n",
    "something else": lambda content: b"a,b\n" * 100,
    "pickled": lambda content: b"\x80\x04" + content,
    "pipe": None,
}


@pytest.mark.parametrize("what", DAMAGE)
@pytest.mark.parametrize("kind", ["finished", "unfinished"])
def test_a_damaged_file_is_named_and_the_whole_one_accepted_afterwards(
    kind, what, tmp_path, request, expected
):
    path = request.getfixturevalue(kind)
    whole, chain = path.read_bytes(), make_chain(tmp_path)
    if DAMAGE[what] is None:
        path.unlink()
        os.mkfifo(path)
    else:
        path.write_bytes(DAMAGE[what](whole))
    with pytest.raises(ReseatError) as caught:
        run_chain(chain)
    said = str(caught.value)
    assert path.name in said and "unsafely" not in said and said.endswith(".")
    path.unlink()
    path.write_bytes(whole)
    assert values_in(run_chain(chain)) == expected


def test_no_changed_bit_of_a_finished_chain_is_accepted(finished, tmp_path):
    whole, rng = finished.read_bytes(), np.random.default_rng(1)
    for place in rng.choice(8 * len(whole), 60, replace=False):
        changed = bytearray(whole)
        changed[place // 8] ^= 1 << (place % 8)
        finished.write_bytes(changed)
        for read in (read_groups, open_chain, lambda _: run_chain(make_chain(tmp_path))):
            with pytest.raises(ReseatError, match=r"chain-0\.nc cannot be read as the file of a"):
                read(finished)


def test_no_link_to_another_file_is_followed(finished, tmp_path):
    other = run_chain(make_chain(tmp_path / "other"))
    with h5py.File(finished, "r+") as stored:
        del stored["posterior"]
        stored["posterior"] = h5py.ExternalLink(str(other), "posterior")
    seal(finished)
    with pytest.raises(ReseatError, match="has a link, 'posterior', which no chain has"):
        read_groups(finished)


#: States that are not those of the chain although the file is whole.
STATES = {
    "without a trace": lambda header, arrays: arrays.pop("record_trace_n_clusters"),
    "without a partition": lambda header, arrays: [
        arrays.pop(name) for name in [*arrays] if name.startswith("partition")
    ],
    "with a short trace": lambda header, arrays: arrays.update(record_trace_log_joint=np.ones(2)),
    "with a long trace": lambda header, arrays: arrays.update(record_trace_log_joint=np.ones(99)),
    "of another generator": lambda header, arrays: header.update(rng=[]),
    "without a number of sweeps": lambda header, arrays: header.pop("sweep"),
    "without hyperparameters": lambda header, arrays: header.pop("prior"),
    "with a number that is none": lambda header, arrays: arrays.update(
        record_n_draws=np.array(np.nan)
    ),
}


@pytest.mark.parametrize("what", STATES)
def test_a_state_that_cannot_be_restored_is_named(what, unfinished, tmp_path):
    fingerprint = make_chain(tmp_path).fingerprint
    header, arrays = checkpoint.load(unfinished, fingerprint)
    STATES[what](header, arrays)
    checkpoint.save(unfinished, fingerprint, header, arrays)
    with pytest.raises(ReseatError, match=r"scratch\b.* (cannot be read|has no trace)"):
        run_chain(make_chain(tmp_path))


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "[]", '{"header": {}}', '{"fingerprint": [], "header": 1}']
)
def test_a_state_with_another_header_is_named(text, unfinished, tmp_path):
    np.savez(unfinished, _text=np.array(text))
    seal(unfinished)
    with pytest.raises(ReseatError, match="checkpoint.npz (cannot be read|was created with)"):
        run_chain(make_chain(tmp_path))
    assert unfinished.exists()


WORKER = TESTS / "chain_worker.py"
KILLS = 20


@pytest.mark.kill
def test_killed_at_random_moments_the_draws_are_identical(tmp_path):
    whole = contents(run_chain(chain(tmp_path / "whole")))

    folder = tmp_path / "killed"
    folder.mkdir()
    with started(WORKER) as worker:
        progress = kill_at_random(worker, chain(folder), KILLS, np.random.default_rng(271))
        kill_at_the_end(worker, chain(folder))
    # The kills must have hit an unfinished chain, again and again.
    assert len(progress) == KILLS >= 20
    assert len(set(progress)) >= 10
    assert progress == sorted(progress)
    assert 0 < progress[-1]

    resumed = contents(run_chain(chain(folder)))
    assert resumed == whole
    # Neither the scratch folder nor a half-written file is left.
    assert [path.name for path in folder.iterdir()] == ["chain-0.nc"]

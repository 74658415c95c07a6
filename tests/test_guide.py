"""The examples of the guide for contributors and of the pages of samplers run, and are right."""

import re
import sys
from types import SimpleNamespace

import exact
import numpy as np
import pytest
from guide import compiled, example, guide
from places import ROOT
from scipy.special import gammaln

import reseat
from reseat.chains import MixtureModel
from reseat.configuration import Place
from reseat.datasets.parsers import check_options
from reseat.errors import ConfigError, DataError
from reseat.likelihoods import DirichletMultinomial
from reseat.moves import gibbs_sweep
from reseat.partition import Partition
from reseat.priors import DirichletProcess, named


def test_files_named_in_the_guide_for_contributors_exist():
    named = set(re.findall(r"`((?:src|config|workflow|tests|tools|benchmarks)/[\w./-]+)`", guide()))
    made_up = set(re.findall(r"^```\w+\n# (\S+)$", guide(), re.M))
    assert len(named) > 10
    assert {name for name in named if not (ROOT / name).exists()} <= made_up


def uniform():
    """Return the prior of the guide, and remove it from the registry."""
    names = {}
    exec(example("src/reseat/priors/uniform.py"), names)
    del named.prior["uniform"]
    return names["Uniform"]()


def sampled(prior, likelihood, n_items, n_sweeps=50_000):
    """Return how often Gibbs sweeps visit each partition."""
    partition = Partition(np.zeros(n_items, dtype=int))
    prior.prepare(n_items)
    likelihood.assign(partition.label_array, partition.capacity)
    parts = partition, prior, likelihood, np.random.default_rng(3)
    return exact.visits(lambda: gibbs_sweep(*parts), lambda: partition.label_array, n_sweeps)


def test_the_parser_of_the_guide_reads_a_table(tmp_path, monkeypatch):
    names = {}
    exec(example("src/reseat/datasets/parsers/labelled_lines.py"), names)
    parse = names["parse_labelled_lines"]
    table = tmp_path / "notes.tsv"
    table.write_text("tea\tgreen leaves\nhops\tbitter\tcones\ntea\tblack\n", encoding="utf-8")
    raw = parse({"table": table})
    assert raw.texts == ["green leaves", "bitter\tcones", "black"]
    assert raw.labels.tolist() == [1, 0, 1] and raw.label_names == ("hops", "tea")
    table.write_text("tea\tgreen\nhops bitter\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"notes\.tsv, line 2: "):
        parse({"table": table})
    place = "reseat.datasets.parsers.labelled_lines"
    monkeypatch.setitem(sys.modules, place, SimpleNamespace(**names))
    monkeypatch.setitem(reseat.datasets.parsers.PARSERS.modules, "labelled_lines", "labelled_lines")
    check_options("labelled_lines", {}, Place("datasets.yaml", ("datasets", "notes")))


def test_the_samplers_of_the_guides_run(capsys):
    text = "".join(
        (ROOT / "docs" / page).read_text(encoding="utf-8")
        for page in ("howto/own-data.md", "workflow.md")
    )
    examples = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    records, distances, relations, supervised, documents = examples
    exec(records, {})
    blocks_of_size = [int(n) for n in re.findall(r"\d+", capsys.readouterr().out)]
    assert sum(size * n for size, n in enumerate(blocks_of_size)) == 100
    exec(distances, {})
    sizes = [int(n) for n in re.findall(r"\d+", capsys.readouterr().out)]
    assert sum(sizes) == 80 and sum(size > 0 for size in sizes) == 4
    exec(relations, {})
    for line in capsys.readouterr().out.splitlines():
        rows, columns = (list(map(int, part.split())) for part in re.findall(r"\[([\d ]+)\]", line))
        assert sum(rows) == 60 and sum(columns) == 90
    exec(supervised, {})
    sizes = [int(n) for n in re.findall(r"\d+", capsys.readouterr().out)]
    assert sum(sizes) == 86 and 6 <= len(sizes) <= 10
    exec(documents, {})
    log_joint, n_blocks = capsys.readouterr().out.split()
    assert np.isfinite(float(log_joint)) and 1 <= int(n_blocks) <= 200


def test_the_prior_of_the_guide_is_uniform():
    prior = uniform()
    prior.prepare(6)
    total = sum(
        np.exp(prior.log_prob(np.unique(z, return_counts=True)[1])) for z in exact.partitions(6)
    )
    assert total == pytest.approx(1, abs=1e-12)
    assert prior.log_prob([2, 1, 2]) == pytest.approx(-np.log(52), abs=1e-12)


@pytest.mark.long
def test_the_likelihood_of_the_guide_reaches_the_enumerated_posterior(tmp_path):
    module = compiled(example("src/reseat/likelihoods/_poisson.pyx"), "_poisson", tmp_path)
    values, shape, rate = np.array([0, 7, 1, 12, 6]), 0.8, 0.3

    def log_marginal(z):
        total = -gammaln(values + 1.0).sum()
        for k in set(z):
            block = values[np.array(z) == k]
            a, b = shape + block.sum(), rate + block.size
            total += gammaln(a) - gammaln(shape) + shape * np.log(rate) - a * np.log(b)
        return total

    likelihood = module.Poisson(values, shape, rate)
    for z in exact.partitions(5):
        likelihood.assign(np.array(z), 6)
        assert likelihood.log_marginal() == pytest.approx(log_marginal(z), abs=1e-9)
    target = exact.normalise(
        {z: exact.log_pitman_yor(z, 1.3, 0.0) + log_marginal(z) for z in exact.partitions(5)}
    )
    counted = sampled(DirichletProcess(1.3), likelihood, 5)
    assert exact.total_variation(target, counted) < 0.01
    target = exact.normalise({z: log_marginal(z) for z in exact.partitions(5)})
    assert exact.total_variation(target, sampled(uniform(), likelihood, 5)) < 0.01
    for wrong, sentence in (
        ([1, -2], "The values: entry 1 is -2; all entries must be whole numbers"),
        ([1.5, 2], "The values: entry 0 is 1.5"),
        ([], "there must be one for each item"),
    ):
        with pytest.raises(DataError, match=sentence):
            module.Poisson(wrong)
    with pytest.raises(ConfigError, match="rate is -1"):
        module.Poisson(values, shape, -1)


def test_the_move_of_the_guide_reaches_the_enumerated_posterior():
    names = {}
    exec(example("src/reseat/moves/half.py"), names)
    likelihood = DirichletMultinomial([[3, 0], [2, 1], [0, 2], [1, 1]])
    log_joint = {}
    for z in exact.partitions(4):
        likelihood.assign(np.array(z), 5)
        log_joint[z] = exact.log_pitman_yor(z, 1.3, 0.0) + likelihood.log_marginal()
    model = MixtureModel(DirichletProcess(1.3), likelihood, [names["half_sweep"]])
    model.start([0, 0, 0, 0])
    rng = np.random.default_rng(3)
    counted = exact.visits(lambda: model.sweep(rng), lambda: model.labels, 20_000)
    assert exact.total_variation(exact.normalise(log_joint), counted) < 0.03

"""The chains and restarts of documents that the configuration asks for."""

import pytest
import yaml
from places import ROOT

from reseat.papers.documents.plan import Plan, Run
from reseat.papers.documents.tables import EM_SYSTEMS

CONFIG = ROOT / "config" / "documents.yaml"
SECTION = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))["documents"]
EM = tuple(model for _system, model, _summary in EM_SYSTEMS)


@pytest.fixture
def standard():
    return Plan("standard", 1, SECTION, Plan.wanted(SECTION, "standard"))


@pytest.fixture
def paper():
    return Plan("paper", 1, SECTION, Plan.wanted(SECTION, "paper"))


@pytest.mark.parametrize("model", ("gibbs", *EM))
def test_the_paper_scale_has_the_published_number_of_chains(paper, model):
    for dataset in ("newsgroups20", "enron_kaminski", "delicious_mulan"):
        blocks = paper.chains_of(dataset, model)
        assert [number for block in blocks for number in block] == list(range(100))
        assert len(paper.finished(dataset, model)) == len(blocks)


@pytest.mark.parametrize("model", ("gibbs", *EM))
def test_more_chains_are_run_where_the_configuration_says_so(standard, model):
    n_chains = standard.settings["more_chains"]["newsgroups20"][model]
    blocks = standard.chains_of("newsgroups20", model)
    assert n_chains > 8
    assert [number for block in blocks for number in block] == list(range(n_chains))
    assert len(standard.finished("newsgroups20", model)) == len(blocks)
    for dataset in ("enron_kaminski", "delicious_mulan", "reuters52"):
        assert len(standard.run(dataset, model).chains) == 8


def test_readings_have_chains_of_their_own(standard):
    more = standard.settings["more_chains"]
    for reading in standard.readings("newsgroups"):
        wanted = more.get(reading, {}).get("gibbs", standard.settings["reading_chains"])
        assert len(standard.run(reading, "gibbs").chains) == wanted
    assert standard.models("newsgroups20_two_letters") == ("gibbs",)
    assert standard.models("newsgroups20_snowball") == ("gibbs", "em_laplace", "em_early")
    early = standard.run("newsgroups20_snowball", "em_early")
    assert len(early.chains) == 8 and early.settings["tolerance"] == 1e-4


def test_chains_of_readings_are_diagnosed_and_reported_as_the_others_are(standard):
    readings = standard.readings("newsgroups")
    assert readings and not set(readings) & set(standard.datasets)
    assert set(readings) < set(standard.modelled) and set(standard.datasets) < set(
        standard.modelled
    )
    folders = {folder.partition("/")[0] for folder in standard.chain_folders()}
    reported = {row["dataset"] for row in standard.reported_runs()}
    assert folders == reported == set(standard.modelled)


def test_em_from_chains_finds_the_chains_of_its_numbers(standard):
    for dataset in standard.datasets:
        chains = standard.chains_of(dataset, "gibbs")
        for block, numbers in enumerate(standard.chains_of(dataset, "em_from_gibbs")):
            assert set(numbers) <= set(chains[block])
            starts = standard.starts(dataset, "em_from_gibbs", block)
            assert starts == [f"{dataset}/gibbs/chains/block-{block}"]
        assert standard.starts(dataset, "em_laplace", 0) == []


def test_more_chains_are_no_other_job_for_those_that_there_are():
    size = SECTION["scales"]["demo"]["chains_per_job"]
    few, many = (
        changed(n_chains={"gibbs": n, "em_from_gibbs": n}) for n in (2 * size, 3 * size + 1)
    )
    for model in ("gibbs", "em_from_gibbs"):
        for block in (0, 1):
            job = few.job("demo_newsgroups", model, block)
            assert job == many.job("demo_newsgroups", model, block)
            assert Run(**job["run"]).schedule == few.run("demo_newsgroups", model).schedule
        assert len(few.finished("demo_newsgroups", model)) == 2


def changed(**settings):
    """Return the plan of the demo with other settings of the scale."""
    demo = SECTION["scales"]["demo"] | settings
    section = SECTION | {"scales": SECTION["scales"] | {"demo": demo}}
    return Plan("demo", 1, section, Plan.wanted(section, "demo"))

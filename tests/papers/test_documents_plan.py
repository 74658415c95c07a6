"""The chains and restarts of documents that the configuration asks for."""

import pytest
import yaml
from places import ROOT

from reseat.errors import ConfigError
from reseat.papers.documents.plan import Plan, Run
from reseat.papers.documents.tables import EM_SYSTEMS

CONFIG = ROOT / "config" / "documents.yaml"
SECTION = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))["documents"]
EM = tuple(model for _system, model, _summary in EM_SYSTEMS)


@pytest.fixture
def standard():
    return Plan("standard", 1, SECTION, Plan.wanted(SECTION, "standard"))


@pytest.mark.parametrize("model", ("gibbs", *EM))
def test_standard_has_the_published_number_of_chains_on_newsgroups(standard, model):
    blocks = standard.chains_of("newsgroups20", model)
    assert [number for block in blocks for number in block] == list(range(100))
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


def test_a_reading_must_name_known_models():
    other = {"of": "newsgroups20", "features": {}, "models": ["em_earli"]}
    section = SECTION | {"readings": SECTION["readings"] | {"other": other}}
    with pytest.raises(
        ConfigError,
        match="documents.readings.other.models names the model 'em_earli', which is "
        "not in documents.models; did you mean 'em_early'",
    ):
        Plan("standard", 1, section, Plan.wanted(section, "standard"))


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


def test_the_papers_sampler_runs_on_every_data_set():
    with pytest.raises(
        ConfigError, match="scales.demo.n_chains lacks 'gibbs', the paper's sampler"
    ):
        changed(n_chains={"em_laplace": 4})
    models = {**SECTION["models"]}
    models["gibbs"] = models["gibbs"] | {"datasets": ["demo_enron"]}
    demo = SECTION["scales"]["demo"] | {"n_chains": {"gibbs": 4, "em_laplace": 4}}
    section = SECTION | {"models": models, "scales": {"demo": demo}}
    with pytest.raises(ConfigError, match="documents.models.gibbs: this is the paper's sampler"):
        Plan("demo", 1, section, Plan.wanted(section, "demo"))


def changed(**settings):
    """Return the plan of the demo with other settings of the scale."""
    demo = SECTION["scales"]["demo"] | settings
    section = SECTION | {"scales": SECTION["scales"] | {"demo": demo}}
    return Plan("demo", 1, section, Plan.wanted(section, "demo"))


def test_em_cannot_start_from_more_chains_than_there_are():
    with pytest.raises(
        ConfigError,
        match="config, documents.scales.demo.n_chains: the 8 restarts of "
        "'em_from_gibbs' on '.*' start from as many chains of 'gibbs', of which there are 4; "
        "raise the number of 'gibbs' or lower that of 'em_from_gibbs'",
    ):
        changed(n_chains={"gibbs": 4, "em_from_gibbs": 8})
    with pytest.raises(ConfigError, match="n_chains lacks 'gibbs', the paper's sampler; add it"):
        changed(n_chains={"em_from_gibbs": 8})
    assert changed(n_chains={"gibbs": 9, "em_from_gibbs": 8}).datasets
    fewer = {"demo_newsgroups": {"gibbs": 7}}
    with pytest.raises(ConfigError, match="'demo_newsgroups' start from .* there are 7;"):
        changed(n_chains={"gibbs": 9, "em_from_gibbs": 8}, more_chains=fewer)

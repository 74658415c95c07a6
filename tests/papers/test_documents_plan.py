"""The chains and restarts of documents that the configuration asks for."""

import pytest
import yaml
from places import ROOT

from reseat.papers.documents.plan import Plan, Run
from reseat.papers.documents.tables import EM_SYSTEMS

CONFIG = ROOT / "config" / "documents.yaml"
SECTION = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))["documents"]
EM = tuple(model for _system, model, _summary in EM_SYSTEMS)
PAPER = Plan("paper", 1, SECTION, Plan.wanted(SECTION, "paper"))
STANDARD = Plan("standard", 1, SECTION, Plan.wanted(SECTION, "standard"))


def numbers_of(plan, dataset, model):
    """Return the numbers of all chains, which are run in blocks."""
    blocks = plan.chains_of(dataset, model)
    assert len(plan.finished(dataset, model)) == len(blocks)
    return [number for block in blocks for number in block]


@pytest.mark.parametrize("model", ("gibbs", *EM))
def test_scales_have_the_published_number_of_chains_or_what_the_configuration_says(model):
    for dataset in ("newsgroups20", "enron_kaminski", "delicious_mulan"):
        assert numbers_of(PAPER, dataset, model) == list(range(100))
    more = STANDARD.settings["more_chains"]["newsgroups20"][model]
    assert more > 8 and numbers_of(STANDARD, "newsgroups20", model) == list(range(more))
    for dataset in ("enron_kaminski", "delicious_mulan", "reuters52"):
        assert len(STANDARD.run(dataset, model).chains) == 8


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

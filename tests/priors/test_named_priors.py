"""Priors and likelihoods by name: their declarations, and that one file is enough for a prior."""

import sys
from dataclasses import replace
from importlib import import_module
from inspect import signature

import numpy as np
import pytest
from guide import example
from workflow_runs import ROOT, configuration

import reseat.priors
from reseat import MultinomialMixture
from reseat.chains import read_groups
from reseat.command.main import main
from reseat.datasets import Registry, build
from reseat.declarations import read_declarations
from reseat.errors import ConfigError
from reseat.papers.documents.chains import run_chain_block
from reseat.papers.records.plan import Run
from reseat.papers.run_plan import plan_run
from reseat.priors import all_priors, check_parameters, make_prior, prior

COUNTS = np.repeat([[9, 1, 0], [0, 1, 9]], 6, axis=0)


def test_declarations_say_what_the_classes_take():
    assert len(all_priors()) >= 6
    for name, declared in all_priors().items():
        import_module(declared.module)
        kind = prior[name]
        assert kind.__module__ == declared.module and kind.__doc__
        taken = signature(getattr(kind, "for_items", kind)).parameters.keys()
        assert taken >= {*declared.parameters, *(["n_blocks"] if declared.finite else [])}
        found = make_prior({"prior": name, "n_blocks": 3}, 10)
        assert type(found) is kind and found.max_blocks == (3 if declared.finite else None)


def test_what_is_read_from_a_file_is_what_its_decorators_say(tmp_path):
    path = tmp_path / "made.py"
    path.write_text(
        '@prior("a", title="A")\nclass A:\n    pass\n\n\n@prior(\n    "b",\n    title="B (2)",\n'
        '    parameters={"c": ("d", "e")},\n)\n@other\nclass B:\n    pass\n\n\n@prior_of("f")\n'
        "def f():\n    pass\n"
    )
    b = {"title": "B (2)", "parameters": {"c": ("d", "e")}}
    assert list(read_declarations(path, "prior")) == [("a", {"title": "A"}), ("b", b)]


@pytest.mark.parametrize("after", ["  # as in (1)", "\n# Of theirs.", "\n\n", "\n@other"])
def test_what_stands_between_a_declaration_and_its_class_does_not_matter(after, tmp_path):
    path = tmp_path / "made.py"
    path.write_text(f'"""@prior("no")"""\n\n@prior("a", title="A"){after}\nclass A:\n    pass\n')
    assert list(read_declarations(path, "prior")) == [("a", {"title": "A"})]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"prior": "nbbn"}, "Unknown prior 'nbbn'; did you mean 'nbnb'?"),
        ({"prior": "flat"}, "the priors are dirichlet_process, esc_d, esc_nb, finite_dirichlet"),
        ({"prior": "nbd", "discount": 0.5}, "The prior 'nbd' has no parameter 'discount'"),
        ({"prior": "nbnb", "discount": 0.5}, "it has reading. Omit it."),
    ],
)
def test_wrong_settings_get_one_sentence(settings, sentence):
    with pytest.raises(ConfigError) as raised:
        check_parameters(settings)
    assert sentence in str(raised.value)


def test_a_start_below_zero_is_moved_under_a_gamma_prior():
    settings = {"prior": "pitman_yor", "discount": 0.9, "concentration": "half"}
    assert make_prior(settings, 100).concentration < 0
    assert make_prior(settings | {"hyperprior": "half"}, 100).concentration == 0.01
    assert make_prior(settings | {"hyperprior": "half", "discount": 0.1}, 100).concentration > 1


@pytest.fixture
def uniform(tmp_path, monkeypatch):
    """Add the prior of the guide, in a file of its own beside those of the package."""
    assert "uniform" not in all_priors()
    (tmp_path / "uniform.py").write_text(example("src/reseat/priors/uniform.py"), encoding="utf-8")
    monkeypatch.setattr(reseat.priors, "__path__", [*reseat.priors.__path__, str(tmp_path)])
    yield
    prior.pop("uniform", None)
    prior.declared.pop("uniform", None)
    sys.modules.pop("reseat.priors.uniform", None)


def test_a_prior_is_added_by_its_file_alone(uniform, tmp_path, capsys):
    """Its name is used in the configuration, as in the guide; nothing else is changed."""
    models = {"mine": {"kind": "chains", "beta": 1.0, "prior": "uniform"}}
    demo = {"datasets": ["demo_delicious"], "n_chains": {"mine": 1}}
    documents = {"models": models, "scales": {"demo": demo}}
    plan = plan_run(configuration({"scale": "demo", "documents": documents}), ROOT)
    run = plan.families["documents"].run("demo_delicious", "mine")
    options = {"n_documents": 20, "n_classes": 2, "n_words": 30, "class_words": 8}
    entry = plan.registry["demo_delicious"]
    registry = Registry({entry.name: replace(entry, options=entry.options | options)})
    features = plan.families["documents"].features("demo_delicious")
    corpus = build(registry, "demo_delicious", plan.data, features=features, kind="documents")
    output = tmp_path / "chains"
    run_chain_block(run, [0], corpus, output=output, scratch=tmp_path / "unfinished")
    groups, attributes = read_groups(output / "chain-0000.nc")
    assert attributes["configuration"]["model"]["prior"] == "uniform"
    assert np.isfinite(groups["sample_stats"]["log_joint"]).all()

    fitted = MultinomialMixture("uniform", n_burn_in=5, n_samples=20, random_state=1).fit(COUNTS)
    assert fitted.n_clusters_ == 2
    draw = {"seed": 0, "dataset": "mine", "role": "mine", "draw": -1, "delta": None}
    printed = Run(**draw, model="mine", settings={"prior": "uniform"}, length={}).printed
    assert printed["system"] == "Uniform" and printed["reading"] == ""
    with pytest.raises(SystemExit):
        main(["cluster", "documents", "--help"])
    assert "uniform" in capsys.readouterr().out

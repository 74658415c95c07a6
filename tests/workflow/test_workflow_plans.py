"""What the workflow would do, and what it says about a wrong configuration before it begins."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import stored_lists
import yaml
from digest_files import read, remedy
from workflow_runs import ARTEFACTS, CATALOGUE, ROOT, SNAKEFILE, configuration, refused, snakemake

from reseat.errors import ReseatError
from reseat.papers.run_plan import plan_run, shortfall, shortfall_table

pytestmark = pytest.mark.workflow

LENGTH = {"n_chains": 1, "burn_in": 1, "n_samples": 4, "thin": 1}
FULL = {"datasets": ["demo_citations"], "n_seeds": 2, "length": {"burn_in": 20, "n_samples": 20}}
OWN_TABLE = {
    "title": "Ours",
    "about": "A table",
    "family": "records",
    "parser": "record_table",
    "options": {"record": "number", "fields": ["name"]},
}


def test_one_artefact_needs_only_what_it_shows(tmp_path):
    done = snakemake("docs_fig4", "--config", "scale=demo", "--dry-run", folder=tmp_path)
    text = done.stdout + done.stderr
    assert "demo_delicious" in text
    assert "demo_newsgroups" not in text and "em_laplace" not in text


def test_an_artefact_without_its_data_is_left_out_and_refused_by_name(tmp_path):
    changes = {"documents": {"scales": {"demo": {"datasets": ["demo_enron"]}}}}
    text = refused(tmp_path, changes, "docs_table2")
    assert "docs_table2 cannot be made: this run lacks data sets that it needs" in text
    done = snakemake("documents", "--configfile", tmp_path / "changes.yaml", "--dry-run",
                     folder=tmp_path)  # fmt: skip
    planned = set(re.findall(r"^ *(?:local)?rule (\w+):$", done.stdout + done.stderr, re.M))
    assert {"docs_table3", "docs_table6", "docs_fig2", "docs_fig3", "docs_extensions"} <= planned
    left_out = {"docs_table1", "docs_table2", "docs_table7", "docs_fig4", "documents_claims"}
    assert not left_out & planned


@pytest.mark.parametrize("flag", ["-n", "--dry-run", "-np"])
def test_a_dry_run_leaves_what_running_jobs_read(flag, tmp_path):
    record = tmp_path / "data" / "raw" / "unreachable-demo.json"
    record.parent.mkdir(parents=True)
    record.write_text('{"https://example.org/a": "it does not answer"}')
    snakemake("docs_fig2", "--config", "scale=demo", flag, folder=tmp_path)
    assert "does not answer" in record.read_text()


def test_list_prints_every_artefact(tmp_path):
    done = snakemake("list", "--quiet", "all", folder=tmp_path)
    for name, artefact in ARTEFACTS.items():
        line = next(line for line in done.stdout.splitlines() if line.strip().startswith(name))
        assert artefact.shows in line


OWN_COUNTS = {
    "title": "Ours",
    "about": "Counts",
    "family": "relational",
    "parser": "count_tables",
    "user_path": "a table",
    "options": {"relations": {"pairs": {"column": {"a": "a", "b": "b"}}}},
}


def _distances(part, dataset, *models):
    """Return a configuration in which a part of the distances demo is a single study."""
    study = {"datasets": [dataset], "models": [*models], "length": LENGTH}
    return {"distances": {"scales": {"demo": {part: [study]}}}}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"scal": "demo"}, "the key 'scal' is not known; did you mean 'scale'?"),
        ({"scale": "large"}, "scale: 'large' must be one of demo, standard, paper"),
        ({"seed": "many"}, "config, seed: must be a whole number, not 'many'"),
        ({"seed": 7.0}, "config, seed: must be a whole number, not 7.0"),
        ({"run": "published"}, "config, run: 'published' is not usable"),
        (
            {"run": "paper"},
            "'paper' is what runs of another scale or seed are called (the scale is",
        ),
        ({"run": "demo-seed9"}, "'demo-seed9' is what runs of another scale or seed are called"),
        ({"run": "demo", "seed": 9}, "(the scale is 'demo', the seed 9); choose another name"),
        (
            {"supervised": {"models": {"new": {"system": "SCDP-2", "model": "cdp"}}}},
            "supervised.models.new: the system SCDP-2 is the model scdp2, not cdp",
        ),
        (
            {"supervised": {"models": {"scdp1": {"law": "within"}}}},
            "supervised.models.scdp1.law: has no effect with model scdp1, only with scdp2; omit it",
        ),
        (
            {"supervised": {"models": {"scdp1": {"held": True}}}},
            "supervised.models.scdp1.held: only the true publications are held; add",
        ),
        (
            {"supervised": {"models": {"cdp": {"moves": "joint"}}}},
            "supervised.models.cdp.moves: cdp has no types to move",
        ),
        (
            {"supervised": {"models": {"cdp": {"starts": ["learned"]}}}},
            "supervised.models.cdp.starts: cdp cannot start from learned",
        ),
        (
            {"distances": {"models": {"tiwd_nbd": {"prior": "finite_dirichlet"}}}},
            "distances.models.tiwd_nbd: the prior finite_dirichlet needs n_blocks",
        ),
        (
            {"records": {"models": {"dp": {"prior": "finite_dirichlet", "concentration": 1.0}}}},
            "records.models.dp: the prior finite_dirichlet needs n_blocks",
        ),
        ({"seed": None}, "config, seed: is empty; it must be a whole number"),
        ({"chains": {"threads": "0"}}, "config, chains.threads: must be at least 1, not 0"),
        ({"records": {"miss": {"start": 0}}}, "records.miss.start: must be above 0, not 0"),
        ({"records": {"deltas": [0.02, 0.02]}}, "records.deltas: has 0.02 twice; remove one of"),
        ({"records": {"deltas": []}}, "records.deltas: must have at least 1 entry, not 0"),
        ({"records": {"miss": 5}}, "records.miss: must be a mapping, not 5"),
        (
            {"records": {"models": {"dp_sampled": {"hyperprior": {"shape": 1}}}}},
            "config, records.models.dp_sampled.hyperprior: the key 'rate' is missing",
        ),
        ({"data": {"mirrors": [__file__]}}, "test_workflow_plans.py is not a folder"),
        (
            {"documents": {"scales": {"demo": {"datasets": ["demo_survey"]}}}},
            "the scale 'demo' names the data set 'demo_survey', which is of the family 'records'",
        ),
        *(
            (
                {"documents": {"scales": {scale: {"datasets": ["demo_enrn"]}}}},
                f"the scale '{scale}' names the data set 'demo_enrn', which is neither in "
                "config/datasets.yaml nor under datasets in your configuration file; did you mean",
            )
            for scale in ("demo", "paper")  # also a scale that does not run now
        ),
        (
            {"documents": {"models": {"gibbs_split": {"datasets": ["demo_newsgroup"]}}}},
            "gibbs_split.datasets names 'demo_newsgroup', which is not in documents.datasets; "
            "did you mean 'demo_newsgroups'?",
        ),
        ({"chains": {"threads": 0}}, "config, chains.threads: must be at least 1, not 0"),
        (
            {"documents": {"models": {"gibbs": {"betaa": 1}}}},
            "models.gibbs: the key 'betaa' is not known; did you mean 'beta'?",
        ),
        (
            {"documents": {"scales": {"demo": {"datasets": ["newsgroups2"]}}}},
            "newsgroups2",
        ),
        (
            {"documents": {"scales": {"demo": {"n_chains": {"gibs": 3}}}}},
            "names the model 'gibs', which is not in documents.models; did you mean 'gibbs'?",
        ),
        (
            {"documents": {"scales": {"demo": {"more_chains": {"demo_newsgroup": {"gibbs": 3}}}}}},
            "more_chains names 'demo_newsgroup', which is neither in documents.datasets nor in "
            "documents.readings; did you mean 'demo_newsgroups'?",
        ),
        (
            {"documents": {"scales": {"demo": {"more_chains": {"demo_newsgroups": {"gibs": 3}}}}}},
            "more_chains.demo_newsgroups names the model 'gibs', which is not in "
            "the scale's n_chains; did you mean 'gibbs'?",
        ),
        (
            {"records": {"models": {"nbd": {"pior": "nbd"}}}},
            "models.nbd: the key 'pior' is not known; did you mean 'prior'?",
        ),
        (
            {"records": {"models": {"nbd": {"prior": "nbdd"}}}},
            "pitman_yor, sampled_nbd; did you mean 'nbd'?",
        ),
        (
            {"records": {"models": {"nbd": {"discount": 0.5}}}},
            "records.models.nbd: The prior 'nbd' has no parameter 'discount'; it has no parameters",
        ),
        (
            {"records": {"models": {"dp": {"concentration": "haf"}}}},
            "dp.concentration: must be 'half' or a number, not 'haf'",
        ),
        (
            {"supervised": {"models": {"scdp1_pyp": {"prior": "nbnb"}}}},
            "models.scdp1_pyp.prior: 'nbnb' must be one of dirichlet_process, pitman_yor",
        ),
        (
            {"records": {"scales": {"demo": {"moves": {"model": "nbnbb"}}}}},
            "moves.model is 'nbnbb', which is not in records.models",
        ),
        (
            {"records": {"scales": {"demo": {"moves": {"dataset": "demo_nltc_d05"}}}}},
            "demo_nltc_d05",
        ),
        (
            {"records": {"deltas": [0.025]}},
            "config, records.deltas: delta is 0.025; it must be a multiple of 0.01",
        ),
        (
            {
                "distances": {
                    "scales": {
                        "demo": {
                            "accuracy": [
                                {"models": ["tiwt"], "datasets": ["demo_large"], "length": LENGTH}
                            ]
                        }
                    }
                }
            },
            "accuracy[0].models names 'tiwt', which is not in distances.models; "
            "did you mean 'tiwd'?",
        ),
        (
            {
                "distances": {
                    "scales": {
                        "demo": {
                            "accuracy": [
                                {"models": ["tiwd"], "datasets": ["demo_large"], "length": LENGTH},
                                {
                                    "models": ["tiwd"],
                                    "datasets": ["demo_large"],
                                    "length": LENGTH | {"n_chains": 7},
                                },
                            ]
                        }
                    }
                }
            },
            "config, distances.scales.demo.accuracy[1].length: 'tiwd' on 'demo_large' runs once, "
            "as config, distances.scales.demo.accuracy[0] says, which has another length; write",
        ),
        (
            {"distances": {"points": {"demo_large": {"n_draws": 0}}}},
            "points.demo_large.n_draws: must be at least 1, not 0",
        ),
        (
            {"relational": {"scales": {"demo": {"pairs": {"datasets": ["demo_pair"]}}}}},
            "did you mean 'demo_pairs'",
        ),
        ({"data": {"missing": "perhaps"}}, "data.missing: 'perhaps' must be one of stop, skip"),
        (
            {"distances": {"theta": {"n_value": 41}}},
            "theta: the key 'n_value' is not known; did you mean 'n_values'?",
        ),
        ({"distances": {"theta": {"up_to_dim": 3}}}, "the key 'up_to_dim' is not known"),
        ({"distances": {"theta_few": {"up_to": 3}}}, "did you mean 'up_to_dim'?"),
        (
            {"records": {"delta": {"start": 5.0}}},
            "config, records.delta.start: 5 is above the bound 0.1; lower it.",
        ),
        ({"records": {"miss": {"start": 0.5}}}, "records.miss.start: 0.5 is above the bound 0.1"),
        (
            {"documents": {"datasets": {"demo_enron": {"switching_lag": 500}}}},
            "demo_enron.switching_lag: 500 must be below n_samples, which is 500.",
        ),
        (
            {"distances": {"points": {"demo_larg": {"n_draws": 1}}}},
            "config, distances.points.demo_larg: there is no data set 'demo_larg'; did you mean "
            "'demo_large'?",
        ),
        (
            {"relational": {"sets": {"nosuch": {"truncation": {"a": 3}}}}},
            "relational.sets.nosuch: there is no data set 'nosuch'",
        ),
        (
            {"supervised": {"sets": {"nosuch": {"role": "digits"}}}},
            "supervised.sets.nosuch: there is no data set 'nosuch'",
        ),
        (
            {"records": {"recipes": {"nosuch": {"role": "italy"}}}},
            "records.recipes.nosuch: there is no data set 'nosuch'",
        ),
        (
            {"documents": {"datasets": {"demo_enron": {"instead_of": "enron_ldk"}}}},
            "demo_enron.instead_of: there is no data set 'enron_ldk'; did you mean 'enron_ldc'?",
        ),
        (
            {"supervised": {"binary": {"log2_gamma": [3, 3]}}},
            "supervised.binary.log2_gamma: [3, 3] leaves nothing to search",
        ),
        (
            {"supervised": {"models": {"scdp1_share": {"sigma": 0.5}}}},
            "models.scdp1_share.variant: a model with a sigma is the variant 'sigma 0.5'; remove",
        ),
        (
            {"supervised": {"models": {"scdp1_share": {"variant": "sigma 0.5"}}}},
            "models.scdp1_share.variant: a sigma is not given in words; set `sigma` instead",
        ),
        (
            {
                "supervised": {
                    "models": {"mine": {"system": "SCDP-1", "model": "scdp1", "sigma": 0.1}}
                }
            },
            "models.mine has the system and the variant of scdp1_sigma_1; give it a `variant`",
        ),
        (
            {"supervised": {"scales": {"demo": {"draws": {"datasets": ["uci_digit"]}}}}},
            "supervised.scales.demo.draws.datasets names 'uci_digit', which is not in "
            "supervised.sets; did you mean 'uci_digits'?",
        ),
        (
            {"relational": {"betas": [1.0, 0.1]}},
            "config, relational.betas.0: must be 0.1, not 1.0",
        ),
        (
            {"relational": {"sets": {"demo_triples": {"truncation": {"subjct": 5}}}}},
            "relational.sets.demo_triples.truncation: it must have one number for each of the "
            "types object, subject, verb; add or remove subjct",
        ),
        (
            {"relational": {"scales": {"demo": {"gibbs": {"datasets": ["demo_triples"]}}}}},
            "demo.gibbs.datasets has 'demo_triples', which is not one relation between two",
        ),
        (
            {"relational": {"scales": {"demo": {"gibbs": {"datasets": ["demo_network"]}}}}},
            "demo.gibbs.datasets has 'demo_network', which is not one relation between two",
        ),
        (
            {"distances": {"points": {"demo_families": {"n_draws": 1}}}},
            "distances.points.demo_families: the data set 'demo_families' is a set of sequences, "
            "not a set of points",
        ),
        (
            {"distances": {"objects": {"demo_large": {"rank": 3, "method": "exact"}}}},
            "objects.demo_large: the data set 'demo_large' is a set of points, not a set of",
        ),
        (
            {"records": {"recipes": {"demo_survey": {"role": "italy"}}}},
            "records.recipes.demo_survey: the data set 'demo_survey' is a set of records, not a",
        ),
        (
            {"distances": {"models": {"tiwd_nbd": {"n_blocks": True}}}},
            "tiwd_nbd.n_blocks: has no effect with the prior nbd",
        ),
        (
            {"distances": {"models": {"wdr_d_less_1": {"lost": 100}}}},
            "which loses 100 degrees of freedom, but 'demo_overlapping' has only 100 dimensions",
        ),
        (
            _distances("accuracy", "protein213", "tiwd"),
            "accuracy[0].datasets has 'protein213', which is none of distances.points; accuracy",
        ),
        (
            _distances("accuracy", "demo_separated", "tiwd_free"),
            "models has 'tiwd_free', whose clamp says which labels are kept, but the points",
        ),
        (
            _distances("labelled", "demo_families", "tiwd", "wdr_d_less_1"),
            "models has 'wdr_d_less_1', which needs coordinates, but 'demo_families' is none",
        ),
        (
            {"distances": {"models": {"tiwd_free": {"likelihood": "points"}}}},
            "labelled[0].models has 'tiwd_free', which needs coordinates, but 'demo_families' is",
        ),
        (
            _distances("labelled", "demo_families", "tiwd_free"),
            "labelled[0].models: no study has the model 'tiwd' on 'demo_families'",
        ),
        (
            _distances("trace", "demo_large", "tiwd_pyp"),
            "trace[0].models: no study has the model 'tiwd' on 'demo_large'",
        ),
        (
            _distances("readings", "demo_overlapping", "wdr_direct"),
            "readings[0].models has no reading of a model, only the paper's",
        ),
        (
            {"documents": {"models": {"gibbs": {"datasets": ["demo_newsgroups"]}}}},
            "documents.models.gibbs: this is the paper's sampler, whose chains run on every data",
        ),
        (
            {"supervised": {"binary": {"log2_gamma": [3, -15]}}},
            "supervised.binary.log2_gamma: [3, -15] is upside down",
        ),
        (
            {"distances": {"points": {"demo_large": {"role": "larg"}}}},
            "points.demo_large.role: 'larg' must be one of",
        ),
        (
            {"relational": {"sets": {"demo_pairs": {"role": "adjective"}}}},
            "did you mean 'adjectives'?",
        ),
        ({"chains": {"threads": 1000000}}, "must be at most 1024"),
        (
            {"documents": {"datasets": {"demo_enron": {"n_clusters": 10**8}}}},
            "must be at most 100000",
        ),
        (
            {"documents": {"models": {"em_laplace": {"beta": 1.0}}}},
            "config, documents.models.em_laplace.beta: has no effect with kind em, only with "
            "chains; omit it.",
        ),
        ({"documents": {"models": {"em_laplace": {"concentration": 1.0}}}}, "has no effect"),
        (
            {"documents": {"models": {"gibbs": {"smoothing": "mle"}}}},
            "models.gibbs.smoothing: has no effect with kind chains, only with em",
        ),
        (
            {"distances": {"models": {"wd": {"exponent": "printed"}}}},
            "wd.exponent: has no effect with likelihood similarities, only with distances",
        ),
        ({"distances": {"models": {"tiwd": {"centre": "kpca"}}}}, "tiwd.centre: has no effect"),
        (
            {"records": {"models": {"nbnb_similar": {"per_field": True}}}},
            "per_field: has no effect",
        ),
        (
            {"records": {"models": {"nbnb_similar": {"marginals": "generating"}}}},
            "marginals: has no effect with likelihood similar, only with categorical or hitmiss",
        ),
        (
            {"documents": {"datasets": {"demo_newsgroups": {"role": "enron"}}}},
            "documents.datasets.demo_newsgroups: the role enron needs switching_lag",
        ),
        (
            {"supervised": {"models": {"scdp2_exact": {"form": "collapsed"}}}},
            "form: has no effect with model scdp2_exact, only with scdp1 or scdp2",
        ),
        (
            {"supervised": {"models": {"scdp3_plain": {"moves": "split_merge"}}}},
            "scdp3_plain.moves: split_merge needs means that are integrated out",
        ),
        (
            {"supervised": {"models": {"scdp1_split": {"form": "explicit"}}}},
            "scdp1_split.moves: split_merge needs means that are integrated out",
        ),
        (
            {"supervised": {"models": {"scdp3": {"types": "collapsed"}}}},
            "scdp3.types: the precisions of scdp3_covariance cannot be integrated out",
        ),
        (
            {"supervised": {"models": {"scdp1": {"aux": "prior"}}}},
            "scdp1.aux: has no effect, since the means are integrated out",
        ),
        (
            {"supervised": {"scales": {"demo": {"full": 2 * [FULL]}}}},
            "full[1].datasets has 'demo_citations', as config, supervised.scales.demo.full[0] has",
        ),
        (
            {"records": {"models": {"finite": {"concentration": "half"}}}},
            "models.finite.concentration: must be a number, not 'half'",
        ),
        (
            {"documents": {"models": {"gibbs_dp": {"concentration": 1e10}}}},
            "concentration: must be at most 1000000000, not",
        ),
        (
            {"records": {"models": {"pyp_sampled": {"discount": 0}}}},
            "records.models.pyp_sampled: discount is 0; to sample it, start from",
        ),
        (
            {"records": {"miss": {"sd": 0.5}}},
            "config, records.miss: No beta distribution has mean 0.005 and standard deviation 0.5",
        ),
        (
            {"records": {"delta": {"shape": 500, "rate": 0.001}}},
            "config, records.delta: The bound of the gamma prior is",
        ),
        (
            {"records": {"scales": {"demo": {"moves": {"dataset": "demo_italy"}}}}},
            "moves.dataset is the recipe 'demo_italy'; name its draws at one delta, such as",
        ),
        (
            {"relational": {"betas": [0.1, 0.1000001]}},
            "relational.betas: fits with 0.1 and 0.1000001 would have one name",
        ),
        (
            {"relational": {"scales": {"demo": {"types": {"datasets": ["demo_pairs"]}}}}},
            "pairs.datasets has 'demo_pairs', as config, relational.scales.demo.types has",
        ),
        (
            {
                "relational": {
                    "sets": {"demo_pairs": {"truncation": {"other": 5}}},
                }
            },
            "demo_pairs.truncation: it must have one number for each of the types adjective, noun;",
        ),
        (
            {"relational": {"sets": {"demo_pairs": {"truncation": {2020: 5, True: 5}}}}},
            "types adjective, noun; add or remove 2020, True.",
        ),
        (
            {"relational": {"aspect": {"n_classes": 40000}}},
            "relational.aspect.n_classes: must be at most 32767, not 40000",
        ),
        (
            {"documents": {"datasets": {"demo_delicious": {"burn_in": 0, "n_samples": 5}}}},
            "demo_delicious: burn_in and n_samples add up to 5 sweeps, but Figure 4 begins with",
        ),
        (
            {"supervised": {"shape": 0.1}},
            "config, supervised.shape: 0.1 cannot be used with 'scdp3",
        ),
        (
            {"supervised": {"binary": {"log2_c": [0.03, 32768]}}},
            "supervised.binary.log2_c.1: must be at most 1000, not 32768",
        ),
        (
            {"distances": {"theta": {"n_values": 1}}},
            "distances.theta.n_values is 1, so that theta would always be lowest, 0.01;",
        ),
        (
            {"distances": {"theta": {"highest": 1e308}}},
            "distances.theta.highest: must be at most 1000000000, not 1e+308",
        ),
        (
            {"distances": {"alignment": {"gap_open": 65546}}},
            "distances.alignment.gap_open: must be at most 32767, not 65546",
        ),
        (
            {
                "distances": {
                    "scales": {"demo": {"scaling": {"largest_naive": 62, "n_clusters": [4, 30]}}}
                }
            },
            "scaling.n_clusters has 30, of which some would always be empty with the 62 objects",
        ),
        (
            {"distances": {"objects": {"protein213": {"kappa": 1.0}}}},
            "distances.objects.protein213.kappa: has an effect on sequences only; omit it",
        ),
        (
            {"datasets": {"demo_italy_d05": {**OWN_TABLE, "user_path": "a table"}}},
            "datasets.demo_italy_d05: this is what the draws of 'demo_italy' at delta 0.05 are",
        ),
        (
            {"datasets": {"mine": OWN_COUNTS}},
            "data set 'mine': the option 'relations.pairs' has the unknown key 'column'; did you",
        ),
        (
            {
                "datasets": {
                    "mine": {**OWN_TABLE, "user_path": "a table", "features": {"stop_lst": "smart"}}
                }
            },
            "config, datasets.mine.features: unknown feature option 'stop_lst'; did you mean",
        ),
        ({"datasets": {"mine": OWN_TABLE}}, "it has neither files nor user_path; add user_path"),
        (
            {"datasets": {"mine": {**OWN_TABLE, "user_path": "a table", "family": "documents"}}},
            "record_table gives a set of records, which is for the family records, not documents",
        ),
    ],
)
def test_wrong_configuration_gets_one_sentence(changes, sentence):
    with pytest.raises(ReseatError) as raised:
        plan_run(configuration({"scale": "demo"} | changes), ROOT)
    assert sentence in " ".join(str(raised.value).split())


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({}, "standard"),
        ({"scale": "demo"}, "demo"),
        ({"seed": 7}, "standard-seed7"),
        ({"run": None}, "standard"),
        ({"seed": 7, "run": "mine"}, "mine"),
    ],
)
def test_runs_are_named_after_scale_and_seed_unless_they_have_a_name(changes, name):
    assert plan_run(configuration(changes), ROOT).run == name


@pytest.mark.parametrize("name", ["a/b", "..", "A run", "-x", "x" * 101])
def test_a_name_that_is_no_folder_is_refused(name):
    with pytest.raises(ReseatError, match="config, run: .* is not usable .at most 100 lower-case"):
        plan_run(configuration({"run": name}), ROOT)


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """Return the jobs of a run of everything at each scale."""
    folder = tmp_path_factory.mktemp("planned")
    return {scale: stored_lists.jobs(scale, folder / scale) for scale in stored_lists.SCALES}


def test_the_jobs_of_every_scale_are_those_that_are_stored(planned):
    changed = stored_lists.changed_jobs(read(stored_lists.JOBS), stored_lists.digests(planned))
    assert not changed, remedy(changed, stored_lists.JOBS, "--jobs FILE", "What the workflow runs")


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Return the paths of all files that a demo with another seed would write."""
    options = ("all", "--config", "scale=demo", "seed=7", "--summary")
    done = snakemake(*options, folder=tmp_path_factory.mktemp("summary"))
    rows = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
    return [row[0] for row in rows[1:]]


def test_every_file_of_the_results_is_described(outputs):
    lines = (ROOT / "docs" / "reference" / "outputs.md").read_text(encoding="utf-8").splitlines()
    seen = set()
    for path in outputs:
        if re.match("results/demo-seed7/(?!provenance/|benchmarks/).*[.](csv|npz)$", path):
            family, name = path.split("/")[2], re.sub(r"\d+", "N", path.split("/")[-1])
            seen.add((family, name))
            rows = [line for line in lines if line.startswith((f"| `{family}/", "| `FAMILY/"))]
            assert any(f"{name}`" in line for line in rows), path
    assert len(seen) > 40


def test_no_file_of_a_run_lies_where_another_run_writes(outputs):
    assert len(outputs) > 200 and all("/demo-seed7/" in path for path in outputs)
    n_found = 0
    for path in (ROOT / "workflow" / "rules").glob("*.smk"):
        text = path.read_text(encoding="utf-8")
        places = {"log": "LOGS", "benchmark": "BENCHMARKS"}
        for key, place in places.items():
            found = re.findall(rf"^ +{key}:\n +(.*)", text, re.M)
            assert all(value.startswith(f'f"{{{place}}}/') for value in found), (path, key)
            n_found += len(found)
    assert n_found > 50


def test_snakemake_says_that_sentence_and_starts_nothing(tmp_path):
    text = refused(tmp_path, {"chains": {"threads": 0}}, "all")
    assert "changes.yaml, chains.threads: must be at least 1, not 0" in text
    assert "Traceback" not in text
    assert not (tmp_path / "results").exists()


def test_unknown_target_is_named(tmp_path):
    assert "docs_table99" in refused(tmp_path, {}, "docs_table99")


def test_missing_data_are_listed_at_once_before_any_job(tmp_path):
    changes = {
        "data": {"mirrors": [str(tmp_path / "nowhere")], "download": False, "missing": "stop"}
    }
    text = refused(tmp_path, changes, "all", scale="standard")
    # Data that are not missing can be used: the links of animals are in the project.
    kept = {"data": {"mirrors": ["data"], "download": False, "missing": "stop"}}
    path = tmp_path / "kept.yaml"
    path.write_text(yaml.safe_dump({"scale": "standard"} | kept))
    snakemake("firm_kemp", "--configfile", path, "--dry-run", folder=tmp_path)
    names = ("newsgroups20", "enron_kaminski", "delicious_mulan", "reuters52")
    for name in (
        *names,
        "nltcs5000",
        "italy_shiw",
        "globins",
        "protein213",
        "aozora_adjectives",
        "umls",
    ):
        assert name in text
    assert "data.missing: skip" in text and "data.missing: standin" in text
    assert not (tmp_path / "results").exists()


def test_a_key_written_twice_is_refused(tmp_path):
    path = tmp_path / "twice.yaml"
    path.write_text("scale: demo\nseed: 1\nseed: 2\n")
    done = snakemake("firm_fig1", "--configfile", path, "--dry-run", folder=tmp_path, check=False)
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode != 0 and "line 3: the key 'seed' is written twice" in said


@pytest.mark.parametrize(
    ("given", "option", "sentence"),
    [
        ("records: {miss: {start: 0}}", "run=r", "mine.yaml, records.miss.start: must be above 0"),
        ("datasets: {mine: {titel: T}}", "run=r", "mine.yaml: data set 'mine'"),
        ("seed: 3", "chains={threads: 0}", "--config, chains.threads: must be at least 1, not 0"),
    ],
)
def test_a_wrong_value_is_looked_for_in_the_file_that_has_it(given, option, sentence, tmp_path):
    (tmp_path / "mine.yaml").write_text(given)
    (tmp_path / "first.yaml").write_text("scale: demo\nrecords: {miss: {start: 0.05}}\n")
    files = ("--configfile", tmp_path / "first.yaml", tmp_path / "mine.yaml", "--config", option)
    done = snakemake("firm_fig1", *files, "--dry-run", folder=tmp_path, check=False)
    assert done.returncode != 0 and sentence in " ".join((done.stdout + done.stderr).split())


def test_no_cores_are_refused_and_not_waited_for(tmp_path):
    arguments = ("firm_fig1", "--config", "scale=demo", "--cores", 0)
    done = snakemake(*arguments, folder=tmp_path, check=False)
    assert done.returncode != 0 and "--cores is 0" in done.stdout + done.stderr


def test_slurm_is_not_waited_for_where_it_is_not(tmp_path):
    if shutil.which("sbatch"):
        pytest.skip("SLURM is installed here")
    arguments = ("--executor", "slurm", "--jobs", 1, "--config", "scale=demo", "run=sl")
    done = snakemake(*arguments, "--", "firm_fig1", folder=tmp_path, check=False)
    assert done.returncode != 0 and "This machine has no sbatch" in done.stdout + done.stderr


def test_a_misspelt_target_gets_the_closest_one(tmp_path):
    done = snakemake("docs_tabel2", "--config", "scale=demo", folder=tmp_path, check=False)
    assert done.returncode != 0
    assert "docs_tabel2 is not a target; did you mean 'docs_table2'?" in done.stdout + done.stderr
    options = ("--rerun-triggers", "mtime", "code", "--config", "scale=demo", "--dry-run")
    done = snakemake(*options, "--", "docs_table2", folder=tmp_path)
    assert "is not a target" not in done.stdout + done.stderr


def test_the_report_is_made_anew_if_a_published_time_changes(tmp_path):
    done = snakemake("page", "--config", "scale=demo", "--dry-run", folder=tmp_path)
    inputs = re.search(r"rule page:\n +input: (.*)", done.stdout + done.stderr)[1]
    times = {time["file"] for paper in CATALOGUE.papers.values() for time in paper.times}
    assert times and times <= {Path(name).name for name in inputs.split(", ")}


def test_results_that_were_changed_are_not_taken(tmp_path):
    options = ("--config", "scale=demo", "--", "firm_fig1")
    snakemake(*options, folder=tmp_path)
    table = tmp_path / "reports" / "demo" / "tables" / "firm_fig1.csv"
    stamp, text = table.stat(), table.read_text()
    for changed in (text[: len(text) // 2], text.replace("1", "2", 1)):
        table.write_text(changed)
        done = snakemake(*options, folder=tmp_path, check=False)
        said = " ".join((done.stdout + done.stderr).split())
        assert done.returncode != 0
        assert "firm_fig1.csv: changed or damaged since the job that made it ended" in said
    assert snakemake("list", folder=tmp_path).returncode == 0
    table.write_text(text)  # with another date, which is no reason to complain
    assert "firm_fig1.csv: changed" not in snakemake(*options, folder=tmp_path).stderr
    os.utime(table, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert "Nothing to be done" in snakemake(*options, folder=tmp_path).stderr


#: Artefacts for which a clone alone lacks the data, and those that it makes in part.
LEFT_OUT = {"scdp_table2", *(name for name in ARTEFACTS if name.startswith("docs_"))}
IN_PART = {"micro_real", "cross_priors", "scdp_fig3", "scdp_moves", "scdp_readings"}
IN_PART |= {"scdp_table5", "scdp_times", "scdp_posterior", "scdp_scale"}
IN_PART |= {"scdp_full", "scdp_held_out"}


def test_without_a_network_a_clone_makes_what_it_has_the_data_for(tmp_path):
    alone = {"data": {"mirrors": ["data"], "download": False}}  # and no folder of files beside it
    path = tmp_path / "alone.yaml"
    path.write_text(yaml.safe_dump({"scale": "standard"} | alone))
    arguments = {"folder": tmp_path}
    done = snakemake("all", "--configfile", path, "--dry-run", **arguments)
    planned = set(re.findall(r"^ *(?:local)?rule (\w+):$", done.stdout + done.stderr, re.M))
    made = planned & ARTEFACTS.keys()
    assert made == ARTEFACTS.keys() - LEFT_OUT and len(made) >= 36
    plan = plan_run(configuration({"scale": "standard"} | alone), ROOT)
    found = shortfall(plan, CATALOGUE.products)
    assert (found.left_out.keys(), found.in_part.keys()) == (LEFT_OUT, IN_PART)
    assert found.in_part["micro_real"] == ("sds_poland",)
    table = shortfall_table(plan, CATALOGUE.products)
    assert table.startswith(f"6 data sets are missing: {len(made)} of {len(ARTEFACTS)} tables")
    for name in plan.available.skipped:
        row = re.search(rf"^{name} .*?(?=^\S)", table, re.M | re.S)[0]
        assert "where:" in row and "https://" in row and "needed by: " in row
    assert table.split("\n")[0] in " ".join((done.stdout + done.stderr).split())
    # On the command line, scalars inside a mapping are texts to Snakemake.
    written = ("scale=standard", "data={mirrors: [data], download: false}", "chains={threads: 1}")
    shown = snakemake("missing", "--quiet", "all", "--config", *written, **arguments)
    assert table in shown.stdout
    for page in ("data/README.md", "docs/howto/data.md", "docs/howto/offline.md"):
        text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
        assert f"{len(made)} of the {len(ARTEFACTS)} tables and figures" in text, page


def test_missing_data_can_be_replaced_by_what_stands_in(tmp_path):
    changes = {
        "scale": "standard",
        "data": {"mirrors": [], "download": False, "missing": "standin"},
    }
    path = tmp_path / "changes.yaml"
    path.write_text(yaml.safe_dump(changes))
    done = snakemake("all", "--configfile", path, "--dry-run", folder=tmp_path)
    text = done.stdout + done.stderr
    assert "demo_newsgroups" in text and "demo_nltcs_d05" in text and "demo_survey" in text
    assert "demo_families" in text


def test_no_linter_complains():
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["sh", "tools/lint.sh"],
        cwd=ROOT, env=os.environ | {"PATH": path}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


MODULE = """
module reseat:
    snakefile:
        "{snakefile}"


use rule * from reseat as reseat_*


rule mine:
    default_target: True
    input:
        rules.reseat_micro_thm1.output,
    output:
        "mine.txt",
    shell:
        "ls {{input}} > {{output}}"
"""


def test_another_workflow_can_use_this_one_as_a_module(tmp_path):
    (tmp_path / "Snakefile").write_text(MODULE.format(snakefile=SNAKEFILE))
    done = snakemake("--config", "scale=demo", folder=tmp_path, snakefile=tmp_path / "Snakefile")
    assert done.returncode == 0
    made = (tmp_path / "mine.txt").read_text().split()
    assert "reports/demo/figures/micro_thm1.svg" in made
    assert all((tmp_path / path).is_file() for path in made)

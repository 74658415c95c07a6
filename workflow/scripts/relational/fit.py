"""The restarts of one model on one set of relations."""

from reseat.datasets import Relations
from reseat.experiments.relational.fitting import FittedRelations, fit_model, save_fit
from reseat.experiments.relational.plan import Fit
from reseat.jobs import job

with job(snakemake.log[0]):
    given = snakemake.input
    fit, relations = Fit(**snakemake.params.fit), Relations.load(given.relations)
    twin = FittedRelations.load(given.twin) if given.twin else None
    posterior = fit_model(fit, relations, threads=snakemake.threads, twin=twin)
    print(posterior.restarts.to_string())
    save_fit(posterior, fit, relations.identity.status, snakemake.output.fit)

"""What a paper declares: a study, a table, the figure drawn from it, or verdicts on its claims."""

import pandas as pd

from reseat.files.atomic import write_arrays, write_table
from reseat.papers.recipe import Recipe
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    recipe, output = Recipe(**snakemake.params.recipe), dict(snakemake.output.items())
    known = {"threads": snakemake.threads, **dict(snakemake.wildcards.items())}
    made = recipe.follow(dict(snakemake.input.items()), known | dict(snakemake.params.items()))
    for name in recipe.made:
        if name in output and output[name].endswith(".npz"):
            write_arrays(made[name], output[name])
        elif name in output:
            write_table(pd.DataFrame(made[name]), output[name])
    if recipe.draws:
        recipe.draw(made, output["pdf"].removesuffix(".pdf"))

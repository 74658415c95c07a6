"""A table of a paper and the figure drawn from it, or the verdicts on its claims."""

from reseat.files.atomic import write_table
from reseat.papers.recipe import Recipe
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    recipe, output = Recipe(**snakemake.params.recipe), dict(snakemake.output.items())
    made = recipe.follow(dict(snakemake.input.items()), dict(snakemake.params.items()))
    for name in recipe.makes.keys() & output.keys():
        write_table(made[name], output[name])
    if recipe.draws:
        recipe.draw(made, output["pdf"].removesuffix(".pdf"))

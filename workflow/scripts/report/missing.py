"""Print which data the run lacks, where to get them, and what cannot be made without them."""

print(snakemake.params.table)

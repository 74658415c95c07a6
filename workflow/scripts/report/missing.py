"""Print which data the run lacks, where they would come from, and what is not made without them."""

print(snakemake.params.table)

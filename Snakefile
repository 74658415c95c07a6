# The workflow is in workflow/Snakefile, where its catalogue expects it; this file lets both be named.
include: "workflow/Snakefile"


# Snakemake ignores which rule an included file names as its default.
workflow.default_target = "all"

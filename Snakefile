# The workflow is in workflow/Snakefile, where its catalogue expects it; this file lets both be named.
include: "workflow/Snakefile"

"""Print every artefact with one line on what it shows."""

from reseat.report import list_artefacts, load_artefacts

print(list_artefacts(load_artefacts(snakemake.input.catalogue)))

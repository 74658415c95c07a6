"""Sequences, names, groups and organisms of GlobinQ, joined by their identifier."""

from __future__ import annotations

from derive import Origins, csv_table

GROUPS = "NOPQ"


def globins(origins: Origins) -> bytes:
    """Return one row for each sequence, in the order of the FASTA file."""
    repository = origins.repository("ezequieljsosa/globinq")

    def lines(name: str) -> list[str]:
        return repository.read(f"data/{name}").decode().splitlines()

    group = {name.strip(): letter for letter in GROUPS for name in lines(f"taxIDs_{letter}")}
    uniprot = dict(line.split("\t") for line in lines("taxIDs_UniprotIDs") if line.strip())
    organism = dict(line.split(" ", 1) for line in lines("taxIDs_CepasOrganismos") if line.strip())
    rows = []
    for record in "\n".join(lines("generated/sequences.fasta")).split(">")[1:]:
        name, *parts = record.split()
        sequence = "".join(parts)
        found = [table.get(name, "").strip() for table in (uniprot, group, organism)]
        rows.append([name, *found, len(sequence), sequence])
    return csv_table("id uniprot group organism length sequence".split(), rows)


TABLES = {"globinq_1106.csv.gz": globins}

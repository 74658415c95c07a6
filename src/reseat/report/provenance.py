"""How a table or figure was made: command, functions, chains and commit."""

from __future__ import annotations

from reseat.runs import DEFAULT_SEED, run_name


def how_made(report, artefact):
    """Return how an artefact is made, to be shown beside it.

    `chains` is empty if it is not based on chains.
    """
    inputs = report.inputs
    settings = {"scale": inputs.scale, "seed": inputs.settings.get("seed", DEFAULT_SEED)}
    if run_name(settings) != inputs.run:
        settings["run"] = inputs.run
    keys = [f"{key}={value}" for key, value in settings.items()]
    found = [*artefact.makes.items(), *([("drawn by", artefact.draws)] if artefact.draws else [])]
    return {
        "command": f"snakemake --cores 2 {artefact.name} --config {' '.join(keys)}",
        "explain": f"reseat explain {artefact.name} --run {inputs.run}",
        "functions": [_place(what, reference) for what, reference in found],
        "chains": _chains(report, artefact),
        "commit": inputs.commit,
    }


def _place(what, reference):
    module, _colon, name = reference.partition(":")
    return {"what": what, "file": f"src/{module.replace('.', '/')}.py", "name": name}


def _chains(report, artefact):
    """Return, in words, the number of chains in its own table, or else on its data sets."""
    table = report.tables.get(artefact.name)
    if table is not None and "n_chains" in table:
        known = table["n_chains"].dropna().astype(int)
        low, high = (int(known.min()), int(known.max())) if len(known) else (0, 0)
        if high:
            number = str(high) if max(low, 1) == high else f"{max(low, 1)} to {high}"
            one = "chain, restart or draw" if number == "1" else "chains, restarts or draws"
            return f"{number} {one} of the data behind a number"
    data = {entry["name"] for entry in report.data_of([artefact.name])}
    chains = report.inputs.diagnostics
    own = chains[
        chains["dataset"].isin(data) & chains["family"].eq(artefact.family)
    ].drop_duplicates(["dataset", "draw", "model"])
    return f"{int(own['n_chains'].sum())} chains on its data sets" if len(own) else ""

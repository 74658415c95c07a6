"""Print every table and figure that the workflow makes, by the name it is asked for."""

from pathlib import Path

from reseat.report import list_artefacts, load_artefacts

ROOT = Path(__file__).resolve().parent.parent

if __name__ == "__main__":
    catalogue = load_artefacts(
        ROOT / "config" / "artefacts.yaml",
        ROOT / "workflow" / "schemas" / "artefacts.schema.yaml",
    )
    print(list_artefacts(catalogue), end="")

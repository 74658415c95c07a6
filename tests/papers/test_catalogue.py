"""The catalogue of the papers: every declaration of a table, figure or study is well formed."""

import re

import pandas as pd
from products import run_script

from reseat.papers.catalogue import CATALOGUE
from reseat.papers.declare import Artefact
from reseat.papers.recipe import Recipe

#: Parameters of the job of a product, which no setting may replace.
RESERVED = {"artefact", "caption", "code", "reaches", "recipe"}

DECLARED = [
    product
    for paper in CATALOGUE.papers.values()
    for product in (*paper.products.values(), *paper.jobs.values())
]


def faults(product):
    """Yield what is wrong with a declaration."""
    for name, given in product.inputs.items():
        if given.takes not in ("one", "all", "each", "folder"):
            yield f"the input {name} takes {given.takes}"
        if given.family not in {"", *CATALOGUE.families}:
            yield f"the input {name} is of the family {given.family}"
        for pattern in [given.files] if isinstance(given.files, str) else given.files:
            folders = re.findall(r"\{(\w+)\}", pattern)[:1]
            if not {*folders} <= {"results", "processed", "tables", "published"}:
                yield f"the input {name} is in the folder {folders[0]}"
    if RESERVED & product.settings.keys():
        yield f"a setting is called {min(RESERVED & product.settings.keys())}"
    if not isinstance(product, Artefact):
        return
    if not re.fullmatch("[a-z][a-z0-9_]*", product.name):
        yield "the name is not lower-case letters, digits and underscores"
    if product.kind not in ("figure", "table", "contingency"):
        yield f"the kind is {product.kind}"
    if product.kind == "figure" and not product.draws:
        yield "no function draws the figure"
    if not 0 < len(product.shows) <= 120:
        yield "what it shows is not one line of at most 120 characters"
    repeated = {*product.compare.repeated_over} - {"role", "variant", "system", "metric"}
    if repeated:
        yield f"numbers are repeated over {min(repeated)}"
    if product.compare.not_comparable and product.claims:
        yield "claims rest on numbers that are not comparable"


def test_declarations_are_well_formed():
    assert {product.name: list(faults(product)) for product in DECLARED if [*faults(product)]} == {}
    assert len({product.name for product in DECLARED}) == len(DECLARED)
    assert len(CATALOGUE.papers) == len(CATALOGUE.families) == 5


def both(table, other):
    """Return what a job has read."""
    return table, other


def test_an_input_without_files_is_none(tmp_path):
    (tmp_path / "a.csv").write_text("x\n1\n")
    read = {"read": "pandas:read_csv", "takes": "one", "part": "", "options": {}}
    recipe = Recipe({"table": read, "other": read}, {"read": f"{__name__}:both"}, "", {})
    table, other = recipe.follow({"table": tmp_path / "a.csv", "other": []}, {})["read"]
    assert table["x"].tolist() == [1] and other is None


def test_without_any_claims_their_table_is_empty(tmp_path):
    run_script("report/claims.py", {"claims": []}, {"claims": tmp_path / "claims.csv"})
    assert len(pd.read_csv(tmp_path / "claims.csv")) == 0

# What the rules of artefacts and of verdicts are made from: the declarations in
# src/reseat/experiments/*/artefacts.py.
from reseat.experiments.artefact import Artefact
from reseat.experiments.shortfall import shortfall, shortfall_table

MADE = {name for name, product in CATALOGUE.products.items() if product.can_be_made(FAMILIES)}


# What of them is left out or made in part, as data are missing.
SHORTFALL = shortfall(RUN_PLAN, CATALOGUE.products)


def lacking():
    """The table of missing data, below a blank line; empty if none are."""
    if not RUN_PLAN.available.missing:
        return ""
    return f"\n\n{shortfall_table(RUN_PLAN, CATALOGUE.products)}"


def places(family):
    """What stands for the folders in the paths that a family declares."""
    return {
        "results": f"{RESULTS}/{family}",
        "processed": PROCESSED,
        "tables": f"{REPORTS}/tables",
        "published": PUBLISHED,
    }


def product_inputs(product):
    """The files that it is made from."""
    if product.name in MADE:
        try:
            return product.files(FAMILIES, places)
        except ReseatError as error:
            raise WorkflowError(f"{product.name}: {error}") from None

    def refuse(wildcards):
        raise WorkflowError(
            f"{product.name} cannot be made: this run lacks data sets that it needs. Add them to "
            f"config/{product.family}.yaml, or see data.missing in config/config.yaml.{lacking()}"
        )

    return {"missing": refuse}


def product_outputs(product):
    """Its tables and, of a figure, the pictures; what the report shows has a caption."""
    name = product.name
    found = {key: path.format(**places(product.family)) for key, path in product.writes.items()}
    if product.draws:
        found |= {ending: f"{REPORTS}/figures/{name}.{ending}" for ending in ("pdf", "svg", "png")}
    if isinstance(product, Artefact):
        shown, kind = ("svg", "figure") if product.draws else ("table", "table")
        found[shown] = report(
            found[shown],
            caption="../report/artefact.rst",
            category=product.paper.short,
            labels={"artefact": name, "kind": kind},
        )
    return found


def product_params(product):
    """What its job does, and the modules that it finds by name."""
    found = product.settings_of(FAMILIES) if product.name in MADE else {}
    found |= {"artefact": product.name, "recipe": product.recipe(), "reaches": product.modules}
    if isinstance(product, Artefact):
        # Parameters that are made from outputs are not compared with those of an earlier run: other
        # words make no result again.
        found["caption"] = lambda wildcards, output: product.caption
    return found


def outputs_of(family):
    """What is made of a family; rules of products are there already."""
    return [
        path
        for name, product in CATALOGUE.products.items()
        if name in MADE and product.family == family
        for path in getattr(rules, name).output
    ]

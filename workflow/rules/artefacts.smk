# One rule for each table, figure and set of verdicts of all papers; the name of the rule is that of
# the target. They are declared in src/reseat/experiments/*/artefacts.py.

for product in CATALOGUE.products.values():

    rule:
        name:
            product.name
        input:
            **product_inputs(product),
        output:
            **product_outputs(product),
        log:
            f"{LOGS}/{product.family}/{product.log}.log",
        group:
            f"{product.family}_artefacts"
        params:
            **product_params(product),
        script:
            "../scripts/artefact.py"


# For each family, a target with its name that makes all of its tables, figures and verdicts.
FAMILY_OUTPUTS = []
for family in FAMILIES:
    FAMILY_OUTPUTS += outputs_of(family)

    rule:
        name:
            family
        input:
            outputs_of(family),
        localrule: True

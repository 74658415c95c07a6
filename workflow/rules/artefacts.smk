# The tables, figures and verdicts of all papers: one rule each, named as it is asked for. They are
# declared in src/reseat/experiments/*/artefacts.py.

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


# Every artefact of a family, by the name of the family.
FAMILY_OUTPUTS = []
for family in FAMILIES:
    FAMILY_OUTPUTS += outputs_of(family)

    rule:
        name:
            family
        input:
            outputs_of(family),
        localrule: True

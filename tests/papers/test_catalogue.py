"""The catalogue of the papers: every artefact has a name of its own."""

from dataclasses import replace

import pytest

from reseat.errors import ConfigError
from reseat.papers.catalogue import CATALOGUE, Catalogue


def test_a_name_that_two_papers_give_is_refused():
    documents = CATALOGUE.papers[next(iter(CATALOGUE.papers))]
    taken = next(iter(documents.products))
    other = replace(
        documents, key="other", family="other", products={taken: documents.products[taken]}
    )
    with pytest.raises(ConfigError, match=f"{taken!r} is declared twice, by the families"):
        Catalogue([documents, other])


def test_an_input_of_an_unknown_family_is_refused():
    documents = CATALOGUE.papers[next(iter(CATALOGUE.papers))]
    name, product = next(iter(documents.products.items()))
    given = {"a": replace(next(iter(product.inputs.values())), family="docments")}
    other = replace(documents, products={name: replace(product, inputs=given)})
    with pytest.raises(ConfigError, match=f"{name}: the input 'a' is of the family 'docments'"):
        Catalogue([other])

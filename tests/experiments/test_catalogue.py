"""The catalogue of the papers: every artefact has a name of its own."""

from dataclasses import replace

import pytest

from reseat.errors import ConfigError
from reseat.experiments.catalogue import CATALOGUE, Catalogue


def test_a_name_that_two_papers_give_is_refused():
    documents = CATALOGUE.papers[next(iter(CATALOGUE.papers))]
    taken = next(iter(documents.products))
    other = replace(
        documents, key="other", family="other", products={taken: documents.products[taken]}
    )
    with pytest.raises(ConfigError, match=f"{taken!r} is declared twice, by the families"):
        Catalogue([documents, other])

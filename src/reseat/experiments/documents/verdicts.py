"""The verdicts on the claims of Walker & Ringger 2008."""

from __future__ import annotations

import pandas as pd

from reseat.experiments.documents.claims import evaluate_claims
from reseat.experiments.documents.evidence import ROLES, DocumentsEvidence
from reseat.experiments.documents.printed_claims import evaluate_printed


def judge_all(
    scores,
    roles,
    identities,
    traces,
    switching,
    table7,
    published_summaries,
    published_methods,
    published_table7,
    seed,
):
    """Judge the claims on what was measured, and on the numbers that the paper prints.

    Parameters
    ----------
    scores, roles, switching, table7, seed
        As `Evidence` has them.
    identities : list of DatasetIdentity
    traces : list of Traces
        Of the Gibbs chains on each of `identities`.
    published_summaries, published_methods : list of dict
        The published Tables 1 to 3 and 4 to 6, from `read_published`.
    published_table7 : dict
        (cluster, class) to count.

    Returns
    -------
    pandas.DataFrame
        Columns :data:`~reseat.experiments.verdicts.CLAIM_COLUMNS`.
    """
    measured = evaluate_claims(
        DocumentsEvidence(
            scores=scores,
            roles=roles,
            traces={of.name: of_set for of, of_set in zip(identities, traces, strict=True)},
            switching=switching,
            table7=table7,
            seed=seed,
        )
    )
    printed = evaluate_printed(
        dict(zip(ROLES, published_summaries, strict=True)),
        dict(zip(ROLES, published_methods, strict=True)),
        published_table7,
    )
    return pd.concat([measured, printed], ignore_index=True)

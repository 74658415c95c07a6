"""Claims as the report shows them."""

from __future__ import annotations

from reseat.report.numbers import absent, effect, interval
from reseat.vocabulary import AS_PRINTED, CLAIM_VERDICTS, OURS, split_claim


def claim_views(claims):
    """Group the rows of claims by paper and claim.

    A claim has `key`, `anchor`, `statement` (a sentence), `clause` (the same to follow "that"),
    `ours` (whether it is a statement of this project rather than of the paper), `measure`,
    `verdict` (on our numbers with the text as it reads, or that of the first other judgement if
    there is none) and the lists `measured`, `readings` and `printed`: judgements on our numbers, on
    our numbers under another reading, and on the paper's own numbers. `source` and `measured` may
    be missing in older runs.
    """
    views = {}
    for row in claims.to_dict("records"):
        key, reading, statement = split_claim(row["claim"])
        claim = views.setdefault(row["paper"], {}).setdefault(
            key,
            {
                "key": key,
                "anchor": f"claim-{key.lower()}",
                "statement": statement[:1].upper() + statement[1:],
                "clause": statement,
                "ours": row.get("source") == OURS,
                "measure": "" if absent(row.get("measured")) else row["measured"],
                **{part: [] for part in ("measured", "readings", "printed")},
            },
        )
        part = "printed" if reading == AS_PRINTED else "readings" if reading else "measured"
        claim[part].append(_judgement(row, reading))
    for of_paper in views.values():
        for claim in of_paper.values():
            found = claim["measured"] or claim["readings"] or claim["printed"]
            claim["verdict"] = found[0]["verdict"]
    return {paper: list(of_paper.values()) for paper, of_paper in views.items()}


def _judgement(row, reading):
    return {
        "reading": reading,
        "verdict": row["verdict"],
        "effect": "" if absent(row["effect"]) else effect(row["effect"], row["low"], row["high"]),
        "interval": interval(row["low"], row["high"]),
        "evidence": row["evidence"],
    }


def of_the_paper(views):
    """Return the claims of the paper, without the statements of this project."""
    return [claim for claim in views if not claim["ours"]]


def verdict_counts(views):
    """Count the paper's claims that are confirmed, refuted and untestable, each of them once."""
    found = [claim["verdict"] for claim in of_the_paper(views)]
    return {verdict: found.count(verdict) for verdict in CLAIM_VERDICTS}

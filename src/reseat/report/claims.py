"""Claims as the report shows them."""

from __future__ import annotations

from reseat.report.numbers import absent, effect, interval

VERDICTS = ("confirmed", "refuted", "untestable")

#: The reading of a claim that is judged on the paper's own printed numbers.
AS_PRINTED = "as printed"

#: What column `source` says of a statement that is this project's, not the paper's.
OURS = "reseat"


def claim_views(claims):
    """Claims by paper.

    Parameters
    ----------
    claims : pandas.DataFrame
        `paper`, `claim` (an identifier, a reading in brackets or none, a colon, a sentence),
        `verdict`, `effect`, `low`, `high`, `evidence`; `source`, without which all are of the
        paper; and `measured`, what the effect is, which older runs have not.

    Returns
    -------
    dict of str to list of dict
        Paper to its claims in order. A claim has `key`, `anchor`, `statement` (a sentence),
        `clause` (the same after "that"), `ours` (whether it is a statement of this project, not of
        the paper), `measure`, `verdict` (of our numbers as the text reads;
        of the first other judgement if there is none) and the lists `measured`, `readings` and
        `printed`: its judgements on our numbers, on those under another reading, and on the
        paper's own.
    """
    views = {}
    for row in claims.to_dict("records"):
        name, _colon, statement = row["claim"].partition(": ")
        key, _bracket, reading = name.partition(" (")
        reading = reading.removesuffix(")")
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
    """Claims without the statements that are this project's."""
    return [claim for claim in views if not claim["ours"]]


def verdict_counts(views):
    """How many of a paper's claims are confirmed, refuted and untestable, each counted once."""
    found = [claim["verdict"] for claim in of_the_paper(views)]
    return {verdict: found.count(verdict) for verdict in VERDICTS}

"""The page of data sets: origins, licences, hashes, and what stands in for what."""

from __future__ import annotations

STATUSES = ("faithful", "stand-in", "generated", "own")


#: What data sets that are drawn or cut from one source have in common.
_COMMON = ("status", "stands_for", "licence", "citation", "note")


def data_page(report):
    """Context of the page of data sets.

    Parameters
    ----------
    report : ReportData

    Returns
    -------
    dict
        `families`, each with `groups` of data sets from one source; `counts` by status;
        `left_out`; `replaced`: what the paper had, to the data sets in its place.
    """
    inputs = report.inputs
    families = []
    for key, title in inputs.catalogue.families.items():
        cards = [card for card in inputs.datasets if card.get("family") == key]
        if cards:
            families.append({"key": key, "title": title, "groups": _grouped(cards)})
    found = [card["status"] for card in inputs.datasets]
    replaced = {}
    for card in inputs.datasets:
        if card["stands_for"]:
            replaced.setdefault((card["stands_for"], card["status"]), []).append(card)
    return {
        "families": families,
        "counts": {status: found.count(status) for status in STATUSES},
        "left_out": inputs.settings.get("data sets left out", "none"),
        "replaced": replaced,
    }


def _grouped(cards):
    groups = {}
    for card in cards:
        groups.setdefault(tuple(card[field] for field in _COMMON), []).append(card)
    return [
        {
            **dict(zip(_COMMON, common, strict=True)),
            "cards": own,
            "sha256": {file: hash_ for card in own for file, hash_ in card["sha256"].items()},
        }
        for common, own in groups.items()
    ]

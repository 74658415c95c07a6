"""The page of data sets: origins, licences, hashes, and stand-ins."""

from reseat.vocabulary import STATUSES

#: Fields that data sets drawn or cut from the same source have in common.
_COMMON = ("status", "stands_for", "licence", "citation", "note")

#: Name that `reseat.datasets.build` gives to the hash of data without a raw file.
_NO_FILE = "data as read"
#: Prefix of the names of parsers that generate data.
_DRAWING = "generated"


def data_page(report):
    """Return the template context of the page of data sets.

    `families` have `groups` of data sets from one source, and `replaced` maps the data that are
    replaced and the status to the data sets in their place.
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
        {**dict(zip(_COMMON, common, strict=True)), "cards": own, "hashes": _hashes(own)}
        for common, own in groups.items()
    ]


def _hashes(cards):
    """Return each hash of some data sets once, with a title if only one of them has it."""
    owners = {}
    for card in cards:
        for file, hash_ in card["sha256"].items():
            owners.setdefault((_named(file, card), hash_), []).append(card["title"])
    return [
        {"title": titles[0] if len(cards) > len(titles) == 1 else "", "what": what, "sha256": hash_}
        for (what, hash_), titles in owners.items()
    ]


def _named(file, card):
    if file != _NO_FILE:
        return file
    drawn = card["preprocessing"].get("parser", "").startswith(_DRAWING)
    return "digest of the data as drawn" if drawn else "digest of the data as read"

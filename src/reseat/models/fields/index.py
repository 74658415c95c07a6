"""Indices of records whose fields are compared by rules derived from their values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reseat.likelihoods import RecordIndex, SimilarityIndex, SimilarRecords, code_columns
from reseat.models.fields.columns import Columns
from reseat.models.fields.frequencies import correct_shares, frequencies
from reseat.models.fields.matches import (
    PERHAPS_STRANGE,
    aliases,
    changing_fields,
    joined,
    matches,
)


def compared_values(columns: Sequence, followed: Mapping[int, Sequence]) -> dict[int, list]:
    """Return the values of each field without those that follow others, unless none is left."""
    found = {}
    for field, column in enumerate(columns):
        leaders = [columns[leader] for leader in followed.get(field, ())]
        left = [
            None if any(leader[k] is not None for leader in leaders) else value
            for k, value in enumerate(column)
        ]
        if any(value is not None for value in left):
            found[field] = left
    return found


@dataclass(frozen=True)
class Learned:
    """What was learned: aliases by field, fields that change together, and those compared."""

    aliases: dict[int, list[tuple[str, str]]]
    changing: list[tuple[int, ...]]
    #: The fields that are compared, their codes (n_records, n_fields), and near values.
    fields: list[int]
    codes: np.ndarray
    near: Sequence


def index_fields(
    columns: Sequence[Sequence],
    changing: Sequence[Sequence[int]] | None = None,
    known: Columns | None = None,
) -> tuple[SimilarityIndex, Learned]:
    """Return an index of records, by rules derived from their values or those of `known` ones."""
    columns = Columns.of(columns)
    rules = columns if known is None else known
    kinds, followed = rules.kinds, rules.followed
    shown = compared_values(columns, followed)
    if known is not None:
        shown = {field: shown[field] for field in compared_values(known, followed)}
    similarities = [kinds[field].similarity for field in shown]
    codes, by_letters, levels = code_columns([*shown.values()], similarities)
    pairs = matches(codes)
    found = aliases(codes, by_letters, pairs)
    near = [*map(joined, by_letters, found)]
    place = {field: number for number, field in enumerate(shown)}
    follows = [
        (place[field], place[leader])
        for field, leaders in followed.items()
        for leader in leaders
        if field in place and leader in place
    ]

    def indexed(links: np.ndarray, groups: Sequence[Sequence[int]]) -> SimilarityIndex:
        laws = frequencies(codes, links, by_letters)
        records = RecordIndex(codes, [np.append(law.seen, law.unseen) for law in laws])
        beside = [(np.append(law.beside, np.zeros_like(law.unseen)), law.log_gain) for law in laws]
        correct = correct_shares(codes, links, by_letters)
        return SimilarityIndex(records, near, groups, beside, correct)

    def log_odds(groups: Sequence[Sequence[int]]) -> np.ndarray:
        return SimilarRecords(indexed(links, groups)).log_ratios(pairs) - np.log(len(codes))

    def linked(groups: Sequence[Sequence[int]]) -> np.ndarray:
        # If there is nothing else to compare, records with the same value are of one entity.
        return pairs if len(near) == 1 else pairs[log_odds(groups) > 0]

    links = pairs[:0]
    links = linked(())
    if changing is None:
        dependent = [place[k] for k in columns.following(PERHAPS_STRANGE) if k in place]
        groups = changing_fields(codes, near, pairs, log_odds, follows, dependent)
    else:
        # A field that follows from another is none of an index, and new records may reveal one.
        kept = (tuple(place[field] for field in group if field in place) for group in changing)
        groups = [group for group in dict.fromkeys(kept) if len(group) > 1]
    index = indexed(linked(groups), groups)
    named = {
        field: [(values[x], values[y]) for x, y in zip(*pairs[:2], strict=True)]
        for field, values, pairs in zip(shown, levels, found, strict=True)
        if len(pairs[0])
    }
    fields = [*shown]
    changing = [tuple(fields[k] for k in group) for group in groups]
    return index, Learned(named, changing, fields, codes, near)

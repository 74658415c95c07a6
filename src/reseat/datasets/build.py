"""From a name in the registry to a `Corpus`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from reseat.datasets.corpus import Corpus
from reseat.datasets.documents import RawCounts, RawDocuments
from reseat.datasets.entries import Dataset
from reseat.datasets.features import FeatureOptions, count_features, message_text
from reseat.datasets.hashes import sha256_of
from reseat.datasets.identity import DatasetIdentity
from reseat.datasets.objects import RawDissimilarities, RawMentions, RawSequences
from reseat.datasets.parsers import COUNT_PARSERS, NOT_DOCUMENTS, PARSERS
from reseat.datasets.registry import Registry
from reseat.datasets.relation_tables import RawRelations
from reseat.datasets.settings import DataSettings
from reseat.datasets.sources import Located, locate
from reseat.datasets.stoplists import STOP_LIST_FILES, read_stop_list
from reseat.datasets.tables import RawRecipe, RawRecords
from reseat.errors import ConfigError, DataError

__all__ = [
    "STOP_LIST_DATASET",
    "build_corpus",
    "feature_options",
    "read_entry",
    "read_raw",
    "stop_list_role",
]

STOP_LIST_DATASET = "stoplists"
# Their data have no words to be stopped.
WORDLESS = COUNT_PARSERS | NOT_DOCUMENTS.keys()
Raw = (
    RawDocuments | RawCounts | RawRecords | RawRecipe | RawSequences | RawDissimilarities
    | RawRelations | RawMentions | dict
)  # fmt: skip


def read_raw(located: Located) -> Raw:
    """Run the parser of a located data set.

    Raises
    ------
    ConfigError
        If the data set has no parser of its own.
    DataError
        If its files are not what the parser expects.
    """
    entry = located.dataset
    if entry.parser is None:
        raise ConfigError(f"data set {entry.name!r} has no parser: other data sets use its files")
    return PARSERS[entry.parser](located.paths, **entry.options)


def read_entry(
    registry: Registry,
    name: str,
    settings: DataSettings | None,
    parsers: Mapping[str, Any],
    what: str,
) -> tuple[Any, DatasetIdentity]:
    """Find a data set of one kind and run its parser.

    Parameters
    ----------
    registry : Registry
    name : str
    settings : DataSettings, optional
    parsers : mapping
        Those whose data sets are of this kind.
    what : str
        The kind in words, for the sentence.

    Returns
    -------
    raw : object
        What the parser gives.
    identity : DatasetIdentity
        With parser and options under ``preprocessing``.

    Raises
    ------
    ConfigError
        If the name is unknown or that of another kind, or an option is unusable.
    DataError
        If a file is missing or damaged.
    """
    entry = registry[name]
    if entry.parser not in parsers:
        others = ", ".join(other for other in registry if registry[other].parser in parsers)
        raise ConfigError(f"data set {name!r} is not {what}; these are: {others or 'none'}")
    located = locate(registry, name, settings or DataSettings())
    try:
        raw = read_raw(located)
    except (ConfigError, DataError) as error:
        raise type(error)(f"data set {name!r}: {error}") from error
    steps = {"parser": entry.parser, "options": dict(entry.options)}
    return raw, replace(located.identity, preprocessing=steps)


def feature_options(
    entry: Dataset, features: FeatureOptions | Mapping[str, Any] | None = None
) -> FeatureOptions:
    """Lay the run's feature options over the entry's own, and these over the defaults.

    A `FeatureOptions` is taken as it is.
    """
    if isinstance(features, FeatureOptions):
        return features
    return FeatureOptions.from_config({**entry.features, **(features or {})})


def stop_list_role(
    entry: Dataset, features: FeatureOptions | Mapping[str, Any] | None = None
) -> str | None:
    """Return which file of the data set `stoplists` an entry needs, None for no file."""
    if entry.parser is None or entry.parser in WORDLESS:
        return None
    return STOP_LIST_FILES[feature_options(entry, features).stop_list]


def build_corpus(
    registry: Registry,
    name: str,
    settings: DataSettings | None = None,
    features: FeatureOptions | Mapping[str, Any] | None = None,
) -> Corpus:
    """Find, read and count a data set.

    Parameters
    ----------
    registry : Registry
    name : str
        Data set, which must be one of documents.
    settings : DataSettings, optional
    features : FeatureOptions or mapping, optional
        See `feature_options`.  Data that are published as counts are taken as
        published, and the identity says so.

    Returns
    -------
    Corpus
        Its identity records hashes, parser, options, feature rule and stop list.

    Raises
    ------
    ConfigError
        If the name, an option or the stop list is unknown.
    DataError
        If a file is missing or damaged, or nothing is left to count.
    """
    settings = settings or DataSettings()
    entry = registry[name]
    if entry.parser in NOT_DOCUMENTS:
        raise ConfigError(f"data set {name!r} is one of {entry.family}, not of documents")
    features = feature_options(entry, features)
    located = locate(registry, name, settings)
    raw = read_raw(located)
    hashes = dict(located.identity.sha256)
    steps: dict[str, Any] = {"parser": entry.parser, "options": dict(entry.options)}
    try:
        if isinstance(raw, RawCounts):
            counts, vocabulary = raw.counts, raw.vocabulary
            steps |= raw.rule
        else:
            if not hashes:  # generated, or the user's own: no file with a hash in the registry
                hashes["texts as read"] = _checked_hash(raw, located)
            stop_words = _stop_words(registry, features, settings, hashes)
            headers = features.headers if raw.has_headers else "all"
            bodies = [message_text(text, headers) for text in raw.texts]
            counts, vocabulary = count_features(bodies, features, stop_words)
            steps |= {"rule": "tf-idf" if features.top_words else "all words"}
            steps |= features.to_dict() | {"n_stop_words": len(stop_words)}
            if not raw.has_headers:
                steps["headers"] = "the texts have none"
    except DataError as error:
        raise DataError(f"data set {name!r}: {error}") from error
    return Corpus(
        counts=counts,
        vocabulary=vocabulary,
        labels=raw.labels,
        label_names=raw.label_names,
        document_ids=raw.document_ids,
        identity=replace(located.identity, sha256=hashes, preprocessing=steps),
    )


def _stop_words(
    registry: Registry, features: FeatureOptions, settings: DataSettings, hashes: dict[str, str]
) -> frozenset[str]:
    role = STOP_LIST_FILES[features.stop_list]
    if role is None:
        return read_stop_list(features.stop_list, split=features.split_stop_words)
    if role not in registry[STOP_LIST_DATASET].files:
        raise ConfigError(f"data set {STOP_LIST_DATASET!r} has no file {role!r}")
    lists = locate(registry, STOP_LIST_DATASET, settings, roles=[role])
    hashes[registry[STOP_LIST_DATASET].files[role].path] = sha256_of(lists.paths[role])
    return read_stop_list(features.stop_list, lists.paths[role], features.split_stop_words)


def _checked_hash(raw: RawDocuments, located: Located) -> str:
    """Hash of names and texts; for a user's copy it must be the one in the registry."""
    digest = hashlib.sha256()
    for name, text in zip(raw.document_ids, raw.texts, strict=True):
        digest.update(f"{name}\0{text}\0".encode())
    expected = located.dataset.texts_sha256
    if expected and digest.hexdigest() != expected:
        raise DataError(
            f"data.paths.{located.dataset.name} is a copy whose {len(raw.texts):,} texts are not "
            "the expected ones (texts_sha256); use another copy"
        )
    return digest.hexdigest()

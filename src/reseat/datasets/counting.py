"""Counting of words in texts, the last step in building a data set of documents."""

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from reseat.datasets import features as words
from reseat.datasets.corpus import Corpus
from reseat.datasets.identity import UNNAMED
from reseat.datasets.parsers import PARSERS
from reseat.datasets.raw import RawDocuments
from reseat.datasets.registry import Dataset, DataSettings, Registry
from reseat.datasets.sources import Located, locate
from reseat.errors import ConfigError, DataError
from reseat.files.atomic import sha256_of

logger = logging.getLogger(__name__)
STOP_LIST_DATASET = "stoplists"
#: Feature options of a run, or those that override the ones of an entry.
Features = words.FeatureOptions | Mapping[str, Any] | None


def feature_options(entry: Dataset, features: Features = None) -> words.FeatureOptions:
    """Return the options of an entry: the run's override its own, and these the defaults.

    By default, words of the user's own texts have letters of any alphabet.
    """
    if isinstance(features, words.FeatureOptions):
        return features
    own = {"token_pattern": words.ANY_LETTERS} if entry.user_path else {}
    try:
        return words.FeatureOptions.from_config({**own, **entry.features, **(features or {})})
    except ConfigError as error:
        raise ConfigError(f"features of the data set {entry.name!r}: {error}") from error


def stop_list_role(entry: Dataset, features: Features = None) -> str | None:
    """Return the role of the file of `stoplists` that an entry needs, or None if it needs none."""
    if PARSERS.kind_of(entry.parser) != "documents":
        return None  # only texts have words to be removed
    return words.STOP_LIST_FILES.get(feature_options(entry, features).stop_list)


def stop_list_content(registry: Registry, name: str, features: Features = None) -> dict[str, Any]:
    """Return the forms of the file of `stoplists` that a data set needs, with their hashes."""
    role = stop_list_role(registry[name], features)
    files = registry[STOP_LIST_DATASET].content["files"] if role else {}
    return {role: files[role]} if role in files else {}


def count_documents(
    raw: RawDocuments,
    located: Located,
    registry: Registry,
    settings: DataSettings,
    features: Features = None,
) -> Corpus:
    """Count the words of documents, whose hashes are in the identity unless in the registry."""
    features = feature_options(located.dataset, features)
    hashes = {} if located.identity.sha256 else {"texts as read": _checked_hash(raw, located)}
    path, role = own_stop_list(located, features), words.STOP_LIST_FILES.get(features.stop_list)
    if path is not None:
        hashes[path.name] = sha256_of(path)
    elif role is not None:
        files = registry[STOP_LIST_DATASET].files
        if role not in files:
            raise ConfigError(f"data set {STOP_LIST_DATASET!r} has no file {role!r}")
        path = locate(registry, STOP_LIST_DATASET, settings, roles=[role]).paths[role]
        hashes[files[role].path] = sha256_of(path)
    stop_words = words.read_stop_list(features.stop_list, path, features.split_stop_words)
    headers = features.headers if raw.has_headers else "all"
    if headers != "all":
        named = zip(raw.document_ids, raw.texts, strict=True)
        whole = [name for name, text in named if not words.message_parts(text)[0]]
        if whole:
            logger.warning(
                f"data set {located.dataset.name!r}: {len(whole)} of {len(raw.texts)} texts do not "
                f"begin with header lines and are read whole; the first is {whole[0]}. If none has "
                "a header, set features: {headers: all}"
            )
    bodies = [words.message_text(text, headers) for text in raw.texts]
    counts, vocabulary = words.count_features(bodies, features, stop_words)
    for remark in words.remarks_on_words(vocabulary):
        logger.warning("data set %r: %s", located.dataset.name, remark)
    steps = {"rule": "tf-idf" if features.top_words else "all words"}
    steps |= features.to_dict() | {"n_stop_words": len(stop_words)}
    if not raw.has_headers:
        steps["headers"] = "the texts have none"
    return Corpus(
        counts=counts,
        vocabulary=vocabulary,
        labels=raw.labels,
        label_names=raw.label_names,
        document_ids=raw.document_ids,
        identity=replace(UNNAMED, sha256=hashes, preprocessing=steps),
    )


def own_stop_list(located: Located, features: Features = None) -> Path | None:
    """Return the stop list beside the user's own texts, or None if it is not used.

    It is hashed as part of their folder.
    """
    entry = located.dataset
    is_text = PARSERS.kind_of(entry.parser) == "documents"
    if not is_text or feature_options(entry, features).stop_list != words.OWN:
        return None
    folder = located.paths.get("user")
    if folder is None:
        raise ConfigError(
            "the stop list 'own' applies only to your own texts; for other data sets use one of "
            f"{', '.join(words.STOP_LIST_FILES)}"
        )
    path = (folder if folder.is_dir() else folder.parent) / words.OWN_STOP_LIST
    if not path.is_file():
        raise DataError(
            f"the stop list 'own' needs the file {path.name}, with one word per line, in the "
            f"folder that data.paths.{entry.name} names, but {path} does not exist"
        )
    return path


def _checked_hash(raw: RawDocuments, located: Located) -> str:
    """Return the hash of names and texts, which must be the one in the registry if it has one."""
    digest = hashlib.sha256()
    for name, text in zip(raw.document_ids, raw.texts, strict=True):
        digest.update(f"{name}\0{text}\0".encode())
    expected = located.dataset.texts_sha256
    if expected and digest.hexdigest() != expected:
        raise DataError(
            f"data.paths.{located.dataset.name} points to a copy whose {len(raw.texts):,} texts "
            "differ from the expected ones (texts_sha256); use another copy"
        )
    return digest.hexdigest()

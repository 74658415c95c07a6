"""Read and check configurations, and report any error in one sentence."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from reseat.errors import ConfigError

if TYPE_CHECKING:
    from jsonschema import ValidationError

__all__ = ["did_you_mean", "name_files", "read_texts", "read_yaml", "validate"]

#: How messages name a key of the merged configuration, or an entry of the user's own data.
_MERGED = re.compile(r"\bconfig(?:, (?P<keys>[\w.\[\]-]+)|: data set '(?P<entry>[^']*)')")


def did_you_mean(word: object, known: Iterable) -> str:
    """Return ``"; did you mean 'x'?"`` for the closest of `known`, or an empty string."""
    close = difflib.get_close_matches(str(word), [str(item) for item in known], n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


#: Numbers that YAML reads with the base 8 or 60, which hardly anybody means.
ODD_NUMBER = re.compile(r"[-+]?(0[0-9_]+|[0-9_]+(:[0-9_.]+)+)")
#: Key with which Snakemake runs the code in a configuration file.
CODE = "__use_yte__"


# Every start of Snakemake reads some 3,000 lines of YAML here; libyaml takes a seventh of the time.
class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Safe YAML loader that refuses a repeated key instead of silently dropping a value.

    A value that does not fit the type that its form or its tag implies, such as an impossible date,
    raises a `yaml.YAMLError` with its line, as any other error does.
    """

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (yaml.YAMLError, RecursionError):
            raise
        except Exception as error:
            kind = node.tag.rpartition(":")[2]
            raise yaml.constructor.ConstructorError(
                None, None, f"{node.value!r} is no {kind}", node.start_mark
            ) from error


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict:
    seen = set()
    for key_node, _ in node.value:
        if key_node.tag == "tag:yaml.org,2002:merge":
            continue
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, Hashable):
            raise yaml.constructor.ConstructorError(
                None, None, "a key is a list or a mapping", key_node.start_mark
            )
        if key in seen:
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {key!r} is written twice", key_node.start_mark
            )
        seen.add(key)
    return yaml.SafeLoader.construct_mapping(loader, node, deep=True)


def _number(loader: _Loader, node: yaml.ScalarNode) -> float:
    value = getattr(loader, f"construct_yaml_{node.tag.rpartition(':')[2]}")(node)
    if ODD_NUMBER.fullmatch(node.value):
        raise yaml.constructor.ConstructorError(
            None,
            None,
            f"{node.value} means {value} in YAML; write {value}, or {node.value!r} for a text",
            node.start_mark,
        )
    return value


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
for _kind in ("int", "float"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _number)


def read_yaml(path: str | os.PathLike) -> Any:
    """Read a YAML file."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"{path} cannot be read: {reason}; fix or restore it.") from error
    try:
        document = yaml.load(text, Loader=_Loader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f" at line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "the text cannot be read"
        raise ConfigError(
            f"{path} is not valid YAML{line}: {problem}; fix or restore it."
        ) from error
    if isinstance(document, dict) and CODE in document:
        raise ConfigError(f"{path}: {CODE} lets Snakemake run code in this file; remove it.")
    return document


def name_files(message: str, files: Sequence[str | os.PathLike], config: Mapping[str, Any]) -> str:
    """Return a message about a merged configuration that names the file of each value.

    The place of a value is written in it as ``config, scale`` or ``config: data set 'mine'``;
    ``config`` is replaced by the last file, or the option ``--config``, that gives the value.
    """
    documents = {os.path.relpath(file): read_yaml(file) for file in files}

    def named(place: re.Match) -> str:
        keys = ["datasets", place["entry"]]
        if place["keys"]:
            keys = [
                int(key) if key.isdecimal() else key
                for key in re.findall(r"[^.\[\]]+", place["keys"])
            ]
        try:
            value = reduce(getitem, keys, config)
        except (LookupError, TypeError):
            return place[0]
        file = "--config"
        for name, document in documents.items():
            try:
                written = reduce(getitem, keys, document)
            except (LookupError, TypeError):
                continue
            # Mappings are merged, so that no file has the whole; texts may have been read.
            if isinstance(written, Mapping) or str(written) == str(value):
                file = name
        return place[0].replace("config", file, 1)

    return _MERGED.sub(named, message)


def read_texts(document: Any, schema: dict) -> None:
    """Convert strings to numbers and booleans, in place, where a schema asks for them.

    Snakemake leaves all scalars inside a mapping of ``--config`` as strings.
    """
    validator = _validator()
    for error in list(validator(schema).iter_errors(document)):
        if error.validator != "type" or not error.path:
            continue
        if not isinstance(error.instance, str | None):
            continue
        *parents, last = error.absolute_path
        try:
            # Snakemake gives None for ``key=`` without a value, which may mean the empty string.
            value = "" if error.instance is None else yaml.load(error.instance, _Loader)
        except (yaml.YAMLError, RecursionError):
            continue
        # A value of the right type but out of range is converted too, so that `validate` can report
        # its range.
        if not any(
            wrong.validator == "type" for wrong in validator(error.schema).iter_errors(value)
        ):
            reduce(getitem, parents, document)[last] = value


def validate(
    document: Any, schema: dict, source: str, place: Callable[[list, str], str] | None = None
) -> None:
    """Check a parsed document against a JSON schema.

    `place` is called as ``place(path, source)`` and returns in words where an error is. The
    ConfigError is about the shallowest error, because a wrong key says more than the errors that
    follow from it.
    """
    errors = list(_validator()(schema).iter_errors(document))
    if errors:
        first = _shallowest(errors)
        while first.validator == "anyOf":
            # Report the error of the alternative that accepts values of this kind.
            meant = [part for part in first.context if part.relative_path or not _decides(part)]
            if not meant:
                break
            first = _shallowest(meant)
        where = (place or _place)(list(first.absolute_path), source)
        raise ConfigError(f"{where}: {_fault(first)}")


def _shallowest(errors: Iterable[ValidationError]) -> ValidationError:
    return min(errors, key=lambda error: len(error.absolute_path))


def _decides(error: ValidationError) -> bool:
    """Return whether an error is that a value is of another kind than the schema asks for."""
    return error.validator in ("type", "const")


def _validator() -> type:
    """Return a JSON schema validator that refuses 2.0 as an integer, as the code using it would."""
    from jsonschema import Draft202012Validator, validators

    checker = Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    return validators.extend(Draft202012Validator, type_checker=checker)


def _place(path: list, source: str) -> str:
    return f"{source}, {'.'.join(map(str, path))}" if path else source


#: JSON types in words.
_TYPES = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "string": "a text",
    "array": "a list",
    "object": "a mapping",
}
#: Limits of a value, and limits of the number of its parts, in words.
_LIMITS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}
_SIZES = {
    "minItems": ("at least", "entry", "entries"),
    "maxItems": ("at most", "entry", "entries"),
    "minProperties": ("at least", "key", "keys"),
    "minLength": ("at least", "letter", "letters"),
}


def _wanted(error: ValidationError) -> str:
    """Return what a value must be, or "" if the error is in what it contains or lacks."""
    rule = error.validator_value
    if error.validator == "type":
        return " or ".join(_TYPES[kind] for kind in ([rule] if isinstance(rule, str) else rule))
    if error.validator == "const":
        return repr(rule)
    if error.validator in _LIMITS:
        whole = isinstance(rule, float) and rule.is_integer()
        return f"{_LIMITS[error.validator]} {int(rule) if whole else rule}"
    if error.validator == "anyOf":
        return " or ".join(map(_wanted, error.context))
    return ""


def _fault(error: ValidationError) -> str:
    value, rule = error.instance, error.validator_value
    if wanted := _wanted(error):
        if value is None:
            return f"is empty; it must be {wanted}"
        return f"must be {wanted}, not {value!r}"
    if error.validator in _SIZES:
        how, one, many = _SIZES[error.validator]
        return f"must have {how} {rule} {one if rule == 1 else many}, not {len(value)}"
    if error.validator == "uniqueItems":
        twice = next(item for place, item in enumerate(value) if item in value[:place])
        return f"has {twice!r} twice; remove one of them"
    if error.validator == "additionalProperties" and isinstance(value, dict):
        known = error.schema.get("properties", {})
        key = next(key for key in value if key not in known)
        hint = did_you_mean(key, known) or f"; the keys are {', '.join(known)}"
        return f"the key {key!r} is not known{hint}"
    if error.validator == "required":
        key = next(key for key in rule if key not in value)
        return f"the key {key!r} is missing"
    if error.validator == "enum":
        return f"{value!r} must be one of {', '.join(map(str, rule))}{did_you_mean(value, rule)}"
    if error.validator == "pattern":
        hint = error.schema.get("description", f"must match {rule}")
        return f"{value!r} is not usable ({hint})"
    return error.message

"""Read configuration files, and name in messages what they say."""

import difflib
import os
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import yaml

from reseat.errors import ConfigError

#: Name of the configuration that is merged from files and options.
MERGED = "config"


def did_you_mean(word: object, known: Iterable) -> str:
    """Return ``"; did you mean 'x'?"`` for the closest of `known`, or an empty string."""
    close = difflib.get_close_matches(str(word), [str(item) for item in known], n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


#: Numbers that YAML reads with the base 8 or 60, which hardly anybody means.
ODD_NUMBER = re.compile(r"[-+]?(0[0-9_]+|[0-9_]+(:[0-9_.]+)+)")
#: Key with which Snakemake runs the code in a configuration file.
CODE = "__use_yte__"


# Every start of Snakemake reads some 3,000 lines of YAML here; libyaml takes a seventh of the time.
class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Safe YAML loader that refuses repeated keys, and values that their tag does not allow."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Construct the object of a node; any error has its line."""
        try:
            return super().construct_object(node, deep)
        except (yaml.YAMLError, RecursionError):
            raise
        except Exception as error:
            kind = node.tag.rpartition(":")[2]
            raise _fault(node, f"{node.value!r} is no {kind}") from error


def _fault(node: yaml.Node, problem: str) -> yaml.YAMLError:
    return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)


def _mapping(loader: Loader, node: yaml.MappingNode) -> dict:
    seen = set()
    for key_node, _ in node.value:
        if key_node.tag == "tag:yaml.org,2002:merge":
            continue
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, Hashable):
            raise _fault(key_node, "a key is a list or a mapping")
        if key in seen:
            raise _fault(key_node, f"the key {key!r} is written twice")
        seen.add(key)
    return yaml.SafeLoader.construct_mapping(loader, node, deep=True)


def _number(loader: Loader, node: yaml.ScalarNode) -> float:
    value = getattr(loader, f"construct_yaml_{node.tag.rpartition(':')[2]}")(node)
    if ODD_NUMBER.fullmatch(node.value):
        text = f"{node.value} means {value} in YAML; write {value}, or {node.value!r} for a text"
        raise _fault(node, text)
    return value


Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
for _kind in ("int", "float"):
    Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _number)


def read_yaml(path: str | os.PathLike) -> Any:
    """Read a YAML file."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"{path} cannot be read: {reason}; fix or restore it.") from error
    try:
        document = yaml.load(text, Loader=Loader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f" at line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "the text cannot be read"
        said = f"{path} is not valid YAML{line}: {problem}; fix or restore it."
        raise ConfigError(said) from error
    if isinstance(document, dict) and CODE in document:
        raise ConfigError(f"{path}: {CODE} lets Snakemake run code in this file; remove it.")
    return document


def dotted(keys: Iterable[str | int]) -> str:
    """Return keys as they are written, such as ``scales.demo.studies[0].models``."""
    parts = (f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
    return "".join(parts).removeprefix(".")


@dataclass(frozen=True)
class Place:
    """Where a value is written: the name of a file, and the keys that lead to the value in it."""

    file: str
    keys: tuple[str | int, ...] = ()

    def at(self, *keys: str | int) -> "Place":
        """Return a place below this one."""
        return Place(self.file, (*self.keys, *keys))

    def __str__(self) -> str:
        if self.keys[:1] != ("datasets",) or len(self.keys) == 1:
            return f"{self.file}, {dotted(self.keys)}" if self.keys else self.file
        entry = f"{self.file}: data set {self.keys[1]!r}"
        return f"{entry}, key {dotted(self.keys[2:])!r}" if self.keys[2:] else entry

    def in_files(self, files: Sequence[str | os.PathLike], config: Mapping[str, Any]) -> "Place":
        """Return the place in the last of the files, or option, that gives a merged value."""
        # The keys of a data set need not be there; its entry is.
        keys = self.keys[:2] if self.keys[:1] == ("datasets",) else self.keys
        try:
            value = reduce(getitem, keys, config)
        except (LookupError, TypeError):
            return self
        last = "--config"
        for file in files:
            try:
                written = reduce(getitem, keys, read_yaml(file))
            except (LookupError, TypeError):
                continue
            # Mappings are merged, so that no file has the whole; texts may have been read.
            if isinstance(written, Mapping) or str(written) == str(value):
                last = os.path.relpath(file)
        return Place(last, self.keys)

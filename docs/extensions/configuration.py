"""The reference of the configuration, from its sections and the comments in config/."""

import inspect
import re
from pathlib import Path

import yaml

from reseat.datasets import registry_file
from reseat.papers.configuration import Configuration, section_of

ROOT = Path(__file__).resolve().parents[2]
SCALES = ("demo", "standard", "paper")
MAX_SHOWN = 70  # largest number of characters of a default that is shown


def reference(page, before, name):
    """Return a list of all keys that ``config/NAME.yaml`` can have."""
    config_file = ROOT / "config" / f"{name}.yaml"
    declared = section_in(name)
    schema = declared.model_json_schema()
    text = config_file.read_text(encoding="utf-8")
    defaults, said, top = yaml.safe_load(text), comments(text), ()
    if name in defaults and name not in schema["properties"]:
        defaults, top = defaults[name], (name,)
    lines = []
    for path, own, needed in keys(schema, schema):
        place = tuple("standard" if part == "SCALE" else part for part in path)
        about = (said.get(top + place), _plain(own.get("description", "")))
        told = [text for text in about if text]
        kind, section = _kind(own, schema), _has_keys(own, schema)
        facts = [] if section else _default(defaults, place)
        if needed and {"NAME", "[]"} & set(path):
            facts.append("required")
        if kind == "section" and not told + facts:
            continue  # the keys below it, or another page, explain it
        lines += [f"`{'.'.join(top + path)}`", f": {'; '.join([kind, *facts])}", ""]
        lines += [f"  {line}".rstrip() for text in told for line in [*text.splitlines(), ""]]
    return "\n".join(lines), [Path(inspect.getfile(declared)), config_file]


def section_in(name):
    """Return the section that ``config/NAME.yaml`` contains."""
    others = {"config": Configuration, "datasets": registry_file.SECTION}
    return others.get(name) or section_of(name)


def keys(schema, root, path=(), needed=False):
    """Yield, for every key below `schema`, its path, its schema, and whether it is required."""
    schema = _resolved(schema, root)
    if path:
        yield path, schema, needed
    properties = schema.get("properties", {})
    if set(SCALES) <= properties.keys():
        properties = {"SCALE": properties["standard"]}
    for name, below in properties.items():
        yield from keys(below, root, (*path, name), name in schema.get("required", ()))
    entries = schema.get("additionalProperties")
    if isinstance(entries, dict) and "properties" in _resolved(entries, root):
        yield from keys(entries, root, (*path, "NAME"))
    items = schema.get("items")
    if items and _resolved(items, root).get("properties"):
        for name, below in _resolved(items, root)["properties"].items():
            required = name in _resolved(items, root).get("required", ())
            yield from keys(below, root, (*path, "[]", name), required)


def comments(text):
    """Return the comment above or beside each YAML key as Markdown, by the path of the key."""
    said, above, open_keys = {}, [], []
    for line in text.splitlines():
        if found := re.match(r"( *)# ?(.*)", line):
            above.append(found[2])
        elif found := re.match(r"( *)([\w-]+):(?:\s+(.*))?$", line):
            indent = len(found[1])
            open_keys = [(deep, key) for deep, key in open_keys if deep < indent]
            open_keys.append((indent, found[2]))
            beside = re.search(r"(?:^|\s)# ?(.*)$", found[3] or "")
            told = above or ([beside[1]] if beside else [])
            said[tuple(key for _deep, key in open_keys)] = _paragraphs(told)
            above = []
        else:
            above = []
    return said


def _resolved(schema, root):
    if "$ref" not in schema:
        return schema
    target = root
    for part in schema["$ref"].removeprefix("#/").split("/"):
        target = target[part]
    keys_of = {name: part for name, part in target.items() if name != "description"}
    return {**_resolved(keys_of, root), **{k: v for k, v in schema.items() if k != "$ref"}}


def _has_keys(schema, root):
    """Return whether a value has keys that are listed one by one."""
    entries = schema.get("additionalProperties")
    named = isinstance(entries, dict) and "properties" in _resolved(entries, root)
    return named or "properties" in schema


def _kind(schema, root):
    """Return a description of the values that a schema allows."""
    entries = schema.get("additionalProperties")
    if isinstance(entries, dict) and not _has_keys(schema, root):
        return f"names, each with {_kind(_resolved(entries, root), root)}"
    if "enum" in schema:
        return ", ".join(f"`{_written(value)}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{_written(schema['const'])}`"
    if "anyOf" in schema:
        return " or ".join(_kind(_resolved(each, root), root) for each in schema["anyOf"])
    kind = {"object": "section", "array": "list", "string": "text", "boolean": "true or false"}.get(
        schema.get("type"), schema.get("type", "any")
    )
    if kind == "list" and "items" in schema:
        items = _resolved(schema["items"], root)
        kind = f"list of {_kind(items, root)}" if "properties" not in items else "list of sections"
    if "minimum" in schema and "maximum" in schema:
        return f"{kind} from {schema['minimum']:.10g} to {schema['maximum']:.10g}"
    for word, sign in (
        ("minimum", "≥"),
        ("exclusiveMinimum", ">"),
        ("maximum", "≤"),
        ("exclusiveMaximum", "<"),
    ):
        if word in schema:
            kind += f" {sign} {schema[word]}"
    return kind


def _default(values, path):
    """Return a list with the default of a key, or an empty list if it has none."""
    for part in path:
        if not isinstance(values, dict) or part not in values:
            return []
        values = values[part]
    text = _written(values)
    if len(text) > MAX_SHOWN or text.startswith("[{"):
        return ["the default stands in the file"]
    return [f"by default `{text}`" if text else "by default empty"]


def _written(value):
    text = yaml.safe_dump(value, default_flow_style=True, width=10_000, allow_unicode=True)
    return text.removesuffix("\n").removesuffix("\n...").strip().removeprefix("''")


def _paragraphs(lines):
    """Return a comment as Markdown: a list if each line is a word, a wide gap, and a text."""
    terms = [re.match(r"(\S+) {2,}(.*)", line) for line in lines]
    if lines and all(terms):
        return "\n".join(f"- `{term[1]}`: {_plain(term[2])}" for term in terms)
    return _plain(" ".join(lines))


def _plain(text):
    """Return a comment as Markdown, with special characters outside backticks escaped."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    parts[::2] = [re.sub(r"([\\*_<>\[\]{}$])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)

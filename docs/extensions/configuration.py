"""A reference of the configuration, from the schemas and from the comments of config/."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
SCALES = ("demo", "standard", "paper")
LONGEST = 70  # letters of a default that a table can show


def reference(page, before, name):
    """A table of all keys that ``workflow/schemas/NAME.schema.yaml`` allows."""
    schema_file = ROOT / "workflow" / "schemas" / f"{name}.schema.yaml"
    config_file = ROOT / "config" / f"{name}.yaml"
    schema = yaml.safe_load(schema_file.read_text(encoding="utf-8"))
    text = config_file.read_text(encoding="utf-8")
    defaults, said, top = yaml.safe_load(text), comments(text), ()
    if name in defaults and name not in schema["properties"]:
        defaults, top = defaults[name], (name,)
    if name in ("datasets", "artefacts"):
        defaults = None  # a registry has entries and no defaults
    lines = ["| key | type | default | |", "|---|---|---|---|"]
    for path, kind, told, needed in keys(schema, schema):
        place = tuple("standard" if part == "SCALE" else part for part in path)
        told = told or said.get(top + place, "")
        key = ".".join(top + path)
        default = _default(defaults, place)
        if defaults is None:
            default = "required" if needed else ""
        lines.append(f"| `{key}` | {kind} | {default} | {_cell(told)} |")
    return "\n".join(lines), [schema_file, config_file]


def keys(schema, root, path=(), needed=False):
    """Yield path, type, description and whether it is required of every key below `schema`."""
    schema = _resolved(schema, root)
    if path:
        yield path, _kind(schema, root), schema.get("description", ""), needed
    properties = schema.get("properties", {})
    if set(SCALES) <= properties.keys():
        properties = {"SCALE": properties["standard"]}
    for name, below in properties.items():
        yield from keys(below, root, (*path, name), name in schema.get("required", ()))
    entries = schema.get("additionalProperties")
    if isinstance(entries, dict) and _resolved(entries, root).get("properties"):
        yield from keys(entries, root, (*path, "NAME"))
    items = schema.get("items")
    if items and _resolved(items, root).get("properties"):
        for name, below in _resolved(items, root)["properties"].items():
            required = name in _resolved(items, root).get("required", ())
            yield from keys(below, root, (*path, "[]", name), required)


def comments(text):
    """From the path of a key in YAML to the comment above it, or beside it."""
    said, above, open_keys = {}, [], []
    for line in text.splitlines():
        if found := re.match(r"( *)# ?(.*)", line):
            above.append(found[2])
        elif found := re.match(r"( *)([\w-]+):(?:\s+(.*))?$", line):
            indent = len(found[1])
            open_keys = [(deep, key) for deep, key in open_keys if deep < indent]
            open_keys.append((indent, found[2]))
            beside = re.search(r"(?:^|\s)# ?(.*)$", found[3] or "")
            told = " ".join(above) or (beside[1] if beside else "")
            said[tuple(key for _deep, key in open_keys)] = told
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
    return {**_resolved(target, root), **{k: v for k, v in schema.items() if k != "$ref"}}


def _kind(schema, root):
    """Words for what a value may be."""
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
    for part in path:
        if not isinstance(values, dict) or part not in values:
            return ""
        values = values[part]
    if isinstance(values, dict) and values:
        return ""  # the keys below have it
    text = _written(values)
    if len(text) > LONGEST or text.startswith("[{"):
        return "see the file"
    return f"`{text}`" if text else "empty"


def _written(value):
    text = yaml.safe_dump(value, default_flow_style=True, width=10_000, allow_unicode=True)
    return text.removesuffix("\n").removesuffix("\n...").strip().removeprefix("''")


def _cell(text):
    text = " ".join(text.split())
    return re.sub(r"([|*_<>\[\]{}])", r"\\\1", text) if "`" not in text else text.replace("|", r"\|")

"""Typed sections of a configuration: each key has its type and bounds where it is declared.

A section is a class, against which pydantic checks what is written.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Annotated, Any

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
    WrapValidator,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from reseat.checks import STRONGEST, WEAKEST
from reseat.configuration import Loader, Place, did_you_mean
from reseat.errors import ConfigError

MAX_SWEEPS = 500_000_000


def fault(message: str, *place: str | int) -> ValidationError:
    """Return an error about the part of a section at `place`, for a validator to raise."""
    kind = PydanticCustomError("fault", "{said}", {"said": message})
    return ValidationError.from_exception_data("", [{"type": kind, "loc": place, "input": None}])


def _scalar(value: Any, check: Callable[[Any], Any]) -> Any:
    """Check a value as Snakemake may leave it, a text, and return it as it was written."""
    if isinstance(value, str):
        with suppress(yaml.YAMLError, RecursionError):
            read = yaml.load(value, Loader)
            value = read if isinstance(read, bool | int | float) else value
    check(value)
    return value  # not what `check` returns, which is 1.0 for 1


def whole(low: int | None = None, high: int | None = None) -> Any:
    """Return the type of whole numbers between two bounds."""
    return Annotated[int, Field(strict=True, ge=low, le=high), WrapValidator(_scalar)]


def number(**bounds: float) -> Any:
    """Return the type of finite numbers within bounds: `gt`, `ge`, `lt` and `le`."""
    finite = Field(strict=True, allow_inf_nan=False, **bounds)
    return Annotated[float, finite, WrapValidator(_scalar)]


def one_of(*words: str, declared: Callable[[], Iterable[str]] | None = None) -> Any:
    """Return the type of texts that are one of the words, or of those that a function returns."""

    def check(value: Any) -> Any:
        known = words if declared is None else tuple(declared())
        if value not in known:
            raise ConfigError(
                f"{value!r} must be one of {', '.join(known)}{did_you_mean(value, known)}"
            )
        return value

    shown = {"enum": list(words)} if words else {"type": "string"}
    return Annotated[Any, AfterValidator(check), WithJsonSchema(shown)]


def or_word(word: str, kind: Any, noun: str) -> Any:
    """Return the type of a word or a value of another type, which messages call `noun`."""

    def check(value: Any, read: Callable[[Any], Any]) -> Any:
        if value == word:
            return value
        try:
            return read(value)
        except ValidationError:
            if isinstance(value, str | None):
                raise ConfigError(f"must be {word!r} or {noun}, not {value!r}") from None
            raise

    shown = {"anyOf": [{"const": word}, TypeAdapter(kind).json_schema()]}
    return Annotated[kind, WrapValidator(check), WithJsonSchema(shown)]


def matching(pattern: str, hint: str) -> Any:
    """Return the type of texts that match a pattern, which `hint` explains."""

    def check(text: str) -> str:
        if not re.search(pattern, text):
            raise ConfigError(f"{text!r} is not usable ({hint})")
        return text

    return Annotated[Text, Field(description=hint), AfterValidator(check)]


def unique(kind: Any, least: int = 1) -> Any:
    """Return the type of lists of different values, by default at least one."""

    def check(values: list) -> list:
        for place, value in enumerate(values):
            if value in values[:place]:
                raise ConfigError(f"has {value!r} twice; remove one of them")
        return values

    bounds = Field(min_length=least, json_schema_extra={"uniqueItems": True})
    return Annotated[list[kind], bounds, AfterValidator(check)]


Flag = Annotated[bool, Field(strict=True), WrapValidator(_scalar)]
#: Snakemake gives None for ``key=`` without a value, which means the empty text.
Text = Annotated[
    str, Field(strict=True), BeforeValidator(lambda text: "" if text is None else text)
]
#: A key that the user chooses.
Key = Annotated[str, Field(strict=True)]
Names = unique(Text)
Words = matching(r"\S", "it must not be empty")
#: Numbers of chains, restarts or draws.
Count = whole(1, 10_000)
#: A single repetition would have no error.
Repetitions = whole(2, 10_000)
Size = whole(1, 100_000)
#: Numbers of proposals, scans or dimensions, of which there may be none.
SizeOrNone = whole(0, 100_000)
#: Up to three of these are added up, in 32 bits.
Sweeps = whole(0, MAX_SWEEPS)
SomeSweeps = whole(1, MAX_SWEEPS)
#: Samples of chains of which R-hat is computed.
Samples = whole(4, MAX_SWEEPS)
Positive = number(gt=0)
Strength = number(ge=WEAKEST, le=STRONGEST)
Proportion = number(gt=0, lt=1)
#: Parameters of priors.
Parameter = number(gt=0, le=STRONGEST)


class Section(BaseModel):
    """Base of all sections: an unknown key is refused, with the key that it resembles."""

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def known_keys(cls) -> list[str]:
        """Return the keys that the section may have."""
        return [field.alias or name for name, field in cls.model_fields.items()]

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown(cls, given: Any) -> Any:
        known = cls.known_keys() if isinstance(given, Mapping) else ()
        for key in given if known else ():
            if key not in known:
                hint = did_you_mean(key, known) or f"; the keys are {', '.join(known)}"
                raise ConfigError(f"the key {key!r} is not known{hint}")
        return given

    def written(self) -> dict[str, Any]:
        """Return the keys that are given, and their values as plain types."""
        return self.model_dump(by_alias=True, exclude_unset=True, warnings=False)


def optional(kind: type[Section]) -> type[Section]:
    """Return a section with the same keys, none of which has to be given."""
    fields = {name: (each.rebuild_annotation(), None) for name, each in kind.model_fields.items()}
    return create_model(f"Some{kind.__name__}", __base__=kind, **fields)


#: What a value must be, by pydantic's name for the error.
_WANTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "string_type": "a text",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "greater_than_equal": "at least {ge}",
    "greater_than": "above {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "below {lt}",
    "literal_error": "{expected}",
}


def _said(error: Mapping[str, Any]) -> str:
    """Return what one of pydantic's errors is about, in words."""
    kind, value, facts = error["type"], error["input"], error.get("ctx", {})
    if kind in ("fault", "value_error"):
        return str(facts["said" if kind == "fault" else "error"])
    if kind == "string_type" and error["loc"][-1] == "[key]":
        return f"the key {value!r} is not a text; put it in quotes"
    if kind == "missing":
        return f"the key {error['loc'][-1]!r} is missing"
    if kind == "too_short":
        few = facts["min_length"]
        return f"must have at least {few} {'entry' if few == 1 else 'entries'}, not {len(value)}"
    if kind == "too_long":
        return f"must have at most {facts['max_length']} entries, not {len(value)}"
    if kind in _WANTED:
        bounds = {
            name: int(bound) if isinstance(bound, float) and bound.is_integer() else bound
            for name, bound in facts.items()
        }
        wanted = _WANTED[kind].format(**bounds)
        empty = f"is empty; it must be {wanted}"
        return empty if value is None else f"must be {wanted}, not {value!r}"
    return error["msg"]


def read_section(
    kind: type[Section], document: dict[str, Any], place: Place, context: Any = None
) -> None:
    """Check a section, and settle its texts; the ConfigError is about the shallowest error."""
    try:
        section = kind.model_validate(document, context=context)
    except ValidationError as error:
        first = min(error.errors(include_url=False), key=lambda each: len(each["loc"]))
        loc = first["loc"]
        if first["type"] == "missing":
            loc = loc[:-1]
        elif loc[-1:] == ("[key]",):  # the name of an entry, which the message repeats
            loc = loc[:-2]
        raise ConfigError(_said(first), source=place.at(*loc)) from None
    _settle(document, section.written())


def _settle(document: Any, read: Any) -> None:
    """Put what was read in the place of texts and of empty values."""
    for key in document if isinstance(document, dict) else range(len(document)):
        value = document[key]
        if isinstance(value, dict | list):
            _settle(value, read[key])
        elif isinstance(value, str | None):
            document[key] = read[key]

"""SVG files: smaller without a visible difference, and with the positions of their panels."""

import re

#: Decimals of coordinates in points; Matplotlib writes six.
DECIMALS = 2

_PLACES = re.compile(r'(?<=\s)(d|x|y|transform)="([^"]*)"')
_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
_MARKS = re.compile(r'<g clip-path="([^"]*)">((?:\s*<use\b[^>]*/>)+)\s*</g>')
_STYLE = re.compile(r' style="([^"]*)"')


def compact_svg(text: str) -> str:
    """Return an SVG with shorter coordinates, which states the common style of marks only once."""
    text = _PLACES.sub(_rounded, text)
    text = _MARKS.sub(_styled_once, text)
    return re.sub(r"\n\s*", "\n", text)


def _rounded(found):
    name, value = found.groups()
    if name == "transform":  # a scale needs all its digits
        value = re.sub(r"translate\([^)]*\)", lambda part: _NUMBER.sub(_short, part[0]), value)
    else:
        value = re.sub(r"\s*([A-Za-z])\s*", r"\1", _NUMBER.sub(_short, value))
        value = re.sub(r"\s+", " ", value).strip()
    return f'{name}="{value}"'


def _short(found):
    return f"{float(found[0]):.{DECIMALS}f}".rstrip("0").rstrip(".")


def _styled_once(found):
    clip, marks = found.groups()
    styles = _STYLE.findall(marks)
    if len(styles) != marks.count("<use") or len(set(styles)) != 1:
        return found[0]
    return f'<g clip-path="{clip}" style="{styles[0]}">{_STYLE.sub("", marks)}</g>'


def describe_panels(boxes):
    """Return boxes as text."""
    return "panels " + "; ".join(" ".join(map(str, box)) for box in boxes)


def read_panels(text):
    """Return the boxes in a text that `describe_panels` wrote; an empty list if it has none."""
    found = re.search(r"panels ([\d ;]+)", text)
    return [tuple(map(int, box.split())) for box in found.group(1).split(";")] if found else []

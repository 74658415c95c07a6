"""The USPS digits as text, from the R data files of the package ``ElemStatLearn``."""

from __future__ import annotations

from derive import Origins, r_objects


def digits(origins: Origins, name: str) -> bytes:
    """Return one image per line: the digit and 256 values, each in its shortest form."""
    content = origins.repository("cran/ElemStatLearn").read(f"data/{name}.RData")
    images = r_objects(content)[name] + 0.0  # a negative zero becomes a zero
    lines = (" ".join(f"{value:.10g}" for value in row) for row in images)
    return "".join(f"{line}\n" for line in lines).encode()


TABLES = {
    f"{name}.gz": lambda origins, name=name: digits(origins, name)
    for name in ("zip.train", "zip.test")
}

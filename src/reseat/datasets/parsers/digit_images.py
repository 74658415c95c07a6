"""Images of handwritten digits, with some classes for training and others for testing."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from reseat.datasets.raw import RawMentions
from reseat.datasets.uniforms import Uniforms
from reseat.errors import ConfigError, DataError
from reseat.files.packed import decompressed

SIDE = 16  # pixels, which are averaged to half as many


def parse_digit_images(
    paths: Mapping[str, Path],
    train_digits: Sequence[int],
    test_digits: Sequence[int],
    test_sizes: Sequence[int],
    train_sizes: Sequence[int],
    seed: int = 0,
) -> RawMentions:
    """Draw some of the images of 8 x 8 pixels in files, or of the 1,797 that scikit-learn has.

    `paths`: tables without column names and separated by blanks: the digit, then 256 numbers, whose
        blocks of 2 x 2 are averaged.
    `test_sizes`: numbers of images of a class for testing, which are assigned at random.
    `train_sizes`: smallest and largest number of images of a class for training, drawn uniformly.
    """
    if paths:
        pixels, labels, ids = _from_files(paths)
    else:
        from sklearn.datasets import load_digits  # slow to import, and used by this parser only

        pixels, labels = load_digits(return_X_y=True)
        ids = [f"digits:{number}" for number in range(1, len(labels) + 1)]
    both = set(train_digits) & set(test_digits)
    if both:
        raise ConfigError(f"the digit {min(both)} is in both train_digits and test_digits")
    if len(test_sizes) != len(test_digits):
        raise ConfigError(f"there are {len(test_sizes)} test_sizes for {len(test_digits)} digits")
    low, high = train_sizes if len(train_sizes) == 2 else (0, 0)
    if not 1 <= low <= high:
        raise ConfigError(
            f"the option 'train_sizes' is {train_sizes!r}; it must be the smallest and "
            "the largest size, from 1"
        )
    draw = Uniforms(np.random.Generator(np.random.PCG64(seed)))
    sizes = np.array(test_sizes)[draw.order(len(test_sizes))].tolist()
    train = low + draw.below(high - low + 1, len(train_digits))
    wanted = dict(zip([*train_digits, *test_digits], [*train, *sizes], strict=True))
    chosen = []
    for digit, size in wanted.items():
        images = np.flatnonzero(labels == digit)
        if len(images) < size:
            raise ConfigError(f"there are {len(images)} images of the digit {digit}, not {size}")
        chosen.append(images[draw.order(len(images))[:size]])
    chosen = np.concatenate(chosen)
    chosen = chosen[np.lexsort((chosen, np.isin(labels[chosen], test_digits)))]
    return RawMentions(
        kind="digits",
        columns={"pixels": pixels[chosen]},
        entities=labels[chosen].astype(str).tolist(),
        test=np.isin(labels[chosen], test_digits).tolist(),
        item_ids=[ids[image] for image in chosen],
        notes={"drawn": {str(digit): int(size) for digit, size in wanted.items()}},
    )


parse_bundled_digits = parse_digit_images


def _from_files(paths: Mapping[str, Path]) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return the pixels, the digits and the names of the images."""
    ids, tables = [], []
    for path in paths.values():
        table = _read(path)
        ids += [f"{path.name.removesuffix('.gz')}:{line}" for line in range(1, len(table) + 1)]
        tables.append(table)
    table = np.concatenate(tables)
    half = SIDE // 2
    pixels = table[:, 1:].reshape(-1, half, 2, half, 2).mean(axis=(2, 4)).reshape(-1, half**2)
    return pixels, table[:, 0].astype(int), ids


def _read(path: Path) -> np.ndarray:
    width = SIDE**2 + 1
    try:
        with decompressed(path) as stream:
            table = pd.read_csv(stream, sep=r"\s+", header=None, dtype=np.float64).to_numpy()
    except DataError:
        raise
    except Exception as error:
        # pandas, gzip and zlib each raise exceptions of their own.
        said = " ".join(str(error).split())
        raise DataError(f"{path} cannot be read as a table of numbers ({said})") from error
    digits = table[:, 0]
    whole = np.isin(digits, np.arange(10)).all()
    if table.shape[1] != width or not (whole and np.isfinite(table).all()):
        raise DataError(f"{path}: every line must contain a digit and {width - 1} numbers")
    return table

"""Comparison of our numbers with the published ones, by the rules in docs/verdicts.md."""

import math

import numpy as np
import pandas as pd
from scipy.special import stdtr

from reseat.metrics import is_measured, known_quantity
from reseat.report.numbers import absent, effect, interval
from reseat.summaries import AGREED, rhat_in_words
from reseat.vocabulary import (
    AGREE,
    AS_PRINTED,
    CLAIM_VERDICTS,
    DIFFER,
    FAITHFUL,
    GENERATED,
    NOT_COMPARABLE,
    NOT_CONVERGED,
    NOT_THE_PAPERS,
    NOTE,
    NUMBER_VERDICTS,
    OBSTACLE,
    OURS,
    OWN,
    STAND_IN,
    split_claim,
)

#: Numbers of standard errors of the difference up to which two numbers agree, and are near.
AGREES, NEAR = 3.0, 10.0

#: Root mean square number of errors above which scores on one side of the published ones do not
#: agree, how many scores are needed, and what is said of them.
APART, MIN_SCORES = 2.0, 4
ONE_SIDED = "all scores of its row on one side of the printed ones, within a wide error"

COLUMNS = tuple(
    """
    paper artefact label dataset status system variant metric ours error n_chains n_parts
    published difference combined_error errors_apart verdict counted why
    """.split()
)

TIME = "a time, on another machine"
_OTHER_DATA = {
    STAND_IN: "other data in the paper's place",
    GENERATED: "generated data",
    OWN: "your own data",
}
#: Columns besides system and metric that distinguish published numbers.
_VARIANTS = ("delta_true", "delta", "pairs")


def compare(artefact, table):
    """Judge the cells of the table of an artefact that have a published number."""
    spec = artefact.compare
    cells = []
    for ours, published in spec.pairs.items():
        if published not in table.columns:
            continue
        printed = table[table[published].notna()]
        # As many decimals as the paper prints at most for any number of the metric.
        decimals = printed[published].map(printed_decimals)
        digits = decimals.groupby(printed[spec.metric].astype(str)).max().to_dict()
        for index, row in printed.iterrows():
            cells.append(_cell(artefact, row, ours, published, digits) | {"row": index})
    frame = pd.DataFrame(cells, columns=[*COLUMNS, "row", "role", "timed"])
    sided = _one_sided(frame)
    frame.loc[sided, ["verdict", "why"]] = (NOT_COMPARABLE, ONE_SIDED)
    frame["counted"] = _counted(artefact, frame)
    return frame.drop(columns=["role", "timed"])


def tally(cells):
    """Count the published numbers with each verdict, each number once."""
    found = cells.loc[cells["counted"].astype(bool), "verdict"].value_counts()
    return {verdict: int(found.get(verdict, 0)) for verdict in NUMBER_VERDICTS}


def reasons(cells, counted=True):
    """Count the reasons why `counted` or all numbers are not comparable, most frequent first."""
    left = cells["verdict"].eq(NOT_COMPARABLE) & (cells["counted"].eq(True) | (not counted))
    return cells.loc[left, "why"].value_counts().to_dict()


def size_of(cell):
    """Return the mark of a cell: `same`, `near`, `far`; empty if it neither agrees nor differs."""
    if cell["verdict"] in (NOT_CONVERGED, NOT_COMPARABLE):
        return ""
    if cell["verdict"] == AGREE:
        return "same"
    return "near" if abs(cell["errors_apart"]) <= NEAR else "far"


def _cell(artefact, row, ours, published, digits):
    spec = artefact.compare
    metric = str(row[spec.metric])
    value, printed = float(row[ours]), float(row[published])
    error = float(row.get(spec.error, math.nan)) if ours != "truth" else math.nan
    difference = value - printed
    combined = _combined(row, difference, error)
    same = f"{value:z.{digits[metric]}f}" == f"{printed:z.{digits[metric]}f}"  # z: no negative zero
    why = _obstacle(artefact, row, metric, ours, error)
    apart = disagreement(row) if ours != "truth" else ""
    if why:
        verdict = NOT_COMPARABLE
    elif apart:
        verdict, why = NOT_CONVERGED, apart
    elif "agrees" in row:
        verdict = AGREE if row["agrees"] in (True, "True", 1.0) else DIFFER
    else:
        verdict = AGREE if same or abs(difference) <= AGREES * combined else DIFFER
    variants = [name for name in _VARIANTS if name in row and not absent(row[name])]
    return {
        "paper": artefact.paper.short,
        "artefact": artefact.name,
        "label": artefact.published,
        "dataset": row.get("dataset", ""),
        "status": row.get("status", ""),
        "role": row.get("role", ""),
        "timed": _is_time(metric, ours),
        "system": str(row.get("system", "")),
        "variant": ", ".join(f"{name.removesuffix('_true')} {row[name]}" for name in variants),
        "metric": metric if len(spec.pairs) == 1 else f"{metric}, {ours}",
        "ours": value,
        "error": error,
        "n_chains": next((row[name] for name in ("n_chains", "n_draws") if name in row), math.nan),
        "n_parts": next((row[name] for name in PARTS if name in row), math.nan),
        "published": printed,
        "difference": difference,
        "combined_error": combined,
        "errors_apart": difference / combined if combined > 0 else math.nan,
        "verdict": verdict,
        "why": why,
    }


def _combined(row, difference, error):
    """Return the standard error of the difference: that of the table, or else from our error."""
    if "combined" in row and not absent(row["combined"]):
        return float(row["combined"])
    if "z" in row and not absent(row["z"]) and row["z"] != 0:
        return abs(difference / row["z"])
    return 0.0 if absent(error) else math.sqrt(2) * error


def _obstacle(artefact, row, metric, ours, error):
    """Return why the number in the column `ours` cannot be compared; empty if it can."""
    spec = artefact.compare
    if math.isnan(float(row[ours])):
        return "not run"
    if spec.not_comparable:
        return spec.not_comparable
    if _is_time(metric, ours):
        return TIME
    status = row.get("status", FAITHFUL)
    if not row.get("comparable", status == FAITHFUL):
        return _OTHER_DATA.get(status, "not on the paper's data")
    if isinstance(row.get(OBSTACLE), str) and row[OBSTACLE]:
        return row[OBSTACLE]
    if spec.without_error and absent(error):
        return spec.without_error
    if "agrees" in row and absent(row["agrees"]):
        return "no part in the rule of the table"
    return ""


def _is_time(metric, ours):
    # In some tables the quantity is the column of our number, and `metric` says what it is for.
    return is_measured(metric) or is_measured(ours)


def disagreement(row):
    """Return why a posterior mean has not converged: its R-hat or a note; empty if it has."""
    if str(row.get(NOTE, "")).startswith(NOT_CONVERGED):
        return row[NOTE]
    worst = largest_rhat(row)
    return f"R-hat {rhat_in_words(worst)}" if worst > AGREED else ""


def largest_rhat(row):
    """Return the largest R-hat in the row of a table; 0 if it has none."""
    values = [row.get(name) for name in ("rhat_max", "rhat")]
    return max([float(value) for value in values if value != "" and not absent(value)], default=0.0)


def _one_sided(frame):
    """Return which cells agree only because of wide errors: all scores of a row are to one side."""
    quantities = frame["metric"].map(known_quantity)
    better = quantities.map(lambda known: 0.0 if known is None else float(known.better))
    side = np.sign(better.astype(float) * frame["difference"].astype(float))
    judged = frame["verdict"].isin([AGREE, DIFFER]) & frame["errors_apart"].notna() & better.ne(0)
    found = pd.Series(False, index=frame.index)
    for _key, rows in frame[judged].groupby(["dataset", "system", "variant"], dropna=False):
        apart = np.sqrt(np.mean(rows["errors_apart"].astype(float) ** 2))
        if len(rows) >= MIN_SCORES and apart > APART and abs(side[rows.index].sum()) == len(rows):
            found[rows.index] = rows["verdict"] == AGREE
    return found


def printed_decimals(value):
    """Return the decimals of a number as it was printed, without trailing zeros."""
    text = f"{value:.10g}"
    return len(text.partition(".")[2]) if "e" not in text else 10


def _counted(artefact, frame):
    """Return which cells are counted: one per printed number, on the paper's data if possible."""
    if not artefact.published:
        return np.zeros(len(frame), dtype=bool)
    uncounted = tuple(artefact.compare.uncounted)
    main = ~(frame["metric"].isin(uncounted) | frame["timed"].eq(True))
    if uncounted:
        main &= ~frame["system"].str.endswith(uncounted)
    counted = pd.Series(False, index=frame.index)
    repeated = artefact.compare.repeated_over
    keys = [key for key in ("role", "variant", "system", "metric") if key not in repeated]
    best_first = frame[main].sort_values(
        "status", key=lambda status: status != FAITHFUL, kind="stable"
    )
    counted[best_first.drop_duplicates(keys).index] = True
    return counted.to_numpy()


#: Probability that two runs of the same model have any number that differs.
LEVEL = 0.01

#: Verdicts on two numbers: between agreement and difference, and without one.
DOUBTFUL, NO_ERROR = "doubtful", "no error known"

#: Relative tolerance for rounding errors, which differ between processors.
ROUNDING = 1e-9

#: Columns with the number of independent parts from which an error was calculated, the preferred
#: one first; the first is empty for a Monte Carlo error.
PARTS = ("n_parts", "n_draws", "n_chains")


def by_chance(difference, errors, parts) -> np.ndarray:
    """Return the probability, by Welch's test, that chance alone sets estimates that far apart."""
    one, other = map(known_error, errors)
    first, second = (np.maximum(np.asarray(values, dtype=float) - 1, 1) for values in parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(one**2 + other**2)
        freedom = error**4 / (one**4 / first + other**4 / second)
        return 2 * stdtr(freedom, -np.abs(np.asarray(difference, dtype=float)) / error)


def known_error(error) -> np.ndarray:
    """Return the standard errors, with NaN also for 0, which a few equal chains would give."""
    error = np.asarray(error, dtype=float)
    return np.where((error > 0) & np.isfinite(error), error, np.nan)


def equal_but_for_rounding(one, other) -> np.ndarray:
    """Return which numbers differ at most by rounding errors, from two arrays of shape (n,)."""
    return np.isclose(one, other, rtol=ROUNDING, atol=ROUNDING)


def decide(p, n_judged: int, words: tuple[str, str]) -> np.ndarray:
    """Return a verdict for each probability from `by_chance`; `words` are for the clear ones."""
    agree, differ = words
    p = np.asarray(p, dtype=float)
    return np.select([p >= LEVEL, p >= LEVEL / max(n_judged, 1)], [agree, DOUBTFUL], differ)


def n_parts(table: pd.DataFrame) -> pd.Series:
    """Return the number of parts behind the error in each row of a table; infinite if unknown."""
    told = [pd.to_numeric(table[name], errors="coerce") for name in PARTS if name in table]
    if not told or ("mcse" in table and "se" not in table):
        return pd.Series(np.inf, table.index)
    return told[0].where(told[0] > 1, np.inf)


def claim_views(claims):
    """Group the rows of claims, judgements on our or the paper's numbers, by paper and claim."""
    views = {}
    for row in claims.to_dict("records"):
        key, reading, statement = split_claim(row["claim"])
        claim = views.setdefault(row["paper"], {}).setdefault(
            key,
            {
                "key": key,
                "anchor": f"claim-{key.lower()}",
                "statement": statement[:1].upper() + statement[1:],
                "clause": statement,
                "uncounted": _uncounted(row),
                "measure": "" if absent(row.get("measured")) else row["measured"],
                **{part: [] for part in ("measured", "readings", "printed")},
            },
        )
        part = "printed" if reading == AS_PRINTED else "readings" if reading else "measured"
        ends = (row["low"], row["high"])
        claim[part].append(
            {
                "reading": reading,
                "verdict": row["verdict"],
                "effect": "" if absent(row["effect"]) else effect(row["effect"], *ends),
                "interval": interval(*ends),
                "evidence": row["evidence"],
            }
        )
    for of_paper in views.values():
        for claim in of_paper.values():
            found = claim["measured"] or claim["readings"] or claim["printed"]
            claim["verdict"] = found[0]["verdict"]
    return {paper: list(of_paper.values()) for paper, of_paper in views.items()}


def _uncounted(row):
    """Return why a claim counts towards no score, which older runs say of few."""
    said = row.get("uncounted")
    older = NOT_THE_PAPERS if row.get("source") == OURS else ""
    return older if said is None or absent(said) else said


def of_the_paper(views):
    """Return the claims of the paper that count: no others, and none that follows from them."""
    return [claim for claim in views if not claim["uncounted"]]


def verdict_counts(views):
    """Count the paper's claims that are confirmed, refuted and untestable, each of them once."""
    found = [claim["verdict"] for claim in of_the_paper(views)]
    return {verdict: found.count(verdict) for verdict in CLAIM_VERDICTS}

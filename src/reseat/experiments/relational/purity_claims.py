"""Claims FIRM-4 and FIRM-5: the purity of the cells."""

from __future__ import annotations

import numpy as np

from reseat.experiments.intervals import LEVEL, bonferroni, bootstrap_interval
from reseat.experiments.relational.coverage_claims import CLASSES, judged_lead, restarts_text
from reseat.experiments.relational.evidence import CLAIMS
from reseat.experiments.relational.results import BETAS
from reseat.experiments.relational.selection import best_interval, gap_interval, of_best_fits
from reseat.experiments.tidy import rows_of
from reseat.experiments.verdicts import (
    all_of,
    finish_sentence,
    verdict_above,
    verdict_below,
)
from reseat.variational.best import best_restart

#: "Not very high" means that S_1 is below this.
NOT_HIGH = 0.75
#: A cell is unspecific if no class has this share of its pairs. Unspecific cells are the reason if
#: they contain more than half of all pairs outside the main class of their cell.
UNSPECIFIC, REASON = 0.5, 0.5


@of_best_fits("firm", "irm")
def firm4(evidence):
    """Judge FIRM-4 by S_i of the FIRM minus that of the IRM, for each beta the smallest over i.

    Any i at which both are 1, such as the last, is left out, because neither can lead there.
    Confirmed if the lead is surely positive for every beta, refuted if it surely is not for one; a
    tie is not a lead. The effect is the smallest lead of all.
    """
    found, counts = {}, []
    level = bonferroni(LEVEL, len(BETAS))
    for beta in BETAS:
        models = [evidence.curves(model, beta) for model in ("firm", "irm")]
        if min(len(elbo) for elbo, _curves in models) == 0:
            continue
        counts += models
        open_ = np.any([curves[best_restart(elbo)] < 1 for elbo, curves in models], axis=0)
        if open_.any():
            models = [(elbo, curves[:, open_]) for elbo, curves in models]
            found[beta] = gap_interval(*models, evidence.rng, level, lambda gaps: gaps.min(axis=-1))
    if not found:
        return CLAIMS.untested("FIRM-4", "no purity of both models was computed.")
    missing = [f"beta = {beta:g}" for beta in BETAS if beta not in found]
    verdict = all_of(judged_lead(interval, evidence) for interval in found.values())
    verdict = evidence.verdict(verdict, missing=missing)
    shown = min(found.values(), key=lambda interval: interval[0])
    parts = [f"beta = {beta:g}: {least[0]:+.5f}" for beta, least in found.items()]
    text = (
        f"{evidence.where()}, {restarts_text(*counts)}, smallest lead of the FIRM in S_i where "
        f"not both are 1: {'; '.join(parts)}; {CLASSES}"
    )
    return CLAIMS.row("FIRM-4", verdict, *shown, finish_sentence(text, missing))


@of_best_fits("firm")
def firm5a(evidence):
    """Judge FIRM-5a by S_1 of the best FIRM.

    Confirmed if it is surely below NOT_HIGH, refuted if it is surely above.
    """
    elbo, curves = evidence.curves("firm")
    if len(elbo) == 0:
        return CLAIMS.untested("FIRM-5a", "no purity of the FIRM was computed.")
    first = (elbo, curves[:, 0])
    interval = best_interval(first, evidence.rng)
    verdict = evidence.verdict(verdict_below(*interval[1:], NOT_HIGH))
    text = (
        f"{evidence.where()}, {restarts_text(first)}: S_1; 'not very high' is read as "
        f"below {NOT_HIGH}; {CLASSES}."
    )
    return CLAIMS.row("FIRM-5a", verdict, *interval, text)


@of_best_fits("firm")
def firm5b(evidence):
    """Judge FIRM-5b by how many pairs outside the main class of their cell are in unspecific cells.

    The cells are those of the best FIRM. Confirmed if the share is surely above REASON, refuted if
    it is surely below; the interval is a bootstrap over cells.
    """
    cells = evidence.cells
    if cells is not None:
        cells = rows_of(evidence.of(cells, evidence.role), model="firm")
    if cells is None or len(cells) == 0:
        return CLAIMS.untested("FIRM-5b", "no cells of the FIRM were listed.")
    outside = cells["n_rows"] * cells["n_columns"] * (1 - cells["purity"])
    vague = cells["purity"] < UNSPECIFIC
    values = np.column_stack([outside * vague, outside])
    interval = bootstrap_interval([values], _share, evidence.rng)
    verdict = evidence.verdict(verdict_above(*interval[1:], REASON))
    text = (
        f"{evidence.where()}: {int(vague.sum()):,} of {len(cells):,} cells are unspecific (no "
        f"class has half of their pairs); the effect is their share of the pairs outside the main "
        f"class of their cell; 'because' is read as above {REASON}; {CLASSES}."
    )
    return CLAIMS.row("FIRM-5b", verdict, *interval, text)


def _share(values):
    total = values.sum(axis=0)
    return total[0] / total[1] if total[1] > 0 else 0.0

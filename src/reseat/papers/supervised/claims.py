"""The claims SC-1 to SC-20 of Daumé & Marcu (2005), judged by what was computed and measured.

Each claim has one function, whose docstring states the rule. It returns one row: the verdict, the
effect, an interval that holds with probability :data:`~reseat.papers.statistics.LEVEL` (for all
comparisons of a claim together), and a sentence of evidence that names the data. A rule says
*significantly* if the whole interval has to lie on that side. A claim is *untestable* if the
interval does not decide it, or if the data that it is about are missing. Rows marked "(as printed)"
apply the same rules to the numbers that the paper prints.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product

import numpy as np

from reseat.metrics import declared
from reseat.papers.claims import (
    ROUNDING,
    Cell,
    Evidence,
    all_of,
    concat_claims,
    finish_sentence,
    judge,
    judge_cells,
    judge_in_ways,
    listed,
    not_converged,
    verdict_above,
    verdict_below,
    with_reading,
)
from reseat.papers.statistics import LEVEL, bonferroni
from reseat.papers.supervised import formulas
from reseat.papers.supervised.contradictions import contradicted, fewest_clusters
from reseat.papers.supervised.evidence import CLAIMS, Lead
from reseat.papers.supervised.measures import PRINTED
from reseat.papers.supervised.results import LEARNED, ROLES, RULES, SCDP, TABLES, Published
from reseat.papers.tables import rows_of
from reseat.vocabulary import AS_PRINTED, CONFIRMED, REFUTED, UNTESTABLE

# ---- The claims SC-1 to SC-4 and SC-6 to SC-14: which system has the better score ------------
#
# Every rule is a list of leads. A claim is confirmed if all of them are significantly positive,
# refuted if one of them significantly is not, and untestable otherwise; a tie is not a lead, but
# is enough for a claim that nothing is better. Leads on data in place of the paper's decide
# nothing. Intervals are over chains or repetitions and hold for all leads of a claim together.
# Chains that disagree are not a sample of one distribution, so their lead is significant only if
# each of them has it as well. The result of a system without randomness is taken as exact.

#: How many leads with the same verdict the evidence names one by one.
CELLS_NAMED = 3

#: What the leads of each verdict are called, and what they are called if a tie is enough.
WORDS = {CONFIRMED: "positive", REFUTED: "not positive", UNTESTABLE: "undecided"}
WORDS_OF_TIES = {CONFIRMED: "not negative", REFUTED: "negative", UNTESTABLE: "undecided"}


def sc1a(evidence):
    """Judge the lead of SCDP-2 over SCDP-1 in F."""
    return _judged("SC-1a", evidence, _leads(ROLES, ["SCDP-2"], ["SCDP-1"]))


def sc1b(evidence):
    """Judge the lead of SCDP-3 over SCDP-2 in F."""
    return _judged("SC-1b", evidence, _leads(ROLES, ["SCDP-3"], ["SCDP-2"]))


def sc2(evidence):
    """Judge the lead of K-Means, which is told the number of clusters, over CDP in F."""
    return _judged("SC-2", evidence, _leads(ROLES, ["K-Means"], ["CDP"]))


#: Note on Xing-K, whose objective fixes the direction of the distance for every C > 0.
_XING = (
    "run to convergence, Xing-K has two distinct settings, one of which is K-Means, and the better "
    "by test F is taken, as the paper does"
)


def sc3a(evidence):
    """Judge the lead of Xing-K over K-Means in F, on two sets."""
    leads = _leads(["digits", "coref"], ["Xing-K"], ["K-Means"])
    return _judged("SC-3a", evidence, leads, _XING)


def sc3b(evidence):
    """Judge the lead of K-Means over Xing-K in F, on the other two sets."""
    leads = _leads(["identity", "refmatch"], ["K-Means"], ["Xing-K"])
    return _judged("SC-3b", evidence, leads, _XING)


def sc4a(evidence):
    """Judge the leads of SCDP-2 and SCDP-3 over the seven others in F, NES and VI, on digits."""
    others = ["Coarse", "Fine", "K-Means", "CDP", "Binary", "Xing-K", "SCDP-1"]
    leads = _leads(["digits"], ["SCDP-2", "SCDP-3"], others, ["F", "NES", "VI"])
    return _judged("SC-4a", evidence, leads)


def sc4b(evidence):
    """Judge the lead of Xing-K over SCDP-1 in VI, on digits."""
    leads = _leads(["digits"], ["Xing-K"], ["SCDP-1"], ["VI"])
    return _judged("SC-4b", evidence, leads, _XING)


def sc6(evidence):
    """Judge the lead of Fine over four systems in RI, on researchers."""
    others = ["K-Means", "CDP", "Binary", "Xing-K"]
    return _judged("SC-6", evidence, _leads(["identity"], ["Fine"], others, ["RI"]))


def sc7(evidence):
    """Judge the lead of NameMatch over the unsupervised systems and Xing-K in F; ties suffice."""
    others = ["Coarse", "Fine", "K-Means", "CDP", "Xing-K"]
    return _judged("SC-7", evidence, _leads(["identity"], ["NameMatch"], others), ties=True)


def sc8a(evidence):
    """Judge the leads of Binary over SCDP-1 and of SCDP-2 over Binary in F, on researchers."""
    leads = _leads(["identity"], ["Binary"], ["SCDP-1"]) + _leads(
        ["identity"], ["SCDP-2"], ["Binary"]
    )
    return _judged("SC-8a", evidence, leads)


def sc8b(evidence):
    """Judge the leads of all SCDP over Binary in CED, NES, VI and NVI, on researchers."""
    leads = _leads(["identity"], SCDP, ["Binary"], ["CED", "NES", "VI", "NVI"])
    return _judged("SC-8b", evidence, leads)


def sc9a(evidence):
    """Judge the lead of Binary over the other learned systems in F, on proper nouns."""
    leads = _leads(["coref"], ["Binary"], ["Xing-K", *SCDP])
    return _judged("SC-9a", evidence, leads)


def sc9b(evidence):
    """Judge the lead of SameHead over all learned systems in F."""
    return _judged("SC-9b", evidence, _leads(["coref"], ["SameHead"], LEARNED))


def sc9c(evidence):
    """Judge the lead of SameHead over all learned systems in all eight metrics."""
    return _judged("SC-9c", evidence, _leads(["coref"], ["SameHead"], LEARNED, PRINTED))


def sc10a(evidence):
    """Judge the leads of SCDP-2 and SCDP-3 over Binary in F, on references."""
    leads = _leads(["refmatch"], ["SCDP-2", "SCDP-3"], ["Binary"])
    return _judged("SC-10a", evidence, leads)


def sc10b(evidence):
    """Judge the lead of Binary over SCDP-1 and SCDP-2 in NES, and over all three in NVI.

    The data are the references.
    """
    leads = _leads(["refmatch"], ["Binary"], ["SCDP-1", "SCDP-2"], ["NES"])
    leads += _leads(["refmatch"], ["Binary"], SCDP, ["NVI"])
    return _judged("SC-10b", evidence, leads)


def sc11(evidence):
    """Judge the lead of Binary over SCDP-3 in NES, on references."""
    return _judged("SC-11", evidence, _leads(["refmatch"], ["Binary"], ["SCDP-3"], ["NES"]))


def sc12(evidence):
    """Judge the lead of Xing-K over K-Means in NES and NVI, on references."""
    leads = _leads(["refmatch"], ["Xing-K"], ["K-Means"], ["NES", "NVI"])
    return _judged("SC-12", evidence, leads, _XING)


def sc13(evidence):
    """Judge the lead of P over R of each SCDP on each set, chain by chain."""
    leads = [Lead(role, system, system, "P", "R") for role in ROLES for system in SCDP]
    return _judged("SC-13", evidence, leads)


def sc14a(evidence):
    """Judge the lead of every learned system over K-Means and CDP in F, on every set."""
    leads = _leads(ROLES, LEARNED, ["K-Means", "CDP"])
    return _judged("SC-14a", evidence, leads, _XING)


def sc14b(evidence):
    """Judge the lead in F of every learned system over the rule, on the two sets that have one."""
    leads = [Lead(role, system, rule, "F") for role, rule in RULES.items() for system in LEARNED]
    return _judged("SC-14b", evidence, leads)


def _leads(roles, first, second, metrics=("F",)):
    return [Lead(*names) for names in product(roles, first, second, metrics)]


def _judged(key, evidence, leads, note="", ties=False):
    """Return the row of a claim that holds if every lead is positive or, with `ties`, not negative.

    The effect is the smallest of the leads that decide.
    """
    level = bonferroni(LEVEL, len(leads))
    rule = partial(_verdict, bar=-ROUNDING if ties else ROUNDING)
    cells = []
    for lead in leads:
        interval = evidence.interval(lead, level)
        cells.append(Cell(_words(evidence, lead), lead.role, interval, rule, _absent(lead)))
    ran = [lead for lead, cell in zip(leads, cells, strict=True) if cell.measured]
    pairs = [(lead.role, system) for lead in ran for system in (lead.first, lead.second)]

    def words(found):
        parts = []
        for kind, called in (WORDS_OF_TIES if ties else WORDS).items():
            mine = [cell for cell in found if cell.verdict == kind]
            if mine:
                parts.append(f"{len(mine)} {called}{_named(mine)}")
        roles = dict.fromkeys(cell.role for cell in found)
        text = (
            f"{evidence.where(roles)}, {evidence.runs(ran)}: of {len(found)} "
            f"lead{'s' * (len(found) > 1)} {', '.join(parts)}; the effect is the smallest "
            "behind the verdict"
        )
        if not evidence.measured:
            return text
        if not all(map(evidence.of_the_paper, roles)):
            text += "; data in the place of the paper's decide nothing"
        if apart := not_converged(evidence.unconverged(pairs)):
            text += f"{apart}, whose leads count only if every chain has them"
        return text + (f"; {note}" if note else "")

    return judge_cells(key, evidence, cells, words, about_its_sets=True)


def _verdict(low, high, bar):
    if low > bar:
        return CONFIRMED
    return REFUTED if high <= bar else UNTESTABLE


def _absent(lead):
    """Return the systems and the set of a lead in words; either system may be the missing one."""
    return f"{' or '.join(dict.fromkeys([lead.first, lead.second]))} on {ROLES[lead.role]}"


def _words(evidence, lead):
    """Return a lead in words, such as 'SCDP-2 over Binary in F on digits'."""
    what = f"{evidence.name(lead.first)} over {evidence.name(lead.second)} in {lead.metric}"
    if lead.other:
        what = f"{lead.metric} over {lead.other} of {evidence.name(lead.first)}"
    return f"{what} on {ROLES[lead.role]}"


def _named(cells):
    """Return the smallest of some leads, such as ' (SCDP-2 over Binary in F on digits +0.012)'."""
    smallest = sorted(cells, key=lambda cell: cell.interval[0])[:CELLS_NAMED]
    parts = [f"{cell.name} {cell.interval[0]:+.3f}" for cell in smallest]
    more = ", \N{HORIZONTAL ELLIPSIS}" if len(cells) > CELLS_NAMED else ""
    return f" ({', '.join(parts)}{more})"


# ---- The claims SC-5, SC-15, SC-16 and SC-17: numbers of clusters, time, growth, -------------
# and the algorithm

#: "Far too many": more than this multiple of the true number (SC-5).
FAR = 2.0
#: "About ten times": between these multiples (SC-15).
ABOUT_TEN = (5.0, 20.0)
#: "Well": the expectation differs from the data's by at most this share of the latter (SC-16).
WELL = 0.10
#: How many documents must have n items for their average to be compared; all, if there are fewer.
N_DOCUMENTS = 5
#: Number of standard deviations in SC-16c.
WITHIN = 2.0

#: Squared distances of items from the means of their clusters, in one dimension: training items are
#: close to them, test items further away (SC-17).
TRAIN_SQUARES, TEST_SQUARES = (0.04, 0.09, 0.01), (1.0, 2.25)


def sc5(evidence):
    """Judge the number of clusters of test items under CDP, divided by the true number.

    Confirmed if the ratio is significantly above FAR, refuted if significantly below.
    """
    interval, truth = evidence.clusters("digits", "CDP", LEVEL)
    if np.isnan(interval[0] / truth):
        return evidence.untested("SC-5", "no clusters of CDP on digits were counted.")
    ratio = tuple(end / truth for end in interval)
    verdict = evidence.on_its_own(verdict_above(*ratio[1:], FAR), "digits")
    text = (
        f"{evidence.where(['digits'])}: {evidence.counted(interval[0], ('digits', 'CDP'), truth)}; "
        "the "
        f"effect is the ratio, and 'far too many' is read as more than {FAR:g}"
        f"{not_converged(evidence.unconverged([('digits', 'CDP')]))}."
    )
    return evidence.row("SC-5", verdict, ratio, text)


def sc15(evidence):
    """Judge the time of an iteration of SCDP-3 divided by that of SCDP-1, on every set.

    Confirmed if the ratio is significantly within ABOUT_TEN on all sets, refuted if significantly
    outside on one of the paper's. The effect is the smallest ratio of the sets that decide. Sets on
    which the two did not run with the same moves are left out.
    """
    level = bonferroni(LEVEL, len(ROLES))
    found = {role: evidence.slowdown(role, "SCDP-3", "SCDP-1", level) for role in ROLES}
    missing = [ROLES[role] for role in ROLES if np.isnan(found[role][0])]
    found = {role: interval for role, interval in found.items() if not np.isnan(interval[0])}
    if not found:
        return evidence.untested("SC-15", "no iterations of both with the same moves were timed.")
    said = {
        role: evidence.on_its_own(
            all_of(
                (
                    verdict_above(*interval[1:], ABOUT_TEN[0]),
                    verdict_below(*interval[1:], ABOUT_TEN[1]),
                )
            ),
            role,
        )
        for role, interval in found.items()
    }
    decided = all_of(said.values())
    verdict = evidence.verdict(decided, found, missing)
    numbers = ", ".join(f"{ROLES[role]} {interval[0]:.1f}" for role, interval in found.items())
    text = (
        f"{evidence.timed(found)}, {evidence.name('SCDP-3')}: {numbers}; 'about ten times' is read "
        f"as {ABOUT_TEN[0]:g} to {ABOUT_TEN[1]:g}; the effect is the smallest of those that decide"
    )
    if other := evidence.with_other_sweeps(found, "SCDP-3", "SCDP-1"):
        text += f"; sweeps with the moves of the models as reported on {listed(other)}"
    deciding = [interval for role, interval in found.items() if said[role] == decided]
    shown = min(deciding, key=lambda interval: interval[0])
    return evidence.row("SC-15", verdict, shown, finish_sentence(text, missing))


def sc16a(evidence):
    """Judge the largest relative gap between the expectations of DP and data on three sets.

    Confirmed if it is at most WELL.
    """
    roles = [role for role in ROLES if role != "digits"]
    return _growth("SC-16a", evidence, roles, _relative, lambda gap: gap <= WELL, _WELL)


def sc16b(evidence):
    """Judge the gap of `sc16a` on digits: confirmed if it is more than WELL."""
    return _growth("SC-16b", evidence, ["digits"], _relative, lambda gap: gap > WELL, _WELL)


def sc16c(evidence):
    """Judge the largest gap in standard deviations under the DP, on all sets.

    Confirmed if it is at most WITHIN.
    """
    text = "gap in standard deviations under the DP"
    return _growth("SC-16c", evidence, ROLES, _standardised, lambda gap: gap <= WITHIN, text)


_WELL = f"gap as a share of the data's expectation; 'well' is read as at most {WELL:.0%}"


def sc17(evidence):
    """Judge the precision of a type given its items: refuted if test items change it in step 2.

    The claim is about the algorithm of Figure 2, which draws d for all items, so that it is decided
    by the algorithm as printed. The effect is the change of the mean of t when test items join
    three training items of their type, relative to the mean before.
    """
    alone = type_precision(TRAIN_SQUARES)
    change = type_precision(TRAIN_SQUARES + TEST_SQUARES) / alone - 1
    counts = [
        f"{100 * share['n_test'] / share['n_items']:.0f} % on {words}"
        for role, words in ROLES.items()
        for share in [evidence.of(evidence.data, role).groupby("quantity")["value"].mean()]
        if {"n_test", "n_items"} <= set(share.index)
    ]
    behind = f" Of the items behind the types the test items are {', '.join(counts)}." * bool(
        counts
    )
    text = (
        "Step 2 of Figure 2 draws t given all items of its type, and step 3 draws the types of "
        f"test items as well: two of them beside three training items change its mean from "
        f"{alone:.2f} to {alone * (1 + change):.2f}.{behind}"
    )
    return CLAIMS.exact("SC-17", change == 0, change, text)


def type_precision(squares):
    """Return the mean of t given the squared distances of its items from their means.

    See section 3, step 2.
    """
    return (1 + len(squares) / 2) / (1 + sum(squares) / 2)


def _growth(key, evidence, roles, gap_of, holds, text):
    """Return the row of a claim about curves in closed form; its interval is the effect itself."""

    def rule(low, _high):
        return CONFIRMED if holds(low) else REFUTED

    cells = []
    for role in roles:
        part = evidence.of(evidence.growth, role)
        gap = float(gap_of(_averaged(part))) if len(part) else np.nan
        cells.append(Cell(ROLES[role], role, (gap,) * 3, rule, ROLES[role]))

    def words(found):
        numbers = ", ".join(f"{cell.name} {cell.interval[0]:.2f}" for cell in found)
        return (
            f"{evidence.where([cell.role for cell in found])}, largest over n (of items within "
            f"documents, over those n that {N_DOCUMENTS} documents have): {numbers}: {text}; the "
            "effect is the largest behind the verdict; other data in the place of the paper's "
            "decide nothing"
        )

    return judge_cells(key, evidence, cells, words, max, about_its_sets=True)


def _averaged(part):
    """Return the points to which enough documents contribute."""
    if "n_groups" not in part.columns:
        return part
    return part[part["n_groups"] >= min(N_DOCUMENTS, part["n_groups"].max())]


def _relative(part):
    return (abs(part["dp_mean"] - part["empirical_mean"]) / part["empirical_mean"]).max()


def _standardised(part):
    spread = rows_of(part, n=1)["n"].index  # one item is always one cluster, without spread
    part = part.drop(spread)
    return (abs(part["dp_mean"] - part["empirical_mean"]) / part["dp_sd"]).max()


# ---- The printed numbers in place of our own, so that the same rules can judge them ----------

#: Largest number of doubtful rows that are named one by one.
ROWS_NAMED = 6


@dataclass(frozen=True)
class PrintedEvidence(Evidence):
    """Tables 1 to 4 and the times of the text; methods are those of `SupervisedEvidence`."""

    claims = CLAIMS

    published: Published
    measured: bool = False

    @cached_property
    def doubtful(self):
        """(role, system) of rows that contradict themselves, or Coarse and Fine."""
        return contradicted(self.published)

    def name(self, system):
        """Return the name of a system in words; the paper has only one SCDP-3."""
        return system

    def interval(self, lead, _level):
        """Return the lead itself, because a printed number has no error."""
        numbers = [
            self.published.beside(lead.role, lead.first, lead.metric),
            self.published.beside(lead.role, lead.second, lead.other or lead.metric),
        ]
        sign = 1 if lead.other else declared(lead.metric).better
        return (round(sign * (numbers[0] - numbers[1]), 6),) * 3

    def clusters(self, role, system, _level):
        """Return the fewest clusters that the printed P and R allow, and the true number."""
        found = (fewest_clusters(self.published, role, system),) * 3
        return found, self.published.n_entities(role)

    def counted(self, fewest, row, truth):
        """Return the numbers from `clusters` in words."""
        doubt = ", though the row contradicts other printed numbers" if row in self.doubtful else ""
        return f"at least {fewest:.1f} clusters, by P and R, for {truth:.0f} digits{doubt}"

    def slowdown(self, role, first, second, _level):
        """Return the ratio of the times that the text gives."""
        seconds = [self.published.seconds(role, system) for system in (first, second)]
        return (seconds[0] / seconds[1],) * 3

    def with_other_sweeps(self, _roles, _first, _second):
        """Return no sets, because the times in the text are of the paper's own sweeps."""
        return []

    def timed(self, _roles):
        """Return in words where the times are from."""
        return "The times in the text"

    def where(self, roles):
        """Return where the numbers are from, such as 'Tables 1 and 3'."""
        numbers = [str(TABLES[role]) for role in dict.fromkeys(roles)]
        return f"Table{'s' if len(numbers) > 1 else ''} {listed(numbers)}"

    def generated(self, _roles):
        """Return False, because no printed numbers are of generated data."""
        return False

    def of_the_paper(self, _role):
        """Return True, because all printed numbers are of the paper's own data."""
        return True

    def runs(self, leads):
        """Return in words which of the rows contradict other printed numbers."""
        rows = {(lead.role, system) for lead in leads for system in (lead.first, lead.second)}
        rows = sorted(rows & self.doubtful, key=lambda row: (TABLES[row[0]], row[1]))
        if not rows:
            return "as printed"
        names = [f"{system} (Table {TABLES[role]})" for role, system in rows]
        named = listed(names) if len(names) <= ROWS_NAMED else f"{len(names)} rows"
        verb = "contradicts" if len(rows) == 1 else "contradict"
        return f"as printed, though {named} {verb} other printed numbers"

    def unconverged(self, _pairs):
        """Return no pairs, because nothing printed says whether chains agreed."""
        return []

    def row(self, key, verdict, interval, text):
        """Return a row of the claims, marked as printed and without an interval."""
        return CLAIMS.row(key, verdict, interval[0], np.nan, np.nan, text, AS_PRINTED)

    def untested(self, key, reason):
        """Return the row of a claim about which nothing is printed."""
        return CLAIMS.untested(key, reason, AS_PRINTED)


# ---- The claims SC-18 to SC-20, which are right or wrong up to rounding ----------------------


def sc18(_evidence):
    """Judge Algorithm 8 with one candidate more for an item that is alone.

    Refuted if it leads elsewhere than to the posterior with any of the numbers of candidates.
    """
    printed, neal = (
        [formulas.seating_error(rule, n) for n in formulas.CANDIDATES]
        for rule in (formulas.printed_candidates, formulas.neal_candidates)
    )
    effect = max(distance for distance, *_ in printed)
    reached = ", ".join(
        f"{together:.4f} with {n}"
        for n, (_, together, _) in zip(formulas.CANDIDATES, printed, strict=True)
    )
    text = (
        f"Two items, all states enumerated: they share a cluster with probability "
        f"{printed[0][2]:.4f}, but under the printed rule with {reached} candidates; the effect is "
        "the largest total variation. By the rule of Neal (2000), that an item which is alone "
        "brings its own mean as one of the candidates, it is "
        f"{max(distance for distance, *_ in neal):.1e}."
    )
    return CLAIMS.exact("SC-18", effect <= ROUNDING, effect, text)


def sc19(_evidence):
    """Judge the weights of the gamma distributions in equations 6 and 8.

    Refuted if they do not give the posterior of the concentration.
    """
    (effect, printed, exact), (rest, *_) = map(formulas.concentration_error, (1, 0))
    n_items, n_clusters = formulas.PAIR
    text = (
        f"{n_clusters} clusters of {n_items} items, quadrature: with a - M - 1 the mean of alpha "
        f"is {printed:.3f}, but that of the posterior is {exact:.3f}; the effect is the total "
        f"variation. With a - M it is {rest:.1e}."
    )
    return CLAIMS.exact("SC-19", effect <= ROUNDING, effect, text)


def sc20(_evidence):
    """Judge whether clusters that are apart are favoured, with types as precisions.

    Refuted if three items are expected to have fewer clusters than under SCDP-1.
    """
    return _apart("precision", "")


def sc20_covariance(_evidence):
    """Judge the claim of `sc20` with the types as covariances."""
    return _apart("covariance", "types as covariances")


def _apart(law, reading):
    one, other = (formulas.expected_clusters(name) for name in ("fixed", law))
    text = (
        f"Three items, all pairs of partitions enumerated: {other:.2f} clusters are expected under "
        f"SCDP-3, and {one:.2f} under SCDP-1; the effect is the difference."
    )
    effect = other - one
    verdict = CONFIRMED if effect > 0 else REFUTED
    return CLAIMS.row("SC-20", verdict, effect, effect, effect, text, reading)


#: Rules that can be applied to the printed numbers as well.
PRINTED_RULES = (
    *(sc1a, sc1b, sc2, sc3a, sc3b, sc4a, sc4b),
    *(sc5, sc6, sc7, sc8a, sc8b),
    *(sc9a, sc9b, sc9c, sc10a, sc10b, sc11, sc12),
    *(sc13, sc14a, sc14b, sc15),
)
ALL_RULES = (
    *(*PRINTED_RULES, sc16a, sc16b, sc16c, sc17),
    *(sc18, sc19, sc20, sc20_covariance),
)

#: Claims that involve SCDP-3.
WITH_SCDP3 = (
    *(sc1b, sc4a, sc8b, sc9a, sc9b, sc9c),
    *(sc10a, sc10b, sc11, sc13, sc14a, sc14b, sc15),
)

#: Claims about a single set of the paper.
OF_ROLE = {
    "digits": (sc4a, sc4b, sc5, sc16b),
    "identity": (sc6, sc7, sc8a, sc8b),
    "coref": (sc9a, sc9b, sc9c),
    "refmatch": (sc10a, sc10b, sc11, sc12),
}


def evaluate_readings(evidence):
    """Judge some claims again, with the other reading of SCDP-3 and on other data of a role.

    There are no rows for what did not run.
    """
    frames = []
    if (evidence.scores["system"] == "SCDP-3p").any():
        other = replace(evidence, scdp3="SCDP-3p")
        frames.append(with_reading(judge(WITH_SCDP3, other), "SCDP-3 precision"))
    for role in ROLES:
        for name in evidence.datasets_for(role)[1:]:
            other = replace(evidence, chosen={role: name})
            frames.append(with_reading(judge(OF_ROLE[role], other), other.title(role)))
    return concat_claims(frames)


def evaluate_printed(evidence):
    """Judge claims on the numbers that the paper prints."""
    return judge(PRINTED_RULES, PrintedEvidence(evidence.published))


def judge_all(evidence):
    """Judge every claim in every way; see `judge_in_ways`."""
    return judge_in_ways(evidence, ALL_RULES, evaluate_printed, evaluate_readings)

"""The claims SC-1 to SC-4 and SC-6 to SC-14: which system has the better score.

Every rule is a list of leads. A claim is confirmed if all of them surely are positive, refuted if
one of them surely is not, and untestable otherwise; a tie is no lead. Leads on data in the place of
the paper's decide nothing. Intervals are over chains or repetitions, all leads of a claim together.
Chains that disagree are no sample of one law: their lead is sure only if each of them has it too.
A system without randomness is taken as it came out.
"""

from __future__ import annotations

from itertools import product

from reseat.experiments.evidence import Cell, judge_cells, not_converged
from reseat.experiments.intervals import LEVEL, bonferroni
from reseat.experiments.supervised.evidence import Lead
from reseat.experiments.supervised.measures import PRINTED
from reseat.experiments.supervised.results import LEARNED, ROLES, RULES, SCDP
from reseat.experiments.verdicts import (
    CONFIRMED,
    REFUTED,
    ROUNDING,
    UNTESTABLE,
)

#: Leads of one verdict that the evidence names one by one.
NAMED = 3

#: What the leads of each verdict are called.
WORDS = {CONFIRMED: "positive", REFUTED: "not positive", UNTESTABLE: "undecided"}


def sc1a(evidence):
    """F of SCDP-2 over SCDP-1."""
    return _judged("SC-1a", evidence, _leads(ROLES, ["SCDP-2"], ["SCDP-1"]))


def sc1b(evidence):
    """F of SCDP-3 over SCDP-2."""
    return _judged("SC-1b", evidence, _leads(ROLES, ["SCDP-3"], ["SCDP-2"]))


def sc2(evidence):
    """F of K-Means, which is told the number of clusters, over CDP."""
    return _judged("SC-2", evidence, _leads(ROLES, ["K-Means"], ["CDP"]))


#: What Xing-K is: its objective fixes the direction of the distance, whatever C > 0 is.
_XING = (
    "run to convergence, Xing-K has two distinct settings, one of which is K-Means, and the better "
    "by test F is taken, as the paper does"
)


def sc3a(evidence):
    """F of Xing-K over K-Means on two sets."""
    leads = _leads(["digits", "coref"], ["Xing-K"], ["K-Means"])
    return _judged("SC-3a", evidence, leads, _XING)


def sc3b(evidence):
    """F of K-Means over Xing-K on the other two."""
    leads = _leads(["identity", "refmatch"], ["K-Means"], ["Xing-K"])
    return _judged("SC-3b", evidence, leads, _XING)


def sc4a(evidence):
    """F, NES and VI of SCDP-2 and SCDP-3 over the seven others, on digits."""
    others = ["Coarse", "Fine", "K-Means", "CDP", "Binary", "Xing-K", "SCDP-1"]
    leads = _leads(["digits"], ["SCDP-2", "SCDP-3"], others, ["F", "NES", "VI"])
    return _judged("SC-4a", evidence, leads)


def sc4b(evidence):
    """VI of Xing-K over SCDP-1 on digits."""
    leads = _leads(["digits"], ["Xing-K"], ["SCDP-1"], ["VI"])
    return _judged("SC-4b", evidence, leads, _XING)


def sc6(evidence):
    """RI of Fine over four systems on researchers."""
    others = ["K-Means", "CDP", "Binary", "Xing-K"]
    return _judged("SC-6", evidence, _leads(["identity"], ["Fine"], others, ["RI"]))


def sc7(evidence):
    """F of NameMatch over the unsupervised systems and Xing-K."""
    others = ["Coarse", "Fine", "K-Means", "CDP", "Xing-K"]
    return _judged("SC-7", evidence, _leads(["identity"], ["NameMatch"], others))


def sc8a(evidence):
    """F of Binary over SCDP-1, and of SCDP-2 over Binary, on researchers."""
    leads = _leads(["identity"], ["Binary"], ["SCDP-1"]) + _leads(
        ["identity"], ["SCDP-2"], ["Binary"]
    )
    return _judged("SC-8a", evidence, leads)


def sc8b(evidence):
    """CED, NES, VI and NVI of all SCDP over Binary on researchers."""
    leads = _leads(["identity"], SCDP, ["Binary"], ["CED", "NES", "VI", "NVI"])
    return _judged("SC-8b", evidence, leads)


def sc9a(evidence):
    """F of Binary over the other learned systems on proper nouns."""
    leads = _leads(["coref"], ["Binary"], ["Xing-K", *SCDP])
    return _judged("SC-9a", evidence, leads)


def sc9b(evidence):
    """F of SameHead over all learned systems."""
    return _judged("SC-9b", evidence, _leads(["coref"], ["SameHead"], LEARNED))


def sc9c(evidence):
    """All eight metrics of SameHead over all learned systems."""
    return _judged("SC-9c", evidence, _leads(["coref"], ["SameHead"], LEARNED, PRINTED))


def sc10a(evidence):
    """F of SCDP-2 and SCDP-3 over Binary on references."""
    leads = _leads(["refmatch"], ["SCDP-2", "SCDP-3"], ["Binary"])
    return _judged("SC-10a", evidence, leads)


def sc10b(evidence):
    """NES of Binary over SCDP-1 and SCDP-2, and its NVI over all three, on references."""
    leads = _leads(["refmatch"], ["Binary"], ["SCDP-1", "SCDP-2"], ["NES"])
    leads += _leads(["refmatch"], ["Binary"], SCDP, ["NVI"])
    return _judged("SC-10b", evidence, leads)


def sc11(evidence):
    """NES of Binary over SCDP-3 on references."""
    return _judged("SC-11", evidence, _leads(["refmatch"], ["Binary"], ["SCDP-3"], ["NES"]))


def sc12(evidence):
    """NES and NVI of Xing-K over K-Means on references."""
    leads = _leads(["refmatch"], ["Xing-K"], ["K-Means"], ["NES", "NVI"])
    return _judged("SC-12", evidence, leads, _XING)


def sc13(evidence):
    """P over R of each SCDP on each set, chain by chain."""
    leads = [Lead(role, system, system, "P", "R") for role in ROLES for system in SCDP]
    return _judged("SC-13", evidence, leads)


def sc14a(evidence):
    """F of every learned system over K-Means and CDP on every set."""
    leads = _leads(ROLES, LEARNED, ["K-Means", "CDP"])
    return _judged("SC-14a", evidence, leads, _XING)


def sc14b(evidence):
    """F of every learned system over the hand-made rule, on the two sets that have one."""
    leads = [Lead(role, system, rule, "F") for role, rule in RULES.items() for system in LEARNED]
    return _judged("SC-14b", evidence, leads)


def _leads(roles, first, second, metrics=("F",)):
    return [Lead(*names) for names in product(roles, first, second, metrics)]


def _judged(key, evidence, leads, note=""):
    """The row of a claim that holds if every lead is positive.

    The effect is the smallest lead of those that decide.
    """
    level = bonferroni(LEVEL, len(leads))
    cells = []
    for lead in leads:
        interval = evidence.interval(lead, level)
        cells.append(Cell(_words(evidence, lead), lead.role, interval, _verdict, _absent(lead)))
    ran = [lead for lead, cell in zip(leads, cells, strict=True) if cell.measured]
    pairs = [(lead.role, system) for lead in ran for system in (lead.first, lead.second)]

    def words(found):
        parts = []
        for kind, called in WORDS.items():
            mine = [cell for cell in found if cell.verdict == kind]
            if mine:
                parts.append(f"{len(mine)} {called}{_named(mine)}")
        roles = dict.fromkeys(cell.role for cell in found)
        text = (
            f"{evidence.where(roles)}, {evidence.runs(ran)}: of {len(found)} "
            f"lead{'s' * (len(found) > 1)} {', '.join(parts)}; the effect is the smallest "
            "that decides"
        )
        if not evidence.measured:
            return text
        if not all(map(evidence.of_the_paper, roles)):
            text += "; data in the place of the paper's decide nothing"
        if apart := not_converged(evidence.unconverged(pairs)):
            text += f"{apart}, whose leads count only if every chain has them"
        return text + (f"; {note}" if note else "")

    return judge_cells(key, evidence, cells, words, about_its_sets=True)


def _verdict(low, high):
    if low > ROUNDING:
        return CONFIRMED
    return REFUTED if high <= ROUNDING else UNTESTABLE


def _absent(lead):
    """The set and the systems of a lead, in words; either of a pair may be what is missing."""
    return f"{' or '.join(dict.fromkeys([lead.first, lead.second]))} on {ROLES[lead.role]}"


def _words(evidence, lead):
    """'SCDP-2 over Binary in F on digits'."""
    what = f"{evidence.name(lead.first)} over {evidence.name(lead.second)} in {lead.metric}"
    if lead.other:
        what = f"{lead.metric} over {lead.other} of {evidence.name(lead.first)}"
    return f"{what} on {ROLES[lead.role]}"


def _named(cells):
    """' (SCDP-2 over Binary in F on digits +0.012)': the smallest of some leads."""
    smallest = sorted(cells, key=lambda cell: cell.interval[0])[:NAMED]
    parts = [f"{cell.name} {cell.interval[0]:+.3f}" for cell in smallest]
    more = ", \N{HORIZONTAL ELLIPSIS}" if len(cells) > NAMED else ""
    return f" ({', '.join(parts)}{more})"

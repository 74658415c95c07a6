"""The claims SC-1 to SC-4 and SC-6 to SC-14: which system has the better score.

Every rule is a list of leads. A claim is confirmed if all of them are significantly positive,
refuted if one of them significantly is not, and untestable otherwise; a tie is not a lead, but is
enough for a claim that nothing is better. Leads on data in place of the paper's decide nothing.
Intervals are over chains or repetitions and hold for all leads of a claim together. Chains that
disagree are not a sample of one distribution, so their lead is significant only if each of them has
it as well. The result of a system without randomness is taken as exact.
"""

from __future__ import annotations

from functools import partial
from itertools import product

from reseat.experiments.evidence import Cell, judge_cells, not_converged
from reseat.experiments.intervals import LEVEL, bonferroni
from reseat.experiments.supervised.evidence import Lead
from reseat.experiments.supervised.measures import PRINTED
from reseat.experiments.supervised.results import LEARNED, ROLES, RULES, SCDP
from reseat.experiments.verdicts import ROUNDING
from reseat.vocabulary import CONFIRMED, REFUTED, UNTESTABLE

#: How many leads with the same verdict the evidence names one by one.
NAMED = 3

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
    smallest = sorted(cells, key=lambda cell: cell.interval[0])[:NAMED]
    parts = [f"{cell.name} {cell.interval[0]:+.3f}" for cell in smallest]
    more = ", \N{HORIZONTAL ELLIPSIS}" if len(cells) > NAMED else ""
    return f" ({', '.join(parts)}{more})"

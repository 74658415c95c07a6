"""The claims SC-1 to SC-23 of Daumé & Marcu (2005), judged by what was computed and measured."""

from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from reseat.papers import claims as judging
from reseat.papers.statistics import LEVEL, mean_interval
from reseat.papers.supervised import PAPER, formulas
from reseat.papers.supervised.evidence import Lead, PrintedTables
from reseat.papers.supervised.measures import PRINTED as PRINTED_METRICS
from reseat.papers.supervised.results import LEARNED, MIXING, POSTERIOR, ROLES, RULES, SCDP
from reseat.papers.tables import rows_of
from reseat.vocabulary import AS_PRINTED, CONFIRMED, FORMULA, REFUTED, UNTESTABLE

CLAIMS = judging.Claims(PAPER)
claim = CLAIMS.claim

# ---- The claims SC-1 to SC-4 and SC-6 to SC-14: which system has the better score ------------
#
# Every rule is a list of leads. A claim is confirmed if all of them are significantly positive,
# refuted if one of them significantly is not, and untestable otherwise; a tie is not a lead, but
# is enough for a claim that nothing is better. What the paper prints about lost sets refutes a
# claim about these alone that it contradicts, but confirms none.
# Chains are those of the paper's sweeps, and their means are means over modes, as the paper's are.
# Claims are judged again by chains with moves that mix; if these disagree, their lead is
# significant only if each of them has it. The result of a system without randomness is exact.

#: The sets that are lost or licensed.
LOST = {"identity", "coref"}

#: How many leads with the same verdict the evidence names one by one.
MAX_CELLS_LISTED = 3

#: What the leads of each verdict are called, and what they are called if a tie is enough.
WORDS = {CONFIRMED: "positive", REFUTED: "not positive", UNTESTABLE: "undecided"}
WORDS_OF_TIES = {CONFIRMED: "not negative", REFUTED: "negative", UNTESTABLE: "undecided"}


def leads(stated, given, effect="", note="", ties=False, uncounted=""):
    """Declare a claim that holds if every lead is positive or, with `ties`, not negative."""
    roles = list(dict.fromkeys(lead.role for lead in given))
    metrics = {lead.metric for lead in given}
    systems = {system for lead in given for system in (lead.first, lead.second)}
    again = [judging.PRINTED, *(roles if len(roles) == 1 else ())]
    again += ["SCDP-3"] if "SCDP-3" in systems else []
    again += ["draws"] if roles == ["digits"] else []
    again += [POSTERIOR] if systems & {"CDP", *SCDP} else []
    bar = -judging.ROUNDING if ties else judging.ROUNDING

    def cells(evidence, sets):
        return [_cell(evidence, lead, bar) for lead in given if lead.role in sets]

    def words(evidence, found):
        parts = []
        for kind, called in (WORDS_OF_TIES if ties else WORDS).items():
            alike = [cell for cell in found if cell.verdict == kind]
            if alike:
                parts.append(f"{len(alike)} {called}{_named(alike)}")
        sets = dict.fromkeys(cell.role for cell in found)
        names = {cell.name for cell in found}
        ran = [lead for lead in given if _words(evidence, lead) in names]
        text = (
            f"{evidence.where(sets)}, {evidence.runs(ran)}: of {len(found)} "
            f"lead{'s' * (len(found) > 1)} {', '.join(parts)}; the effect is the smallest "
            "behind the verdict"
        )
        if not evidence.measured:
            return text
        if not all(map(evidence.is_faithful, sets)):
            text += "; data in the place of the paper's decide nothing by themselves"
        pairs = [(lead.role, system) for lead in ran for system in (lead.first, lead.second)]
        return text + evidence.apart(pairs) + (f"; {note}" if note else "")

    unit = " in F, which runs from 0 to 1" if metrics == {"F"} else ", in units of the metric"
    effect = effect or f"smallest lead{unit}"

    @claim(*stated.split(": ", 1), effect=effect, uncounted=uncounted, again=again)
    def rule(evidence):
        lost = LOST.issuperset(roles) and not any(map(evidence.is_faithful, roles))
        return _judged(evidence, roles, cells, words, as_printed=lost)

    return rule


def _judged(evidence, roles, cells, words, shown=min, most=False, as_printed=False):
    """Return the verdict on some sets together, with those on each of the paper's own if several.

    `cells` takes the evidence and sets, `words` the evidence and cells. If nothing decides and
    `as_printed` is set, printed numbers that contradict the claim do.
    """

    def judge(evidence, sets):
        combine = partial(judging.most_of, n=len(sets)) if most else judging.all_of
        given = (evidence, cells(evidence, sets), partial(words, evidence), shown)
        return judging.judge_cells(*given, about_its_sets=True, combine=combine)

    found = judge(evidence, roles)
    if evidence.measured and len(roles) > 1:
        each = [(role, other) for role in roles for other in evidence.on_each(role)]
        on = {other.dataset(role): judge(other, [role]) for role, other in each}
        found = replace(found, on=on)
    if as_printed and found.verdict == UNTESTABLE and evidence.is_usual:
        printed = judge(PrintedTables(evidence.published), roles)
        if printed.verdict == REFUTED:
            text = f"The paper's own numbers contradict it. {printed.evidence} {found.evidence}"
            interval = (printed.interval[0], np.nan, np.nan)
            found = replace(found, verdict=REFUTED, interval=interval, evidence=text)
    return found


def _over(roles, first, second, metrics="F"):
    """Return the leads of each of the first over each of the second, by each metric on each set."""
    names = ([name] if isinstance(name, str) else name for name in (roles, first, second, metrics))
    return [Lead(*lead) for lead in product(*names)]


def _cell(evidence, lead, bar):
    """Return a lead as a comparison; either of its systems may be what is missing."""
    absent = f"{' or '.join(dict.fromkeys((lead.first, lead.second)))} on {ROLES[lead.role]}"
    measure, rule = partial(evidence.interval, lead), partial(judging.ahead, bar=bar)
    return judging.Cell(_words(evidence, lead), lead.role, measure, rule, absent)


def _words(evidence, lead):
    """Return a lead in words, such as 'SCDP-2 over Binary in F on digits'."""
    what = f"{evidence.name(lead.first)} over {evidence.name(lead.second)} in {lead.metric}"
    if lead.other:
        what = f"{lead.metric} over {lead.other} of {evidence.name(lead.first)}"
    return f"{what} on {ROLES[lead.role]}"


def _named(cells):
    """Return the smallest of some leads, such as ' (SCDP-2 over Binary in F on digits +0.012)'."""
    smallest = sorted(cells, key=lambda cell: cell.interval[0])[:MAX_CELLS_LISTED]
    parts = [f"{cell.name} {cell.interval[0]:+.3f}" for cell in smallest]
    more = ", \N{HORIZONTAL ELLIPSIS}" if len(cells) > MAX_CELLS_LISTED else ""
    return f" ({', '.join(parts)}{more})"


#: Note on Xing-K, whose objective fixes the direction of the distance for every C > 0.
_XING = (
    "run to convergence, Xing-K has two distinct settings, one of which is K-Means, and the better "
    "by test F is taken, as the paper does"
)

sc1a = leads(
    "SC-1a: by F, SCDP-2 is better than SCDP-1 on all four sets", _over(ROLES, "SCDP-2", "SCDP-1")
)
sc1b = leads(
    "SC-1b: by F, SCDP-3 is better than SCDP-2 on all four sets", _over(ROLES, "SCDP-3", "SCDP-2")
)
sc2 = leads(  # K-Means is told the number of clusters
    "SC-2: by F, K-Means is better than CDP on all four sets", _over(ROLES, "K-Means", "CDP")
)
sc3a = leads(
    "SC-3a: by F, Xing-K is better than K-Means on digits and proper nouns",
    _over(("digits", "coref"), "Xing-K", "K-Means"),
    note=_XING,
)
sc3b = leads(
    "SC-3b: by F, Xing-K is worse than K-Means on researchers and references",
    _over(("identity", "refmatch"), "K-Means", "Xing-K"),
    note=_XING,
)
sc4a = leads(
    "SC-4a: on digits SCDP-2 and SCDP-3 beat every other system by F, NES and VI",
    _over(
        "digits",
        ("SCDP-2", "SCDP-3"),
        ("Coarse", "Fine", "K-Means", "CDP", "Binary", "Xing-K", "SCDP-1"),
        ("F", "NES", "VI"),
    ),
)
sc4b = leads(
    "SC-4b: on digits Xing-K beats SCDP-1 by VI",
    _over("digits", "Xing-K", "SCDP-1", "VI"),
    note=_XING,
)
sc6 = leads(
    "SC-6: on researchers, by RI, Fine beats K-Means, CDP, Binary and Xing-K",
    _over("identity", "Fine", ("K-Means", "CDP", "Binary", "Xing-K"), "RI"),
    effect="smallest lead of Fine in the Rand index, which runs from 0 to 1",
)
sc7 = leads(
    "SC-7: on researchers no unsupervised system nor Xing-K beats NameMatch by F",
    _over("identity", "NameMatch", ("Coarse", "Fine", "K-Means", "CDP", "Xing-K")),
    ties=True,
)
sc8a = leads(
    "SC-8a: on researchers, by F, Binary is between SCDP-1 and SCDP-2",
    _over("identity", "Binary", "SCDP-1") + _over("identity", "SCDP-2", "Binary"),
)
sc8b = leads(
    "SC-8b: on researchers all SCDP beat Binary by CED, NES, VI and NVI",
    _over("identity", SCDP, "Binary", ("CED", "NES", "VI", "NVI")),
)
sc9a = leads(
    "SC-9a: on proper nouns Binary is the best learned system by F",
    _over("coref", "Binary", ("Xing-K", *SCDP)),
)
sc9b = leads(
    "SC-9b: on proper nouns SameHead beats every learned system by F",
    _over("coref", "SameHead", LEARNED),
    uncounted="a part of SC-9c",
)
sc9c = leads(
    "SC-9c: on proper nouns SameHead beats every learned system along all metrics",
    _over("coref", "SameHead", LEARNED, PRINTED_METRICS),
)
sc10a = leads(
    "SC-10a: on references SCDP-2 and SCDP-3 beat Binary by F",
    _over("refmatch", ("SCDP-2", "SCDP-3"), "Binary"),
)
sc10b = leads(
    "SC-10b: on references Binary beats SCDP-1 and SCDP-2 by NES, and all SCDP by NVI",
    _over("refmatch", "Binary", ("SCDP-1", "SCDP-2"), "NES")
    + _over("refmatch", "Binary", SCDP, "NVI"),
)
sc11 = leads(
    "SC-11: on references Binary is better than SCDP-3 by NES (section 7.4)",
    _over("refmatch", "Binary", "SCDP-3", "NES"),
)
sc12 = leads(
    "SC-12: on references, by NES and NVI, learning a distance seems to help",
    _over("refmatch", "Xing-K", "K-Means", ("NES", "NVI")),
    note=_XING,
)
sc13 = leads(
    "SC-13: the SCDP models have a higher precision than recall",
    [Lead(role, system, system, "P", "R") for role in ROLES for system in SCDP],
    effect="smallest lead of precision over recall, both from 0 to 1",
)
sc14a = leads(
    "SC-14a: by F, supervised systems consistently outperform K-Means and CDP",
    _over(ROLES, LEARNED, ("K-Means", "CDP")),
    note=_XING,
)
sc14b = leads(  # two of the sets have a rule
    "SC-14b: by F, supervised systems consistently outperform the hand-made rules",
    [Lead(role, system, rule, "F") for role, rule in RULES.items() for system in LEARNED],
)

# ---- The claims SC-5, SC-15 to SC-17 and SC-21 to SC-23 --------------------------------------

#: "Far too many": more than this multiple of the true number (SC-5).
FAR = 2.0
#: "Well": the expectation differs from the data's by at most this share of the latter (SC-16).
WELL = 0.10
#: How many documents must have n items for their average to be compared; all, if there are fewer.
N_DOCUMENTS = 5
#: Lead in the adjusted Rand index by which a metric has failed where types succeed (SC-21).
LARGE_LEAD = 0.3
#: Number of standard deviations in SC-16c.
WITHIN = 2.0

#: Squared distances from means of clusters: training items are close, test items not (SC-17).
TRAIN_SQUARES, TEST_SQUARES = (0.04, 0.09, 0.01), (1.0, 2.25)


@claim(
    "SC-5",
    "on digits CDP makes far too many clusters",
    effect="number of clusters as a multiple of the number of digits",
    again=(judging.PRINTED, POSTERIOR, "digits"),
)
def sc5(evidence):
    """Judge the number of clusters of test items under CDP: above FAR times the true number."""
    interval, truth = evidence.clusters("digits", "CDP", LEVEL)
    if np.isnan(interval[0] / truth):
        return judging.untested("no clusters of CDP on digits were counted.")
    ratio = tuple(end / truth for end in interval)
    verdict = evidence.unless_substitute(judging.above(FAR)(ratio), "digits")
    row = ("digits", "CDP")
    text = (
        f"{evidence.where(['digits'])}: {evidence.counted(interval[0], row, truth)}; "
        f"the effect is the ratio, and 'far too many' is read as more than {FAR:g}"
        f"{evidence.apart([row]) if evidence.measured else ''}."
    )
    return judging.Verdict(verdict, ratio, text)


def _set(role, measure, rule):
    """Return a comparison on one set."""
    return judging.Cell(ROLES[role], role, measure, rule, ROLES[role])


def slowdown(stated, first, bounds, read, again=(), quicker=False):
    """Declare a claim that an iteration takes within `bounds` as long as one of SCDP-1 on all sets.

    A smaller ratio says nothing about the authors' program if ours is `quicker`, because it leaves
    out candidates that cannot matter; then their own times decide.
    """

    def cells(evidence, sets):
        def rule(interval):
            found = judging.within(*bounds)(interval)
            if found == REFUTED and quicker and evidence.measured:
                return UNTESTABLE if judging.below(bounds[1])(interval) == CONFIRMED else found
            return found

        return [
            _set(role, partial(evidence.slowdown, role, first, "SCDP-1"), rule) for role in sets
        ]

    def words(evidence, found):
        roles = [cell.role for cell in found]
        where = evidence.where(roles) if evidence.measured else "The times in the text"
        numbers = ", ".join(f"{cell.name} {cell.interval[0]:.1f}" for cell in found)
        text = f"{where}, {evidence.name(first)}: {numbers}; {read.format(*bounds)}"
        if quicker and evidence.measured:
            text += "; a smaller ratio decides nothing, as ours leaves out what cannot matter"
        text += "; the effect is the smallest of those that decide"
        other = evidence.measured and evidence.with_other_sweeps(roles, first, "SCDP-1")
        if other:
            text += f"; sweeps with the moves of the models as reported on {judging.listed(other)}"
        return text

    effect = f"smallest time of an iteration of {first}, as a multiple of that of SCDP-1"

    @claim(*stated.split(": ", 1), effect=effect, again=(judging.PRINTED, *again))
    def rule(evidence):
        return _judged(evidence, ROLES, cells, words, as_printed=quicker)

    return rule


sc15 = slowdown(
    "SC-15: an iteration of SCDP-3 takes about ten times as long as one of SCDP-1",
    *("SCDP-3", (5.0, 20.0)),
    "'about ten times' is read as {:g} to {:g}",
    again=["SCDP-3"],
    quicker=True,
)
sc22 = slowdown(
    "SC-22: an iteration of SCDP-2 takes about as long as one of SCDP-1",
    *("SCDP-2", (0.5, 2.0)),
    "'about as long' is read as {:g} to {:g} times",
)


@claim(
    "SC-17",
    "the test data have no influence on the reference types (section 8)",
    effect="relative change of the mean of a type through test items beside it",
)
def sc17(evidence):
    """Judge the precision of a type given its items: refuted if test items change it in step 2."""
    alone = type_precision(TRAIN_SQUARES)
    change = type_precision(TRAIN_SQUARES + TEST_SQUARES) / alone - 1
    counts = [
        f"{100 * share['n_test'] / share['n_items']:.0f} % on {words}"
        for role, words in ROLES.items()
        for share in [evidence.of(evidence.data, role).groupby("quantity")["value"].mean()]
        if {"n_test", "n_items"} <= set(share.index)
    ]
    behind = f" Of the items behind the types the test items are {', '.join(counts)}."
    text = (
        "Step 2 of Figure 2 draws t given all items of its type, and step 3 draws the types of "
        f"test items as well: two of them beside three training items change its mean from "
        f"{alone:.2f} to {alone * (1 + change):.2f}.{behind if counts else ''}"
    )
    return judging.exact(change == 0, change, text)


def type_precision(squares):
    """Return the mean of t given the squared distances of its items (section 3, step 2)."""
    return (1 + len(squares) / 2) / (1 + sum(squares) / 2)


def growth(stated, effect, gap_of, holds, text, roles=tuple(ROLES), most=False, **declared):
    """Declare a claim about curves in closed form, on all sets or `most`: `holds` of their gap."""

    def cells(evidence, sets):
        return [_set(role, partial(measure, evidence, role), rule) for role in sets]

    def rule(interval):
        return CONFIRMED if holds(interval[0]) else REFUTED

    def measure(evidence, role, _level):
        part = evidence.of(evidence.growth, role)
        part = part[part["n_groups"] >= min(N_DOCUMENTS, part["n_groups"].max())]
        return (float(gap_of(part)),) * 3

    def words(evidence, found):
        numbers = ", ".join(f"{cell.name} {cell.interval[0]:.2f}" for cell in found)
        return (
            f"{evidence.where([cell.role for cell in found])}, largest over n (of items within "
            f"documents, over those n that {N_DOCUMENTS} documents have): {numbers}: {text}; the "
            "effect is the largest behind the verdict; other data in the place of the paper's "
            "decide nothing by themselves"
        )

    @claim(*stated.split(": ", 1), effect=effect, **declared)
    def rule_of(evidence):
        return _judged(evidence, roles, cells, words, max, most)

    return rule_of


def _relative(part):
    return (abs(part["dp_mean"] - part["empirical_mean"]) / part["empirical_mean"]).max()


def _two_parameters(part):
    gap = abs(part["pyp_mean"] - part["empirical_mean"]) / part["empirical_mean"]
    return gap.max() / _relative(part)


def _standardised(part):
    part = part[part["n"] > 1]  # one item is always one cluster, without spread
    return (abs(part["dp_mean"] - part["empirical_mean"]) / part["dp_sd"]).max()


def _overlapping(part):
    part = part[part["n"] > 1]
    spread = part["dp_sd"] + part["empirical_sd"]
    return (abs(part["dp_mean"] - part["empirical_mean"]) / spread).max()


_SHARE = "largest gap between the curves, as a share of the data's expectation"
_WELL = f"gap as a share of the data's expectation; 'well' is read as at most {WELL:.0%}"

sc16a = growth(
    "SC-16a: the Dirichlet process fits the growth of the number of clusters well on most sets but "
    "digits",
    *(_SHARE, _relative, lambda gap: gap <= WELL, _WELL),
    roles=[role for role in ROLES if role != "digits"],
    most=True,
)
sc16b = growth(
    "SC-16b: the Dirichlet process does not fit the growth of the number of clusters well on "
    "digits",
    *(_SHARE, _relative, lambda gap: gap > WELL, _WELL),
    roles=["digits"],
    again=["digits"],
)
sc16c = growth(
    "SC-16c: the expected number of clusters of the Dirichlet process is within two standard "
    "deviations everywhere",
    "largest gap between the curves, in standard deviations under the DP",
    *(_standardised, lambda gap: gap <= WITHIN),
    "gap in standard deviations under the DP",
)
sc16c_overlap = growth(
    *("SC-16c", "", _overlapping, lambda gap: gap <= WITHIN),
    "gap in sums of the two standard deviations",
    reading="where the bands overlap",
)
sc23 = growth(
    "SC-23: the two-parameter process fits the growth of the number of clusters better than the "
    "Dirichlet process",
    "largest relative gap under the former, as a multiple of that under the latter",
    *(_two_parameters, lambda share: share < 1),
    "largest gap under the two-parameter process, as a share of that under the Dirichlet's",
)


# ---- The claims SC-18 to SC-20, which are right or wrong up to rounding ----------------------


@claim(
    "SC-18",
    "Algorithm 8 with one candidate more for an item that is alone samples the posterior",
    effect="total variation between the posterior and what the algorithm samples",
)
def sc18(_evidence):
    """Judge Algorithm 8 with one candidate more: refuted if it misses the posterior with any."""
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
    return judging.exact_zero(effect, text)


@claim(
    "SC-19",
    "equations 6 and 8 give the posterior of the concentration",
    effect="total variation between the posterior and the distribution by the equations",
    uncounted=FORMULA,
)
def sc19(_evidence):
    """Judge equations 6 and 8: refuted if they do not give the posterior of the concentration."""
    (effect, printed, right), (rest, *_) = map(formulas.concentration_error, (1, 0))
    n_items, n_clusters = formulas.PAIR
    text = (
        f"{n_clusters} clusters of {n_items} items, quadrature: with a - M - 1 the mean of alpha "
        f"is {printed:.3f}, but that of the posterior is {right:.3f}; the effect is the total "
        f"variation. With a - M it is {rest:.1e}."
    )
    return judging.exact_zero(effect, text)


_APART = {
    "says": "SCDP-3 favours clusters that are apart (section 5.2)",
    "effect": "expected number of clusters of three items, less that under SCDP-1",
}
for _law, _declared in (("precision", _APART), ("covariance", {"reading": "types as covariances"})):

    @claim("SC-20", **_declared)
    def sc20(_evidence, law=_law):
        """Judge whether three items have more expected clusters than under SCDP-1."""
        one, other = map(formulas.expected_clusters, ("fixed", law))
        text = (
            f"Three items, all pairs of partitions enumerated: {other:.2f} clusters are expected "
            f"under SCDP-3, and {one:.2f} under SCDP-1; the effect is the difference."
        )
        return judging.exact(other > one, other - one, text)


@claim(
    "SC-21",
    "two reference types find axis-aligned pluses, which no single metric does (footnote 9)",
    effect="lead of SCDP-1 in the adjusted Rand index over the best of many metrics",
)
def sc21(evidence):
    """Judge the lead of SCDP-1 over the best metric on draws of pluses: above `LARGE_LEAD`."""
    worlds = evidence.worlds
    if len(worlds) == 0:
        return judging.untested("no pluses were drawn.")
    wide = rows_of(worlds, world="pluses", quantity="ARI").pivot(
        index="draw", columns="system", values="value"
    )
    n_types = rows_of(worlds, world="pluses", quantity="types", system="SCDP-1")["value"].mean()
    interval = mean_interval(wide["SCDP-1"] - wide["best metric"], LEVEL)
    text = (
        f"{len(wide)} draws of pluses: the adjusted Rand index of SCDP-1 is "
        f"{wide['SCDP-1'].mean():.3f}, with {n_types:.1f} types, that of the best metric, which "
        f"the truth chooses, {wide['best metric'].mean():.3f}, and that of K-Means "
        f"{wide['K-Means'].mean():.3f}; a lead is read as more than {LARGE_LEAD:g}."
    )
    return judging.Verdict(judging.above(LARGE_LEAD)(interval), interval, text)


@CLAIMS.ways(judging.PRINTED, POSTERIOR, "SCDP-3", "draws", *ROLES)
def ways(evidence):
    """Judge claims on what is printed, by chains that mix, in other readings, and on other data."""
    yield judging.PRINTED, AS_PRINTED, PrintedTables(evidence.published)
    if ((evidence.scores["variant"] == MIXING) & (evidence.scores["start"] != "")).any():
        yield POSTERIOR, POSTERIOR, replace(evidence, variant=MIXING)
    if (evidence.scores["system"] == "SCDP-3p").any():
        yield "SCDP-3", "SCDP-3 precision", replace(evidence, scdp3="SCDP-3p")
    for words, drawn in evidence.on_draws():
        yield "draws", words, drawn
    for role in ROLES:
        for name in evidence.datasets_for(role)[1:]:
            other = replace(evidence, chosen={role: name})
            yield role, other.title(role), other

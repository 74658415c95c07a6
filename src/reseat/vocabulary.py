"""Columns and words of the tables of results, which experiments write and the report reads."""

#: Status of a data set, in the column `status`: the data that its title names, others in their
#: place, data drawn by a seeded generator, and the user's own.
FAITHFUL, STAND_IN, GENERATED, OWN = "faithful", "stand-in", "generated", "own"
STATUSES = (FAITHFUL, STAND_IN, GENERATED, OWN)

#: What to do if a data set is missing.
MISSING_CHOICES = ("stop", "skip", "standin")

#: Column of notes in tables whose chains may not have converged; `NOT_CONVERGED` begins such notes.
NOTE = "note"
NOT_CONVERGED = "not converged"
#: How notes on means over chains begin that have settled in different modes.
IN_MODES = "mean over chains in different modes"
#: Summary in the column `summary` of numbers that were calculated from shorter runs.
PROJECTED = "projected"
#: Column with the reason why a published number cannot be compared with ours; empty if it can.
OBSTACLE = "obstacle"

AGREE, DIFFER, NOT_COMPARABLE = "agree", "differ", "not comparable"
#: Verdicts on a published number beside ours.
NUMBER_VERDICTS = (AGREE, DIFFER, NOT_CONVERGED, NOT_COMPARABLE)

CONFIRMED, REFUTED, UNTESTABLE = "confirmed", "refuted", "untestable"
#: Verdicts on a claim.
CLAIM_VERDICTS = (CONFIRMED, REFUTED, UNTESTABLE)

#: Columns of `claims.csv`.
CLAIM_COLUMNS = tuple(
    "paper claim source uncounted verdict measured effect low high evidence".split()
)

#: Sources of a claim, in the column `source`: the paper, or this project, which checks more.
THE_PAPER, OURS = "paper", "reseat"

#: Why a claim counts towards no score, in the column `uncounted`, which is empty for those that do.
NOT_THE_PAPERS = "not a claim of the paper"
FORMULA = "a formula, not a finding"

#: The reading of a claim that is judged on the paper's own printed numbers.
AS_PRINTED = "as printed"


def name_claim(key, reading="", says=""):
    """Return the cell `claim` of `claims.csv`, such as ``D3 (as printed): EM is fast``."""
    name = f"{key} ({reading})" if reading else key
    return f"{name}: {says}" if says else name


def split_claim(claim):
    """Return the identifier, the reading and the clause in a cell `claim` of `claims.csv`."""
    name, _colon, says = claim.partition(": ")
    key, _bracket, reading = name.partition(" (")
    return key, reading.removesuffix(")"), says

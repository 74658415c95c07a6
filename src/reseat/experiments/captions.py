"""Captions that artefacts of several papers share."""

#: For tables with one row per data set, system and metric, averaged over chains.
SCORES = """\
one row per data set, system and metric. ``mean`` is over chains (or EM restarts) and ``se`` its
Monte Carlo standard error; ``published`` is the value printed in the paper and ``comparable``
says whether the data are the paper's own. On a stand-in the difference is given, but it does not
measure agreement."""

#: For figures of `reseat.plots.exact_versus_sampled`.
ENUMERATION = """\
Sampled against enumerated probabilities of all partitions of a few items, one panel per prior. The
line is equality and the band two standard errors of independent draws; the title gives the total
variation distance between the two, and below it is the distance that independent draws would have
by chance."""

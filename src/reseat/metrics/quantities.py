"""Declarations of the quantities that are columns of tables, beside the metrics of a partition."""

from functools import partial

from reseat.metrics.registry import quantity

__all__ = []

# Numbers and sizes of blocks.
quantity("clusters", 0, "Number of blocks.")
quantity("row clusters", 0, "Number of blocks of the rows.")
quantity("column clusters", 0, "Number of blocks of the columns.")
quantity("test clusters", 0, "Number of blocks of the test items.")
quantity("E[K]", 0, "Posterior mean of the number of blocks.")
quantity("sd[K]", 0, "Posterior standard deviation of the number of blocks.")
quantity("mean size", 0, "Mean size of a block.")
quantity("largest cluster", 0, "Items in the largest block.")
quantity("n_singletons", 0, "Number of blocks of one item.")
quantity("max_size", 0, "Items in the largest block.")
quantity("mean_size", 0, "Mean size of a block.")
quantity("size_p90", 0, "90th percentile of the sizes of blocks.")
quantity("beta", 0, "Mean parameter of the prior of words.")
quantity("E[delta]", 0, "Posterior mean of the concentration of the fields.")
quantity("exp H(K)", 0, "Effective number of clusters: the exponential of the entropy of sizes.")
quantity("clusters covering 90 %", 0, "Smallest number of clusters that have 90 % of the items.")
quantity("share of the 7 largest", 0, "Share of the items in the seven largest clusters.")
quantity("distance from others", 0, "Share of items that two samples cannot have in common.")
quantity("place among ours", 0, "Share of our samples that are nearer to the others.")
quantity("log predictive", 1, "Mean log probability of a held-out cell, in nats.")
quantity("AUC", 1, "Area under the ROC curve of linked cells against others.")
quantity("errors apart", -1, "Root mean square number of errors from the published scores.")
quantity("new blocks", 0, "Blocks without a labelled item.")
quantity("new blocks of 1 %", 0, "New blocks with at least 1 % of the unlabelled items.")

# The data to be clustered.
quantity("N", 0, "Number of items, as a printed row implies.")
quantity("labelled", 0, "Items with a label.")
quantity("unlabelled", 0, "Items without a label.")
quantity("classes", 0, "Number of classes.")
quantity("entities", 0, "Number of entities of a type.")
quantity("rows", 0, "Rows of a table or of a cell.")
quantity("columns", 0, "Columns of a table or of a cell.")
quantity("cells", 0, "Pairs of a row cluster and a column cluster that contain a pair.")
quantity("ties", 0, "Cells with two or more most common classes.")
quantity("observed pairs", 0, "Pairs of a row and a column that occur.")
quantity("tokens", 0, "How often pairs occur, all together.")
quantity("classes of its pairs", 0, "Classes of the pairs of a cell.")
quantity("pair share", 0, "Share of the pairs that are truly together, as a printed row implies.")

# Where items end up.
quantity("share in classes", 0, "Share of the unlabelled items that join a labelled class.")
quantity("share in own class", 1, "Share of the items with a hidden label that join their class.")
quantity("share of unlabelled classes in new blocks", 1, "Share of their items; ideally all.")
quantity("new blocks of an unlabelled class", 0, "Mean number of them; ideally one.")
quantity(
    "placed right", 1, "Share of the unlabelled items that join their class, if it is labelled."
)
quantity("coverage", 1, "Share of the classes that are the most common class of some cell.")
quantity("covered", 1, "Classes that are the most common class of some cell.")
quantity("S_1", 1, "Share of the pairs whose class is the most common one of their cell.")
quantity("NMI", 1, "Normalised mutual information with the known classes.")
quantity("held-out F", 1, "F of training entities from which nothing was learned.")
quantity("F over SCDP-1", 1, "F less that of SCDP-1.")
quantity("distance", -1, "Distance to the printed row.")
quantity("distance gap", 0, "By how much one reading is nearer the printed row than the other.")

# Fits and chains.
quantity("ELBO", 1, "Lower bound of the log evidence, nats.")
quantity("best ELBO", 1, "ELBO of the best restart, nats.")
quantity("mean ELBO", 1, "ELBO of a restart on average, nats.")
quantity("best log likelihood", 1, "Log likelihood of the best restart, nats.")
quantity("converged", 1, "Share of the restarts that converged.")
quantity("iterations", 0, "Iterations of a restart.")
quantity("R-hat", -1, "Potential scale reduction; 1 for chains that agree.")
quantity("log joint", 0, "Log joint density, of items with means with these integrated out, nats.")
quantity("between chains", -1, "Standard deviation of the log joint between chains, nats.")
quantity("within a chain", -1, "Monte Carlo error of the mean log joint of one chain, nats.")
quantity("log joint over the truth", 0, "Log joint less that of chains held at the truth, nats.")
quantity("acceptance", 0, "Share of the proposed splits and merges that are made.")
quantity("types", 0, "Number of types of items.")

# Measured times, and quantities computed from them.
timed = partial(quantity, measured=True)
timed("seconds", -1, "Seconds of a fit.", unit="s")
timed("seconds a chain", -1, "Seconds of a chain as long as the paper's.", unit="s")
timed("hours for 5,000 sweeps", -1, "Hours of 5,000 sweeps.", unit="h")
timed(
    "CPU hours of all chains",
    -1,
    "Hours of as many chains as the paper runs, one after another.",
    unit="h",
)
timed("ms an iteration", -1, "Milliseconds of an iteration.")
timed("times as fast", 1, "The authors' time over ours.")
timed("ESS a second", 1, "Effective samples per second.")
timed("gain", 1, "Effective samples per second as a multiple of those of the usual moves.")
# The same quantities as columns of the tables behind figures.
timed("seconds_per_sweep", -1, "Seconds of a sweep.", unit="s")
timed("seconds_per_iteration", -1, "Seconds of an iteration.", unit="s")
timed("exponent", 0, "Power of the size by which seconds of a sweep grow.")
timed("ess_per_second", 1, "Effective samples per second.")
MULTIPLE = (
    "Effective samples per second as a multiple of those of Gibbs sweeps, or an end of its "
    "interval."
)
for name in ("ratio", "ratio_low", "ratio_high", "ratio_together"):
    timed(name, 1, MULTIPLE)

# Resources that a job requests from a scheduler; `python tools/resources.py` compares them with
# measurements.

# The members of a group run one after another, because each takes the only slot of the group. The
# profiles tell this to the process that submits a group, but Snakemake does not pass it on to the
# one that runs it, which would then ask for a processor for every member that is ready.
if not workflow.is_main_process:
    workflow.register_resource("slots", 1)


def per_attempt(amount):
    """Return a function that gives `amount` at first, and doubles it with each retry of the job.

    A job that was killed because it took too much memory or time then gets more of both. On a
    single machine, where nothing is retried, it is simply `amount`.
    """
    return lambda wildcards, attempt: amount * 2 ** (attempt - 1)

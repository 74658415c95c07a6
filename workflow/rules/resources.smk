# Resources that a job requests from a scheduler; `python tools/resources.py` compares them with
# measurements.


def per_attempt(amount):
    """Return a function that gives `amount` at first, and doubles it with each retry of the job.

    A job that was killed because it took too much memory or time then gets more of both. On a
    single machine, where nothing is retried, it is simply `amount`.
    """
    return lambda wildcards, attempt: amount * 2 ** (attempt - 1)

# What a job asks of a scheduler. `python tools/resources.py` shows it beside what was measured.


def per_attempt(amount):
    """`amount` at first, and twice as much each time that the job is tried again.

    A job that was killed because it took too much memory or time then gets more of both. On one
    machine, where nothing is tried again, it is simply `amount`.
    """
    return lambda wildcards, attempt: amount * 2 ** (attempt - 1)

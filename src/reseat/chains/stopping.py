"""The exception that ends a run that was asked to stop."""

from reseat.threads import Stopped


class Interrupted(Stopped):
    """The run was asked to stop; every chain has written a checkpoint.

    Examples
    --------
    >>> from reseat.chains import Interrupted
    >>> issubclass(Interrupted, Exception)
    True
    """

"""Where a number comes from: a record of every job, and the way back through them.

`JobRecord` is all that a job needs; what reads the records is imported from the modules.
"""

from reseat.provenance.record import JobRecord, running_task

__all__ = ["JobRecord", "running_task"]

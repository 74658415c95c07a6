"""Provenance of results: a record of every job, and ways to trace results back through them.

`JobRecord` is all that a job needs; the code that reads the records is imported from the modules.
"""

from reseat.provenance.records import JobRecord, running_task

__all__ = ["JobRecord", "running_task"]

"""Provenance of results: a record of every job, and ways to trace results back through them."""

from reseat.provenance.records import JobRecord, running_task

__all__ = ["JobRecord", "running_task"]

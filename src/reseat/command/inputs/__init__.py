"""Readers of each model's input, which check the user's file before any work."""

from reseat.command.inputs.documents import read_documents
from reseat.command.inputs.points import read_distances, read_points
from reseat.command.inputs.records import read_records_table
from reseat.command.inputs.relational import read_table
from reseat.command.inputs.supervised import read_items
from reseat.reading.source import open_input

__all__ = ["READERS", "open_input"]

#: Reader of each model, called with what `open_input` returns and the arguments.
READERS = {
    "documents": read_documents,
    "records": read_records_table,
    "points": read_points,
    "distances": read_distances,
    "relational": read_table,
    "supervised": read_items,
}

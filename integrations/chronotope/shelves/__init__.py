"""What is searched by vectors and by words, in rows: items, the passages they stand in, and batches taken whole or not at all."""

from chronotope.shelves.batches import all_of, changed_source, first_of_each, undone
from chronotope.shelves.held import Held
from chronotope.shelves.homes import homes_of, leaving
from chronotope.shelves.shelf import Mask, Rows, Shelf, Told, titled
from chronotope.shelves.stretching import stretched

__all__ = [
    "Held",
    "Mask",
    "Rows",
    "Shelf",
    "Told",
    "all_of",
    "changed_source",
    "first_of_each",
    "homes_of",
    "leaving",
    "stretched",
    "titled",
    "undone",
]

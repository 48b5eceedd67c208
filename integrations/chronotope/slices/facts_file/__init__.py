"""Facts from files and plain records, and back: no model needed."""

from chronotope.slices.facts_file.read import ReadFacts, read_facts
from chronotope.slices.facts_file.write import write_facts

__all__ = ["ReadFacts", "read_facts", "write_facts"]

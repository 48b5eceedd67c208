"""The units of a work, and what stands around them.

A line is first read by itself (`english`, `chinese`), then the lines are weighed together (`contents`, `choose`, `titles`), and
last the chosen headings become units (`assemble`, `read`).
"""

from chronotope.text.structure.cutting import cut_unit
from chronotope.text.structure.read import read_structure
from chronotope.text.structure.words import count_words

__all__ = ["count_words", "cut_unit", "read_structure"]

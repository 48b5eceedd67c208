"""Extraction of facts with repair: what a model or rules read in a text, checked one after another."""

from chronotope.slices.extract.checked import checked_facts
from chronotope.slices.extract.extract import extract_facts
from chronotope.slices.extract.settings import FactMode, FactSettings

__all__ = ["FactMode", "FactSettings", "checked_facts", "extract_facts"]

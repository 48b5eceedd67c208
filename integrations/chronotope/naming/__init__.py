"""Names in a text and what its sentences say, by rules or by a trained model."""

from chronotope.naming.rule_names import EntityFinder, Name, RuleNames, name_key, plain_name
from chronotope.naming.spacy_names import SpacyNames

__all__ = ["EntityFinder", "Name", "RuleNames", "SpacyNames", "name_key", "plain_name"]

"""chronotope: retrieval that respects time and story."""

__version__ = "0.1.0.dev0"

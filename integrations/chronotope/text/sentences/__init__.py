"""Sentences as exact spans, by the typography of stories: what may end one, and what carries it on.

Every stop is a candidate; a few rules, one idea a module, say which of them end no sentence: abbreviations, speech and its tags,
labels in front of a sentence, and Chinese print.
"""

from chronotope.text.sentences.cut import sentence_spans

__all__ = ["sentence_spans"]

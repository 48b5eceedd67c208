"""Cutting text without changing it: structure, sentences, windows and passages as exact character spans.

Spans always partition the text they were taken from: nothing is lost, nothing is changed, and `text[start:end]` is the piece.
"""

from chronotope.text.characters import clean, is_blank
from chronotope.text.quotations import gives_orders, is_quoted, orders
from chronotope.text.sentences import sentence_spans
from chronotope.text.spans import Span, paragraph_spans, trimmed
from chronotope.text.structure import cut_unit, read_structure
from chronotope.text.units import Apparatus, ApparatusKind, Structure, Unit, UnitKind
from chronotope.text.windows import split_passages, window_spans

__all__ = [
    "Apparatus",
    "ApparatusKind",
    "Span",
    "Structure",
    "Unit",
    "UnitKind",
    "clean",
    "cut_unit",
    "gives_orders",
    "is_blank",
    "is_quoted",
    "orders",
    "paragraph_spans",
    "read_structure",
    "sentence_spans",
    "split_passages",
    "trimmed",
    "window_spans",
]

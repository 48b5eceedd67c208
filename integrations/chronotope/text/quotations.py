"""Whether a text says what it is said to say: quotations of it, and sentences that speak to a reading model instead of telling."""

from __future__ import annotations

import re

from chronotope.text.sentences import sentence_spans
from chronotope.text.spans import Span

__all__ = ["gives_orders", "is_quoted", "orders"]

_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget)\b.{0,40}\b(?:above|instructions?|prompts?|"
    r"(?:previous|prior|earlier) (?:text|messages?|rules?|commands?))\b"
    r"|(?:\A|[.:;,!?\"'“”>)\]])\s*(?:now |then |please )?output (?:only|one|an?|the)\b"
    r"|\bsystem prompt\b|\byou are (?:now )?an? (?:ai|assistant)\b",
    re.IGNORECASE | re.DOTALL,
)
_PLAIN = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "‑": "-", "…": "...", "\u00ad": ""})


def is_quoted(quote: str, text: str) -> bool:
    """True when the text holds the words of a quotation, whatever its quote marks, dashes, case and white space.

    >>> is_quoted("The King\u2019s men  left", "So the king's men left."), is_quoted("\u2026", "So \u2026")
    (True, False)
    """
    squeezed = _squeeze(quote)
    return any(letter.isalnum() for letter in squeezed) and squeezed in _squeeze(text)


def orders(text: str) -> tuple[Span, ...]:
    """Sentences that give orders to a model that reads them, as spans."""
    if not _ORDERS.search(text):
        return ()
    return tuple((start, end) for start, end in sentence_spans(text) if _ORDERS.search(text[start:end]))


def gives_orders(quote: str, text: str) -> bool:
    """True when a quotation stands in orders to a reading model and nowhere else in the text."""
    told = orders(text)
    if not told:
        return False
    sentences = [(span, text[slice(*span)]) for span in sentence_spans(text)]
    around = [span for span, sentence in sentences if _squeeze(quote) in _squeeze(sentence)]
    return all(span in told for span in around) if around else _ORDERS.search(quote) is not None


def _squeeze(text: str) -> str:
    return " ".join(text.translate(_PLAIN).split()).casefold()

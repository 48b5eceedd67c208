"""A question without some of its words, so that what is left still reads as one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from chronotope.slices.question.names import Span
from chronotope.temporal.question_text import without_spans

__all__ = ["blanked", "without"]

_CRUMBS = (
    (re.compile(r"\b(?:in|on|at|by|of|the|and|or|but|not|from|to|during|until|since)\s*(?=[?!.]?$)", re.IGNORECASE), ""),
    (re.compile(r"^(?:and|or|but)\s+", re.IGNORECASE), ""),
    (re.compile(r"^[，、,\s的]+"), ""),
    (re.compile(r"[,，、\s]+(?=[?？!！.。]|$)"), ""),
    (re.compile(r"\s{2,}"), " "),
)
_DANGLING = re.compile(
    r"\b(?:live|lived|living|been|come|came|go|went|is|was|are|were|do|did|from|look|happen\w*|refer\w*|belong\w*)\s+(?:in|on|at|from|to|of|by)\s*[?!.]?$",
    re.I,
)


def without(text: str, spans: Iterable[Span]) -> str:
    """The text without these spans and the words that only led to them; the text itself when nothing would remain.

    >>> without("Who served Ann in the Garden before the fire?", [(29, 44)])
    'Who served Ann in the Garden?'
    """
    gone = sorted(spans)
    if not gone:
        return text
    core = without_spans(text, gone)
    if core == text:
        return text
    for pattern, instead in _CRUMBS:
        if pattern is _CRUMBS[0][0] and (_DANGLING.search(core) or not _touches_end(text, gone)):
            continue
        core = pattern.sub(instead, core).strip()
    core = re.sub(r"\s+([?!.,;])", r"\1", core)
    if not re.search(r"\w", core):
        return text
    return core[0].upper() + core[1:] if text[:1].isupper() else core


def blanked(text: str, spans: Iterable[Span], *, by: str = " ") -> str:
    """The text with the characters of these spans replaced, every other one at its place."""
    characters = list(text)
    for start, end in spans:
        characters[start:end] = by * (end - start)
    return "".join(characters)


def _touches_end(text: str, spans: list[Span]) -> bool:
    return not re.search(r"\w", text[spans[-1][1] :])

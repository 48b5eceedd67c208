"""Clauses of a question that place it in time by an event: `after Obama became president`, `while she was at Oxford`."""

from __future__ import annotations

import re

from chronotope.temporal.expressions import Relation, Unresolved

__all__ = ["event_clauses"]

_RELATIONS: dict[str, Relation] = {
    "after": "after", "once": "after", "as soon as": "after", "following": "after", "since": "since", "ever since": "since",
    "before": "before", "prior to": "before", "until": "until", "till": "until", "up until": "until", "by the time": "by",
    "while": "during", "when": "during", "during": "during", "throughout": "during", "in the course of": "during",
    "as long as": "during", "on the eve of": "before", "in the aftermath of": "after", "in the wake of": "after", "at the time of": "during",
    "at the outbreak of": "during", "at the height of": "during", "in the run-up to": "before", "between": "between",
}  # fmt: skip
_CUE = re.compile(r"\b(" + "|".join(sorted(map(re.escape, _RELATIONS), key=len, reverse=True)) + r")\s+(?=\S)", re.IGNORECASE)
_STOP = re.compile(r"[;?!]|(?<![A-Z.])(?<!\bSt)(?<!\b[A-Z]r)\.(?=\s|$)|$")
_COMMA = re.compile(
    r",\s*(?=(?:who|what|which|where|when|why|how|whom|whose|did|do|does|was|were|is|are|has|had|and|but|then)\b)", re.IGNORECASE
)
_ANY_COMMA = re.compile(",")
_NO_EVENT = re.compile(
    r"(?:all|that|this|it|him|her|them|us|you|me|long|then|which|whom|what|who|noon|hours|sales)\b[^\w]*$", re.IGNORECASE
)
_PARTICLE = re.compile(  # "named after", "look after": the word belongs to the verb
    r"\b(?:look(?:s|ed|ing)?|nam(?:e|es|ed|ing)|call(?:s|ed)?|tak(?:e|es|en)|took|ask(?:s|ed)?|go(?:es)?|went|run|ran|model+ed|come|comes|"
    r"came|day|year|week|month|morning|soon|shortly|right|just|long|years|days|months|weeks|distinguish|difference|relationship|relation|war|"
    r"match|border)\s+$",
    re.IGNORECASE,
)
_LINKS = re.compile(r"\b(?:shortly|soon|right|just|immediately|long)\s+$", re.IGNORECASE)


def event_clauses(question: str, taken: list[tuple[int, int]]) -> list[Unresolved]:
    """The event clauses of a question, in order; `taken` are the spans of times already found, which end a clause."""
    clauses, position = [], 0
    while match := _CUE.search(question, position):
        position = match.end()
        start = match.start()
        if any(low <= start < high for low, high in taken):
            continue
        stop = _end(question, match, taken)
        words = question[start:stop].rstrip(" ,")
        if _is_event(question, match, words):
            clauses.append(Unresolved((start, start + len(words)), words, "event", _RELATIONS[match[1].lower()]))
            position = stop
    return clauses


def _end(question: str, match: re.Match[str], taken: list[tuple[int, int]]) -> int:
    """Where a clause ends: at a stop, at the next time, or at the comma after which the question goes on."""
    ends = [low for low, _ in taken if low >= match.end()]
    comma = (
        _ANY_COMMA.search(question, match.end()) if not question[: match.start()].strip() else _COMMA.search(question, match.end())
    )
    stop = _STOP.search(question, match.end())
    return min([*ends, *(found.start() for found in (comma, stop) if found)])


def _is_event(question: str, match: re.Match[str], words: str) -> bool:
    cue, rest = match[1].lower(), words[match.end() - match.start() :]
    if not re.search(r"\w", rest) or _NO_EVENT.match(rest):
        return False
    before = question[: match.start()]
    if cue in ("when", "while", "once", "between", "since") and not before.strip() and cue == "when":
        return False
    if cue == "when" and re.match(
        r"(?:did|does|do|was|were|is|are|will|has|have|had|can|could|would|should)\b", rest, re.IGNORECASE
    ):
        return False
    if cue == "between":
        return re.match(r"(?:the\s+)?\d{3,4}\s+and\s+\D|[^?]*\sand\s+\d{3,4}\b", rest) is not None
    if cue == "following" and re.search(r"\bthe\s+$", before, re.IGNORECASE):
        return False
    return not _PARTICLE.search(before) or bool(_LINKS.search(before))

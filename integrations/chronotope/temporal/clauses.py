"""Clauses of a question that place it in time by an event: `after Obama became president`, `while she was at Oxford`."""

from __future__ import annotations

import re
from bisect import bisect_left

from chronotope.temporal.expressions import Relation, Unresolved

__all__ = ["event_clauses"]

LONGEST = 300  # characters of a clause, and of the words before it that are looked at
_WORDS: dict[Relation, str] = {
    "after": "after | once | as soon as | following | in the aftermath of | in the wake of",
    "since": "since | ever since",
    "before": "before | prior to | on the eve of | in the run-up to",
    "until": "until | till | up until",
    "by": "by the time",
    "during": "while | when | during | throughout | in the course of | as long as | at the time of | at the outbreak of",
    "between": "between",
}
_RELATIONS = {words.strip(): relation for relation, names in _WORDS.items() for words in names.split("|")}
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
    spans, clauses, position = sorted(taken), [], 0
    opening = len(question) - len(question.lstrip())
    while match := _CUE.search(question, position):
        position = match.end()
        start = match.start()
        after = bisect_left(spans, (match.end(), 0))
        if after and spans[after - 1][1] > start:
            continue
        stop = _end(question, match, opens=start == opening)
        stop = min(stop, spans[after][0]) if after < len(spans) else stop
        words = question[start:stop].rstrip(" ,")
        if _is_event(question, match, words, opens=start == opening):
            clauses.append(Unresolved((start, start + len(words)), words, "event", _RELATIONS[match[1].lower()]))
            position = stop
    return clauses


def _end(question: str, match: re.Match[str], *, opens: bool) -> int:
    """Where a clause ends: at a stop, or at the comma after which the question goes on (any comma, when it opens the question)."""
    limit = min(len(question), match.end() + LONGEST)
    comma = (_ANY_COMMA if opens else _COMMA).search(question, match.end(), limit)
    stop = _STOP.search(question, match.end(), limit)
    return min([limit, *(found.start() for found in (comma, stop) if found)])


def _is_event(question: str, match: re.Match[str], words: str, *, opens: bool) -> bool:
    cue, rest = match[1].lower(), words[match.end() - match.start() :]
    if not re.search(r"\w", rest) or _NO_EVENT.match(rest):
        return False
    before = question[max(0, match.start() - LONGEST) : match.start()]
    if cue == "when" and opens:
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

"""The wording of a question: decorations taken off, and times taken out so that what is left still reads as a question."""

from __future__ import annotations

import re

__all__ = ["plain_question", "without_spans"]

_DECORATION = re.compile(r"^\s*(?:input(?:\s+(?:is|query|question))?|question|query|q)\s*(?:is\b|[:：=])\s*", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:\b(?:in|during|over|for|within|throughout|at|on|of|across|covering)\s+)?\b(?:the\s+|a\s+|every\s+|each\s+|all\s+(?:the\s+)?)?(?:whole\s+|entire\s+|same\s+)?"
    r"(?:duration(?:\s+of\s+time)?|period(?:\s+of\s+time)?|time\s*(?:span|frame|period)|span(?:\s+of\s+time)?|years?|interval|timeframe|course)"
    r"(?:\s+(?:of|from))?\s*$",
    re.IGNORECASE,
)
_LINK = re.compile(r"^[\s,;(、，]*(?:(?:and|or|but|&|/|also|then|not|nor|和|与|或|及)[\s,;(、，]*)*$", re.IGNORECASE)
_DANGLING = re.compile(
    r"(?:(?:(?<=\bcompare)|(?<=\bcompares))\s+to|\b(?:(?:as\s+|when\s+)?compar(?:ed|ing)(?:\s+(?:to|with|against))?|(?:with|to|from|than|against|and)\s+(?:that|those|the\s+one)"
    r"|(?:differs?|different|changed?|changes)\s+from|relative\s+to|as\s+opposed\s+to|with|than|versus|vs\.?|against))\s*$",
    re.IGNORECASE,
)
_OPENING_LINK = re.compile(r"^[\s,;:–—，、的-]+")
_TIDY = (
    (re.compile(r"\(\s*[,;]?\s*\)|\[\s*\]"), " "),
    (re.compile(r"\s+([,;.?!)])"), r"\1"),
    (re.compile(r"\(\s+"), "("),
    (re.compile(r"（[\s，、；]*）"), ""),
    (re.compile(r"[，、；]+(?=[？。！]|$)"), ""),
    (re.compile(r"([,;])(?:\s*[,;])+"), r"\1"),
    (re.compile(r"[,;]\s*(?=[?!.]*$)"), ""),
    (re.compile(r"\s{2,}"), " "),
    (re.compile(r"(?<=[一-鿿])\s+(?=[一-鿿？。，])"), ""),
)


def plain_question(question: str) -> str:
    """The question without what agents and templates wrap around it: `input is …`, blanks, line breaks, surrounding quotes."""
    text = " ".join(question.split())
    text = _DECORATION.sub("", text, count=1) or text
    if len(text) > 2 and text[0] in "\"“'" and text[-1] in "\"”'" and text[1:-1].count(text[0]) == 0:
        text = text[1:-1].strip() or text
    return text


def without_spans(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with the spans cut out, with the words that only led to them; the text itself when nothing would remain."""
    pieces, position = [], 0
    for start, end in sorted(spans):
        between = text[position:start]
        if position and _LINK.match(between):
            pieces.append("(" * between.count("("))
            position = end
            continue
        pieces.append(_DANGLING.sub("", _LEAD.sub("", between)))
        position = end
    pieces.append(text[position:])
    core = " ".join(pieces)
    for pattern, replacement in _TIDY:
        core = pattern.sub(replacement, core)
    core = _OPENING_LINK.sub("", core).strip()
    if not re.search(r"\w", core):
        return text
    return core[0].upper() + core[1:] if text[:1].isupper() else core

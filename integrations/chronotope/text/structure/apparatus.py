"""What a publisher put around a text: Project Gutenberg's header and licence, and pages before the first words."""

from __future__ import annotations

import re

__all__ = ["body_span"]

_START = re.compile(
    r"^[ \t]*\*{3}[ \t]?START OF TH(?:E|IS) PROJECT GUTENBERG E[^*]{0,400}\*{3}"
    r"|^[ \t]*\*[ \t]?END[ *]*THE SMALL PRINT[^\r\n]*",
    re.MULTILINE,
)
_END = re.compile(
    r"^[ \t]*\*{3}[ \t]?END OF TH(?:E|IS) PROJECT GUTENBERG E"
    r"|^[ \t]*End of (?:th(?:e|is) )?Project Gutenberg(?:['’]s| E)"
    r"|^[ \t]*\*{3}[ \t]?START: FULL LICENSE",
    re.MULTILINE | re.IGNORECASE,
)
_CREDIT = re.compile(
    r"\s*(?:\[?(?:Transcriber|Transcription|E-?text|Etext|Scanned|Produced|Prepared|Proofread|Credits?)\b(?:['’]s notes?)?[:\s]"
    r"|(?:This|The) (?:etext|e-text|ebook|eBook) (?:was|is)\b|HTML version by\b)",
    re.IGNORECASE,
)
_PARAGRAPH_END = re.compile(r"\r?\n[ \t\r]*\n\s*")
_LONGEST_HEADER = 60_000  # characters; the small print of the 1990s is the longest kind


def body_span(text: str) -> tuple[int, int]:
    """Where the text starts after a Project Gutenberg header and ends before its licence; the whole where there are none."""
    start = 0
    for match in _START.finditer(text, 0, _LONGEST_HEADER):
        start = match.end()
    start = _past_credits(text, start) if start else 0
    footer = _END.search(text, start)
    while footer and not _closes(text, footer):
        footer = _END.search(text, footer.end())
    return start, footer.start() if footer else len(text)


def _closes(text: str, footer: re.Match[str]) -> bool:
    """Whether the licence starts here: a line of stars says so, other words only near the end."""
    return "*" in footer[0] or len(text) - footer.start() < 40_000


def _past_credits(text: str, start: int) -> int:
    """Past the blank lines and the paragraphs that name who prepared the file."""
    start = _past_space(text, start)
    while _CREDIT.match(text, start):
        end = _PARAGRAPH_END.search(text, start)
        if not end or end.start() - start > 3_000:
            return start
        start = end.end()
    return start


def _past_space(text: str, start: int) -> int:
    return re.compile(r"\s*").match(text, start).end()  # type: ignore[union-attr]  # matches nothing as well

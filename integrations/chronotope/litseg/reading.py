"""The frame of a segment as flat metadata, so that its reading text can be put together wherever it was stored."""

from __future__ import annotations

from collections.abc import Mapping

from chronotope.litseg.segments import Segment

__all__ = ["AFTER", "BEFORE", "GAP", "SUBTITLE", "frame", "reading_text"]

SUBTITLE, BEFORE, AFTER = "subtitle", "context_before", "context_after"
GAP = "\n\n"


def frame(segment: Segment) -> dict[str, str]:
    """What stands around a main range in its reading text: subtitle, sentences before, sentences after; only what there is."""
    parts = {SUBTITLE: segment.subtitle, BEFORE: GAP.join(segment.before), AFTER: GAP.join(segment.after)}
    return {key: text for key, text in parts.items() if text}


def reading_text(text: str, metadata: Mapping[str, object]) -> str:
    r"""The main range of a segment in its frame: what `Segment.shown` gives, from what was stored.

    Args:
        text: the main range.
        metadata: with what `frame` gave; other keys are passed over.

    >>> reading_text("She knocked.\n", {"subtitle": "A visit", "context_after": "Nobody came."})
    'A visit\n\nShe knocked.\n\nNobody came.'
    """
    told = {key: str(metadata.get(key) or "") for key in (SUBTITLE, BEFORE, AFTER)}
    return GAP.join(part for part in (told[SUBTITLE], told[BEFORE], text.strip(), told[AFTER]) if part)

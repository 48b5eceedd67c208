"""The information score: how many of four criteria a candidate meets (DyG-RAG section 3.3, "Information Filtering")."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from chronotope.naming.statements import tells_event
from chronotope.temporal.calendar import Grain
from chronotope.temporal.interval import TimeInterval
from chronotope.text import Span

__all__ = ["information_score", "tells_quantity"]

_REFERENT = re.compile(r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|theirs|who|whom)\b|[他她它]", re.IGNORECASE)
_QUANTITY = re.compile(
    r"(?<![\w-])\d|[%$£€¥]|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|"
    r"dozens?|hundreds?|thousands?|millions?|billions?|half|twice|double|majority)\b|[一二三四五六七八九十百千萬万億亿兩两]+[個个名位人年兩两元歲岁座]",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r"\b(?:as\s+a\s+result|result(?:s|ed|ing)\s+in|therefore|thus|consequently|led\s+to|leading\s+to|caused|won|winning|lost|defeated|"
    r"beat|succeeded|failed|earned|awarded|achieved|record)\b|因此|於是|于是|所以|結果|结果",
    re.IGNORECASE,
)


def information_score(
    sentence: str,
    *,
    entities: Collection[str],
    times: Sequence[TimeInterval],
    told: Sequence[Span] = (),
    change: bool | None = None,
) -> int:
    """One point for each: a named actor (or a word for one), a change, a quantity or result, a month or finer.

    Args:
        sentence: the candidate.
        entities: names in it.
        times: when it was.
        told: the words in it that tell the time; their figures are no quantity.
        change: whether something happens in it, when known.

    >>> information_score("Ann Lee sold two mills.", entities=["Ann Lee"], times=[TimeInterval.parse("1931-05")])
    4
    """
    return sum(
        [
            bool(entities) or _REFERENT.search(sentence) is not None,
            tells_event(sentence) if change is None else change,
            tells_quantity(sentence, told),
            any(time.grain <= Grain.MONTH for time in times),
        ]
    )


def tells_quantity(sentence: str, told: Sequence[Span] = ()) -> bool:
    """True for an amount or an outcome, outside the words that tell the time."""
    for start, end in told:
        sentence = f"{sentence[:start]}{' ' * (end - start)}{sentence[end:]}"
    return _QUANTITY.search(sentence) is not None or _RESULT.search(sentence) is not None

"""What the first words of a paragraph tell: another time, another place, a new thread, or that it leans on what stands before."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chronotope.litseg.rules import cues_chinese as zh
from chronotope.litseg.rules import cues_english as en

__all__ = ["SHIFTS", "concludes", "leans", "opening", "shifts"]

_READ: Final = 90  # characters of a paragraph that count as its opening


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


SHIFTS: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        "thread_shift": _any(*en.THREAD, *zh.THREAD),
        "time_shift": _any(*en.TIME, *zh.TIME),
        "place_shift": _any(*en.PLACE, *zh.PLACE),
    }
)
_LEANING = _any(*en.LEANING, *zh.LEANING)
_CONCLUDING = re.compile(rf"{zh.CONCLUDING}[\s．。.！!”」]*\Z")
_BEFORE_WORDS = re.compile(r"[^\w\[]*")


def opening(text: str) -> str:
    """The first words of a paragraph, without the marks before them.

    >>> opening("  —The next day")
    'The next day'
    """
    return text[_BEFORE_WORDS.match(text).end() :][:_READ]  # type: ignore[union-attr]  # matches nothing as well


def shifts(text: str) -> tuple[str, ...]:
    """The shifts that an opening tells of.

    >>> shifts("A few days later it rained."), shifts("卻說黛玉"), shifts("Emma laughed.")
    (('time_shift',), ('thread_shift',), ())
    """
    return tuple(kind for kind, pattern in SHIFTS.items() if pattern.match(text))


def concludes(text: str) -> bool:
    """True when a paragraph ends with a formula by which a storyteller drops a thread.

    >>> concludes("賈母歇了，不在話下。"), concludes("賈母歇了。")
    (True, False)
    """
    return _CONCLUDING.search(text, max(0, len(text) - 40)) is not None


def leans(text: str) -> bool:
    """True when an opening cannot be understood without what stands before: a pronoun or a connective.

    >>> leans("She smiled."), leans("Emma smiled.")
    (True, False)
    """
    return _LEANING.match(text) is not None

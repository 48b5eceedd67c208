"""How questions are understood: settings, and a time given beside the words of a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from llama_index.core.schema import QueryBundle

from chronotope.diachronic import Asking

__all__ = ["Reading", "TimedQuery"]

Reading: TypeAlias = Asking


@dataclass
class TimedQuery(QueryBundle):
    """A query whose time is given beside the words; it wins over what the words say.

    Args:
        times: intervals in EDTF notation (`2011-03`, `2010/2015`), several when disjoint.

    >>> TimedQuery("Who led the agency?", times=["1961/1968"]).times
    ['1961/1968']
    """

    times: Sequence[str] = field(default_factory=list)

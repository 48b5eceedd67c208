"""How questions are understood: settings, and a time given beside the words of a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from llama_index.core.schema import QueryBundle, QueryType

from chronotope.diachronic import Asking
from chronotope.metadata import MetadataKeys

__all__ = ["Reading", "TimedQuery", "as_bundle", "dated_keys"]

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


def as_bundle(question: QueryType) -> QueryBundle:
    """A question as LlamaIndex passes it on.

    Raises:
        TypeError: it is something else.
    """
    bundle = QueryBundle(question) if isinstance(question, str) else question
    if not isinstance(bundle, QueryBundle):
        raise TypeError(f"a question must be a text, a QueryBundle or a TimedQuery, not a {type(question).__name__}")
    return bundle


def dated_keys(keys: MetadataKeys | None, date: str | None) -> MetadataKeys:
    """The keys with the app's own date of writing.

    Raises:
        TypeError: `date` is no name of a key, or `keys` are none.
    """
    if not isinstance(keys, MetadataKeys | None):
        raise TypeError(f"keys must be MetadataKeys, such as MetadataKeys(date='published_at'), not {keys!r}")
    if not isinstance(date, str | None):
        raise TypeError(f"date must be the name of a metadata key, such as date='published_at', not {date!r}")
    return (keys or MetadataKeys()).with_date(date)

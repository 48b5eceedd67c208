"""Whether a foreign store may compare times itself: tried, checked against an unfiltered answer, given up where it misses some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, Protocol, TypeAlias

from chronotope.diachronic.foreign import StoreAnswers
from chronotope.diachronic.retrieve import PRESETS, Retrieval, RetrievalSettings, nothing_asked
from chronotope.diachronic.store import PassageStore, Window, can_filter, retrieve_scoped_from_store, timeless_store
from chronotope.notes import logger
from chronotope.records import Hit, Issue, Passage
from chronotope.steps import Step, call
from chronotope.temporal.calendar import AXIS_MAX, AXIS_MIN
from chronotope.temporal.scope import QueryScope
from chronotope.text import is_blank

__all__ = ["Pushdown", "PushdownPolicy", "StoreSearch", "UserStore", "retrieve_pushed"]

Pushdown: TypeAlias = Literal["auto"] | bool
_PROBED = 4  # times k: records looked at before a filter is trusted
_REFUSALS = (ValueError, TypeError, KeyError, AttributeError, NotImplementedError)  # what stores raise for a filter they cannot use


@dataclass
class PushdownPolicy:
    """Whether filters are sent to a store, and what was learnt of it; one that is kept learns once for all questions.

    Args:
        mode: True always filters in the store and lets its errors through, False never does, `auto` tries and checks.
        name: what the store is called in warnings.

    Attributes:
        trusted: None as long as nothing was learnt.
        reason: why filters are not sent although they might have been; empty otherwise.
    """

    mode: Pushdown = "auto"
    name: str = "the store"
    trusted: bool | None = field(default=None, init=False)
    reason: str = field(default="", init=False)

    def __post_init__(self) -> None:
        if self.mode not in ("auto", True, False):
            raise ValueError(f"pushdown must be 'auto', True or False, not {self.mode!r}")
        self.trusted = None if self.mode == "auto" else bool(self.mode)

    def give_up(self, reason: str) -> None:
        """Stop sending filters; said once."""
        told = f"{self.name} {reason}: more is fetched and filtered here instead; pushdown=False accepts that"
        if self.trusted is not False:
            logger.warning("%s", told)
        self.trusted, self.reason = False, told


class StoreSearch(PassageStore, Protocol):
    """A user's store as one question sees it; adapters translate filters and answers, everything else is decided here."""

    @property
    def answers(self) -> StoreAnswers:
        """What its answers told so far."""
        ...

    @property
    def unable(self) -> str:
        """Why no filter can be sent, as words that follow the store's name; empty when one can."""
        ...

    @property
    def may_miss(self) -> bool:
        """True when its filter compares numbers only, so that dated records without them are not found."""
        ...


class UserStore(Protocol):
    """A store that belongs to the app."""

    @property
    def policy(self) -> PushdownPolicy:
        """Whether filters are sent to it."""
        ...

    def opened(self, question: str) -> Step[StoreSearch]:
        """The search for one question, whose vector is made once for all its windows."""
        ...


def retrieve_pushed(store: UserStore, asked: QueryScope, *, settings: RetrievalSettings = PRESETS["default"]) -> Step[Retrieval]:
    """Retrieve from a user's store, filtered there as far as it can be trusted with that and here otherwise.

    Args:
        store: the user's own store.
        asked: a question that is already understood.
        settings: how to match.
    """
    if is_blank(asked.core):
        return nothing_asked(asked)
    search, policy = (yield from store.opened(asked.core)), store.policy
    filters, found = can_filter(asked, settings), None
    if filters and policy.trusted is not False:
        found = yield from _filtered_there(search, asked, settings, policy)
    if found is None:
        found = yield from retrieve_scoped_from_store(search, asked, settings=settings, pushdown=False)
    here = (Issue("filtered_here", policy.reason),) if filters and policy.reason else ()
    return replace(found, issues=(*found.issues, *here, *search.answers.issues.values()))


def _filtered_there(
    search: StoreSearch, asked: QueryScope, settings: RetrievalSettings, policy: PushdownPolicy
) -> Step[Retrieval | None]:
    """What the store found by its filter; None once the policy has given up."""
    look = _Look(search, asked.core, _PROBED * settings.k)
    why = (yield from look.objection()) if policy.trusted is None else ""
    try:
        found = None if why else (yield from retrieve_scoped_from_store(look, asked, settings=settings, pushdown=True))
    except _REFUSALS as refusal:
        if policy.mode is True:
            raise
        found, why = None, f"refuses a time filter ({type(refusal).__name__}: {refusal})"
    if found is not None and policy.trusted is None and search.may_miss:
        why = yield from _complaint(look, asked, settings)
    if why:
        policy.give_up(why)
        return None
    if policy.trusted is None and look.found:  # a question asked at the same time may have given up
        policy.trusted = True
    without = timeless_store([hit.passage for hit in look.plain])
    if found is None or without is None or without in found.issues:
        return found
    return replace(found, issues=(*found.issues, without))


def _complaint(look: _Look, asked: QueryScope, settings: RetrievalSettings) -> Step[str]:
    """What the filter did wrong, seen afterwards; where it let nothing through, a search without it tells if that was right."""
    wrong = look.loses
    if not wrong and not look.found and not look.saw_all:
        plain = yield from retrieve_scoped_from_store(look.store, asked, settings=settings, pushdown=False)
        wrong = any(hit.in_scope for hit in plain.hits)
    keys = look.store.answers.keys
    return f"loses records when it filters by {keys.start!r} and {keys.end!r}" if wrong else ""


@dataclass
class _Look:
    """A store that is watched while it filters, beside what it found without a filter."""

    store: StoreSearch
    query: str
    depth: int
    plain: Sequence[Hit] = ()
    filtered: list[tuple[Window, int, frozenset[str]]] = field(default_factory=list)

    def objection(self) -> Step[str]:
        """Why a filter cannot be trusted from the start, seen from a few unfiltered records where it compares numbers only."""
        store, unfiltered = self.store, (self.query, self.depth, None)
        if store.unable or not store.may_miss:
            return store.unable
        self.plain = yield from call(partial(store.search, *unfiltered), partial(store.asearch, *unfiltered))
        return f"holds dated records without {store.answers.keys.start!r}" if store.answers.unnumbered else ""

    @property
    def found(self) -> bool:
        """True when the filter let anything through."""
        return any(ids for _, _, ids in self.filtered)

    @property
    def saw_all(self) -> bool:
        """True when the store has no more records than were looked at."""
        return len(self.plain) < self.depth

    @property
    def loses(self) -> bool:
        """True when the filter hid a record that fits, although the same search without it ranks that record high enough."""
        for window, limit, ids in self.filtered:
            fitting = [hit.passage.id for hit in self.plain if _touches(hit.passage, window)]
            if not ids.issuperset(fitting[:limit]):
                return True
        return False

    def search(self, query: str, limit: int, window: Window | None) -> Sequence[Hit]:
        """The store's own answer."""
        return self._seen(limit, window, self.store.search(query, limit, window))

    async def asearch(self, query: str, limit: int, window: Window | None) -> Sequence[Hit]:
        """The same, awaited."""
        return self._seen(limit, window, await self.store.asearch(query, limit, window))

    def _seen(self, limit: int, window: Window | None, hits: Sequence[Hit]) -> Sequence[Hit]:
        if window is not None:
            self.filtered.append((window, limit, frozenset(hit.passage.id for hit in hits)))
        return hits


def _touches(passage: Passage, window: Window) -> bool:
    """Whether a filter on the two numbers of a record lets it through."""
    sides = [time.envelope for time in passage.told_times] or ([(AXIS_MIN, AXIS_MAX)] if passage.static else [])
    return bool(sides) and min(low for low, _ in sides) <= window[1] and max(high for _, high in sides) >= window[0]

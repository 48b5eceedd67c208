"""What ends states: later states that replace them, and events that end them, by the rules of the ontology only."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from chronotope.slices.edge import Ending
from chronotope.slices.graph.validity import Validity, first_end
from chronotope.slices.ontology.ontology import Relation

__all__ = ["Endings", "Told"]

_ALWAYS = -(2**62)  # stands for a beginning that nobody knows
Key: TypeAlias = tuple[str, ...]


class Told(NamedTuple):
    """A fact as far as endings need it.

    Args:
        row: its place in the order of telling.
        id: id of the fact.
        relation: its relation.
        subject: id of its subject.
        object: id of its object, or a value.
        validity: when it is so.
    """

    row: int
    id: str
    relation: Relation
    subject: str
    object: str
    validity: Validity


class _Cut(NamedTuple):
    """A tick at which states end.

    It ends those that begin before `begins`, and of those that begin within `[begins, within)` the ones that are told before it: of
    what lies within one time, the telling gives the order.
    """

    at: int
    row: int
    begins: int
    within: int
    object: str
    ending: Ending

    def ends(self, start: int, row: int) -> bool:
        return start < self.begins or (start < self.within and row < self.row)


class Endings:
    """The cuts of a story by what they end.

    An event ends states at the end of its time, so that they still hold while it happens. A state that replaces or ends another
    does so at its own start; where both begin at the same time, the one told first ends with the time within which they begin.

    Args:
        facts: all facts of the story.
    """

    def __init__(self, facts: Iterable[Told]) -> None:
        cuts: dict[Key, list[_Cut]] = {}
        for fact in facts:
            for key, cut in _cuts_of(fact):
                cuts.setdefault(key, []).append(cut)
        self._cuts = {key: _Cuts(found) for key, found in cuts.items()}

    def of(self, fact: Told) -> Ending | None:
        """What ends the open stretch of a state; None when nothing does."""
        held = fact.validity.open
        if held is None:
            return None
        start = _ALWAYS if held.start is None else held.start
        under = ((self._cuts.get(key), other) for key, other in _ended_as(fact))
        found = [cut for cuts, other in under if cuts and (cut := cuts.first(start, fact.row, other)) is not None]
        return min(found, key=lambda cut: (cut.at, cut.row, cut.begins, cut.within)).ending if found else None


class _Cuts:
    """All cuts under one key, sorted so that those stand together that differ in nothing but the fact."""

    def __init__(self, cuts: list[_Cut]) -> None:
        self._cuts = sorted(cuts, key=lambda cut: (cut.at, cut.begins, cut.within, cut.row))
        self._jumps: list[int] | None = None

    def first(self, start: int, row: int, same: str | None) -> _Cut | None:
        """The first cut that ends a state; of several at one tick that of the fact told first.

        Args:
            start: when the state begins.
            row: row of its fact.
            same: the object of which a state replaces nothing; None where every cut counts.
        """
        cuts = self._cuts
        best: _Cut | None = None
        i = bisect_right(cuts, start, key=lambda cut: cut.at)
        while i < len(cuts) and (best is None or cuts[i].at == best.at):
            cut = cuts[i]
            if same is not None and cut.object == same:
                i = self._after_like[i]
            elif cut.ends(start, row):
                best = cut if best is None or cut.row < best.row else best
                i = self._end_of(i)
            elif start < cut.within:  # it is told too early; a later one of its kind may not be
                i = bisect_right(cuts, row, i, self._end_of(i), key=lambda one: one.row)
            else:
                i = self._end_of(i)
        return best

    def _end_of(self, i: int) -> int:
        """Where the cuts end that differ from one in nothing but the fact."""
        cut = self._cuts[i]
        kind = (cut.at, cut.begins, cut.within)
        return bisect_right(self._cuts, kind, i, key=lambda one: (one.at, one.begins, one.within))

    @property
    def _after_like(self) -> list[int]:
        """For each cut where the next one of another object stands: what is told again is passed over at once."""
        if self._jumps is None:
            cuts, self._jumps = self._cuts, list(range(1, len(self._cuts) + 1))
            for i in reversed(range(len(cuts) - 1)):
                if cuts[i].object == cuts[i + 1].object:
                    self._jumps[i] = self._jumps[i + 1]
        return self._jumps


def _cuts_of(fact: Told) -> Iterator[tuple[Key, _Cut]]:
    relation = fact.relation
    if relation.kind == "timeless" or not (relation.ends or relation.replaces):
        return
    moments = list(_moments(fact.validity, is_event=relation.kind == "event"))
    for begins, within, at in moments:
        for end in relation.ends:
            cut = _Cut(at, fact.row, begins, within, "", Ending(fact=fact.id, rule=f"{relation.name} ends {end.relation}", at=at))
            for role in _roles(end.match, fact):
                yield (end.relation, *role), cut
        if relation.replaces and relation.kind == "state":
            ending = Ending(fact=fact.id, rule=f"{relation.name} replaces {relation.name}", at=at)
            for subject, other in _ways(fact):
                yield ("replaces", relation.name, subject), _Cut(at, fact.row, begins, within, other, ending)


def _moments(validity: Validity, *, is_event: bool) -> Iterator[tuple[int, int, int]]:
    """For each tick at which a fact ends others: when it begins, up to where the telling decides, and the tick."""
    for time in validity.times:
        begins = _ALWAYS if time.start is None else time.start
        if is_event and time.end is not None:
            yield begins, time.end, time.end
        if not is_event and time.start is not None:
            yield begins, begins, begins
            yield begins, begins + 1, min(side for side in (first_end(time), time.end) if side is not None)
    if validity.open is not None and validity.open.start is not None and validity.open.first_end is not None:
        begins = validity.open.start
        yield begins, begins, begins
        yield begins, begins + 1, validity.open.first_end


def _roles(match: str, fact: Told) -> Iterator[Key]:
    if match == "pair":
        yield ("pair", *sorted((fact.subject, fact.object)))
    if match in ("subject", "any"):
        yield ("subject", fact.subject)
    if match in ("object", "any"):
        yield ("object", fact.subject)


def _ways(fact: Told) -> tuple[tuple[str, str], ...]:
    """Subject and object, in both directions where the relation says the same both ways."""
    one = (fact.subject, fact.object)
    return (one, one[::-1]) if fact.relation.symmetric and fact.object else (one,)


def _ended_as(fact: Told) -> Iterator[tuple[Key, str | None]]:
    """Every key under which something can end a state; with the object that must be another, for what replaces it."""
    for name in (fact.relation.name, "*"):
        yield (name, "pair", *sorted((fact.subject, fact.object))), None
        for subject, other in _ways(fact):
            yield (name, "subject", subject), None
            if other:
                yield (name, "object", other), None
    if fact.relation.replaces:
        for subject, other in _ways(fact):
            yield ("replaces", fact.relation.name, subject), other

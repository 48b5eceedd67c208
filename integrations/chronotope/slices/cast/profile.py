"""What is known of one bearer of names, as far as it can speak against being another bearer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from chronotope.slices.cast.merge import Node
from chronotope.slices.cast.told import PLACE, SUBJECT, Told
from chronotope.slices.cast.uses import Use
from chronotope.slices.fact import Fact
from chronotope.slices.ontology.bodies import people, told_place
from chronotope.slices.ontology.spans import EVER, given
from chronotope.slices.same_name import same_name
from chronotope.temporal.calendar import Grain
from chronotope.temporal.interval import Interval, TimeInterval

__all__ = ["During", "Profile", "overlapping", "profile_of"]

Moment = tuple[int, str]  # when, and the fact that tells it


@dataclass(frozen=True)
class During:
    """That something is so at a time.

    Args:
        time: when.
        what: a place, or the object of a relation.
        fact: id of the fact that tells it.
    """

    time: Interval
    what: Node
    fact: str


@dataclass
class Profile:
    """What is known of one bearer.

    Args:
        death: the first moment after its earliest death.
        last_act: the start of the latest thing that it does.
        presences: where its body is, at times that are told to the day or the tick.
        values: for each functional relation, what it has when.
    """

    death: Moment | None = None
    last_act: Moment | None = None
    presences: list[During] = field(default_factory=list)
    values: dict[str, list[During]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def joined(cls, parts: Iterable[Profile]) -> Profile:
        """The profile of a bearer of all their names."""
        whole = cls()
        for part in parts:
            whole._take(part)
        return whole

    def _take(self, part: Profile) -> None:
        self.presences += part.presences
        for relation, values in part.values.items():
            self.values[relation] += values
        self.death = min(filter(None, (self.death, part.death)), default=None)
        self.last_act = max(filter(None, (self.last_act, part.last_act)), default=None)


def profile_of(node: Node, told: Told) -> Profile:
    """What the facts tell of one name."""
    profile = Profile()
    for fact, use, part in told.uses_of(node):
        if part != PLACE and use.relation is not None:
            _note_times(profile, told, fact, use, part)
            _note_values(profile, told, fact, use, part)
            _note_presence(profile, told, fact, use, fact.subject if told.node(fact, fact.subject) == node else fact.object)
    return profile


def _note_times(profile: Profile, told: Told, fact: Fact, use: Use, part: int) -> None:
    relation = use.relation
    if relation is None or relation.kind != "event":
        return
    times = told.times(fact)
    if use.dies and part == SUBJECT:
        ends = [time.end for time in times if time.end is not None]
        if ends:
            profile.death = min(filter(None, (profile.death, (max(ends), fact.id))))
    elif relation.acts and (part == SUBJECT or relation.symmetric):
        starts = [time.start for time in times if time.start is not None]
        if starts and len(starts) == len(times):
            surely = max(starts) if fact.story else min(starts)
            profile.last_act = max(filter(None, (profile.last_act, (surely, fact.id))))


def _note_values(profile: Profile, told: Told, fact: Fact, use: Use, part: int) -> None:
    relation = use.relation
    if relation is None or not fact.object.strip():
        return
    if relation.functional and (part == SUBJECT or relation.symmetric):
        times = (EVER,) if relation.kind == "timeless" else given(fact) if relation.replaces else told.times(fact)
        other = fact.object if (part == SUBJECT) != use.turned else fact.subject
        what = told.node(fact, other) if use.has_entity else ("", same_name(other))
        profile.values[relation.name] += [During(time, what, fact.id) for time in times]


def _note_presence(profile: Profile, told: Told, fact: Fact, use: Use, spelled: str) -> None:
    if use.relation is None or not use.relation.places or spelled not in people(fact, use.relation, told.ontology):
        return
    place = told_place(fact, use.relation, told.ontology)
    if place:
        profile.presences += [During(time, ("", same_name(place)), fact.id) for time in given(fact) if _is_exact(time)]


def _is_exact(time: Interval) -> bool:
    """False for "in 1931": somebody may be in many places within a year."""
    bounded = time.length is not None
    return bounded and (not isinstance(time, TimeInterval) or time.grain <= Grain.DAY)


def overlapping(one: list[During], other: list[During]) -> Iterator[tuple[During, During]]:
    """Pairs of what is so at overlapping times, each kind of pair at least once."""
    mine, theirs = ({(item.time.start, item.time.end, item.what): item for item in items} for items in (one, other))
    for item in mine.values():
        for rival in theirs.values():
            if item.time.overlaps(rival.time):
                yield item, rival

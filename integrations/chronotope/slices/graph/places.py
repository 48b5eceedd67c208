"""Which place lies inside which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from chronotope.records import Issue
from chronotope.slices.fact import Fact

__all__ = ["PlaceTree", "plant"]


@dataclass(frozen=True)
class PlaceTree:
    """The places of a story and what each lies inside of.

    Args:
        ids: every place, ascending.
        parents: the places that one lies directly inside of, the first told one first; places that stand alone have no entry.

    >>> tree = PlaceTree(("bower", "garden", "town"), {"bower": ("garden",), "garden": ("town",)})
    >>> tree.inside("garden"), tree.parent("bower"), tree.parent("town")
    (('bower', 'garden'), 'garden', None)
    """

    ids: tuple[str, ...] = ()
    parents: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __contains__(self, place: object) -> bool:
        return place in self._known

    def inside(self, place: str) -> tuple[str, ...]:
        """The place and all that lies inside it, however deep, ascending; nothing for what is no place."""
        if place not in self._known:
            return ()
        found, ahead = {place}, [place]
        while ahead:
            for child in self._children.get(ahead.pop(), ()):
                if child not in found:
                    found.add(child)
                    ahead.append(child)
        return tuple(sorted(found))

    def parent(self, place: str) -> str | None:
        """The place that it lies directly inside of (the first told where there are several), None where none is known."""
        above = self.parents.get(place, ())
        return above[0] if above else None

    def around(self, place: str) -> tuple[str, ...]:
        """The places that it lies inside of, the nearest first, itself left out."""
        return tuple(_around(self.parents, place))

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.ids)

    @cached_property
    def _children(self) -> dict[str, list[str]]:
        children: dict[str, list[str]] = {}
        for place, above in self.parents.items():
            for name in above:
                children.setdefault(name, []).append(place)
        return children


def _around(parents: Mapping[str, Sequence[str]], place: str) -> dict[str, None]:
    found: dict[str, None] = {}
    ahead = [place]
    for name in ahead:  # grows while it is read
        for above in parents.get(name, ()):
            if above not in found:
                found[above] = None
                ahead.append(above)
    return found


def plant(places: Iterable[str], inside: Iterable[tuple[str, str, Fact]]) -> tuple[PlaceTree, list[Issue]]:
    """The tree of places from facts that put one inside another, in the order of telling.

    Args:
        places: ids of all places, those of `inside` may be left out.
        inside: id of the inner place, of the outer one, and the fact that tells it.

    Returns:
        The tree, and an issue for each fact that would put a place inside itself; such a fact changes nothing.
    """
    parents: dict[str, list[str]] = {}
    known = set(places)
    issues = []
    for inner, outer, fact in inside:
        known |= {inner, outer}
        if inner == outer or inner in _around(parents, outer):
            message = f"{fact.statement!r} would put a place inside itself; it does not count for containment"
            issues.append(Issue("place_cycle", message, fact.source_id or fact.id))
        elif outer not in parents.setdefault(inner, []):
            parents[inner].append(outer)
    return PlaceTree(tuple(sorted(known)), {name: tuple(above) for name, above in parents.items() if above}), issues

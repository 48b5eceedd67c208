"""Who is who: the entities that the names of facts mean, with the evidence for every merge, and a way back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from chronotope.errors import FactError
from chronotope.notes import unknown_option
from chronotope.records import Issue
from chronotope.slices.cast.clusters import Clusters
from chronotope.slices.cast.declared import given_entities, joined_entities, known_from, seen_entities
from chronotope.slices.cast.ids import first_ids, named
from chronotope.slices.cast.made import decide, found_merges, last_id, made_order
from chronotope.slices.cast.merge import DECLARED, Apart, Merge, Node, Side
from chronotope.slices.cast.names import squeezed
from chronotope.slices.cast.resolve import resolve
from chronotope.slices.cast.told import Clock, Told, telling_order
from chronotope.slices.cast.works import SameWork
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.ontology.vocabulary import Ontology
from chronotope.slices.same_name import same_name

__all__ = ["Cast"]


@dataclass(frozen=True)
class _Given:
    """What a cast is made from."""

    told: Told
    entities: tuple[Entity, ...]
    same_work: SameWork
    decisions: tuple[Merge, ...] = ()
    apart: tuple[Apart, ...] = ()


@dataclass(frozen=True, repr=False)
class Cast:
    """Who is who among the names of facts.

    Equal names of one work are one entity (white space, case and a leading "the" make no difference); those of different works
    are one only with evidence: they share a neighbour, or one of them is told without a source. Texts that say so join other
    names, and a shorter form is read as the longer name where one bearer fits and one chapter names both. No merge breaks a rule:
    two genders, acts after death, one body in two places, two that a fact tells apart, two values at one time, a decision of the
    user. What is refused is an issue.

    Args:
        entities: one for each bearer, by id.
        merges: every pair of different names, or of equal names in different works, that are one.
        apart: decisions that two are not one.
        issues: refused merges, names that several have, names that may mean several.

    Source: NS-ST-GraphRAG, figure 1 (entity resolution).

    >>> facts = [
    ...     Fact(subject="Thomas Reed", relation="meets", object="Ann Lee", chapter=1),
    ...     Fact(subject="Mr. Reed", relation="tells", object="Eva Bok", chapter=1),
    ... ]
    >>> cast = Cast.of(facts, ontology=Ontology.load("general_fiction"))
    >>> cast.id("Mr. Reed"), [merge.evidence for merge in cast.merges]
    ('Thomas Reed', ['chapter 1 names both, and it is short for nobody else'])
    """

    entities: tuple[Entity, ...]
    merges: tuple[Merge, ...]
    apart: tuple[Apart, ...]
    issues: tuple[Issue, ...]
    _ids: Mapping[Node, str]
    _members: Mapping[str, tuple[Node, ...]]
    _given: _Given = field(compare=False)
    _by_spelling: Mapping[Side, str] = field(compare=False)
    _by_name: Mapping[str, tuple[str, ...]] = field(compare=False)
    _by_id: Mapping[str, Entity] = field(compare=False)

    @classmethod
    def of(
        cls,
        facts: Iterable[Fact],
        entities: Iterable[Entity] = (),
        *,
        ontology: Ontology,
        clock: Clock | None = None,
        same_work: SameWork = None,
        reader_at: int | None = None,
    ) -> Cast:
        """Find out who is who.

        Args:
            facts: facts in any order.
            entities: entities that are known beforehand. One with nothing but a name (and type, gender) describes whoever bears the
                name; one with an id of its own or with aliases says who somebody is, in all works, or in the one that its metadata
                `source_id` or `work` names. Metadata `chapter` tells from when its aliases are known.
            ontology: what relations mean.
            clock: when a chapter plays; without one, chapters count as times where no fact has any.
            same_work: True when all sources are one work, False when each is one of its own, or a function that names the work of
                a source. By default a fact's metadata `work` names it; other sources that tell numbered chapters are one work when
                no two of them tell the same chapter, as the files of a novel do; every other source is a work of its own.
            reader_at: what is told after this chapter is not known, nor are names and ids that no fact up to it has.
        """
        known = [fact for fact in facts if _is_known(fact.chapter, reader_at)]
        told = Told.of(known, ontology=ontology, clock=clock, same_work=same_work)
        return cls._from(_Given(told, _seen(joined_entities(entities), told, reader_at), same_work))

    @classmethod
    def _from(cls, given: _Given) -> Cast:
        clusters = _clusters(given)
        resolve(clusters)
        keys = first_ids(clusters)
        gone: dict[str, str] = {}
        decided = [made for merge in given.decisions if (made := decide(clusters, merge, keys, gone)) is not None]
        found = named(clusters, keys)
        by_name: dict[str, list[str]] = {}
        for node, key in sorted(found.ids.items(), key=lambda item: item[1]):
            by_name.setdefault(same_name(node[1]), []).append(key)
        for entity in found.entities:
            for name in entity.names:
                by_name.setdefault(same_name(name), []).append(entity.id)
        for key in gone:
            by_name.setdefault(same_name(key), []).append(last_id(key, gone))
        return cls(
            entities=found.entities,
            merges=tuple(sorted((*found_merges(clusters, found.ids), *decided), key=made_order)),
            apart=given.apart,
            issues=(*given.told.issues, *clusters.issues, *found.issues),
            _ids=found.ids,
            _members=found.members,
            _given=given,
            _by_spelling={spelling: found.ids[node] for spelling, node in given.told.nodes.items()},
            _by_name={name: tuple(dict.fromkeys(keys)) for name, keys in by_name.items()},
            _by_id={entity.id: entity for entity in found.entities},
        )

    def id(self, name: str, source_id: str = "") -> str:
        """The id of the entity that a name means; the name itself where nothing has it.

        Args:
            name: a name or an id.
            source_id: the source that says it. Elsewhere, and where several have the name, the first of `find` is meant.
        """
        work = self._given.told.works.get(source_id, source_id)
        told = self._by_spelling.get((work, name))
        if told is not None:
            return told
        node = self._ids.get((work, same_name(name)))
        if node is not None:
            return node
        return next(iter(self.find(name)), squeezed(name))

    def entity(self, id: str) -> Entity:  # noqa: A002 - as entities say
        """The entity of an id.

        Raises:
            FactError: there is none; the message names the nearest.
        """
        found = self._by_id.get(id)
        if found is None:
            raise FactError(unknown_option(id, self._by_id).replace("option", "entity", 1))
        return found

    def find(self, name: str) -> tuple[str, ...]:
        """The ids of all entities that have a name, any of its spellings; one whose id it is comes first."""
        found = self._by_name.get(same_name(name), ())
        plain = squeezed(name)
        return (plain, *(key for key in found if key != plain)) if plain in self._by_id else found

    def merged(self, one: str, other: str, *, evidence: str, chapter: int | None = None) -> Cast:
        """A cast in which two entities are one.

        Args:
            one: id that stays.
            other: id that goes.
            evidence: how it is known.
            chapter: chapter that tells it; None when it is known from the beginning.

        Raises:
            FactError: a rule forbids it, they are one already, or there is no such entity.
        """
        sides = self._sides(one, other)
        merge = Merge(kept=one, merged=other, why="decision", evidence=evidence, chapter=chapter, sides=sides)
        cast = self._from(replace(self._given, decisions=(*self._given.decisions, merge)))
        if not any(made.sides == sides and made.why == "decision" for made in cast.merges):
            refused = [issue.message for issue in cast.issues if issue.kind == "merge_refused"]
            raise FactError(refused[-1])
        return cast

    def undone(self, merge: Merge) -> Cast:
        """A cast without a merge: a decision is taken back, what was found is kept apart from now on.

        Args:
            merge: one of `merges`.

        Raises:
            FactError: the cast has no such merge.
        """
        if merge not in self.merges:
            raise FactError(f"{merge.merged!r} was not merged into {merge.kept!r} here; `merges` lists what can be undone")
        if merge.why == "decision":
            left = tuple(made for made in self._given.decisions if made.sides != merge.sides)
            return self._from(replace(self._given, decisions=left))
        apart = Apart(sides=merge.sides, reason="undone by the user", chapter=merge.chapter)
        return self._from(replace(self._given, apart=(*self._given.apart, apart)))

    def kept_apart(self, one: str, other: str, reason: str, *, chapter: int | None = None) -> Cast:
        """A cast in which two entities are never one.

        Args:
            one: id of an entity.
            other: id of another.
            reason: why.
            chapter: chapter that tells it; None when it is known from the beginning.

        Raises:
            FactError: they are one entity, or there is no such entity.
        """
        apart = Apart(sides=self._sides(one, other), reason=reason, chapter=chapter)
        return self._from(replace(self._given, apart=(*self._given.apart, apart)))

    @property
    def last_chapter(self) -> float | None:
        """The last chapter that given entities and decisions name: who has read it knows all of them; None when none is named."""
        given = self._given
        told = [*map(known_from, given.entities), *(one.chapter for one in given.decisions), *(one.chapter for one in given.apart)]
        return max((chapter for chapter in told if chapter is not None), default=None)

    def as_of(self, chapter: int, facts: Iterable[Fact], *, clock: Clock | None = None) -> Cast:
        """The cast of a reader who knows no more than a chapter: names, merges, ids and decisions that are told by then.

        Args:
            chapter: last chapter that the reader knows.
            facts: all facts, or those told up to it.
            clock: when chapters play as far as that reader knows, in place of this cast's clock; a cast without one keeps none.
        """
        known = [fact for fact in facts if _is_known(fact.chapter, chapter)]
        given, old = self._given, self._given.told
        plays = old.clock if clock is None or old.clock is None else clock
        told = Told.of(known, ontology=old.ontology, clock=plays, same_work=given.same_work)
        decisions = tuple(merge for merge in given.decisions if _is_known(merge.chapter, chapter))
        apart = tuple(item for item in given.apart if _is_known(item.chapter, chapter))
        seen = replace(given, told=told, entities=_seen(given.entities, told, chapter), decisions=decisions, apart=())
        clusters = _clusters(seen) if apart or decisions else None

        def is_told(sides: tuple[Side, Side]) -> bool:
            return clusters is not None and all(map(clusters.node, sides))

        decisions = tuple(merge for merge in decisions if is_told(merge.sides))
        return self._from(replace(seen, decisions=decisions, apart=tuple(item for item in apart if is_told(item.sides))))

    def _sides(self, one: str, other: str) -> tuple[Side, Side]:
        if self.entity(one) == self.entity(other):
            raise FactError(f"{one!r} and {other!r} are one entity already")
        told = self._given.told
        sides = []
        for key in (one, other):
            nodes = [node for node in self._members[key] if node in told.at]
            first = min(nodes, key=lambda node: _order(told.first(node)), default=(DECLARED, key))
            sides.append(told.side(first) if first in told.at else first)
        return sides[0], sides[1]

    def __len__(self) -> int:
        return len(self.entities)

    def __repr__(self) -> str:
        return f"Cast({len(self.entities)} entities, {len(self.merges)} merges, {len(self.issues)} issues)"


def _is_known(chapter: int | None, reader_at: int | None) -> bool:
    return chapter is None or reader_at is None or chapter <= reader_at


def _order(fact: Fact) -> tuple[tuple[bool, int], str]:
    return telling_order(fact.chapter), fact.id


def _seen(entities: tuple[Entity, ...], told: Told, reader_at: int | None) -> tuple[Entity, ...]:
    return entities if reader_at is None else seen_entities(entities, told={node[1] for node in told.at}, reader_at=reader_at)


def _clusters(given: _Given) -> Clusters:
    told = given.told
    entities = given_entities(given.entities, told={node[1] for node in told.at})
    return Clusters(told, entities.declared, entities.described, given.apart)

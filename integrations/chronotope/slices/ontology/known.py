"""Facts that are known already, with the indexes that keep the check of one more fact as cheap among many as among few."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from chronotope.slices.fact import Entity, Fact
from chronotope.slices.ontology.bodies import Bodies, people
from chronotope.slices.ontology.spans import given
from chronotope.slices.same_name import same_name
from chronotope.temporal.interval import Interval

if TYPE_CHECKING:
    from chronotope.slices.ontology.vocabulary import Ontology

__all__ = ["KnownFacts"]

GENDER, HOLDS_TITLE = "gender", "holds_title"


class KnownFacts:
    """What is known so far, for rules to look things up in.

    Facts are kept under the own names of their relations, turned round where they were told by an inverse. A fact under a relation
    that the ontology does not have is kept, but no rule sees it.

    Args:
        ontology: whose relations the facts have.
        entities: what is known of the entities: their types and their metadata.
        clock: when a chapter plays; without one, only facts with a time of their own have one.
        same: gives all names of one entity one key; by default white space, case and a leading "the" make no difference.

    >>> from chronotope.slices.ontology.vocabulary import Ontology
    >>> known = KnownFacts(Ontology.load("general_fiction"))
    >>> known.add(Fact(subject="Tom Rask", relation="child of", object="Ann  Lee"))
    >>> [fact.statement for fact in known.about("ann lee")]
    ['Ann  Lee — parent of — Tom Rask']
    """

    def __init__(
        self,
        ontology: Ontology,
        *,
        entities: Iterable[Entity] = (),
        clock: Callable[[int], tuple[Interval, ...]] | None = None,
        same: Callable[[str], str] | None = None,
    ) -> None:
        self.ontology = ontology
        self._clock = clock
        self._same = same or same_name
        self._keys: dict[str, str] = {}
        self._entities: dict[str, Entity] = {}
        self._facts: dict[str, Fact] = {}
        self._about: dict[str, dict[str, Fact]] = {}
        self._relations: dict[str, dict[str, Fact]] = {}
        self._subjects: dict[tuple[str, str], dict[str, Fact]] = {}
        self._objects: dict[tuple[str, str], dict[str, Fact]] = {}
        self._bodies = Bodies(ontology)
        for entity in entities:
            self.describe(entity)

    def describe(self, entity: Entity) -> None:
        """Take in what is known of an entity; its id comes before the names of others."""
        self._entities[self.key(entity.id)] = entity
        for name in entity.names:
            self._entities.setdefault(self.key(name), entity)

    def key(self, name: str) -> str:
        """The one key of all names of an entity."""
        key = self._keys.get(name)
        if key is None:
            key = self._keys[name] = self._same(name)
        return key

    def add(self, fact: Fact) -> None:
        """Take a fact in; one of the same id is replaced."""
        if fact.id in self._facts:
            self.remove(fact.id)
        fact = self.ontology.normalised(fact) if self.ontology.has_relation(fact.relation) else fact
        self._facts[fact.id] = fact
        for index, place in self._places(fact):
            index.setdefault(place, {})[fact.id] = fact
        if fact.relation in self.ontology.relations:
            self._bodies.add(fact, self._keyed(fact))

    def remove(self, fact_id: str) -> None:
        """Take a fact out.

        Raises:
            KeyError: no fact of that id is known.
        """
        fact = self._facts.pop(fact_id)
        for index, place in self._places(fact):
            del index[place][fact.id]
            if not index[place]:
                del index[place]
        if fact.relation in self.ontology.relations:
            self._bodies.remove(fact, self._keyed(fact))

    def _keyed(self, fact: Fact) -> dict[str, str]:
        return {name: self.key(name) for name in people(fact, self.ontology.relations[fact.relation], self.ontology)}

    def _places(self, fact: Fact) -> Iterator[tuple[dict, object]]:  # type: ignore[type-arg]
        relation = self.ontology.relations.get(fact.relation)
        subject, object_ = self.key(fact.subject), self.key(fact.object)
        yield self._relations, fact.relation
        yield self._about, subject
        yield self._subjects, (fact.relation, subject)
        if fact.object:
            yield self._objects, (fact.relation, object_)
            if subject != object_:
                yield self._about, object_
        if fact.object and relation is not None and relation.symmetric and subject != object_:
            yield self._subjects, (fact.relation, object_)
            yield self._objects, (fact.relation, subject)

    def about(self, name: str) -> list[Fact]:
        """Facts with an entity as their subject or object, in the order in which they were added."""
        return list(self._about.get(self.key(name), {}).values())

    def of(self, relation: str, subject: str | None = None, object: str | None = None) -> list[Fact]:  # noqa: A002 - as facts say
        """Facts of a relation, in the order in which they were added.

        Args:
            relation: its own name.
            subject: only those of this subject; of a symmetric relation, those with it on either side.
            object: only those with this object; likewise.
        """
        if subject is None and object is None:
            return list(self._relations.get(relation, {}).values())
        if object is None:
            return list(self._subjects.get((relation, self.key(subject or "")), {}).values())
        to_object = self._objects.get((relation, self.key(object)), {})
        if subject is None:
            return list(to_object.values())
        from_subject = self._subjects.get((relation, self.key(subject)), {})
        few, many = sorted((from_subject, to_object), key=len)
        both = [fact for name, fact in few.items() if name in many]
        if both and self.key(subject) == self.key(object):  # a symmetric fact stands under each of its ends
            return [fact for fact in both if self.key(fact.subject) == self.key(fact.object)]
        return both

    def present(self, name: str, moment: Interval) -> list[Fact]:
        """Facts that put somebody somewhere at about a moment."""
        return [self._facts[fact] for fact in self._bodies.near(self.key(name), moment)]

    def times(self, fact: Fact) -> tuple[Interval, ...]:
        """When a fact is so: as its text says, else when its chapter plays; empty where neither is known."""
        if fact.story:
            return given(fact)
        if self._clock is None or fact.chapter is None:
            return ()
        return tuple(time for time in self._clock(fact.chapter) if not time.is_empty)

    def plays(self, chapter: int) -> tuple[Interval, ...]:
        """When a chapter plays; empty where no clock tells it."""
        return () if self._clock is None else self._clock(chapter)

    def same_statement(self, one: Fact, other: Fact) -> bool:
        """True when two facts say the same of the same."""
        if one.relation != other.relation:
            return False
        ends, others = (self.key(one.subject), self.key(one.object)), (self.key(other.subject), self.key(other.object))
        relation = self.ontology.relations.get(one.relation)
        return ends == others or (relation is not None and relation.symmetric and ends == others[::-1])

    def type_of(self, name: str) -> str:
        """The type of an entity; empty where it is not known, or is no type of the ontology."""
        entity = self._entities.get(self.key(name))
        return self.ontology.type_name(entity.type) if entity is not None and entity.type else ""

    def gender_of(self, name: str) -> str:
        """The gender of somebody: as described, as a fact tells, or as a title says; empty where none does."""
        if described := self.described_gender(name):
            return described
        for fact in self.of(GENDER, subject=name):
            return self.ontology.gender(fact.object)
        titles = (self.ontology.title_gender(fact.object) for fact in self.of(HOLDS_TITLE, subject=name))
        return next(filter(None, titles), "")

    def described_gender(self, name: str) -> str:
        """The gender that the description of an entity gives; empty where it gives none."""
        entity = self._entities.get(self.key(name))
        return self.ontology.gender(str(entity.metadata.get("gender", ""))) if entity is not None else ""

    def __len__(self) -> int:
        return len(self._facts)

    def __iter__(self) -> Iterator[Fact]:
        return iter(self._facts.values())

    def __contains__(self, fact_id: object) -> bool:
        return fact_id in self._facts

    def __repr__(self) -> str:
        return f"KnownFacts({len(self)} facts about {len(self._about)} entities, ontology {self.ontology.name!r})"

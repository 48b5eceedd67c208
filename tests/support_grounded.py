"""A small story with a flashback, an ended service and a late secret, and retrievals of it made by hand."""

from __future__ import annotations

from chronotope.records import Hit, Passage
from chronotope.slices.axis import build_axis
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.graph import build_graph
from chronotope.slices.ontology import Ontology
from chronotope.slices.retrieve.retrieve import FoundFact, SliceRetrieval
from chronotope.slices.scope import StoryScope
from chronotope.temporal.interval import Interval

ONTOLOGY = Ontology.parse(
    """
[types.person]
[types.place]
[types.event]

[relations.serves]
domain = ["person"]
range = ["person"]
inverse = "master_of"
names = ["servant of", "服侍"]
inverse_names = ["master of", "master", "mistress"]

[relations.married_to]
domain = ["person"]
range = ["person"]
symmetric = true
names = ["husband", "wife"]

[relations.child_of]
domain = ["person"]
range = ["person"]
kind = "timeless"
names = ["child", "daughter"]

[relations.dismisses]
domain = ["person"]
range = ["person"]
kind = "event"
ends = [{relation = "serves", match = "pair"}]

[relations.lives_in]
domain = ["person"]
range = ["place"]
replaces = true

[relations.inside]
domain = ["place"]
range = ["place"]
kind = "timeless"

[relations.alias_of]
domain = ["person"]
range = ["person"]
kind = "timeless"

[relations.meets]
domain = ["person"]
range = ["person"]
kind = "event"
symmetric = true
""",
    "small",
)
PEOPLE = tuple(Entity(name=name, type="person") for name in ("Ann Lee", "Tom Rask", "Bess", "Crane", "Wade"))
PLACES = tuple(Entity(name=name, type="place") for name in ("the kitchen", "the mill", "the church", "Lund"))


def told(number, subject, relation, other, chapter, quote, **fields):
    return Fact(id=f"f{number}", subject=subject, relation=relation, object=other, chapter=chapter, quote=quote, **fields)


FACTS = (
    told(1, "the kitchen", "inside", "the mill", 1, "the kitchen of the mill"),
    told(2, "the mill", "inside", "Lund", 1, "a mill in Lund"),
    told(3, "Ann Lee", "lives_in", "the mill", 1, "Ann Lee kept house at the mill."),
    told(4, "Ann Lee", "married_to", "Tom Rask", 3, "Ann and Tom were wed on a cold morning.", place="the church"),
    told(5, "Bess", "serves", "Ann Lee", 4, "Bess waited on Ann at every meal.", place="the kitchen"),
    told(6, "Tom Rask", "serves", "Crane", 5, "Ten years before, Tom had carried Crane's bags.", story=(Interval(-3650, -3640),)),
    told(7, "Crane", "meets", "Wade", 6, "Crane shook hands with Wade by the gate.", confidence="low"),
    told(8, "Ann Lee", "dismisses", "Bess", 9, "Ann sent Bess away before noon."),
    told(9, "Bess", "child_of", "Crane", 12, "the girl was Crane's own blood"),
    told(10, "Ann Lee", "lives_in", "Lund", 12, "Ann moved to the town."),
)
GRAPH = build_graph(FACTS, ontology=ONTOLOGY, entities=(*PEOPLE, *PLACES), axis=build_axis(range(1, 13)))
SERVED, WED = "Bess waited on Ann at every meal. Nobody thanked her.", "It was in May that Ann and Tom were wed on a cold morning."
PASSAGES = (
    Hit(Passage(SERVED, id="p4", source_id="c4", metadata={"chapter": 4}), 0.9),
    Hit(Passage(WED, id="p3", source_id="c3", metadata={"chapter": 3}), 0.5),
)


def fact(number):
    return next(one for one in FACTS if one.id == f"f{number}")


def found(number, score, role="words", distance=0):
    return FoundFact(fact(number), score, role, distance, True)


def retrieval(trace=(), *, question="Who served Ann Lee?", graph=GRAPH, passages=(), issues=(), scope=None, **limits):
    """A retrieval: its scope by hand, its slice by the graph."""
    asked = StoryScope(question=question, core=question, reader_at=limits.get("reader_at"), **(scope or {}))
    return SliceRetrieval(asked, graph.slice(**limits), tuple(trace), tuple(passages), tuple(issues))

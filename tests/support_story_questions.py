"""Two small stories of our own to ask about: one that only knows an order, one with a calendar."""

from __future__ import annotations

from functools import cache

from chronotope.slices.axis import StoryAxis, build_axis
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.graph import StoryGraph, build_graph
from chronotope.slices.ontology import Ontology
from chronotope.temporal.interval import Interval, TimeInterval

ONTOLOGY = Ontology.parse(
    """
[types.person]
[types.place]
[types.event]

[relations.serves]
domain = ["person"]
range = ["person"]
inverse = "master_of"
names = ["serve", "servant", "伺候", "服侍"]

[relations.married_to]
domain = ["person"]
range = ["person"]
symmetric = true
names = ["married", "marriage", "wife", "husband", "成親", "嫁給"]

[relations.lives_in]
domain = ["person"]
range = ["place"]
replaces = true
names = ["live", "lives", "住"]

[relations.inside]
domain = ["place"]
range = ["place"]
kind = "timeless"

[relations.meets]
domain = ["person"]
range = ["person"]
kind = "event"
symmetric = true
names = ["met", "meet", "遇見"]

[relations.died]
domain = ["person"]
kind = "event"
names = ["die", "dies", "death", "死", "去世"]

[relations.born]
domain = ["person"]
kind = "event"

[relations.happens]
domain = ["event"]
kind = "event"
""",
    "asked",
)
PEOPLE = (
    Entity(name="Wang Xifeng", type="person", aliases=("王熙鳳", "鳳姐")),
    Entity(name="Ping'er", type="person", aliases=("平兒",)),
    Entity(name="Qin Keqing", type="person", aliases=("秦可卿",)),
    Entity(name="Ann Lee", type="person"),
    Entity(name="Tom Rask", type="person"),
    Entity(name="Li Wei", id="Li Wei of the mill", type="person"),
    Entity(name="Li Wei", id="Li Wei of the bank", type="person"),
)
PLACES = (
    Entity(name="the Garden", type="place", aliases=("大觀園", "園子")),
    Entity(name="the Bower", type="place", aliases=("瀟湘館",)),
    Entity(name="Bower Hall", type="place"),
)
EVENTS = (
    Entity(name="the investigation", type="event", aliases=("抄檢大觀園", "抄檢")),
    Entity(name="the fire", type="event", aliases=("失火",)),
    Entity(name="the first visit", type="event"),
    Entity(name="the second visit", type="event"),
    Entity(name="the Lantern festival", type="event", aliases=("元宵節", "元宵")),
)


def told(subject: str, relation: str, other: str = "", chapter: int | None = None, **fields) -> Fact:
    return Fact(subject=subject, relation=relation, object=other, chapter=chapter, source_id=f"c{chapter}", **fields)


FACTS = (
    told("the Bower", "inside", "the Garden", 1),
    told("Bower Hall", "inside", "the Garden", 1),
    told("Ping'er", "serves", "Wang Xifeng", 2, place="the Garden", quote="Ping'er waited on her mistress."),
    told("Ann Lee", "married_to", "Tom Rask", 3, quote="Ann and Tom were wed."),
    told("the first visit", "happens", "", 4),
    told("the investigation", "happens", "", 5, place="the Garden", quote="That night the Garden was searched."),
    told("Qin Keqing", "died", "", 6, quote="Keqing passed away."),
    told("the fire", "happens", "", 7, quote="The temple burnt to the ground."),
    told("Wang Xifeng", "meets", "Ann Lee", 8, place="the Bower"),
    told("the second visit", "happens", "", 9),
    told("the Lantern festival", "happens", "", 10),
    told("Li Wei of the mill", "meets", "Tom Rask", 11),
    told("Li Wei of the bank", "meets", "Ann Lee", 11),
    told("Ann Lee", "lives_in", "Bower Hall", 12),
)


@cache
def ordered() -> StoryGraph:
    """Twelve chapters that play one after the other: chapter n at tick n - 1."""
    axis = build_axis(range(1, 13))
    return build_graph(FACTS, ontology=ONTOLOGY, entities=(*PEOPLE, *PLACES, *EVENTS), axis=axis)


def day(text: str) -> TimeInterval:
    return TimeInterval.parse(text)


@cache
def dated() -> StoryGraph:
    """A mill with a calendar: a strike in March 1911, a wedding on 5 May 1920, a flood in 1925."""
    facts = (
        told("the strike", "happens", "", 1, story=(day("1911-03"),)),
        told("Ann Lee", "born", "", 1, story=(day("1895-06-01"),)),
        told("Ann Lee", "married_to", "Tom Rask", 2, story=(day("1920-05-05/.."),)),
        told("the flood", "happens", "", 3, story=(day("1925"),)),
        told("May Reed", "meets", "Ann Lee", 3, story=(day("1925-07-01"),), place="the mill"),
        told("Ann Lee", "died", "", 4, story=(day("1931-02-03"),)),
    )
    people = (Entity(name="May Reed", type="person", aliases=("May",)), Entity(name="Ann Lee", type="person"))
    events = (Entity(name="the strike", type="event"), Entity(name="the flood", type="event"))
    axis = StoryAxis(kind="dates", chapters={1: (day("1911"),), 2: (day("1920"),), 3: (day("1925"),), 4: (day("1931"),)})
    places = (Entity(name="the mill", type="place"),)
    return build_graph(facts, ontology=ONTOLOGY, entities=(*people, *events, *places), axis=axis)


def ticks(*pairs: tuple[int | None, int | None]) -> tuple[Interval, ...]:
    return tuple(Interval(*pair) for pair in pairs)

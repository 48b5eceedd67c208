"""A story of four chapters, its facts, and scripted answers: what the tests of both adapters share."""

from __future__ import annotations

from chronotope.slices.fact import Entity, Fact
from chronotope.temporal.interval import Interval

CHAPTERS = (
    "CHAPTER I\n\nAnn Lee served Tom Rask. Tom Rask lived in Alder. Ann Lee met Otto Lang at the Mill.",
    "CHAPTER II\n\nAnn Lee married Tom Rask.",
    "CHAPTER III\n\nTom Rask died. Otto Lang met Mara Quist at the Mill.",
    "CHAPTER IV\n\nAnn Lee married Otto Lang. Otto Lang met Ann Lee in the Garden.",
)
STORY = "\n\n".join(CHAPTERS) + "\n"
QUESTION = "Whom did Ann Lee marry?"
WEDDING, LATER = "Ann Lee married Tom Rask.", "Ann Lee married Otto Lang."
ANSWER = f"1. Asked: whom.\n2. One fact.\nANSWER: Tom Rask [1 “{WEDDING}”]."
CAST = (Entity(name="Ann Lee", type="person", aliases=("the clerk",)), Entity(name="Tom Rask", type="person"))


def told_at(quote: str) -> int:
    """Where words stand in the story."""
    return STORY.index(quote)


def fact(subject: str, relation: str, object_: str = "", *, chapter: int, quote: str, place: str = "", **more: object) -> Fact:
    """A fact with the place of its words."""
    start = told_at(quote)
    return Fact(
        subject=subject,
        relation=relation,
        object=object_,
        chapter=chapter,
        place=place,
        quote=quote,
        source_id="story",
        char_start=start,
        char_end=start + len(quote),
        **more,  # type: ignore[arg-type]  # fields of Fact
    )


FACTS = (
    fact("Ann Lee", "serves", "Tom Rask", chapter=1, quote="Ann Lee served Tom Rask."),
    fact("Tom Rask", "lives_in", "Alder", chapter=1, quote="Tom Rask lived in Alder."),
    fact("Ann Lee", "meets", "Otto Lang", chapter=1, quote="Ann Lee met Otto Lang at the Mill.", place="Mill"),
    fact("Ann Lee", "married_to", "Tom Rask", chapter=2, quote=WEDDING, story=(Interval(1, None),)),
    fact("Tom Rask", "died", chapter=3, quote="Tom Rask died."),
    fact("Otto Lang", "meets", "Mara Quist", chapter=3, quote="Otto Lang met Mara Quist at the Mill.", place="Mill"),
    fact("Ann Lee", "married_to", "Otto Lang", chapter=4, quote=LATER),
    fact("Otto Lang", "meets", "Ann Lee", chapter=4, quote="Otto Lang met Ann Lee in the Garden.", place="Garden"),
)


def proposal(quote: str, subject: str, relation: str, object_: str = "") -> dict[str, object]:
    """What a model says of one fact."""
    return {"subject": subject, "relation": relation, "object": object_, "quote": quote}

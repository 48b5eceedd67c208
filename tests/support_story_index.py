"""A story of two documents as facts and passages, for tests of its index and of retrieval."""

from __future__ import annotations

from chronotope.records import Passage
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.index.index import StoryIndex, build_story_index
from chronotope.testing import play
from support_story_questions import ONTOLOGY

CHAPTERS = {
    ("house", 1): (
        "The Bower stands inside the Garden. Ping'er serves Wang Xifeng in the Garden.",
        "Rain fell on the kitchen roofs.",
    ),
    ("house", 2): ("The investigation came at night. Wang Xifeng met Ann Lee in the Bower.",),
    ("house", 3): ("After the fire Ann Lee was married to Tom Rask.", "Tom Rask knew where the silver seal lay."),
    ("town", 4): (
        "Wang Xifeng met Tom Rask at the mill. Crane serves Tom Rask.",
        "Wang Xifeng died when the snow came. The town mourned the Widow.",
    ),
}
ENTITIES = {
    "house": (
        Entity(name="Wang Xifeng", type="person", aliases=("Phoenix",)),
        Entity(name="Ping'er", type="person"),
        Entity(name="Ann Lee", type="person"),
        Entity(name="Tom Rask", type="person"),
        Entity(name="the Garden", type="place"),
        Entity(name="the Bower", type="place"),
        Entity(name="the investigation", type="event"),
        Entity(name="the fire", type="event"),
    ),
    "town": (
        Entity(name="Wang Xifeng", type="person", aliases=("the Widow",)),
        Entity(name="Crane", type="person"),
        Entity(name="the mill", type="place"),
    ),
}
TOLD = (
    ("house", 1, "The Bower stands inside the Garden", "the Bower", "inside", "the Garden", ""),
    ("house", 1, "Ping'er serves Wang Xifeng in the Garden", "Ping'er", "serves", "Wang Xifeng", "the Garden"),
    ("house", 2, "The investigation came at night", "the investigation", "happens", "", ""),
    ("house", 2, "Wang Xifeng met Ann Lee in the Bower", "Wang Xifeng", "meets", "Ann Lee", "the Bower"),
    ("house", 3, "the fire", "the fire", "happens", "", ""),
    ("house", 3, "Ann Lee was married to Tom Rask", "Ann Lee", "married_to", "Tom Rask", ""),
    ("town", 4, "Wang Xifeng met Tom Rask at the mill", "Wang Xifeng", "meets", "Tom Rask", "the mill"),
    ("town", 4, "Crane serves Tom Rask", "Crane", "serves", "Tom Rask", ""),
    ("town", 4, "Wang Xifeng died", "Wang Xifeng", "died", "", ""),
)
GAP = "\n\n"


def texts(source: str) -> dict[int, str]:
    """The paragraphs of each chapter of a source, joined."""
    return {chapter: GAP.join(parts) for (name, chapter), parts in CHAPTERS.items() if name == source}


def passages(source: str) -> list[Passage]:
    """The paragraphs with offsets in their source, whose chapters follow each other."""
    found, at = [], 0
    for (name, chapter), parts in CHAPTERS.items():
        for text in parts if name == source else ():
            about = {"chapter": chapter}
            found.append(
                Passage(text, id=f"{source}-{at}", source_id=source, char_start=at, char_end=at + len(text), metadata=about)
            )
            at += len(text) + len(GAP)
    return found


def facts(source: str) -> list[Fact]:
    """The facts with the offsets of their words."""
    whole = GAP.join(texts(source).values())
    found = []
    for name, chapter, quote, subject, relation, other, place in TOLD:
        if name == source:
            start = whole.index(quote)
            found.append(
                Fact(
                    subject=subject,
                    relation=relation,
                    object=other,
                    chapter=chapter,
                    place=place,
                    quote=quote,
                    source_id=source,
                    char_start=start,
                    char_end=start + len(quote),
                )
            )
    return found


def built(*sources: str) -> StoryIndex:
    """An index of these sources, all of them when none is named; added one after the other."""
    index = StoryIndex("hash-64", ontology=ONTOLOGY)
    for source in sources or ("house", "town"):
        play(index.add(facts(source), passages(source), ENTITIES[source]))
    return index


def at_once() -> StoryIndex:
    """The same, added in one call."""
    step = build_story_index(
        [*facts("house"), *facts("town")],
        [*passages("house"), *passages("town")],
        embedder_id="hash-64",
        ontology=ONTOLOGY,
        entities=[*ENTITIES["house"], *ENTITIES["town"]],
    )
    return play(step).result

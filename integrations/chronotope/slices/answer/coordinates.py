"""Where a fact stands, in plain words: the chapter that tells it, its time in the story, its place, and how long it is so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chronotope.slices.fact import Fact
    from chronotope.slices.graph import StoryGraph

__all__ = ["coordinates", "statement", "validity"]


def coordinates(fact: Fact, graph: StoryGraph, *, compact: bool = False) -> str:
    """The coordinates of a fact as a reader would say them; what nothing tells is left out.

    The time of the story is told where the text gives one, and on an axis of dates also where that of the chapter is known. On an
    axis that only knows order, a chapter's own time says no more than its number.

    Args:
        fact: a fact of the graph.
        graph: its graph; that of a reader who has not read on knows no later chapter.
        compact: shorter, for a list of facts.

    Returns:
        Such as `told in chapter 17; in story time while chapter 12 plays; in the Bower (in the Garden)`; compact,
        `chapter 17; while chapter 12 plays; in the Bower, the Garden`. Empty when nothing is known.

    Raises:
        KeyError: the fact has a place and is not in the graph.

    Source: NS-ST-GraphRAG, figures 3 and 6 (5).
    """
    parts = [_told(fact, compact=compact), _when(fact, graph, compact=compact), _where(fact, graph, compact=compact)]
    return "; ".join(filter(None, parts))


def validity(fact: Fact, graph: StoryGraph) -> str:
    """From when to when a state holds and what ended it, for a state that ended or whose relation lets later ones take its place.

    Args:
        fact: a fact of the graph.
        graph: its graph. What was told after its last chapter ends nothing.

    Returns:
        Such as `so from chapter 4 to chapter 9; ended by “Ann — dismisses — Bess” (chapter 9)`; empty for all other facts.

    Raises:
        KeyError: the fact is not in the graph.
    """
    row = graph.row(fact.id)
    relation = graph.ontology.relations[graph.facts[row].relation]
    ending, times = graph.endings.get(row), graph.validity[row]
    if graph.kinds[row] != "state" or not times or not (ending or relation.functional or relation.replaces):
        return ""
    held = f"so {' and '.join(map(graph.axis.phrase, times))}"
    if ending is None:
        return held
    by = graph.fact(ending.fact)
    where = coordinates(by, graph, compact=True)
    return f"{held}; ended by “{statement(by, graph)}”" + (f" ({where})" if where else "")


def statement(fact: Fact, graph: StoryGraph) -> str:
    """Subject, relation and object, each entity under its name in the story, beside the one that the text uses.

    Args:
        fact: a fact of the graph.
        graph: its graph.

    Raises:
        KeyError: the fact is not in the graph.
    """
    subject, other, _ = graph.ends_of(fact)
    told = (_named(fact.subject, subject, graph), fact.relation.replace("_", " "), _named(fact.object, other, graph))
    return " — ".join(part for part in told if part)


def _named(told: str, entity: str, graph: StoryGraph) -> str:
    known = graph.name_of(entity)
    return told if not known or known.casefold() == told.casefold() else f"{known} ({told})"


def _told(fact: Fact, *, compact: bool) -> str:
    if fact.chapter is None:
        return ""
    return f"chapter {fact.chapter}" if compact else f"told in chapter {fact.chapter}"


def _when(fact: Fact, graph: StoryGraph, *, compact: bool) -> str:
    given = fact.story or (graph.axis.now(fact.chapter) if graph.axis.kind == "dates" else ())
    told = " and ".join(dict.fromkeys(map(graph.axis.phrase, given)))
    return told if compact or not told else f"in story time {told}"


def _where(fact: Fact, graph: StoryGraph, *, compact: bool) -> str:
    if not fact.place:
        return ""
    around = [graph.name_of(place) for place in graph.places.around(graph.ends_of(fact)[2])]
    if compact or not around:
        return f"in {', '.join((fact.place, *around))}"
    return f"in {fact.place} ({', '.join(f'in {name}' for name in around)})"

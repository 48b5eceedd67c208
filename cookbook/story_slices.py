"""Ask a story about its chapters, its own time and its places, with and without what only later chapters tell.

    python cookbook/story_slices.py                                       # no model needed: facts by hand from a file
    python cookbook/story_slices.py --slice slice.html --evolution evolution.html
    python cookbook/story_slices.py --question "Who served Clara Varley in chapter 8?" --reader-at 8
    python cookbook/story_slices.py --base-url http://localhost:8000/v1 --model my-model   # a model reads the facts and answers

Needs: pip install "chronotope[all]". data/the_quince_house.txt is a story in ten chapters with a flashback of ten years, a
remarriage, two men of one name, and a messenger whom nobody knows until chapter 9. data/the_quince_house.facts.jsonl has its
facts and when its chapters play, written by hand. They are checked against the rules of a household, become a graph with two
times and places, and are cut into slices. Replies and vectors are kept in `.chronotope/`, so that an interrupted run goes on
where it stopped.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from openai import APIError

from chronotope import ChatEndpoint, Document, ReplyCache, Runner
from chronotope.defaults import default_embedder
from chronotope.endpoint import describe_failure
from chronotope.errors import ChronotopeError
from chronotope.slices import (
    FactSettings,
    Ontology,
    Slice,
    StoryFacts,
    StoryGraph,
    build_graph,
    build_story_index,
    checked_facts,
    evolution,
    extract_facts,
    facts_answer,
    grounded_answer,
    read_facts,
    retrieve_slice,
)
from chronotope.views import evolution_view, slice_view

DATA = Path(__file__).parent / "data"
STORY, FACTS = DATA / "the_quince_house.txt", DATA / "the_quince_house.facts.jsonl"
ONTOLOGY = "household"
QUESTIONS: dict[str, int | None] = {  # each with the last chapter that the reader knows
    "Who served Isolde Varley in the Blue Room before the fire?": None,
    "Who was married to Edmund Varley in chapter 9?": None,
    "Who is the Wren?": 8,
    "To whom did Bettine Low send messages?": None,
}
MESSENGER = "Bettine Low"


def facts_by_hand(ontology: Ontology) -> StoryFacts:
    """The facts of the file, checked: no model is asked."""
    read = read_facts(FACTS, ontology=ontology)
    return checked_facts(read.items, ontology=ontology, entities=read.entities, axis=read.story_axis)


def facts_by_model(runner: Runner) -> StoryFacts:
    """The same by a model, which mends what breaks a rule."""
    story = Document(STORY.read_text(encoding="utf-8"), id="the_quince_house")
    step = extract_facts([story], settings=FactSettings(mode="llm", ontology=ONTOLOGY))
    print(f"estimate: {runner.estimate(step)}")
    return runner.run(extract_facts([story], settings=FactSettings(mode="llm", ontology=ONTOLOGY)))


def show(title: str, cut: Slice, relations: Sequence[str] = ()) -> None:
    """The edges of a slice, of some relations or of all, with the constraints that cut it."""
    print(f"\n■ {title}")
    for edge in cut.edges:
        if not relations or edge.relation in relations:
            said = (edge.subject, edge.relation.replace("_", " "), edge.object)  # by id: two people here are called Martin Oake
            print(f"  {' — '.join(part for part in said if part)}")
    for one in cut.trace:
        print(f"    {one.name}={one.asked!r}: {one.alone} facts alone, {one.without} without it")
    for issue in cut.issues:
        print(f"    note: {issue}")


def show_slices(graph: StoryGraph) -> None:
    """By chapter, by the story's own time, and by place; then as a reader knows it who has not read on."""
    show("Who serves whom in chapter 3", graph.slice(chapter=3), ["serves"])
    show("Who serves whom in chapter 8", graph.slice(chapter=8), ["serves"])
    show("Who is married before the fire", graph.slice(story_time="before the fire"), ["married_to"])
    show("Who is married while chapter 10 plays", graph.slice(story_time="chapter 10"), ["married_to"])
    show("Who dies in Quince House, in whatever room", graph.slice(place="Quince House"), ["died"])
    show("Who meets in the cellar, of which nobody told", graph.slice(place="the cellar"), ["meets"])
    show("The Wren, for a reader of eight chapters", graph.slice(entities=["the Wren"], reader_at=8))
    show("The Wren in chapter 9, for a reader of it", graph.slice(entities=["the Wren"], chapter=9))


def show_answers(graph: StoryGraph, facts: StoryFacts, runner: Runner, questions: dict[str, int | None], *, by_model: bool) -> None:
    """Answers with the coordinates of each fact; without a model the facts answer themselves."""
    assert runner.embedder is not None
    index = runner.run(
        build_story_index(
            facts.items, embedder_id=runner.embedder.model_id, ontology=graph.ontology, entities=facts.entities, axis=graph.axis
        )
    )
    print(f"\n{index}")
    for question, reader_at in questions.items():
        found = runner.run(retrieve_slice(index, question, reader_at=reader_at))
        known = "" if reader_at is None else f"  (read up to chapter {reader_at})"
        print(f"\n■ {question}{known}")
        answer = runner.run(grounded_answer(question, found)) if by_model else facts_answer(found, lines=4)
        print("\n".join(f"  {line}" for line in answer.text.splitlines()))


def show_names(graph: StoryGraph) -> None:
    """Who shares a name, who has several, and which chapters play out of order."""
    for name in ("Martin Oake", "Captain Sand"):
        for one in graph.cast.find(name):
            print(f"{name}: {one}, also {', '.join(graph.cast.entity(one).names)}")
    for chapter in (4, 8):
        for time in graph.axis.now(chapter):
            print(f"Chapter {chapter} plays {time.start:+,} days from chapter 1")


def show_messenger(graph: StoryGraph, page: Path | None) -> None:
    """How the messenger stands from chapter to chapter."""
    if not graph.cast.find(MESSENGER):
        print(f"\nNobody called {MESSENGER} so far.")
        return
    lines = evolution(graph, MESSENGER, axis="chapters")
    print(f"\n■ {MESSENGER} from chapter to chapter\n{lines.table()}")
    if page:
        print(f"The lines are in {evolution_view(lines).save(page)}: open it in a browser.")


def run(options: argparse.Namespace) -> None:
    chat = ChatEndpoint(options.base_url, options.model, api_key=options.api_key) if options.base_url else None
    options.cache.mkdir(parents=True, exist_ok=True)
    cache = ReplyCache(options.cache / "story_slices.sqlite")
    runner = Runner(chat, embedder=default_embedder(), cache=cache, progress=sys.stderr.isatty())
    ontology = Ontology.load(ONTOLOGY)

    facts = facts_by_model(runner) if chat else facts_by_hand(ontology)
    print(facts)
    for one in facts.uncertain:
        print(f"  kept out: {one.fact.statement}: {'; '.join(broken.reason for broken in one.verdict.violations)}")
    for issue in facts.issues:
        print(f"  note: {issue}")
    whole = build_graph(facts.items, ontology=ontology, entities=facts.entities, axis=facts.axis)
    graph = whole if options.reader_at is None else whole.told_until(options.reader_at)  # from here on, nothing later is known
    print(graph)
    show_names(graph)
    if options.reader_at is not None:
        show(f"What chapter {options.reader_at} tells and what is so in it", graph.slice(chapter=options.reader_at))
    elif not options.question:
        show_slices(graph)
    asked = options.question or QUESTIONS
    questions = dict.fromkeys(asked, options.reader_at) if options.question or options.reader_at is not None else QUESTIONS
    show_answers(graph, facts, runner, questions, by_model=chat is not None)
    show_messenger(graph, options.evolution)
    if options.slice:
        page = slice_view(graph, title="The Quince House")
        print(f"\nThe slice is in {page.save(options.slice)}: open it in a browser.")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--question", action="append", help="ask this; may be given several times")
    parser.add_argument("--reader-at", type=int, help="last chapter that you have read; nothing later is told")
    parser.add_argument("--slice", type=Path, help="write the story as a page with a slider to this file")
    parser.add_argument("--evolution", type=Path, help="write the messenger's lines as a page to this file")
    parser.add_argument("--base-url", help="an OpenAI-compatible endpoint, such as http://localhost:8000/v1")
    parser.add_argument("--model", help="the model's name there")
    parser.add_argument("--api-key", default=os.environ.get("OPENAI_API_KEY"), help="OPENAI_API_KEY when absent")
    parser.add_argument("--cache", type=Path, default=Path(".chronotope"), help="folder in which replies and vectors are kept")
    options = parser.parse_args()
    for page in (options.slice, options.evolution):
        if page and not page.parent.is_dir():
            parser.error(f"there is no folder {page.parent} for {page.name}")
    if options.base_url and not options.model:
        parser.error("--base-url needs --model: which model shall answer?")
    try:
        run(options)
    except (ChronotopeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except APIError as error:
        print(f"error: {describe_failure(error)}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())

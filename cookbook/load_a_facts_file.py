"""Load facts of your own: from a table, checked against an ontology and a rule of your own, cut into slices, saved.

    python cookbook/load_a_facts_file.py
    python cookbook/load_a_facts_file.py my_facts.csv --ontology general_fiction --at 1907 --save my_index

Needs: pip install "chronotope[all]". No model is asked. data/the_lantern_makers.csv is a family chronicle with dates in EDTF,
such as 1879-12/1880-02; six of its lines are wrong on purpose. Columns may be called as other tools call them: head,
predicate, tail, when, where, evidence. A line that cannot be read, and a fact that breaks a rule, costs only itself, and the
reason is told.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from chronotope import Runner
from chronotope.defaults import default_embedder
from chronotope.errors import ChronotopeError
from chronotope.slices import (
    Fact,
    KnownFacts,
    Ontology,
    Rule,
    StoryGraph,
    StoryIndex,
    build_graph,
    build_story_index,
    checked_facts,
    coordinates,
    facts_answer,
    read_facts,
    retrieve_slice,
)

CHRONICLE = Path(__file__).parent / "data" / "the_lantern_makers.csv"
QUESTION = "Where did Anselm Haske live in 1891?"


def forebears(name: str, known: KnownFacts) -> dict[str, int]:
    """Somebody and all from whom they descend, each with the number of generations between."""
    found, waiting = {name: 0}, [name]
    while waiting:
        child = waiting.pop()
        for fact in known.about(child):
            if fact.relation in ("parent_of", "father_of", "mother_of") and fact.object == child and fact.subject not in found:
                found[fact.subject] = found[child] + 1
                waiting.append(fact.subject)
    return found


def near_kin(fact: Fact, known: KnownFacts) -> str | None:
    """A rule of one's own: a sentence when the fact breaks it, else None."""
    one, other = forebears(fact.subject, known), forebears(fact.object, known)
    nearest = min(((one[name] + other[name], name) for name in one if name in other), default=None)
    if nearest is None or nearest[0] > 3:
        return None
    return f"{fact.subject} and {fact.object} are near kin: both descend from {nearest[1]}"


OWN_RULE = Rule(name="no_marriage_of_near_kin", judge=near_kin, relations=frozenset({"married_to"}))


def show_slice(graph: StoryGraph, when: str) -> None:
    """What holds and happens at a time of the chronicle."""
    cut = graph.slice(story_time=when)
    print(f"\n■ In {when}: {cut}")
    for fact in cut.story_order:
        if graph.ontology.relation(fact.relation)[0].kind != "timeless":
            print(f"  {fact.statement} ({coordinates(fact, graph)})")


def run(options: argparse.Namespace) -> None:
    ontology = Ontology.load(options.ontology)
    ontology = ontology.with_rules(OWN_RULE)

    read = read_facts(options.file, ontology=ontology)
    print(f"{options.file.name}: {len(read.items)} facts and {len(read.entities)} entities on the axis of {read.axis}")
    for issue in read.issues:
        print(f"  not read: {issue.message}")
    facts = checked_facts(read.items, ontology=ontology, entities=read.entities, axis=read.story_axis)
    print(facts)
    for one in facts.uncertain:
        print(f"  kept out: {one.fact.statement}")
        for broken in one.verdict.violations:
            print(f"    {broken.rule}: {broken.reason}")

    graph = build_graph(facts.items, ontology=ontology, entities=facts.entities, axis=facts.axis)
    print(graph)
    for when in options.at or ("1875", "1891", "1907-11", "1925"):
        show_slice(graph, when)

    runner = Runner(embedder=default_embedder())
    assert runner.embedder is not None
    index = runner.run(
        build_story_index(
            facts.items, embedder_id=runner.embedder.model_id, ontology=ontology, entities=facts.entities, axis=facts.axis
        )
    )
    question = options.question or QUESTION
    answer = facts_answer(runner.run(retrieve_slice(index, question)), lines=3)
    print(f"\n■ {question}")
    print("\n".join(f"  {line}" for line in answer.text.splitlines()))
    if options.save:
        index.save(options.save)
        again = StoryIndex.load(options.save, rules=[OWN_RULE])  # a rule that is a function is in no file
        print(f"\nSaved in {options.save} and loaded again: {again}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", default=CHRONICLE, help="a .csv, .tsv, .jsonl or .json file of facts")
    parser.add_argument("--ontology", default="household", help="household or general_fiction")
    parser.add_argument("--at", action="append", help="show what is so at this time, in EDTF; may be given several times")
    parser.add_argument("--question", help="ask this")
    parser.add_argument("--save", type=Path, help="save the index in this folder")
    options = parser.parse_args()
    try:
        run(options)
    except (ChronotopeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

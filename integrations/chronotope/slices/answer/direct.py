"""The answer that a slice gives by itself: whom a relation joins to the one that the question names, where nothing leaves it open.

"Who served Ann?" asks for one side of a relation whose other side is named. Which side that is, is read from the order of the
question's words; where the question or the facts leave a doubt, there is no such answer, and the facts are listed instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from chronotope.lexical import words
from chronotope.slices.answer.coordinates import coordinates
from chronotope.slices.answer.kin import gender_asked, gender_of, says_age
from chronotope.slices.question.verbs import verb_stems

if TYPE_CHECKING:
    from chronotope.slices.edge import Edge
    from chronotope.slices.graph import Slice, StoryGraph
    from chronotope.slices.ontology import Relation
    from chronotope.slices.retrieve.retrieve import SliceRetrieval

__all__ = ["DirectAnswer", "direct_answer"]

Side: TypeAlias = Literal["subject", "object"]
Span: TypeAlias = tuple[int, int]
_ALIAS = "alias_of"
_WHO = re.compile(r"\b(?:whom?|whose|which|what)\b|谁|誰|哪位|何人|什[么麼]人", re.IGNORECASE)
_WHEN = re.compile(r"\bwhen\b|\bin (?:which|what) (?:year|chapter)\b|何[时時]|什[么麼][时時]候|哪一?[年回]", re.IGNORECASE)
_WHERE = re.compile(r"\bwhere\b|哪[里裡裏儿兒]|何[处處]|什[么麼]地方", re.IGNORECASE)
_POSSESSED = re.compile(r"(?:['’]s?|\s*的)\s*\Z")
_THE_ONE_ZH = re.compile(r"的(?:人|都)?是")
_PASSIVE = re.compile(r"\bby\b|被", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W_]+")
_SMALL = frozenset(
    words(
        "a an the is was are were be been being of to in on at with from for did do does has had have s get got "
        "who whom whose which what when where year chapter person people place"
    )
)
_SMALL_HANZI = frozenset("谁誰是的了在之呢吗嗎过過何时時候哪里裡裏处處儿兒年回什么麼地方人位曾都还還个個")


@dataclass(frozen=True)
class DirectAnswer:
    """What the facts of a slice answer without any reasoning.

    Args:
        parts: whom, where or when, every one that the slice has, each with the ids of the facts that say so.
    """

    parts: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What is answered, without the facts."""
        return tuple(name for name, _ in self.parts)

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts of all parts."""
        return tuple(fact for _, facts in self.parts for fact in facts)


def direct_answer(retrieval: SliceRetrieval) -> DirectAnswer | None:
    """What the slice of a question answers by itself; None where anything is left open.

    It needs a question for who, whom, what, when or where that names one relation and the entities on its other side and says
    nothing else; and facts of the slice that say it and that no rule doubts.

    Args:
        retrieval: what `retrieve_slice` found.
    """
    asked, cut = retrieval.scope, retrieval.slice
    question = asked.core or asked.question
    entities = tuple(name for name in asked.entities if name not in asked.places) or asked.entities
    if len(asked.relations) != 1 or not entities or asked.unresolved:
        return None
    relation, _ = cut.graph.ontology.relation(asked.relations[0])
    rest = _unnamed(question, (*asked.entities, *asked.places), cut.graph)
    if _says_more(rest, relation):
        return None
    if relation.name == _ALIAS:
        return _who_it_is(question, entities, cut)
    same = _same(entities, asked.places, relation, cut.graph)
    near = dict.fromkeys(edge for name in same for edge in cut.neighbours(name) if edge.relation == relation.name)
    told = [edge for edge in near if len(entities) == 1 or set(entities) <= {edge.subject, edge.object}]
    found = _answers(_Asked(question, entities, same, relation, gender_asked(rest, relation)), told, cut.graph)
    if not found or any(not name or doubted for name, _, doubted in found):
        return None
    parts: dict[str, tuple[str, ...]] = {}
    for name, facts, _ in found:
        parts[name] = parts.get(name, ()) + facts
    return DirectAnswer(tuple(parts.items()))


def _who_it_is(question: str, entities: Sequence[str], cut: Slice) -> DirectAnswer | None:
    """The name under which the story knows somebody who is asked for by another, with the facts that join the two."""
    graph, known = cut.graph, cut.graph.name_of(entities[0])
    at = _first(question, sorted(graph.names_of(entities[0]), key=len, reverse=True))
    if len(entities) != 1 or at is None or known.casefold() in question.casefold():
        return None
    asked = question[at[0] : at[1]].casefold()
    rows = cut.rows[graph.arrays.subject[cut.rows] == graph.numbers[entities[0]]]  # no edge leads from somebody to themselves
    facts = [graph.facts[row] for row in rows.tolist()]
    told = [
        fact for fact in facts if fact.relation == _ALIAS and any(asked in name.casefold() for name in (fact.subject, fact.object))
    ]
    sure = [fact.id for fact in told if fact.confidence != "low"]
    return DirectAnswer(((known, tuple(sure)),)) if sure else None


def _unnamed(question: str, entities: Iterable[str], graph: StoryGraph) -> str:
    """A question without its names."""
    return _without(question, [_first(question, graph.names_of(name)) for name in entities])


def _says_more(rest: str, relation: Relation) -> bool:
    """True when a question has words besides names, its relation and small words: they may change what it asks for."""
    if says_age(rest):
        return True
    bare = _without(rest, [_first(rest, _forward(relation)), _first(rest, _turned(relation))])
    tokens = _TOKEN.findall(bare)
    return any(set(token) - _SMALL_HANZI if not token.isascii() else not set(words(token)) <= _SMALL for token in tokens)


def _without(text: str, spans: Iterable[Span | None]) -> str:
    for start, end in filter(None, spans):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _same(entities: Sequence[str], places: Sequence[str], relation: Relation, graph: StoryGraph) -> frozenset[str]:
    """Whom a fact must name to be about the first entity: itself; where people are asked for by place, also all inside it."""
    if entities[0] in places and relation.name in graph.ontology.told_in_place:
        return frozenset(graph.places.inside(entities[0]))
    return frozenset(entities[:1])


@dataclass(frozen=True)
class _Asked:
    """A question whose words are known: what it says, whom it names, and what of whom it wants."""

    question: str
    entities: tuple[str, ...]
    same: frozenset[str]
    relation: Relation
    gender: str


def _answers(asked: _Asked, edges: Sequence[Edge], graph: StoryGraph) -> list[tuple[str, tuple[str, ...], bool]]:
    """Each answer with the facts that give it and whether rules doubt them; an empty one where a fact does not tell."""
    question, relation = asked.question, asked.relation
    facts = [graph.fact(name) for edge in edges for name in edge.facts]
    if _WHEN.search(question):
        return [(coordinates(fact, graph, compact=True), (fact.id,), fact.confidence == "low") for fact in facts]
    if _WHERE.search(question) and relation.name not in graph.ontology.told_in_place:
        return [(fact.place, (fact.id,), fact.confidence == "low") for fact in facts]
    if len(asked.entities) != 1:
        return []
    other = _others(asked, edges, graph)
    genders = {name: gender_of(name, graph) for name in other.values()} if asked.gender else {}
    if not all(genders.values()):
        return []  # one of them may be a husband or a wife
    found = [(edge, other[edge.key]) for edge in edges if edge.key in other]
    return [
        (graph.name_of(name), edge.facts, edge.low_confidence)
        for edge, name in found
        if not asked.gender or genders[name] == asked.gender
    ]


def _others(asked: _Asked, edges: Sequence[Edge], graph: StoryGraph) -> dict[tuple[str, str, str], str]:
    """Who stands on the side of each edge that is asked for."""
    question, (entity,) = asked.question, asked.entities
    wanted: Side | None = "object" if _WHERE.search(question) else _wanted(question, entity, asked.relation, graph)
    if asked.relation.symmetric and (_WHO.search(question) or wanted):
        return {edge.key: edge.object if edge.subject in asked.same else edge.subject for edge in edges}
    if wanted is None:
        return {}
    given = "subject" if wanted == "object" else "object"
    return {edge.key: getattr(edge, wanted) for edge in edges if getattr(edge, given) in asked.same}


def _wanted(question: str, entity: str, relation: Relation, graph: StoryGraph) -> Side | None:
    """The side of a relation that a question asks for; None where its words leave that open.

    A relation's word has its subject before it and its object behind it, unless it is a noun: "Ann's maid", "the maid of Ann".
    """
    who = _WHO.search(question)
    named = _first(question, graph.entities[entity].names) if entity in graph.entities else None
    forward, turned = _first(question, _forward(relation)), _first(question, _turned(relation))
    word = forward or turned
    unsure = forward is not None and turned is not None and forward != turned  # "mother" and "has mother" are one word
    if who is None or named is None or word is None or unsure or _PASSIVE.search(question):
        return None
    if word[0] < named[0] < who.start() and _THE_ONE_ZH.match(question, named[1]):
        side: Side = "subject"  # 服侍林夫人的是誰
    elif (named[1] <= word[0] and _POSSESSED.match(question[named[1] : word[0]])) or who.start() < word[0] < named[0]:
        side = "subject"
    elif named[0] < word[0]:
        side = "object"
    else:
        return None
    return side if forward else "object" if side == "subject" else "subject"


def _forward(relation: Relation) -> tuple[str, ...]:
    """Words that mean the relation: its name, and those listed for it."""
    return (relation.name.replace("_", " "), *relation.nouns, *_listed(relation, relation.names))


def _turned(relation: Relation) -> tuple[str, ...]:
    return (relation.inverse.replace("_", " "), *relation.inverse_nouns, *_listed(relation, relation.inverse_names))


def _listed(relation: Relation, names: Iterable[str]) -> Iterable[str]:
    """Of the words for an event with an object only the Chinese: what is given away need not be sold."""
    return names if relation.kind != "event" or not relation.range else (name for name in names if not name.isascii())


def _first(question: str, names: Iterable[str]) -> Span | None:
    """Where the first of some names stands in a question, in any of its endings."""
    tokens = [(found.span(), verb_stems(found[0])) for found in _TOKEN.finditer(question)]
    for name in filter(str.strip, names):
        at = question.casefold().find(name.casefold())
        if at >= 0 and not name.isascii():
            return at, at + len(name)
        meant = [word for word in verb_stems(name) if word not in _SMALL]
        for place in range(len(tokens) - len(meant) + 1):
            here = tokens[place : place + len(meant)]
            if meant and all(word in stems for word, (_, stems) in zip(meant, here, strict=True)):
                return here[0][0][0], here[-1][0][1]
    return None

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
from chronotope.slices.coordinates import coordinates

if TYPE_CHECKING:
    from chronotope.slices.edge import Edge
    from chronotope.slices.graph import StoryGraph
    from chronotope.slices.ontology import Relation
    from chronotope.slices.retrieve import SliceRetrieval

__all__ = ["DirectAnswer", "direct_answer"]

Side: TypeAlias = Literal["subject", "object"]
Span: TypeAlias = tuple[int, int]
_WHO = re.compile(r"\b(?:whom?|whose|which|what)\b|谁|誰|哪位|何人|什[么麼]人", re.IGNORECASE)
_WHEN = re.compile(r"\bwhen\b|\bin (?:which|what) (?:year|chapter)\b|何[时時]|什[么麼][时時]候|哪一?[年回]", re.IGNORECASE)
_WHERE = re.compile(r"\bwhere\b|哪[里裡裏儿兒]|何[处處]|什[么麼]地方", re.IGNORECASE)
_POSSESSED = re.compile(r"(?:['’]s?|\s*的)\s*\Z")
_PASSIVE = re.compile(r"\bby\b|被", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W_]+")
# Kin by sex and age: in Chinese such a word is one of several for a relation, and asks for less than the relation says.
_NARROWER = re.compile(r"[儿兒]子|[妻妾夫女祖爷爺奶孙孫哥弟姐姊妹兄嫂公婆岳婿媳舅姑姨婶嬸伯叔表堂]")
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
    if _says_more(question, (*asked.entities, *asked.places), relation, cut.graph):
        return None
    near = [edge for edge in cut.neighbours(entities[0]) if edge.relation == relation.name]
    told = [edge for edge in near if set(entities) <= {edge.subject, edge.object}]
    found = _answers(question, entities, relation, told, cut.graph)
    if not found or any(not name or doubted for name, _, doubted in found):
        return None
    parts: dict[str, tuple[str, ...]] = {}
    for name, facts, _ in found:
        parts[name] = parts.get(name, ()) + facts
    return DirectAnswer(tuple(parts.items()))


def _says_more(question: str, entities: Iterable[str], relation: Relation, graph: StoryGraph) -> bool:
    """True when a question has words besides its names, its relation and small words: they may change what it asks for."""
    names = [_first(question, graph.entities[name].names) for name in entities if name in graph.entities]
    rest = _without(question, names)
    if _NARROWER.search(rest):
        return True
    rest = _without(rest, [_first(rest, _forward(relation)), _first(rest, _turned(relation))])
    tokens = _TOKEN.findall(rest)
    return any(set(token) - _SMALL_HANZI if not token.isascii() else not set(words(token)) <= _SMALL for token in tokens)


def _without(text: str, spans: Iterable[Span | None]) -> str:
    for start, end in filter(None, spans):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _answers(
    question: str, entities: Sequence[str], relation: Relation, edges: Sequence[Edge], graph: StoryGraph
) -> list[tuple[str, tuple[str, ...], bool]]:
    """Each answer with the facts that give it and whether rules doubt them; an empty one where a fact does not tell."""
    to_place = bool(relation.range) and all(graph.ontology.is_a(type_name, "place") for type_name in relation.range)
    facts = [graph.fact(name) for edge in edges for name in edge.facts]
    if _WHEN.search(question):
        return [(coordinates(fact, graph, compact=True), (fact.id,), fact.confidence == "low") for fact in facts]
    if _WHERE.search(question) and not to_place:
        return [(fact.place, (fact.id,), fact.confidence == "low") for fact in facts]
    if len(entities) != 1:
        return []
    wanted: Side | None = "object" if _WHERE.search(question) else _wanted(question, entities[0], relation, graph)
    if relation.symmetric and (_WHO.search(question) or wanted):
        other = {edge.key: edge.object if edge.subject == entities[0] else edge.subject for edge in edges}
    else:
        asked_of = {"subject": "object", "object": "subject"}.get(wanted or "")
        other = {edge.key: getattr(edge, wanted or "") for edge in edges if asked_of and getattr(edge, asked_of) == entities[0]}
    return [(graph.name_of(other[edge.key]), edge.facts, edge.low_confidence) for edge in edges if edge.key in other]


def _wanted(question: str, entity: str, relation: Relation, graph: StoryGraph) -> Side | None:
    """The side of a relation that a question asks for; None where its words leave that open.

    A relation's word has its subject before it and its object behind it, unless it is a noun: "Ann's maid", "the maid of Ann".
    """
    who = _WHO.search(question)
    named = _first(question, graph.entities[entity].names) if entity in graph.entities else None
    forward, turned = _first(question, _forward(relation)), _first(question, _turned(relation))
    word = forward or turned
    if who is None or named is None or word is None or (forward and turned) or _PASSIVE.search(question):
        return None
    if (named[1] <= word[0] and _POSSESSED.match(question[named[1] : word[0]])) or who.start() < word[0] < named[0]:
        side: Side = "subject"
    elif named[0] < word[0]:
        side = "object"
    else:
        return None
    return side if forward else "object" if side == "subject" else "subject"


def _forward(relation: Relation) -> tuple[str, ...]:
    """Words that mean the relation and nothing narrower: its own name. Chinese has no word for it but those of the list."""
    return (relation.name.replace("_", " "), *(name for name in relation.names if not name.isascii()))


def _turned(relation: Relation) -> tuple[str, ...]:
    return (relation.inverse.replace("_", " "), *(name for name in relation.inverse_names if not name.isascii()))


def _first(question: str, names: Iterable[str]) -> Span | None:
    """Where the first of some names stands in a question, in any of its endings."""
    tokens = [(found.span(), words(found[0])) for found in _TOKEN.finditer(question)]
    for name in filter(str.strip, names):
        at = question.casefold().find(name.casefold())
        if at >= 0 and not name.isascii():
            return at, at + len(name)
        meant = [word for word in words(name) if word not in _SMALL]
        for place in range(len(tokens) - len(meant) + 1):
            here = tokens[place : place + len(meant)]
            if meant and all(word in stems for word, (_, stems) in zip(meant, here, strict=True)):
                return here[0][0][0], here[-1][0][1]
    return None

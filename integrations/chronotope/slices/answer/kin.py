"""Words for kin that say more than their relation: a wife is one of two that are married, and a woman."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chronotope.slices.graph import StoryGraph
    from chronotope.slices.ontology import Relation

__all__ = ["gender_asked", "gender_of", "says_age"]

_GENDERS = (
    (
        "female",
        re.compile(r"\b(?:wife|wives|daughters?|sisters?|mothers?|mistress)\b|妻子?|夫人|女[兒儿]|母[親亲]|[媽妈]|姊妹|姐妹", re.I),
    ),
    ("male", re.compile(r"\b(?:husbands?|sons?|brothers?|fathers?|master)\b|丈夫|[兒儿]子|父[親亲]|爸|兄弟", re.I)),
)
# Kin by age, by side of the family or by law: no fact of a wider relation tells that.
_AGED = re.compile(
    r"\b(?:elder|eldest|older|oldest|younger|youngest|first|second|third|late|step|half|grand|great|in-law)\b|"
    r"[妾祖爷爺奶孙孫哥弟姐姊妹兄嫂公婆岳婿媳舅姑姨婶嬸伯叔表堂長长次幼]",
    re.IGNORECASE,
)


def says_age(text: str) -> bool:
    """True when a text asks for kin of an age or a side of the family.

    >>> says_age("who was her elder sister"), says_age("誰是她的妻子")
    (True, False)
    """
    return _AGED.search(text) is not None


def gender_asked(text: str, relation: Relation) -> str:
    """The gender that a question wants beside its relation; empty where it wants none, or the relation says it already.

    Args:
        text: a question without names.
        relation: that it names.
    """
    own = f"{relation.name} {relation.inverse}".replace("_", " ")
    return next((gender for gender, words in _GENDERS if words.search(text) and not words.search(own)), "")


def gender_of(entity: str, graph: StoryGraph) -> str:
    """The gender of somebody where the graph tells it, as the ontology calls it; empty where it does not, or tells two."""
    found = (
        {graph.ontology.gender(str(graph.cast.entity(entity).metadata.get("gender") or ""))} if entity in graph.entities else set()
    )
    number = graph.numbers.get(entity)
    for row in [] if number is None else graph.arrays.by_entity.of_number(number).tolist():
        fact = graph.facts[row]
        if fact.relation == "gender" and graph.ends_of(fact)[0] == entity:
            found.add(graph.ontology.gender(fact.object))
    told = {gender for gender in found if gender}
    return told.pop() if len(told) == 1 else ""

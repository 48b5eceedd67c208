"""Set forms in which texts say relations, as patterns over sentences whose names are numbered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from chronotope.slices.ontology.ontology import Relation

__all__ = ["CLOSE", "NAME", "OPEN", "Form", "forms_of"]

OPEN, CLOSE = "\ue000", "\ue001"  # private signs around the number of a name in a sentence
NAME: Final = rf"{OPEN}\d+{CLOSE}"

Needs: TypeAlias = Literal["clause", "nothing", "alone"]

_SLOT = re.compile(r"\{(subject|object)\}")
_HAN = re.compile("[\u4e00-\u9fff]")
_BETWEEN = r"(?:had\s+)?(?:(?:then|later|soon|also|once|finally|at last|[a-z]+ly)\s+)?"
_HAN_BETWEEN = r"(?:便|就|遂|又|也|亦|已經|已经|已|方|才|仍|忙|且|一時|一时|只得|自|獨自|独自|復|复|先|早|終於|终于|后來|後來){0,2}"
_KIND = (
    r"(?:(?:eldest|elder|younger|youngest|only|first|second|third|fourth|late|old|young|little|own|dear|faithful|trusted|beloved|"
    r"good|beautiful|pretty|married|widowed|personal|favourite|favorite|new)\s+){0,2}"
)
_STOP = r"(?=\s*(?:[,.;:!?)—–]|\Z))(?!\s*,\s*(?:and|or|nor)\b)"
_ARTICLE = r"(?:(?:the|a|an|that|this)\s+)?"
_THE = r"(?:the\s+)?"  # a name behind it is whole unless a small noun follows, as in "the Wendle duke"
_NO_STEP = r"(?:the|a|an|who|whose|whom|another|some|that|one|him|her|his|them|it|or)"
_STEPS = rf"(?:,?\s+(?!{_NO_STEP}\b)[a-z]+|\s+the\s+(?:first|last|only|same)){{0,7}},?"
_HAN_KIND = "(?:長|长|次|大|小|親|亲|嫡|幼|獨|独|亡|先|前|繼|继|愛|爱|貼身|贴身|大小){0,1}"
_HAN_CALLED = "(?:名叫|名喚|名唤|喚作|唤作|叫做|叫作|叫|名|乃是|乃|就是|即是|即|便是|是)?"
_HAN_IS = "(?:就是|乃是|本是|原是|便是|即是|正是|系|係|是|乃|即)"


@dataclass(frozen=True)
class Form:
    """A set form of a relation.

    Args:
        relation: what it says.
        pattern: over sentences whose names are numbered; its groups are `subject` and `object`.
        han: Chinese.
        needs: its first name must begin its `clause`, and nobody else may be named before it (`alone`); `nothing` for what is so
            in whatever clause it stands, such as "Ann, the wife of Tom".
    """

    relation: Relation
    pattern: re.Pattern[str]
    han: bool
    needs: Needs = "clause"


@lru_cache(maxsize=512)  # the forms of an ontology are the same for every document
def forms_of(relation: Relation) -> tuple[Form, ...]:
    """The forms of a relation: those that it lists, and those that its nouns have."""
    nouns = ((relation.nouns, "subject", "object"), (relation.inverse_nouns, "object", "subject"))
    made = [form for words, one, other in nouns for form in _of_nouns(relation, words, one, other)]
    return (*(_said(relation, says) for says in relation.says), *made)


def _said(relation: Relation, says: str) -> Form:
    """A form as it is listed; an adverb or "had" may stand behind the first name."""
    han = _HAN.search(says) is not None
    parts = _SLOT.split(says)
    pattern, first = "", True
    for place, part in enumerate(parts):
        if place % 2:
            pattern += _slot(part)
            continue
        words = (r"\s*" if han else r"\s+").join(map(re.escape, part.split()))
        lead, tail = (r"\s+" if part[:1].isspace() else ""), (rf"\s+{_THE}" if part[-1:].isspace() else "")
        if han:
            between = _HAN_BETWEEN if place and first and words else ""
            pattern, first = pattern + between + words, first and not (place and words)
        elif place and first and words and part[:1].isspace():
            pattern, first = pattern + lead + _BETWEEN + words + tail, False
        else:
            pattern += lead + words + (tail if words else "")
    bound = "" if han or parts[-1] == "" else r"(?![^\W_])"
    return Form(relation, re.compile(pattern + bound, 0 if han else re.IGNORECASE), han)


def _slot(side: str) -> str:
    return rf"(?P<{side}>{NAME})"


def _of_nouns(relation: Relation, nouns: tuple[str, ...], one: str, other: str) -> Iterator[Form]:
    """What `one` is to `other`, in all the forms that its nouns have."""
    english = [re.escape(noun).replace(r"\ ", r"[\s-]+") for noun in nouns if not _HAN.search(noun)]
    chinese = [re.escape(noun) for noun in nouns if _HAN.search(noun)]
    if english:
        word = f"(?:{'|'.join(sorted(english, key=len, reverse=True))})"
        for pattern, needs in _english(_slot(one), _slot(other), _KIND + word):
            yield Form(relation, re.compile(pattern), han=False, needs=needs)
    if chinese:
        word = f"{_HAN_KIND}(?:{'|'.join(sorted(chinese, key=len, reverse=True))})"
        for pattern, needs in _chinese(_slot(one), _slot(other), word):
            yield Form(relation, re.compile(pattern), han=True, needs=needs)


def _english(one: str, other: str, noun: str) -> Iterator[tuple[str, Needs]]:
    owned = rf"{other}['’]s?\s+{noun}"
    yield rf"{one},\s+{_ARTICLE}{noun}\s+(?:of|to)\s+{_THE}{other}", "nothing"
    yield rf"\b[Tt]he\s+{noun}\s+of\s+{_THE}{other},\s+{one}{_STOP}", "nothing"
    yield rf"{owned},\s+{one}{_STOP}", "nothing"
    yield rf"{owned}\s+{one}", "nothing"
    yield rf"{one},\s+{owned}{_STOP}", "nothing"
    yield rf"{one}\s+(?:is|was)\s+(?:the|a|an)\s+{noun}\s+(?:of|to)\s+{_THE}{other}", "clause"
    yield rf"{one}\s+(?:is|was)\s+{owned}\b(?!['’-])", "clause"
    yield rf"{other}{_STEPS}\s+(?:his|her)\s+{noun}(?:,?\s+|\s+called\s+){one}", "alone"


def _chinese(one: str, other: str, noun: str) -> Iterator[tuple[str, Needs]]:
    yield rf"{other}[之的]{noun}{_HAN_CALLED}{one}(?![之的父母妻夫兄弟姊妹女子家])", "nothing"
    yield rf"{one}{_HAN_IS}{other}[之的]{noun}(?![之的家\u4e00-\u9fff]?[之的])", "clause"
    yield rf"{one}(?:者)?[，,]{other}[之的]{noun}也", "clause"

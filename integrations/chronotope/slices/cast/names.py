"""Names as they are compared, and which of two names is a shorter form of the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from chronotope.naming import name_key
from chronotope.naming.lexicon import HONORIFICS, LEADING_WORDS, ROLES
from chronotope.naming.statements import is_chinese
from chronotope.slices.cast.surnames import chinese_words

__all__ = ["Form", "squeezed", "title_gender"]

_MALE: Final = "Mr Master Lord Sir King Prince Baron Duke Earl Count Emperor"
_WIVES: Final = "Mrs Mme Madame Lady Mistress Dame"
_FEMALE: Final = f"{_WIVES} Ms Miss Mlle Queen Princess Baroness Duchess Countess Empress"
_GENDERS: Final = {word.casefold(): gender for gender, words in (("male", _MALE), ("female", _FEMALE)) for word in words.split()}
_BY_HUSBAND: Final = frozenset(_WIVES.casefold().split())
_TITLES: Final = frozenset(word.casefold() for word in HONORIFICS | ROLES)
_LEADS: Final = frozenset(word.casefold() for word in LEADING_WORDS)


def squeezed(name: str) -> str:
    """A name on one line without white space around it."""
    return " ".join(name.split())


def title_gender(name: str, titles: Mapping[str, str]) -> str:
    """The gender that a title in a name tells; empty when none does.

    Args:
        name: any spelling.
        titles: gender of each title of an ontology; a title in Chinese stands at the end of a name.

    >>> title_gender("Mr. Reed", {}), title_gender("王夫人", {"夫人": "female"}), title_gender("Reed", {})
    ('male', 'female', '')
    """
    if not name.isascii():
        found = [title for title in titles if not title.isascii() and name.endswith(title)]
        return titles[max(found, key=len)] if found else ""
    key = name_key(name)
    first = key.split(maxsplit=1)[0].rstrip(".") if key else ""
    for title, gender in titles.items():
        if first == title.casefold().rstrip(".") or key.startswith(f"{title.casefold()} "):
            return gender
    return _GENDERS.get(first, "") if " " in key else ""


@dataclass(frozen=True)
class Form:
    """A name taken apart.

    Args:
        title: words of address before it, in small letters without stops.
        words: the rest, in small letters.
        is_description: True for "the Captain", "her uncle", "the old man": words that different people may be called by.

    >>> Form.of("Mr. Thomas Reed"), Form.of("the Captain").is_description
    (Form(title='mr', words=('thomas', 'reed'), is_description=False), True)
    >>> Form.of("林黛玉").words, Form.of("王夫人").words
    (('林', '黛玉'), ('王夫人',))
    """

    title: str
    words: tuple[str, ...]
    is_description: bool = False

    @classmethod
    def of(cls, name: str) -> Form:
        """Take a name apart."""
        given = squeezed(name).split()
        if len(given) == 1 and is_chinese(name):
            return cls("", chinese_words(given[0]))
        words = [word.casefold().strip(".,") for word in given]
        if not words or (
            name.isascii() and (words[0] in _LEADS or given[0].islower() or (len(words) == 1 and words[0] in _TITLES))
        ):
            return cls("", tuple(words), is_description=True)
        size = 0
        while size < len(words) - 1 and words[size] in _TITLES:
            size += 1
        return cls(" ".join(words[:size]), tuple(words[size:]))

    @property
    def needs_gender(self) -> bool:
        """True for a title under which a wife bears her husband's name: it never proves that the husband is meant."""
        return bool(_BY_HUSBAND.intersection(self.title.split()))

    def shortens(self, longer: Form) -> bool:
        """True when this can be short for the other: the beginning or the end of it, or the same words without the title.

        >>> Form.of("Mr. Reed").shortens(Form.of("Thomas Reed")), Form.of("Mr. Reed").shortens(Form.of("Mrs. Reed"))
        (True, False)
        """
        if self.is_description or longer.is_description:
            return False
        mine, full = self.words, longer.words
        if mine == full:
            return not self.title and bool(longer.title)
        return len(mine) < len(full) and (full[: len(mine)] == mine or full[-len(mine) :] == mine)

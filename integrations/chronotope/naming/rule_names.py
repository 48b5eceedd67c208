"""Names by rules: capitalised words with their connectors and initials, and in Chinese what marks a name beyond doubt.

Works on running text and on tokenised text ("Newton D . Baker House"). A word that is capitalised only because it opens a
sentence is no name; neither are months, weekdays, titles without a name behind them, and words for people of a nation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeAlias

from chronotope.naming.lexicon import CLASS_WORDS, LEADING_WORDS, NATIONS, NO_NAMES, ROLES, SMALL_WORDS
from chronotope.naming.statements import tells_event
from chronotope.text import Span

__all__ = ["EntityFinder", "Name", "RuleNames", "has_noun_behind", "name_key", "plain_name"]

Name: TypeAlias = tuple[Span, str]


class EntityFinder(Protocol):
    """Anything that finds names in a text: spans of the text, and what is named."""

    def __call__(self, text: str, /) -> Sequence[Name]:
        """The names of a text, in order."""
        ...


_UPPER: Final = "".join(chr(code) for code in range(0x530) if chr(code).isupper())
_INITIAL = rf"[{_UPPER}]\s?\.(?=\s?[{_UPPER}])"
_SHORT = r"(?:Mr|Mrs|Ms|Dr|Prof|Rev|Fr|St|Sr|Jr|Gen|Col|Capt|Lt|Sgt|Maj|Hon|Gov|Sen|Messrs|Mme|Mlle)\s?\.(?=\s)"
_LETTERS = rf"(?:[{_UPPER}]\.){{2,}}"
_WORD = rf"[{_UPPER}][^\W_]*(?:[-'’/][^\W_]+)*"
_PART = rf"(?:{_LETTERS}|{_SHORT}|{_INITIAL}|{_WORD})"
_JOIN = r"(?:of(?:\sthe)?|de(?:\sla)?|del|della|der|den|des|di|da|do|dos|du|la|le|van(?:\sde[rn]?)?|von|zu|bin|ibn|al|el|ter|ten)"
_NAME = re.compile(
    rf"(?<![^\W_])(?<![^\W_]-){_PART}(?:\s?(?:(?<=\.)|\s){_PART}|\s?&\s?{_PART}|\s(?:{_JOIN}\s){{1,2}}{_PART}|\s{_PART})*"
)
_OPENS = re.compile(r"(?:\A|[“\"‘«(\[:;*•–—]|(?<!\w)[-'])\s*\Z")
_POSSESSIVE = re.compile(r"['’]s?\Z")
_OF = re.compile(r"\s+of\s+(?:the\s+)?")
_BESIDE = re.compile(r"\s+([a-z]{3,})\b")
_LOWER_WORD = re.compile(r"\b[a-z][^\W\d_]+")
_INNER_CAPITAL = re.compile(rf"(?<=[a-z,] )[{_UPPER}][^\W\d_]+")
_COMMON_END = (
    "ing",
    "ed",
    "ly",
    "able",
    "ible",
    "ful",
    "ous",
    "ive",
    "ness",
    "tion",
    "ment",
    "less",
    "ism",
    "ward",
    "wise",
    "back",
)

_HAN_QUOTED = re.compile(r"《([^《》\n]{1,30})》")
_HAN_SAYS = re.compile(
    r"(?<![\u4e00-\u9fff])([\u4e00-\u9fff]{2,4}?)(?:[忙又便遂亦也因冷大]{0,2}(?:笑|哭|嘆|叹|問|问|答|罵|骂)?)"
    r"(?:說道|说道|道|說|说|曰)\s*[：:，,「『“]"
)
_HAN_COMMON = re.compile(
    r"[他她它我你您這这那誰谁某甚什怎一二三四五六七八九十兩两幾几眾众都各每有沒没只聽听見见想看又便就忙方才于於因若如且"
    r"俗常古人]|大家|自己|先生|夫人$"
)
_TIMES_SAID = 3
_MOST_WORDS = 12


def plain_name(words: str) -> str:
    """A name on one line, without a possessive, blanks before stops, or the article.

    >>> plain_name("Newton D . Baker's"), plain_name("The Times")
    ('Newton D. Baker', 'Times')
    """
    squeezed = re.sub(r"\s+(?=[.])", "", " ".join(words.split()))
    return _POSSESSIVE.sub("", squeezed.removeprefix("The ").removeprefix("the "))


def name_key(name: str) -> str:
    r"""What two spellings of one name have in common: white space squeezed, case folded.

    >>> name_key(" Thomas\u3000 REED")
    'thomas reed'
    """
    return " ".join(name.split()).casefold()


@dataclass(frozen=True)
class RuleNames:
    """Finds names in sentences of one source.

    Args:
        lower: how often the source writes words with a small letter.
        capital: how often it capitalises words inside sentences.
        han: Chinese names that the source proves.

    >>> RuleNames.of("In 1990 Ann Lee met the Duke of York.")("In 1990 Ann Lee met the Duke of York.")
    [((8, 15), 'Ann Lee'), ((24, 36), 'Duke of York')]
    """

    lower: Mapping[str, int] = field(default_factory=dict)
    capital: Mapping[str, int] = field(default_factory=dict)
    han: re.Pattern[str] | None = None

    @classmethod
    def of(cls, *texts: str) -> RuleNames:
        """Learn from the whole source."""
        lower = Counter(word for text in texts for word in _LOWER_WORD.findall(text))
        capital = Counter(word for text in texts for word in _INNER_CAPITAL.findall(text))
        return cls(lower, capital, _proven(texts))

    def __call__(self, text: str, /) -> list[Name]:
        """The names of one sentence, in order."""
        found = [
            name
            for match in _NAME.finditer(text)
            for start, words in _parted(match.start(), match[0])
            for name in self._kept(text, start, words)
        ]
        if not text.isascii():
            found += [(match.span(), match[1]) for match in _HAN_QUOTED.finditer(text)]
            found += [(match.span(), match[0]) for match in self.han.finditer(text)] if self.han else []
            found.sort()
        return found

    def _kept(self, text: str, start: int, words: str) -> Iterable[Name]:
        opens = _OPENS.search(text, max(0, start - 4), start) is not None
        start, words = self._without_lead(start, words, opens=opens)
        words = _without_tail(words)
        name = plain_name(words)
        if not name or self._is_common(name, opens=opens):
            return
        if opens and self._is_unknown(name) and has_noun_behind(text, start + len(words), surely=True):
            return  # "Flint glass contains", "Spectacles correct"
        end = start + len(_POSSESSIVE.sub("", words))
        yield (start, end), name

    def _without_lead(self, start: int, words: str, *, opens: bool) -> tuple[int, str]:
        """Without the words before a name that only a sentence's beginning, or a date, puts there."""
        while (first := re.match(r"([^\W_]+)(?:\s+(?:of\s+(?:the\s+)?)?)(?=\S)", words)) and (
            (first[1] in LEADING_WORDS and not self._is_will(first[1], opens=opens))
            or (opens and self._is_verb(first[1], first[0]))
            or _is_nation(first[1], words[first.end() :])
        ):
            start, words, opens = start + first.end(), words[first.end() :], False
        return start, words

    def _is_verb(self, word: str, lead: str) -> bool:
        """True for "Built" or "Construction of" before a name, which the source writes small elsewhere."""
        if self.capital.get(word, 0) > self.lower.get(word.lower(), 0):
            return False  # "Ying", which a single "ying" elsewhere makes no verb
        return word.lower() in self.lower and (lead.split()[-1] != word or word.endswith(("ed", "ing", "ly", "en", "lt")))

    def _is_will(self, word: str, *, opens: bool) -> bool:
        """True for the given name "Will", which the source writes with a capital inside a sentence."""
        return word == "Will" and (not opens or self.capital.get(word, 0) > 0)

    def _is_common(self, name: str, *, opens: bool) -> bool:
        if " " in name:
            return name.count(" ") >= _MOST_WORDS or all(word.rstrip(".") in NO_NAMES for word in name.split())
        bare = name.rstrip(".")
        if bare in NO_NAMES or len(bare) < 2 or (bare.isupper() and set(bare) <= set("IVXLCDM")):
            return True
        small, capital = self.lower.get(bare.lower(), 0), max(self.capital.get(part, 0) for part in (bare, *bare.split("-")))
        return opens and (small > capital or (not capital and (bare.endswith(_COMMON_END) or tells_event(bare.lower()))))

    def _is_unknown(self, name: str) -> bool:
        """True for one word that the source never capitalises inside a sentence."""
        return name.isalpha() and not self.capital.get(name) and not name.isupper()


def has_noun_behind(text: str, end: int, *, surely: bool) -> bool:
    """True when a noun seems to follow a name, as in "the Oyen lens", and not a verb.

    Args:
        text: a sentence.
        end: where the name ends in it.
        surely: a word that may be a verb of the present tense ("contains") is none.
    """
    after = _BESIDE.match(text, end)
    if after is None:
        return False
    word = after[1]
    verb = tells_event(word) or word.endswith("ly") or (surely and word.endswith("s") and not word.endswith("ss"))
    return word.capitalize() not in LEADING_WORDS and not verb


def _parted(start: int, words: str) -> list[tuple[int, str]]:
    """A person and the body that "of" puts the person in are two names: "Samuel Dray of the Bank of Tessel"."""
    link = _OF.search(words)
    if link is None:
        return [(start, words)]
    person, body = words[: link.start()].split(), words[link.end() :]
    named = len(person) >= 2 and not any(word.rstrip(".,") in CLASS_WORDS for word in person) and person[-1] not in ROLES
    if not named or not any(word.rstrip(".,") in CLASS_WORDS for word in body.split()):
        return [(start, words)]
    return [(start, words[: link.start()]), (start + link.end(), body)]


def _is_nation(word: str, rest: str) -> bool:
    """True for "Austrian" and "Englishman" before the name of a person."""
    names = rest.split()
    people = word in NATIONS or word.removesuffix("s") in NATIONS or word.endswith(("shman", "chman", "Scotsman"))
    return people and len(names) >= 2 and not any(name.strip(".,") in CLASS_WORDS | SMALL_WORDS for name in names)


def _without_tail(words: str) -> str:
    """Without a month or a numeral of a list that follows a name."""
    while (last := re.search(r"\s+(?:of\s+)?([^\W_]+)\Z", words)) and last[1] in LEADING_WORDS - {"I", "A", "Second", "Third"}:
        words = words[: last.start()]
    return words


def _proven(texts: Sequence[str]) -> re.Pattern[str] | None:
    """Two to four characters that speak again and again."""
    said = Counter(match[1] for text in texts if not text.isascii() for match in _HAN_SAYS.finditer(text))
    names = [name for name, times in said.items() if times >= _TIMES_SAID and not _HAN_COMMON.search(name)]
    return re.compile("|".join(sorted(map(re.escape, names), key=len, reverse=True))) if names else None

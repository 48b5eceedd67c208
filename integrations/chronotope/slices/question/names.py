"""Names of a graph in a text: the longest first, each with whoever bears it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from chronotope.slices.question.folding import folded, is_cjk

__all__ = ["Mention", "NameTable", "Span", "apart"]

Span = tuple[int, int]
_NAME_BEFORE = re.compile(r"(?<=[^.?!]\s)(?<![\w'’-])[A-ZÀ-Þ][\w'’-]*[-\s]$")  # what begins a sentence may be any word
_NAME_AFTER = re.compile(r"[-\s][A-ZÀ-Þ][\w'’-]*")
_BESIDE = re.compile(r"\s*[,(（]?\s*(?:the\s+)?", re.IGNORECASE)  # between two names of one bearer
_ARTICLES = ("the ", "a ", "an ")


@dataclass(frozen=True)
class Mention:
    """A name in a text.

    Args:
        span: its characters.
        text: as it stands there.
        ids: who bears it, in the order of the table.
        whole: False where it is only a part of their name.
    """

    span: Span
    text: str
    ids: tuple[str, ...]
    whole: bool = True


def apart(span: Span, taken: Iterable[Span]) -> bool:
    """True when a span overlaps none of the others."""
    return all(span[1] <= start or end <= span[0] for start, end in taken)


class NameTable:
    """Finds names in texts.

    Args:
        names: each name with the id of its bearer.
        parted: ids of those that may be named by a part of their name: a family or a given name.

    >>> table = NameTable([("Lin Daiyu", "daiyu"), ("林黛玉", "daiyu"), ("Lin", "forest")], parted=["daiyu"])
    >>> [(one.text, one.ids, one.whole) for one in table.mentions("Did Lin Daiyu meet Daiyu, 黛玉 or Lin?")]
    [('Lin Daiyu', ('daiyu',), True), ('Daiyu', ('daiyu',), False), ('黛玉', ('daiyu',), False), ('Lin', ('forest',), True)]
    """

    def __init__(self, names: Iterable[tuple[str, str]], *, parted: Iterable[str] = ()) -> None:
        own = {*parted}
        whole: dict[str, dict[str, str]] = defaultdict(dict)
        parts: dict[str, dict[str, str]] = defaultdict(dict)
        for name, bearer in names:
            key = _key(name)
            if key:
                whole[key].setdefault(bearer, name)
            if bearer in own:
                for part in _parts(name):
                    parts[_key(part)].setdefault(bearer, part)
        self._names = [dict(whole), {key: bearers for key, bearers in parts.items() if key and key not in whole}]
        self._lengths: list[dict[str, list[int]]] = []
        for table in self._names:
            found: dict[str, set[int]] = defaultdict(set)
            for key in table:
                found[key[:2]].add(len(key))
            self._lengths.append({start: sorted(lengths, reverse=True) for start, lengths in found.items()})

    def places_of(self, bearer: str, text: str, plain: str) -> list[int]:
        """Where any name of one bearer begins, whoever else bears it.

        Args:
            bearer: an id.
            text: a long text.
            plain: the same, folded.
        """
        found: list[int] = []
        for key, name, whole in self._of_bearer.get(bearer, ()):
            start = plain.find(key)
            while start >= 0:
                end = start + len(key)
                cut = _cut_out(plain, start, end) and _fits(text[start:end], name, shouted=True)
                if cut and (whole or _alone(text, start, end)):
                    found.append(start)
                start = plain.find(key, end)
        return found

    @cached_property
    def _of_bearer(self) -> dict[str, list[tuple[str, str, bool]]]:
        found: dict[str, list[tuple[str, str, bool]]] = defaultdict(list)
        for table, whole in zip(self._names, (True, False), strict=True):
            for key, bearers in table.items():
                for bearer, name in bearers.items():
                    found[bearer].append((key, name, whole))
        return dict(found)

    def mentions(self, text: str, taken: Sequence[Span] = ()) -> list[Mention]:
        """The names in a text, in its order, none overlapping another or a taken span."""
        plain = folded(text)
        shouted = sum(character.isupper() for character in text[1:]) > 0
        found: list[Mention] = []
        for whole in (True, False):
            table, lengths = self._names[not whole], self._lengths[not whole]
            busy = [*taken, *(one.span for one in found)]
            position = 0
            while position < len(plain):
                mention = _at(position, text, plain, table, lengths, busy, shouted, whole)
                if mention is not None:
                    found.append(mention)
                    position = mention.span[1]
                else:
                    position += 1
        return _told_apart(text, sorted(found, key=lambda one: one.span))


def _told_apart(text: str, mentions: list[Mention]) -> list[Mention]:
    """Of several who bear a name, the one that the name beside it means: "Martin Oake the clerk", 書吏馬丁."""
    found = list(mentions)
    for place, (one, two) in enumerate(pairwise(mentions)):
        both = tuple(name for name in found[place].ids if name in two.ids)
        if both and one.ids != two.ids and _BESIDE.fullmatch(text, one.span[1], two.span[0]):
            found[place], found[place + 1] = replace(found[place], ids=both), replace(two, ids=both)
    return found


def _at(
    start: int,
    text: str,
    plain: str,
    table: dict[str, dict[str, str]],
    lengths: dict[str, list[int]],
    busy: Sequence[Span],
    shouted: bool,
    whole: bool,
) -> Mention | None:
    """The longest name that begins here."""
    if start and _joined(plain[start - 1], plain[start]):
        return None
    for length in lengths.get(plain[start : start + 2], lengths.get(plain[start : start + 1], ())):
        end = start + length
        bearers = table.get(plain[start:end])
        if bearers is None or (end < len(plain) and _joined(plain[end - 1], plain[end])):
            continue
        fitting = [bearer for bearer, name in bearers.items() if _fits(text[start:end], name, shouted)]
        if fitting and apart((start, end), busy) and (whole or _alone(text, start, end)):
            return Mention((start, end), text[start:end], tuple(fitting), whole)
    return None


def _alone(text: str, start: int, end: int) -> bool:
    """False for a part of somebody else's name: `Chen` in `Chen Shih-yin`."""
    return not _NAME_BEFORE.search(text, 0, start) and not _NAME_AFTER.match(text, end)


def _fits(text: str, name: str, shouted: bool) -> bool:
    """A name of one capitalised word is found in small letters only where the whole text is written in small letters."""
    bare = _bare(name)
    if is_cjk(bare[:1]) or " " in bare or not bare[:1].isupper() or not shouted:
        return True
    return text[:1].isupper()


def _cut_out(plain: str, start: int, end: int) -> bool:
    """False inside a longer word."""
    return not (start and _joined(plain[start - 1], plain[start])) and not (
        end < len(plain) and _joined(plain[end - 1], plain[end])
    )


def _joined(left: str, right: str) -> bool:
    """True when no word of a western script ends between two characters."""
    return left.isalnum() and right.isalnum() and not is_cjk(left) and not is_cjk(right)


def _bare(name: str) -> str:
    squeezed = " ".join(name.split())
    low = squeezed.lower()
    for article in _ARTICLES:
        if low.startswith(article) and len(low) > len(article):
            return squeezed[len(article) :]
    return squeezed


def _key(name: str) -> str:
    return folded(_bare(name))


def _parts(name: str) -> list[str]:
    """Given and family name of a person; of three or four Chinese characters the last two."""
    bare = _bare(name)
    if bare and all(map(is_cjk, bare)):
        return [bare[-2:]] if len(bare) in (3, 4) else []
    words = bare.split(" ")
    if len(words) not in (2, 3) or not all(word[:1].isupper() for word in words):
        return []
    return [word for word in words if len(word) > 2 and not word.endswith(".")]

"""Chinese times in a text: single ones, the words that give them a side, and ranges."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from chronotope.errors import TimeExpressionError
from chronotope.temporal.calendar import Grain
from chronotope.temporal.chinese.atoms import ATOM, read_atom
from chronotope.temporal.chinese.words import DIGIT, number
from chronotope.temporal.interval import TimeInterval
from chronotope.temporal.partial.fields import Fields
from chronotope.temporal.partial.frame import Frame
from chronotope.temporal.partial.joining import joined
from chronotope.temporal.partial.meaning import meaning
from chronotope.temporal.partial.reading import Reading

__all__ = ["Candidate", "find_chinese", "holds_chinese"]

Candidate = tuple[tuple[int, int], TimeInterval, str, float, frozenset[str]]
_HAN = re.compile("[一-鿿]")
_JOINS = re.compile(r"\s*(?:到|至|直到|[-–—~～])\s*")
_PAIR = re.compile(r"\s*(?:和|与|與|跟|、)\s*")
_BETWEEN = re.compile(r"\s*(?:之间|之間|间|間|期间)")
_BARE_YEAR = re.compile(rf"(?<!\d)(\d{{4}}|[{DIGIT}]{{4}})(?=\s*(?:[-–—~～]|到|至)\s*(?:\d{{4}}|[{DIGIT}]{{4}})\s*年)")
_BEFORE = re.compile(r"(?:自从|自從|自|从|從|截至|截止到?|直到|到|在|于|於)\s*$")
_AFTER = re.compile(
    r"\s*(?P<incl>(?:及|或|和|以及)(?:其|之|以)?)?(?P<side>以前|之前|前|以后|以後|之后|之後|后|後|起|开始|開始|以来|以來|至今)(?![天日年半])"
)
_EXCEPT = re.compile(
    r"(?:其中)?(?:但是?|而)?(?:并?不(?:包括|包含|含|算)|(?<![删刪废廢解清开開扫掃去扣免拆驱驅])(?:排除|除去|除开|除開|除了|除))\s*(?:在|于|於)?\s*$"
)
_OUTSIDE = re.compile(r"\s*(?P<firm>之|以)?外的?(?![国國地人交面部省语語])")
_SIDES = {"前": "before", "后": "after", "後": "after"}
_SINCE = ("起", "开始", "開始", "以来", "以來", "至今")


@dataclass(frozen=True, slots=True)
class Piece:
    """A reading and the characters it spans."""

    start: int
    stop: int
    reading: Reading


def holds_chinese(text: str) -> bool:
    """True when a text has a Chinese character."""
    return _HAN.search(text) is not None


def find_chinese(text: str, frame: Frame) -> list[Candidate]:
    """The Chinese times of a text, in order."""
    pieces = _pieces(text, frame)
    found, i = list[Candidate](), 0
    while i < len(pieces):
        piece, relation, used = _ranged(text, pieces, i, frame)
        one = _sided(text, piece, relation, frame)
        if one is not None:
            found.append(_excluded(text, one, found[-1] if found else None) or one)
        i += used
    return found


def _excluded(text: str, one: Candidate, before: Candidate | None) -> Candidate | None:
    """The time with the words that take it out: `除了1993年`, `除1993年和1994年外`, `但不包括1993年`; None when nothing does."""
    (start, stop), interval, relation, confidence, flags = one
    lead = _EXCEPT.search(text, max(0, start - 8), start)
    after = _OUTSIDE.match(text, stop)
    listed = before is not None and "excluded" in before[4] and _PAIR.fullmatch(text, before[0][1], start)
    if not (lead or listed or (after and after["firm"])):
        return None
    span = lead.start() if lead else start, after.end() if after else stop
    return span, interval, relation, confidence, flags | {"excluded"}


def _pieces(text: str, frame: Frame) -> list[Piece]:
    pieces = [Piece(m.start(), m.end(), reading) for m in ATOM.finditer(text) if (reading := _read(m, frame)) is not None]
    pieces.extend(Piece(m.start(), m.end(), _bare_year(m)) for m in _BARE_YEAR.finditer(text))
    return sorted(pieces, key=lambda piece: piece.start)


def _bare_year(match: re.Match[str]) -> Reading:
    """The first year of `1995-1997年`."""
    return Reading(match.end(), Fields(Grain.YEAR, number(match[1])))


def _read(match: re.Match[str], frame: Frame) -> Reading | None:
    try:
        return read_atom(match, frame)
    except TimeExpressionError:  # beyond the axis
        return None


def _ranged(text: str, pieces: list[Piece], i: int, frame: Frame) -> tuple[Piece, str, int]:
    """The piece at an index, joined with the next when words between or after them say so."""
    left = pieces[i]
    if i + 1 < len(pieces):
        right = pieces[i + 1]
        between = text[left.stop : right.start]
        after = _BETWEEN.match(text, right.stop)
        if _JOINS.fullmatch(between) or (_PAIR.fullmatch(between) and after):
            reading = _joined(left.reading, _completed(left.reading, right.reading), frame)
            if reading is not None:
                start = left.start - len(_lead(text, left.start, ("从", "從", "自", "在")))
                return Piece(start, after.end() if after else right.stop, reading), "between", 2
    return left, "during", 1


def _joined(left: Reading, right: Reading, frame: Frame) -> Reading | None:
    try:
        return joined(left, right, frame)
    except TimeExpressionError:  # beyond the axis
        return None


def _completed(left: Reading, right: Reading) -> Reading:
    """`从一月十日到20日`: a bare day takes the month of the first end."""
    first, last = left.fields, right.fields
    if first and last and last.grain is Grain.DAY and last.month is None and last.weekday is None and first.day is not None:
        return replace(right, fields=Fields(Grain.DAY, first.year, first.month, last.day))
    return right


def _lead(text: str, start: int, words: tuple[str, ...]) -> str:
    match = _BEFORE.search(text, max(0, start - 4), start)
    return match[0] if match and match[0].strip() in words else ""


def _sided(text: str, piece: Piece, relation: str, frame: Frame) -> Candidate | None:
    """The time with its side: `2018年以前`, `自2016年9月1日起`, `2013年及以前`."""
    start, stop, included = piece.start, piece.stop, False
    if relation == "during":
        after = _AFTER.match(text, stop)
        lead = _BEFORE.search(text, max(0, start - 4), start)
        if after:
            relation, included, stop = _side(after), bool(after["incl"]), after.end()
            relation = {"before": "until", "after": "since"}.get(relation, relation) if included else relation
        elif lead and lead[0].strip() in ("自", "自从", "自從"):
            relation = "since"
        elif lead and lead[0].strip() in ("截至", "截止", "截止到", "直到"):
            relation, included = "until", True
        if lead and (relation != "during" or lead[0].strip() in ("在", "于", "於")):
            start = lead.start()
    found = meaning(piece.reading, relation, frame, included=included)
    if found is None:
        return None
    return (start, stop), found[0], relation, 0.9 if found[1] else 0.95, found[1]


def _side(match: re.Match[str]) -> str:
    side = match["side"]
    return "since" if side in _SINCE else _SIDES[side[-1]]

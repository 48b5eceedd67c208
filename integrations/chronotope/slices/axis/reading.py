"""Times of a story as texts and questions name them: chapters, landmarks, distances, dates; in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from chronotope.errors import TimeExpressionError
from chronotope.naming import name_key
from chronotope.slices.story_time import read_story_time
from chronotope.temporal.calendar import Grain, shift
from chronotope.temporal.interval import Interval, TimeInterval
from chronotope.text.structure.numerals import CHINESE_NUMBER, SPELLED, read_chinese, read_number

if TYPE_CHECKING:
    from chronotope.slices.axis.axis import StoryAxis

__all__ = ["read"]

_DAYS = {Grain.DAY: 1, Grain.WEEK: 7, Grain.MONTH: 30, Grain.YEAR: 365, Grain.DECADE: 3_650, Grain.CENTURY: 36_500}
_UNITS = {grain.value: grain for grain in _DAYS} | {"centurie": Grain.CENTURY, "fortnight": Grain.WEEK}
_CHINESE_UNITS = {
    "年": Grain.YEAR, "载": Grain.YEAR, "載": Grain.YEAR, "个月": Grain.MONTH, "個月": Grain.MONTH, "月": Grain.MONTH,
    "周": Grain.WEEK, "週": Grain.WEEK, "星期": Grain.WEEK, "日": Grain.DAY, "天": Grain.DAY,
}  # fmt: skip
_LENGTH = rf"(?:about |some |exactly )?(?P<count>an?|few|\d{{1,6}}|{SPELLED})(?: full| whole)? (?P<unit>{'|'.join(_UNITS)})s?"
_SIDES = {"before": -1, "earlier": -1, "ago": -1, "previously": -1, "after": 1, "later": 1, "afterwards": 1, "hence": 1}
_LENGTH_SIDE = re.compile(rf"{_LENGTH} (?P<side>earlier|before|ago|previously|later|after|afterwards|hence)", re.IGNORECASE)
_LENGTH_FROM = re.compile(rf"{_LENGTH} (?P<side>before|after) (?P<point>.+)", re.IGNORECASE)
_SIDE = re.compile(r"(?P<side>before|until|after|since|during|in|at|on|while|when) (?P<point>.+)", re.IGNORECASE)
_CHAPTER = re.compile(r"(?:the )?chapter (?P<number>-?\d{1,18}|[ivxlc]+|[a-z]+(?:[- ][a-z]+)*?)(?: plays| happens)?", re.IGNORECASE)
_NUMBER = rf"(?P<count>{CHINESE_NUMBER}+|数|數|几|幾)"
_UNIT = f"(?P<unit>{'|'.join(_CHINESE_UNITS)})"
_CHINESE_CHAPTER = re.compile(rf"第?\s*(?P<number>{CHINESE_NUMBER}+)\s*[回章](?:[中里裡]|之中)?")
_CHINESE_LENGTH = re.compile(rf"{_NUMBER}{_UNIT}(?:之|以)?(?P<side>前|后|後)")
_CHINESE_FROM = (
    re.compile(rf"(?P<point>.+?)的?(?:之|以)?(?P<side>前|后|後)的?{_NUMBER}{_UNIT}"),
    re.compile(rf"(?P<point>.+?)的?{_NUMBER}{_UNIT}(?:之|以)?(?P<side>前|后|後)"),
)
_CHINESE_SIDE = re.compile(
    r"(?:在|于|於)?(?P<point>.+?)的?(?:(?P<side>(?:之|以)?(?:前|后|後))|(?P<during>期间|期間|之时|之時|時|时|中))"
)
_FEW = 3

Shift: TypeAlias = tuple[int, Grain]


def read(text: str, axis: StoryAxis, chapter: int | None) -> Interval:
    """The stretch of the axis that a text names; see `StoryAxis.read`."""
    words = " ".join(text.split()).strip(" ,;:!?。，；：！？")
    words = words if words.endswith("..") else words.rstrip(" .")
    for reader in _READERS:
        found = reader(words, axis, chapter)
        if found is not None:
            return found
    raise TimeExpressionError(text, _help(axis))


def _help(axis: StoryAxis) -> str:
    example = "'1931-05', '1931/1933'" if axis.kind == "dates" else "'3', '3/6'"
    return f"names no time of this story; write {example}, 'chapter 5', 'ten years earlier' or 'before' and the name of an event"


def _plain(words: str, axis: StoryAxis, _: int | None) -> Interval | None:
    """A number or date as it is written down. Whatever has the looks of one and is wrong stays an error."""
    if not re.fullmatch(r"[-\d.]+[-\dTZX:~?%.]*(?:\s*/\s*[-\dTZX:~?%.]+)?", words):
        return None
    return read_story_time(words, axis.kind)


def _point(words: str, axis: StoryAxis, _: int | None = None) -> Interval | None:
    """A chapter or a landmark by its name."""
    from chronotope.slices.axis.axis import hull

    number = _chapter_number(words)
    if number is not None:
        now = hull(axis.now(number))
        if now is None:
            raise TimeExpressionError(words, f"plays at no known time; chapters with one: {_known(axis)}")
        return now
    return _landmark(words, axis)


def _known(axis: StoryAxis) -> str:
    known = [number for number, times in axis.chapters.items() if times]
    return f"{known[0]} to {known[-1]}" if known else "none"


def _chapter_number(words: str) -> int | None:
    if (found := _CHAPTER.fullmatch(words)) is not None:
        number = read_number(found["number"].removeprefix("-"))
        return -number if number is not None and found["number"].startswith("-") else number
    if (found := _CHINESE_CHAPTER.fullmatch(words)) is not None:
        return read_chinese(found["number"])
    return None


def _landmark(words: str, axis: StoryAxis) -> Interval | None:
    """A landmark by its name, with or without an article, in any case."""
    wanted = _bare(words)
    named = sorted(axis.landmarks.items())
    return next((time for name, time in named if name == words), None) or next(
        (time for name, time in named if _bare(name) == wanted), None
    )


def _bare(name: str) -> str:
    folded = name_key(name)
    return re.sub(r"^(?:the|a|an|his|her|their|that|this|那|这|這)\s*", "", folded) or folded


def _dated(words: str, axis: StoryAxis, _: int | None = None) -> Interval | None:
    """A date in plain words, on the axis of dates."""
    from chronotope.temporal.expressions import find_expressions

    if axis.kind != "dates":
        return None
    found = find_expressions(words)
    if len(found) != 1:
        return None
    rest = (words[: found[0].span[0]] + words[found[0].span[1] :]).strip().casefold()
    return found[0].interval if rest in ("", "in", "on", "at", "during") else None


def _after_length(words: str, axis: StoryAxis, chapter: int | None) -> Interval | None:
    """`ten years earlier`, `十年前`: counted from when the chapter plays."""
    if (found := _LENGTH_SIDE.fullmatch(words)) is not None:
        moved = _shift(found["count"], found["unit"], _SIDES[found["side"].casefold()])
    elif (found := _CHINESE_LENGTH.fullmatch(words)) is not None:
        moved = _chinese_shift(found["count"], found["unit"], found["side"])
    else:
        return None
    return _moved(_now(words, axis, chapter), moved)


def _from_point(words: str, axis: StoryAxis, _: int | None) -> Interval | None:
    """`three days before the fire`, `火灾前三日`."""
    if (found := _LENGTH_FROM.fullmatch(words)) is not None:
        moved = _shift(found["count"], found["unit"], _SIDES[found["side"].casefold()])
    elif (found := next((match for form in _CHINESE_FROM if (match := form.fullmatch(words))), None)) is not None:
        moved = _chinese_shift(found["count"], found["unit"], found["side"])
    else:
        return None
    point = _point(found["point"], axis) or _dated(found["point"], axis)
    return None if point is None else _moved(point, moved)


def _beside(words: str, axis: StoryAxis, _: int | None) -> Interval | None:
    """`before the fire`, `in chapter 5`, `火灾之前`."""
    if (found := _SIDE.fullmatch(words)) is not None:
        word = found["side"].casefold()
        side = {"before": -1, "until": -1, "after": 1, "since": 1}.get(word, 0)
    elif (found := _CHINESE_SIDE.fullmatch(words)) is not None:
        side = 0 if found["during"] else -1 if found["side"][-1] == "前" else 1
    else:
        return None
    point = _point(found["point"], axis) or _dated(found["point"], axis) or _plain(found["point"], axis, None)
    return None if point is None else _side_of(point, side, words)


def _side_of(point: Interval, side: int, words: str) -> Interval:
    from chronotope.slices.axis.axis import stretch

    if side == 0:
        return point
    edge = point.start if side < 0 else point.end
    if edge is None:
        raise TimeExpressionError(words, "counts from an event with no known " + ("beginning" if side < 0 else "end"))
    return stretch(None, edge, point) if side < 0 else stretch(edge, None, point)


def _now(words: str, axis: StoryAxis, chapter: int | None) -> Interval:
    from chronotope.slices.axis.axis import hull

    now = hull(axis.now(chapter))
    if chapter is None:
        raise TimeExpressionError(words, "counts from when its chapter plays, so it needs a chapter")
    if now is None:
        raise TimeExpressionError(words, f"counts from when chapter {chapter} plays, and that is not known")
    return now


def _shift(count: str, unit: str, side: int) -> Shift:
    number = 1 if count.casefold() in ("a", "an") else _FEW if count.casefold() == "few" else read_number(count) or 0
    grain = _UNITS[unit.casefold()]
    return side * number * (2 if unit.casefold() == "fortnight" else 1), grain


def _chinese_shift(count: str, unit: str, side: str) -> Shift:
    number = _FEW if count in ("数", "數", "几", "幾") else read_chinese(count) or 0
    return (-number if side == "前" else number), _CHINESE_UNITS[unit]


def _moved(point: Interval, moved: Shift) -> Interval:
    """A stretch some units away, for a distance is as vague as its unit.

    On the axis of dates it is the whole unit of the calendar. On ticks it goes half a unit to either side.
    """
    count, grain = moved
    if not isinstance(point, TimeInterval):
        days, half = count * _DAYS[grain], (_DAYS[min(grain, Grain.YEAR)] - 1) // 2
        start = None if point.start is None else point.start + days - half
        return Interval(start, None if point.end is None else point.end + days + half)
    if point.start is None or point.end is None:
        raise TimeExpressionError(str(point), "is open, so nothing can be counted from it")
    first, last = shift(point.start, count, grain), shift(point.end - 1, count, grain)
    unit = grain if grain < Grain.DECADE else Grain.YEAR
    whole = [TimeInterval.unit(moment, unit) for moment in (first, last)]
    return TimeInterval(whole[0].start, whole[1].end, unit)


Reader: TypeAlias = Callable[[str, "StoryAxis", "int | None"], "Interval | None"]
_READERS: tuple[Reader, ...] = (_plain, _point, _after_length, _dated, _from_point, _beside)

"""From headings to units: their titles, what stands above them, and the scene dividers inside."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from chronotope.text.structure.choose import title_below
from chronotope.text.structure.lines import Line, is_divider
from chronotope.text.structure.printed import Printed
from chronotope.text.units import Unit

__all__ = ["Heading", "build_units", "headings_with_titles", "scene_marks"]

_DIRECTLY = 120  # words, an epigraph or an argument, that may stand between a book's heading and its first chapter
_MOST_TITLE_LINES, _MOST_TITLE_WORDS = 4, 60


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading with its title.

    Args:
        first: index of its first line.
        last: index of its last line.
        printed: what its first line says.
        title: all of it on one line.
    """

    first: int
    last: int
    printed: Printed
    title: str


def headings_with_titles(lines: Sequence[Line], chosen: dict[int, Printed]) -> list[Heading]:
    """The headings in order, each with the lines below it that are its title."""
    found: list[Heading] = []
    for index in sorted(chosen):
        if found and index <= found[-1].last:
            continue
        last = _last_line(lines, index, chosen)
        words = " ".join(lines[line].text.lstrip("#\u3000 ") for line in range(index, last + 1) if not is_divider(lines[line]))
        found.append(Heading(index, last, chosen[index], " ".join(words.split())))
    return found


def _last_line(lines: Sequence[Line], index: int, chosen: dict[int, Printed]) -> int:
    """Where the title ends: lines that are glued to the heading, then a short block below it, then rules."""
    printed = chosen[index]
    last = _glued(lines, index, chosen)
    below = _past_rules(lines, last)
    staged = printed.kind in ("scene", "act")
    if not printed.rest and last == index and not staged and below + 1 < len(lines) and below + 1 not in chosen:
        end = below + 1
        while end + 1 < len(lines) and not lines[end].after and end - below < 3 and end + 1 not in chosen:
            end += 1
        block = range(below + 1, end + 1)
        body = end + 1 < len(lines) and (lines[end].after > 0 or _is_body(lines, end)) and (printed.holds or end + 1 not in chosen)
        if body and all(title_below(lines, line, printed) for line in block):
            return _past_rules(lines, end)
        if body and not printed.family.isascii() and title_below(lines, below + 1, printed):
            return _past_rules(lines, below + 1)
    return below if below > last else last


def _is_body(lines: Sequence[Line], title: int) -> bool:
    return lines[title + 1].indent != lines[title].indent or lines[title + 1].size > lines[title].size


def _glued(lines: Sequence[Line], index: int, chosen: dict[int, Printed]) -> int:
    printed = chosen[index]
    end, words = index, lines[index].size
    while end + 1 < len(lines) and not lines[end].after and end + 1 not in chosen and not is_divider(lines[end + 1]):
        end += 1
        words += lines[end].size
        if end - index >= _MOST_TITLE_LINES or words > _MOST_TITLE_WORDS:
            break
    closed = end < len(lines) and (lines[end].after > 0) and end - index < _MOST_TITLE_LINES and words <= _MOST_TITLE_WORDS
    if (
        end > index
        and closed
        and printed.rest
        and not lines[index].text.rstrip("_* ").endswith((".", "!", "?"))
        and printed.family.isascii()
    ):
        return end
    last = index
    while (
        last < end
        and title_below(lines, last + 1, printed)
        and (not printed.rest or (lines[index].text.isupper() and lines[last + 1].text.isupper()))
    ):
        last += 1
        if not printed.family.isascii():
            break
    return last if closed or last < end else index


def _past_rules(lines: Sequence[Line], last: int) -> int:
    while last + 1 < len(lines) and is_divider(lines[last + 1]):
        last += 1
    return last


def build_units(lines: Sequence[Line], headings: Sequence[Heading], ends: Sequence[int], end: int) -> tuple[Unit, ...]:
    """One unit for each heading that has a text of its own; those directly above others become their parents.

    Args:
        lines: of the text.
        headings: in order.
        ends: where apparatus starts, in order: no unit reaches past it.
        end: of the last unit.
    """
    units: list[Unit] = []
    above: list[tuple[str, str]] = []
    start = -1
    for number, heading in enumerate(headings):
        after = headings[number + 1] if number + 1 < len(headings) else None
        above = _enclosing(above, heading, headings[number + 1 :] if heading.printed.kind in ("epilogue", "appendix") else ())
        if start < 0:
            start = lines[heading.first].start
        if after and _is_parent(lines, heading, after):
            above.append((heading.printed.family, heading.title))
            continue
        stop = lines[after.first].start if after else end
        stop = min(stop, next((border for border in ends[bisect_left(ends, start + 1) :]), stop))
        units.append(_unit(lines, heading, start, stop, tuple(title for _, title in above)))
        if heading.printed.holds:
            above.append((heading.printed.family, heading.title))
        start = -1
    return tuple(units)


def _unit(lines: Sequence[Line], heading: Heading, start: int, stop: int, parents: tuple[str, ...]) -> Unit:
    body = lines[heading.last + 1].start if heading.last + 1 < len(lines) else stop
    marks = scene_marks(lines, heading.last + 1, stop)
    printed = heading.printed
    return Unit(
        start=start,
        end=stop,
        kind=printed.kind,
        title=heading.title,
        number=printed.number,
        parents=parents,
        body_start=min(max(body, start), stop),
        marks=marks,
    )


def _enclosing(above: list[tuple[str, str]], heading: Heading, later: Sequence[Heading]) -> list[tuple[str, str]]:
    """The headings above this one that still hold: not those of its own kind, nor those below them."""
    printed = heading.printed
    families = [family for family, _ in above]
    if printed.family in families:
        above = above[: families.index(printed.family)]
    if printed.kind in ("epilogue", "appendix") and not any(after.printed.holds for after in later):
        above = []
    if printed.within:
        families = [family for family, _ in above]
        above = above[: families.index(printed.above)] if printed.above in families else above
        above = [*above, (printed.above, printed.within)]
    return above


def _is_parent(lines: Sequence[Line], heading: Heading, after: Heading) -> bool:
    """Whether nothing of its own stands between the heading and the next, which is of another kind."""
    words = lines[after.first].words - lines[heading.last].words - lines[heading.last].size
    if heading.printed.family == after.printed.family or heading.printed.within:
        return False
    if heading.printed.holds and after.printed.family != "named":
        return words <= _DIRECTLY
    return words == 0


def scene_marks(lines: Sequence[Line], first: int, stop: int) -> tuple[int, ...]:
    """The first characters of the paragraphs behind scene dividers, from line `first` to character `stop`."""
    marks: list[int] = []
    broken = False
    for index in range(first, len(lines)):
        if lines[index].start >= stop:
            break
        if is_divider(lines[index]):
            broken = True
        elif broken:
            marks.append(lines[index].start)
            broken = False
    return tuple(marks)

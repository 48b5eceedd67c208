"""Numbers that stand alone: where they rise by one and texts stand between them they are headings."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from chronotope.text.structure.contents import Headed
from chronotope.text.structure.english import is_title
from chronotope.text.structure.lines import Line, ends_sentence
from chronotope.text.structure.printed import Printed, is_chinese

__all__ = ["numbered", "numbers_below"]


def numbered(lines: Sequence[Line], headed: Headed, chosen: dict[int, Printed]) -> dict[int, Printed]:
    """Numbers without a word, where they rise by one from 1 and prose stands between them."""
    families: dict[str, list[int]] = {}
    for index, printed in enumerate(headed):
        if printed and printed.bare and _set_apart(lines, index):
            families.setdefault(printed.family, []).append(index)
    holders = sorted(index for index, printed in chosen.items() if printed.holds)
    best: dict[int, Printed] = {}
    for family in families.values():
        runs = _rising(family, headed, holders)
        members = [index for run in runs for index in run]
        if len(members) > len(best) and max(map(len, runs)) > 1 and _are_units(lines, runs, headed):
            best = {index: printed for index in members if (printed := headed[index])}
    return best


def numbers_below(lines: Sequence[Line], headed: Headed, chosen: dict[int, Printed]) -> dict[int, Printed]:
    """Bare numbers from 1 on that start right below a heading which has no other units: the chapters of an epilogue."""
    places = sorted(chosen)
    found: dict[int, Printed] = {}
    for place, after in zip(places, [*places[1:], len(lines)], strict=True):
        first = headed[place + 1] if place + 1 < after else None
        if not first or not first.bare or first.number != 1 or not (chosen[place].holds or chosen[place].family == "named"):
            continue
        below = [index for index in range(place + 1, after) if (printed := headed[index]) and printed.family == first.family]
        members = _longest_run([index for index in below if _set_apart(lines, index)], headed, 0)
        if len(members) >= 2:
            found |= {index: printed for index in members if (printed := headed[index])}
    return found


def _set_apart(lines: Sequence[Line], index: int) -> bool:
    line = lines[index]
    if index + 1 == len(lines) or line.size > 30:
        return False
    if not line.text[-1].isascii():
        return line.gap > 0 or ends_sentence(lines[index - 1])
    if not line.gap or line.size > 20:
        return False
    return line.after > 0 or (is_title(lines[index + 1].text) and lines[index + 1].after > 0)


def _rising(places: Sequence[int], headed: Headed, holders: Sequence[int]) -> list[list[int]]:
    """For each stretch between headings of books or parts the longest run of numbers that rise by one."""
    runs: list[list[int]] = []
    stretches: list[list[int]] = [[]]
    passed = 0
    for index in places:
        reached = bisect_left(holders, index)
        if reached > passed:
            stretches.append([])
        passed = reached
        stretches[-1].append(index)
    reached = 0
    for stretch in stretches:
        run = _longest_run(stretch, headed, reached)
        if run:
            printed = headed[run[-1]]
            reached = printed.number or 0 if printed else 0
            runs.append(run)
    return runs


def _longest_run(places: Sequence[int], headed: Headed, reached: int) -> list[int]:
    """The longest run that starts with 1, or with the number after those of the stretch before."""
    length: dict[int, int] = {}
    ends: dict[int, int] = {}
    before: dict[int, int] = {}
    for index in places:
        printed = headed[index]
        number = (printed.number or 0) if printed else 0
        if number in (1, reached + 1) and number not in ends:
            before[index], grown = -1, 1
        elif number - 1 in ends:
            before[index], grown = ends[number - 1], length[number - 1] + 1
        else:
            continue
        if grown > length.get(number, 0):
            length[number], ends[number] = grown, index
    last = ends[max(length, key=lambda number: length[number])] if length else -1
    run = []
    while last >= 0:
        run.append(last)
        last = before[last]
    return run[::-1]


def _are_units(lines: Sequence[Line], runs: Sequence[Sequence[int]], headed: Headed) -> bool:
    """Whether texts of some length stand below the numbers: no list, no stanzas, no pages."""
    places = [index for run in runs for index in run]
    if len(places) < 2:
        return False
    borders = [*places, len(lines)]
    gaps = [_words_between(lines, before, after) for before, after in pairwise(borders)]
    inner = sum(after - before > 1 for before, after in pairwise(borders)) == len(places)
    breaks = sum(_breaks_sentence(lines, headed, index) for index in places)
    fewest = 400 if _verse_share(lines, borders) > 0.6 else 3
    if is_chinese(headed[places[0]]):  # a paragraph is one line there, so that prose looks like verse
        fewest = 100
    return inner and breaks <= 0.25 * len(places) and median(gaps) >= fewest


def _breaks_sentence(lines: Sequence[Line], headed: Headed, index: int) -> bool:
    """Whether the line stands in the middle of a sentence, as the number of a page does."""
    if not index or headed[index - 1] or ends_sentence(lines[index - 1]) or lines[index].gap >= 3:
        return False
    return not is_title(lines[index - 1].text)


def _words_between(lines: Sequence[Line], before: int, after: int) -> int:
    end = lines[after].words if after < len(lines) else lines[-1].words + lines[-1].size
    return end - lines[before].words - lines[before].size


def _verse_share(lines: Sequence[Line], borders: Sequence[int]) -> float:
    """The share of lines that are set as verse: short, glued to the one before, and starting with a capital all the same."""
    glued = [lines[index] for index in range(borders[0] + 1, borders[-1]) if not lines[index].gap]
    verse = sum(line.end - line.start < 64 and not line.text[0].islower() for line in glued)
    return verse / len(glued) if len(glued) >= max(3, 0.3 * (borders[-1] - borders[0])) else 0.0

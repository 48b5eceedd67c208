"""Which headings with a word and a number are of the work, and which a chapter counts in its own text."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from chronotope.text.structure.lines import Line
from chronotope.text.structure.printed import Printed

__all__ = ["levels_kept"]

_HALF_TITLE_WORDS = 10  # that may stand between the heading of a book and its first chapter


def levels_kept(lines: Sequence[Line], chosen: dict[int, Printed], listed: set[int]) -> dict[int, Printed]:
    """The headings that stay, of those that stand out; what a contents page lists stays always."""
    return _without_inner(lines, _main_level(_with_kin(chosen, listed), listed), listed)


def _with_kin(chosen: dict[int, Printed], listed: set[int]) -> dict[int, Printed]:
    """Without a title that only reads like a numbered one, such as `THE LAST NIGHT`: it is the only one of its kind."""
    kin = Counter(printed.family for printed in chosen.values())
    return {
        index: printed
        for index, printed in chosen.items()
        if kin[printed.family] > 1 or printed.number is not None or printed.kind != "episode" or index in listed
    }


def _main_level(chosen: dict[int, Printed], listed: set[int]) -> dict[int, Printed]:
    """Without what is numbered inside the units: letters in a chapter, scenes played in a novel."""
    units = Counter(printed.family for printed in chosen.values() if not printed.holds)
    if len(units) < 2:
        return chosen
    acts = sum(printed.kind == "act" or bool(printed.within) for printed in chosen.values())
    scenes = sum(printed.kind == "scene" for printed in chosen.values())
    main = (
        "scene"
        if acts and "scene" in units and scenes >= sum(units.values()) / 2
        else max(units, key=lambda f: (f in ("chapter", "回"), units[f]))
    )
    places = [(index, printed.number) for index, printed in chosen.items() if printed.family == main]
    nested: set[str] = set()
    indices = sorted((index, printed.family) for index, printed in chosen.items() if not printed.holds and printed.family != main)
    pair = 0
    for index, family in indices:
        while pair + 1 < len(places) and places[pair + 1][0] < index:
            pair += 1
        if pair + 1 < len(places) and places[pair][0] < index and (places[pair][1] or 0) + 1 == places[pair + 1][1]:
            nested.add(family)
    return {i: printed for i, printed in chosen.items() if printed.family not in nested or i in listed}


def _without_inner(lines: Sequence[Line], chosen: dict[int, Printed], listed: set[int]) -> dict[int, Printed]:
    """Without the books that a chapter counts in its own text, as a treatise does: several, and the numbers outside run on."""
    units = [index for index, printed in chosen.items() if not printed.holds]
    inner: dict[tuple[int, str], list[int]] = {}
    for index, printed in chosen.items():
        place = bisect_left(units, index)
        if printed.holds and index not in listed and 0 < place < len(units):
            before, after = chosen[units[place - 1]].number, chosen[units[place]].number
            if before and after == before + 1:
                inner.setdefault((place, printed.family), []).append(index)
    dropped = {
        index
        for (place, _), books in inner.items()
        for index in books
        if len(books) > 1 and lines[units[place]].words - lines[index].words - lines[index].size > _HALF_TITLE_WORDS
    }
    return {index: printed for index, printed in chosen.items() if index not in dropped}

"""Facts and entities from a file or from records; what cannot be read costs only itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from chronotope.errors import FactError
from chronotope.metadata import plain
from chronotope.records import Extraction, Issue, Scalar
from chronotope.slices.axis import StoryAxis, build_axis
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.facts_file.columns import ALIASES, renamed, text_of
from chronotope.slices.facts_file.numbers import read_certainty, read_chapter, read_whole
from chronotope.slices.facts_file.rows import Row, Source, rows_of
from chronotope.slices.facts_file.times import find_axis, read_times
from chronotope.slices.ontology import Ontology
from chronotope.slices.ontology.hints import unknown_name
from chronotope.slices.story_time import AxisKind
from chronotope.temporal.interval import Interval

__all__ = ["ReadFacts", "read_facts"]

T = TypeVar("T")


@dataclass(frozen=True)
class ReadFacts(Extraction[Fact]):
    """What a facts file holds.

    Args:
        items: facts in the order of the file.
        issues: one for each record that could not be read, and one that counts facts without a chapter where others have one.
        entities: what the file says of persons and places.
        axis: the story axis of its times.
        plays: when the chapters play of which it says so.
    """

    entities: tuple[Entity, ...] = ()
    axis: AxisKind = "ticks"
    plays: Mapping[int, tuple[Interval, ...]] = field(default_factory=dict)

    @property
    def story_axis(self) -> StoryAxis | None:
        """When chapters play, where the file says so of any; the others play as they are told. None where it says nothing."""
        numbers = {fact.chapter for fact in self.items if fact.chapter is not None} | {*self.plays}
        return build_axis(numbers, kind=self.axis, dates=self.plays) if self.plays else None


def read_facts(source: Source, *, ontology: Ontology, axis: AxisKind | None = None) -> ReadFacts:
    """Read facts from a table, from JSON lines, or from records.

    A record with `entity` and `type` and without a relation is an entity; one with `chapter` and `plays` says when a chapter plays,
    as a flashback needs it: `{"chapter": 4, "plays": "-3650"}`. Columns may have the names in `ALIASES`; any other
    column becomes metadata. `story_time` is EDTF on the axis of dates, `3`, `3/6` or `3/..` on ticks, several with `;` between.
    A chapter is a number, or as books print it: `IV`, `chapter 4`, `第四回`. A confidence is `high` or `low`, or a number
    from 0 to 1, of which those below 0.5 are low.

    Args:
        source: path of a .csv, .tsv, .jsonl or .json file, or an iterable of mappings or of triples.
        ontology: what relations there are.
        axis: of the story times; None finds it from all records.

    Raises:
        FactError: nothing in it is a fact or an entity, its columns are not known, or its times lie on two axes.
        OSError: the file cannot be read.

    >>> from chronotope.slices.ontology import Ontology
    >>> known = Ontology.load("general_fiction")
    >>> read_facts([("Ann", "married_to", "Tom"), ("Ann", "flies_over", "Tom")], ontology=known).items[0].statement
    'Ann — married to — Tom'
    """
    rows = [(row, {} if row.problem else renamed(row.cells)) for row in rows_of(source)]
    rows = [(row, cells) for row, cells in rows if cells or row.problem]
    times = ("story_time", "plays")
    timed = [(row.where, cells[name], cells.get("axis")) for row, cells in rows for name in times if name in cells]
    axis = axis or find_axis(timed)
    facts: list[Fact] = []
    unnumbered: list[Row] = []
    entities: list[Entity] = []
    issues: list[Issue] = []
    plays: dict[int, tuple[Interval, ...]] = {}
    for row, cells in rows:
        reader = _Reader(row, cells, axis, issues)
        if row.problem:
            reader.bad("", row.problem)
        elif "relation" not in cells and "subject" not in cells and "entity" in cells:
            entities += reader.entity(ontology)
        elif "plays" in cells and not {"subject", "relation", "object"} & {*cells}:
            plays |= reader.chapter()
        else:
            found = reader.fact(ontology)
            facts += found
            unnumbered += [row for fact in found if fact.chapter is None]
    if not facts and not entities:
        first = issues[0].message if issues else "there is no record at all"
        raise FactError(f"nothing here is a fact; the first of {len(issues)} problems: {first}")
    if 0 < len(unnumbered) < len(facts):
        issues.append(_without_chapter(unnumbered))
    return ReadFacts(tuple(facts), tuple(issues), tuple(entities), axis, plays)


class _BadCellError(ValueError):
    """A cell that cannot be read."""

    def __init__(self, column: str, why: str) -> None:
        super().__init__(why)
        self.column = column


@dataclass(frozen=True)
class _Reader:
    """One record on its way to a fact or an entity; what is wrong with it becomes an issue."""

    row: Row
    cells: Mapping[str, Any]
    axis: AxisKind
    issues: list[Issue]

    def bad(self, column: str, why: str) -> None:
        told = f"{self.row.where}{f', {column}' if column else ''}: {why}; the record is left out"
        self.issues.append(Issue("bad_record", told, self.row.where))

    def entity(self, ontology: Ontology) -> list[Entity]:
        try:
            told = self._text("type")
            own = ontology.type_name(told)
            if told and not own:
                self.issues.append(
                    Issue("unknown_type", f"{self.row.where}: {unknown_name('type', told, ontology.types)}", self.row.where)
                )
            return [
                Entity(
                    name=self._text("entity"),
                    id=self._text("id"),
                    type=own or told,
                    aliases=tuple(_names(self.cells.get("aliases", ()))),
                    metadata=self._rest("entity", "id", "type", "aliases"),
                )
            ]
        except ValueError as error:
            self.bad("entity", str(error))
            return []

    def chapter(self) -> dict[int, tuple[Interval, ...]]:
        """When a chapter plays."""
        try:
            number = self._must("chapter", lambda column: read_chapter(self._filled(column)))
            return {number: self._must("plays", lambda column: read_times(self.cells[column], self.axis))}
        except _BadCellError as error:
            self.bad(error.column, str(error))
            return {}

    def fact(self, ontology: Ontology) -> list[Fact]:
        try:
            self._must("subject", self._filled)
            self._must("relation", lambda column: ontology.relation(self._filled(column)))
            return [
                Fact(
                    **{name: self._text(name) for name in ("subject", "relation", "object", "place", "source_id", "id")},
                    quote=text_of(self.cells.get("quote", "")),
                    chapter=self._must("chapter", lambda column: self._number(column, read_chapter)),
                    story=self._must("story_time", lambda column: read_times(self.cells.get(column, ()), self.axis)),
                    char_start=self._must("char_start", lambda column: self._number(column, read_whole)),
                    char_end=self._must("char_end", lambda column: self._number(column, read_whole)),
                    confidence=self._must("confidence", lambda column: read_certainty(self._text(column))),
                    metadata=self._rest(*(name for name in ALIASES if name not in ("entity", "type", "aliases"))),
                )
            ]
        except _BadCellError as error:
            self.bad(error.column, str(error))
        except ValueError as error:
            self.bad("", str(error))
        return []

    def _must(self, column: str, read: Callable[[str], T]) -> T:
        """What a column holds, or an error that names the column."""
        try:
            return read(column)
        except ValueError as error:
            raise _BadCellError(column, str(error)) from error

    def _filled(self, column: str) -> str:
        text = self._text(column)
        if not text:
            raise ValueError("is empty")
        return text

    def _text(self, column: str) -> str:
        value = self.cells.get(column, "")
        if isinstance(value, (Mapping, list, tuple, set)):
            raise _BadCellError(column, f"{str(value)[:80]!r} is several values, where one is needed")
        return text_of(value).strip()

    def _number(self, column: str, read: Callable[[str], int]) -> int | None:
        value = self.cells.get(column)
        return None if value is None else read(self._text(column))

    def _rest(self, *used: str) -> dict[str, Scalar]:
        """Everything else, flat; a column `metadata` that holds a JSON object is opened."""
        told = self.cells.get("metadata")
        opened = _json(told) if isinstance(told, str) else told
        extra = opened if isinstance(opened, Mapping) else {}
        own = {name: value for name, value in self.cells.items() if name not in (*used, "metadata")}
        own |= {} if isinstance(opened, Mapping) or told is None else {"metadata": told}
        return {text_of(name): _scalar(value) for name, value in {**own, **extra}.items()}


def _without_chapter(rows: Sequence[Row]) -> Issue:
    """That some records have no chapter where others have one, which makes them known to every reader."""
    first, rest = rows[0].where, len(rows) - 1
    some = f"{first} and {rest} more have" if rest else f"{first} has"
    told = f"{some} no chapter, where other records have one; such facts count as told before the first chapter, to every reader"
    return Issue("without_chapter", told, first)


def _names(value: Any) -> list[str]:  # noqa: ANN401 - a cell
    listed = _json(value) if isinstance(value, str) and value.lstrip().startswith("[") else value
    several = listed if isinstance(listed, (list, tuple)) else text_of(listed).split(";")
    return [text_of(name).strip() for name in several]


def _json(text: str) -> Any:  # noqa: ANN401 - whatever a cell holds
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return text


def _scalar(value: Any) -> Scalar:  # noqa: ANN401 - a cell
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return text_of(json.dumps(plain(value), ensure_ascii=False) if isinstance(value, (Mapping, list, tuple)) else value)

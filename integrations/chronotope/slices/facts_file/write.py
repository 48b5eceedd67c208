"""Facts and entities as a file that people and other tools read; `read_facts` is the inverse."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from chronotope.errors import FactError
from chronotope.slices.axis import StoryAxis
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.story_time import axis_of, write_story_time
from chronotope.temporal.interval import Interval

__all__ = ["write_facts"]

_COLUMNS = (
    *("subject", "relation", "object", "chapter", "axis", "story_time", "place", "quote", "source_id", "char_start", "char_end"),
    *("confidence", "entity", "type", "aliases", "plays", "id", "metadata"),
)


def write_facts(
    path: str | PathLike[str], facts: Iterable[Fact], entities: Iterable[Entity] = (), *, axis: StoryAxis | None = None
) -> None:
    """Write entities, chapters and facts to a file.

    Args:
        path: ends in .csv, .tsv or .jsonl; a file that is there is replaced.
        facts: in the order of the file.
        entities: written before them.
        axis: when chapters play; written too, so that a flashback stays one.

    Raises:
        FactError: the file has another ending.
    """
    plays = axis.chapters.items() if axis is not None else ()
    records = [*map(_entity, entities), *(_chapter(number, times) for number, times in plays if times), *map(_fact, facts)]
    file = Path(path)
    ending = file.suffix.lower()
    if ending not in (".csv", ".tsv", ".jsonl"):
        raise FactError(f"{file.name!r} must end in .csv, .tsv or .jsonl, so that its form is known")
    text = _lines(records) if ending == ".jsonl" else _table(records, "\t" if ending == ".tsv" else ",")
    file.write_bytes(text.encode("utf-8"))


def _fact(fact: Fact) -> dict[str, Any]:
    told = {name: getattr(fact, name) for name in _COLUMNS if hasattr(fact, name)}
    told["story_time"] = "; ".join(map(write_story_time, fact.story))
    told["axis"] = axis_of(fact.story[0]) if fact.story else ""
    told["metadata"] = dict(fact.metadata)
    told["id"] = fact.id if replace(fact, id="").id != fact.id else ""  # the rest tells it
    return _told(told)


def _entity(entity: Entity) -> dict[str, Any]:
    told = {"entity": entity.name, "type": entity.type, "aliases": list(entity.aliases), "metadata": dict(entity.metadata)}
    return _told({**told, "id": entity.id if entity.id != entity.name else ""})


def _chapter(number: int, times: tuple[Interval, ...]) -> dict[str, Any]:
    return _told({"chapter": number, "axis": axis_of(times[0]), "plays": "; ".join(map(write_story_time, times))})


def _told(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name in _COLUMNS if (value := record.get(name)) not in (None, "", [], {})}


def _lines(records: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _table(records: list[dict[str, Any]], delimiter: str) -> str:
    columns = [name for name in _COLUMNS if name in ("subject", "relation", "object") or any(name in record for record in records)]
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\r\n")  # with "\n" a lone "\r" in a cell would not be quoted
    writer.writerow(columns)
    for record in records:
        writer.writerow([_cell(record.get(name, "")) for name in columns])
    return out.getvalue()


def _cell(value: Any) -> str:  # noqa: ANN401 - a value of a record
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else str(value)

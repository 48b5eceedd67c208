"""Records of a facts file with the line that each stands on; a line that is no record costs only itself."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from chronotope.errors import FactError
from chronotope.text import clean

__all__ = ["Row", "Source", "rows_of"]

Record: TypeAlias = Mapping[str, Any] | tuple[str, ...] | list[str]
Source: TypeAlias = str | PathLike[str] | Iterable[Record]
_DELIMITERS = (",", ";", "\t")
_JSON = (".jsonl", ".ndjson", ".json")
_TRIPLE = ("subject", "relation", "object")


@dataclass(frozen=True)
class Row:
    """A record and where it stands; `problem` says why there is none.

    Args:
        where: file and line, or the number of the record.
        cells: the record.
        problem: what is wrong with the line; empty when nothing is.
    """

    where: str
    cells: Mapping[Any, Any] = field(default_factory=dict)
    problem: str = ""


def rows_of(source: Source) -> Iterator[Row]:
    """The records of a file, or of an iterable of mappings or triples.

    Args:
        source: path of a file that ends in .csv, .tsv, .jsonl, .ndjson or .json; or records.

    Raises:
        FactError: the file has another ending, or is not UTF-8.
        OSError: the file cannot be read.
    """
    if not isinstance(source, (str, PathLike)):
        yield from (_given(f"record {number}", record) for number, record in enumerate(source, 1))
        return
    path = Path(source)
    ending = path.suffix.lower()
    if ending not in (".csv", ".tsv", *_JSON):
        raise FactError(f"{path.name!r} must end in .csv, .tsv, .jsonl or .json, so that its form is known")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FactError(f"{path.name!r} is not UTF-8 at byte {error.start}; save it as UTF-8") from error
    yield from _json_rows(path.name, text) if ending in _JSON else _table_rows(path.name, clean(text), ending)


def _given(where: str, record: object) -> Row:
    if isinstance(record, Mapping):
        return Row(where, record)
    if isinstance(record, (tuple, list)) and len(record) in (2, 3):
        return Row(where, dict(zip(_TRIPLE, record, strict=False)))
    return Row(where, problem=f"{str(record)[:80]!r} is no record: give a mapping, or subject, relation and object")


def _json_rows(name: str, text: str) -> Iterator[Row]:
    whole = _json_list(text)
    if whole is not None:
        yield from (_given(f"{name}, record {number}", record) for number, record in enumerate(whole, 1))
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip("\ufeff \t\r"):
            yield _json_row(f"{name}, line {number}", line)


def _json_list(text: str) -> list[Any] | None:
    """The records of a file that is one JSON list; None where each line is a value of its own."""
    if not text.lstrip().startswith("["):
        return None
    try:
        whole = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return None
    return whole if isinstance(whole, list) and not all(isinstance(one, str) for one in whole) else None


def _json_row(where: str, line: str) -> Row:
    try:
        return _given(where, json.loads(line))
    except (json.JSONDecodeError, RecursionError) as error:
        return Row(where, problem=f"is no JSON: {error}")


def _table_rows(name: str, text: str, ending: str) -> Iterator[Row]:
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = "\t" if ending == ".tsv" else max(_DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    while True:
        before = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Row(f"{name}, line {before}", problem=f"is no row of a table: {error}")
            continue
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header = cells
        elif len(cells) > len(header):
            more = f"has {len(cells)} cells, the header {len(header)}; put cells that hold {delimiter!r} in quotes"
            yield Row(f"{name}, line {before}", problem=more)
        else:
            yield Row(f"{name}, line {before}", dict(zip(header, cells, strict=False)))

"""Records of a facts file with the line that each stands on; a line that is no record costs only itself."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias, cast

from chronotope.errors import FactError
from chronotope.slices.facts_file.columns import known_columns
from chronotope.text import clean

__all__ = ["Row", "Source", "rows_of"]

Record: TypeAlias = Mapping[str, Any] | tuple[str, ...] | list[str]
Source: TypeAlias = str | PathLike[str] | Iterable[Record]
_DELIMITERS = (",", ";", "\t", "|")
_PACKED = (b"\x1f\x8b", b"PK\x03\x04")
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_SEPARATOR = re.compile(r"\A\ufeff?sep=(.)\r?\n", re.IGNORECASE)
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
        FactError: the file has another ending, is not UTF-8, or is a table whose columns are not known.
        OSError: the file cannot be read.
    """
    if isinstance(cast("object", source), (bytes, Mapping)) or not isinstance(source, (str, PathLike, Iterable)):
        raise TypeError(f"give a path, or an iterable of records, not {str(source)[:80]!r}")
    if not isinstance(source, (str, PathLike)):
        yield from (_given(f"record {number}", record) for number, record in enumerate(source, 1))
        return
    path = Path(source)
    ending = path.suffix.lower()
    if ending not in (".csv", ".tsv", *_JSON):
        raise FactError(f"{path.name!r} must end in .csv, .tsv, .jsonl or .json, so that its form is known")
    text = _decoded(path.name, path.read_bytes())
    yield from _json_rows(path.name, text) if ending in _JSON else _table_rows(path.name, clean(text), ending)


def _decoded(name: str, raw: bytes) -> str:
    """The text of a file: UTF-8, or the UTF-16 that spreadsheets mark by its first two bytes."""
    if raw.startswith(_PACKED):
        raise FactError(f"{name!r} is packed; unpack it, or export it as CSV in UTF-8")
    try:
        return raw.decode("utf-16" if raw.startswith(_WIDE) else "utf-8-sig")
    except UnicodeDecodeError as error:
        kind = "UTF-16" if raw.startswith(_WIDE) else "UTF-8"
        raise FactError(f"{name!r} is not {kind} at byte {error.start}; save it as UTF-8") from error


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
    """The records of a file that is one JSON value; None where each line is a value of its own."""
    if not text.lstrip("\ufeff \t\r\n").startswith(("[", "{")):
        return None
    try:
        whole = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return None
    if isinstance(whole, dict):
        lists = [whole[name] for name in ("entities", "facts") if isinstance(whole.get(name), list)]
        return [record for records in lists for record in records] if lists else [whole]
    return whole if not all(isinstance(one, str) for one in whole) else None


def _json_row(where: str, line: str) -> Row:
    try:
        return _given(where, json.loads(line))
    except (json.JSONDecodeError, RecursionError) as error:
        return Row(where, problem=f"is no JSON: {error}")


def _table_rows(name: str, text: str, ending: str) -> Iterator[Row]:
    told = _SEPARATOR.match(text)  # the first line of a spreadsheet's own CSV
    first = next((line for line in text[told.end() if told else 0 :].splitlines() if line.strip()), "")
    delimiter = told[1] if told else "\t" if ending == ".tsv" else max(_DELIMITERS, key=first.count)
    spaced = f"{delimiter} " in first
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=spaced)
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
        if not any(cell.strip() for cell in cells) or (told and before == 1):
            continue
        if header is None:
            header = _header(name, cells)
        elif len(cells) > len(header):
            more = f"has {len(cells)} cells, the header {len(header)}; put cells that hold {delimiter!r} in quotes"
            yield Row(f"{name}, line {before}", problem=more)
        else:
            yield Row(f"{name}, line {before}", dict(zip(header, cells, strict=False)))


def _header(name: str, cells: list[str]) -> list[str]:
    """The names of the columns, of which none may stand twice, and which must say where a fact is."""
    plain = [cell.strip("\ufeff ").lower() for cell in cells]
    twice = next((cell for cell in plain if cell and plain.count(cell) > 1), None)
    if twice is not None:
        raise FactError(f"{name!r} has two columns {twice!r}; rename one of them")
    if not known_columns(cells):
        shown = ", ".join(cells[:12])
        raise FactError(
            f"{name!r} needs a first line with the columns 'subject' and 'relation', or 'entity'; it has: {shown[:200]}"
        )
    return cells

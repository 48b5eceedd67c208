"""Accuracy and speed of the time rules on a data folder, beside date-wrangler in the same run.

    python tests/benchmarks/time_expressions.py --data DIR [--json PATH] [--quick] [--misses N]

DIR holds time expressions (`expressions_en.jsonl`, `expressions_zh.jsonl`), scoped questions (`questions.jsonl` with `scope_easy`
and `scope_hard`) or dated speeches (`questions.jsonl` with `scope`). Keys of the JSON file: `exact_explicit`, `exact_dates`
(explicit and date rows together), `false_positive` (share of negative rows with any expression), the same with `_zh`,
`scope_exact`, `per_second` (questions through `parse_scope` in a second of one core), and the baseline's as `baseline_…`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import _report

from chronotope.temporal import TimeInterval, find_expressions, parse_scope
from chronotope.temporal.calendar import Grain, to_seconds

Row = dict[str, Any]
Sides = tuple[int | None, int | None]
Finder = Callable[[Row], list[tuple[tuple[int, int], Sides]]]


def seconds(text: str | None) -> int | None:
    """A date or date-time of the data, BCE years included, in seconds."""
    if text is None:
        return None
    day, _, clock = text.partition("T")
    sign, day = (-1, day[1:]) if day.startswith("-") else (1, day)
    year, month, date = (int(part) for part in day.split("-"))
    return to_seconds(sign * year, month, date, *(int(part) for part in clock.split(":") if part))


def rows_of(path: Path) -> list[Row]:
    """The rows of a JSONL file, none when it is absent."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def ours(row: Row) -> list[tuple[tuple[int, int], Sides]]:
    """What the rules find in a row's sentence, or in its expression when there is none."""
    found = find_expressions(row["sentence"] or row["expression"], today=row["reference"])
    return [(e.span, (e.interval.start, e.interval.end)) for e in found]


def wrangler() -> Finder | None:
    """date-wrangler with month first and calendar fiscal years, or None when it is not installed."""
    try:
        import date_wrangler
    except ImportError:
        return None
    from datetime import date

    config = date_wrangler.WranglerConfig(
        fiscal=date_wrangler.FiscalCalendar(start_month=1), date_order=date_wrangler.DateOrder.MDY
    )

    def find(row: Row) -> list[tuple[tuple[int, int], Sides]]:
        today = date.fromisoformat(row["reference"][:10]) if row["reference"] else date(2024, 5, 15)
        matches = date_wrangler.parse(row["sentence"] or row["expression"], today=today, config=config)
        return [(match.span, (_day(match.range.start), _day(match.range.end))) for match in matches]

    return find


def _day(day: Any) -> int | None:
    return None if day is None else to_seconds(day.year, day.month, day.day)


@dataclass
class Tally:
    """Right and total."""

    right: int = 0
    total: int = 0

    def add(self, right: bool) -> None:
        """Count one row."""
        self.right += right
        self.total += 1

    @property
    def share(self) -> float:
        """Right among all, 0 when there is nothing."""
        return self.right / self.total if self.total else 0.0


def is_right(row: Row, found: list[tuple[tuple[int, int], Sides]]) -> bool:
    """True when an interval that touches the row's span equals start and end or an alternative."""
    wanted = [(row["start"], row["end"]), *map(tuple, row["alternatives"])]
    allowed = {(seconds(start), seconds(end)) for start, end in wanted}
    span = row["span"] if row["sentence"] else None
    return any(sides in allowed for place, sides in found if span is None or (place[0] < span[1] and span[0] < place[1]))


def is_fuzzy_right(row: Row, found: list[tuple[tuple[int, int], Sides]]) -> bool:
    """True when an interval contains the core and lies inside the outer bounds."""
    core, outer = ([seconds(side) for side in row[name]] for name in ("core", "outer"))
    return any(
        start is not None and end is not None and outer[0] <= start <= core[0] and core[1] <= end <= outer[1]
        for _, (start, end) in found
    )


def judge_timex(rows: list[Row], find: Finder) -> tuple[dict[str, Tally], list[Row]]:
    """Tallies by level, category and source, and the rows that went wrong."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    misses = []
    for row in rows:
        found = find(row)
        if row["relation"] == "none":
            tallies["false_positive"].add(bool(found))
            right = not found
        elif row["relation"] == "fuzzy":
            right = is_fuzzy_right(row, found)
            tallies["fuzzy"].add(right)
        else:
            right = is_right(row, found)
            for name in (f"level {row['level']}", f"category {row['category']}", f"source {row['source']}"):
                tallies[name].add(right)
        if row["level"] == "explicit":
            tallies["explicit"].add(right)
        if row["level"] in ("explicit", "date"):
            tallies["dates"].add(right)
        if not right:
            misses.append(row | {"got": found})
    return tallies, misses


def show(title: str, ours_: dict[str, Tally], base: dict[str, Tally]) -> None:
    """One table, ours beside the baseline."""
    print(f"\n{title:<34}{'rows':>6}{'ours':>8}{'date-wrangler':>15}")
    for name in sorted(ours_):
        other = f"{base[name].share:.3f}" if name in base else "-"
        print(f"  {name:<32}{ours_[name].total:>6}{ours_[name].share:>8.3f}{other:>15}")


def as_text(sides: Sides) -> str:
    """Both sides as dates."""
    return str(TimeInterval(*sides, Grain.YEAR)) if sides[0] is None or sides[1] is None or sides[0] <= sides[1] else str(sides)


def show_misses(misses: list[Row], limit: int) -> None:
    """The rows that went wrong, with what was found."""
    for row in misses[:limit]:
        got = "; ".join(as_text(sides) for _, sides in row["got"]) or "nothing"
        print(f"  {row['level']:<9}{(row['expression'] or row['sentence'])[:60]!r:<64}{row['start']}..{row['end']} got {got}")


def run_timex(folder: Path, args: argparse.Namespace) -> dict[str, float]:
    """The expression sets, English and Chinese apart."""
    keys: dict[str, float] = {}
    find = wrangler()
    for language, suffix in (("en", ""), ("zh", "_zh")):
        rows = rows_of(folder / f"expressions_{language}.jsonl")[:: 10 if args.quick else 1]
        if not rows:
            continue
        tallies, misses = judge_timex(rows, ours)
        base = judge_timex(rows, find)[0] if find else {}
        show(f"expressions, {language}", tallies, base)
        show_misses([row for row in misses if row["level"] in args.levels.split(",")], args.misses)
        for prefix, found in (("", tallies), ("baseline_", base)):
            for key, name in (("exact_explicit", "explicit"), ("exact_dates", "dates"), ("false_positive", "false_positive")):
                if name in found:
                    keys[f"{prefix}{key}{suffix}"] = round(found[name].share, 4)
    return keys


def scoped(rows: Iterable[Row]) -> list[tuple[str, Row | None]]:
    """Question and expected scope, from either question file."""
    pairs = []
    for row in rows:
        for question, scope in (("question_easy", "scope_easy"), ("question_hard", "scope_hard"), ("question", "scope")):
            if question in row:
                pairs.append((row[question], row[scope]))
    return pairs


def run_scopes(folder: Path, args: argparse.Namespace) -> dict[str, float]:
    """Scoped questions: exact intervals, vague ones apart, and questions parsed a second."""
    pairs = scoped(rows_of(folder / "questions.jsonl"))[:: 10 if args.quick else 1]
    tallies: dict[str, Tally] = defaultdict(Tally)
    misses = []
    for question, scope in pairs:
        times = [(t.start, t.end) for t in parse_scope(question).times]
        if scope is None:
            tallies["no scope in the data"].add(not times)
        elif scope["start"] is None and scope["end"] is None:
            tallies["vague (early, late): within its decade"].add(_within_decade(scope["text"], times))
        else:
            right = times == [(seconds(scope["start"]), seconds(scope["end"]))]
            tallies[f"relation {scope['relation']}"].add(right)
            tallies["exact"].add(right)
            if not right:
                misses.append((question, scope["text"], times))
    show("question scopes", tallies, {})
    for question, text, times in misses[: args.misses]:
        print(f"  {question.strip()[:120]!r} wants {text!r} got {'; '.join(map(as_text, times)) or 'nothing'}")
    return {"scope_exact": round(tallies["exact"].share, 4), "per_second": round(speed([q for q, _ in pairs]), 1)}


def _within_decade(text: str, times: list[Sides]) -> bool:
    decade = int("".join(c for c in text if c.isdigit())[:4])
    low, high = to_seconds(decade), to_seconds(decade + 10)
    part = to_seconds(decade + 5)
    if len(times) != 1 or times[0][0] is None or times[0][1] is None:
        return False
    start, end = times[0]
    early = "early" in text.lower()
    return low <= start < end <= high and (start == low and end <= part if early else end == high and start >= part)


def speed(questions: list[str], rounds: int = 5) -> float:
    """Questions parsed in a second of processor time, the best of a few rounds."""
    best = 0.0
    for _ in range(rounds):
        began = time.process_time()
        for question in questions:
            parse_scope(question)
        best = max(best, len(questions) / (time.process_time() - began))
    print(f"\nquestions parsed in a second of one core: {best:.0f}")
    return best


def main() -> None:
    """Run what the folder allows and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/timex"))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--misses", type=int, default=20)
    parser.add_argument("--levels", default="explicit,date")
    args = parser.parse_args()
    if not args.data.exists():
        print(f"skipped: {args.data} is absent")
        return
    if (args.data / "expressions_en.jsonl").exists() or (args.data / "expressions_zh.jsonl").exists():
        keys = run_timex(args.data, args)
    else:
        keys = run_scopes(args.data, args)
    print("\n" + json.dumps(keys, indent=1))
    _report.write(args.json, keys)


if __name__ == "__main__":
    main()

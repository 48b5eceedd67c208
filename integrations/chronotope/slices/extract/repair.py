"""The repair loop: facts that break a hard rule go back to the model with the rule and the reason, a bounded number of times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from chronotope.errors import CutReply, ReplyError
from chronotope.prompts import fence
from chronotope.records import Issue
from chronotope.slices.extract.checked import Judged, judged
from chronotope.slices.extract.grounding import Ground, Told, grounded, mended
from chronotope.slices.extract.guide import guide
from chronotope.slices.extract.placing import Placing
from chronotope.slices.extract.proposals import Mend, Mends
from chronotope.slices.extract.settings import FactSettings
from chronotope.slices.extract.windows import Window
from chronotope.slices.fact import Entity, Fact
from chronotope.slices.ontology import Verdict
from chronotope.slices.story_facts import Exchange, Uncertain
from chronotope.steps import Step, ask, gather

__all__ = ["Repaired", "repaired"]

_SILENT = "your last answer did not settle it"
_REPLY = 2_000  # characters of a refused reply that the log keeps


@dataclass(frozen=True)
class _Slot:
    """One candidate on its way through the loop.

    Args:
        told: as the window, or the model's last mend, tells it.
        fact: with its time.
        history: the rounds so far.
        note: why the last reply did not help, for the next round.
        withdrawn: what the rules said of it when the model took it back; None while it stands.
    """

    told: Told
    fact: Fact
    history: tuple[Exchange, ...] = ()
    note: str = ""
    withdrawn: Verdict | None = None


@dataclass(frozen=True)
class Repaired:
    """What came of all candidates, each of which is in one of these.

    Args:
        judged: those that were not withdrawn, in the order of telling.
        uncertain: those that were kept out, in that order.
        issues: what was refused or ungrounded on the way.
    """

    judged: tuple[Judged, ...]
    uncertain: tuple[Uncertain, ...]
    issues: tuple[Issue, ...] = ()


@dataclass(frozen=True)
class _Answer:
    """What a model said of the facts of one window in one round; `refused` with the last `reply` where none was acceptable."""

    mends: Mapping[int, Mend] = field(default_factory=dict)
    issues: tuple[Issue, ...] = ()
    reply: str = ""
    refused: bool = False


def repaired(
    candidates: Sequence[Told], *, placing: Placing, known: Ground, entities: Sequence[Entity], settings: FactSettings
) -> Step[Repaired]:
    """Check candidates in the order of telling, and let a model settle those that break a hard rule, at most `repairs` times.

    Each round asks once a window, side by side, and then checks everything from the start, so that what stands at last is what
    stands when the facts are checked alone. A window is not asked the same again.

    Args:
        candidates: in the order of telling.
        placing: gives them their times.
        known: names that count wherever they stand.
        entities: what is known of persons and places.
        settings: ontology, rounds, prompt, attempts.

    Source: NS-ST-GraphRAG, figures 1 and 2.
    """
    issues: list[Issue] = []
    slots: list[_Slot] = []
    for told in candidates:
        fact, odd = placing.fact(told)
        slots.append(_Slot(told, fact))
        issues += odd
    verdicts = _verdicts(slots, placing, entities)
    asked: set[tuple[Window, str]] = set()
    for number in range(1, settings.repairs + 1 if settings.mode == "llm" else 1):
        packages = _packages(slots, verdicts, asked)
        if not packages:
            break
        asked |= {(window, _told(entries)) for window, entries in packages.items()}
        answers = yield from gather([_answered(window, entries, slots, verdicts, settings) for window, entries in packages.items()])
        for entries, answer in zip(packages.values(), answers, strict=True):
            issues += answer.issues
            for place in entries if not answer.refused else ():
                slots[place], odd = _settled(slots[place], answer.mends.get(place), verdicts[place].verdict, placing, known)
                issues += odd
        verdicts = _verdicts(slots, placing, entities)
        for entries, answer in zip(packages.values(), answers, strict=True):
            for place, entry in entries.items():
                mend = answer.mends.get(place)
                said = mend.model_dump_json(exclude_none=True, exclude={"number"}) if mend else answer.reply
                exchange = Exchange(number, entry, said, verdicts[place].verdict if place in verdicts else None)
                slots[place] = replace(slots[place], history=(*slots[place].history, exchange))
    return _outcome(slots, verdicts, tuple(issues))


def _verdicts(slots: Sequence[_Slot], placing: Placing, entities: Sequence[Entity]) -> dict[int, Judged]:
    """What the rules say of every candidate that was not withdrawn, by its number."""
    living = [place for place, slot in enumerate(slots) if slot.withdrawn is None]
    found = judged([slots[place].fact for place in living], ontology=placing.settings.known, entities=entities, axis=placing.axis)
    return dict(zip(living, found, strict=True))


def _packages(
    slots: Sequence[_Slot], verdicts: Mapping[int, Judged], asked: set[tuple[Window, str]]
) -> dict[Window, dict[int, str]]:
    """For each window, what to tell the model of each of its facts that break a hard rule; nothing that was told before."""
    found: dict[Window, dict[int, str]] = {}
    for place, one in verdicts.items():
        if one.fate == "rejected":
            found.setdefault(slots[place].told.window, {})[place] = _entry(slots[place], one.verdict)
    return {window: entries for window, entries in found.items() if (window, _told(entries)) not in asked}


def _entry(slot: _Slot, verdict: Verdict) -> str:
    lines = [_fact_line(slot.told)]
    lines += [f"breaks the rule {violation.rule}: {violation.reason}" for violation in verdict.violations]
    return "\n".join([*lines, *([f"({slot.note})"] if slot.note else [])])


def _fact_line(told: Told) -> str:
    fields = {"subject": told.subject, "relation": told.relation, "object": told.object, "when": told.when, "place": told.place}
    return f"{'; '.join(f'{name}: {value}' for name, value in fields.items() if value)}; quote: {' '.join(told.quote.split())}"


def _told(entries: Mapping[int, str]) -> str:
    return "\n".join(f"{number}. {entry}" for number, entry in enumerate(entries.values(), 1))


def _answered(
    window: Window, entries: Mapping[int, str], slots: Sequence[_Slot], verdicts: Mapping[int, Judged], settings: FactSettings
) -> Step[_Answer]:
    """What a model says of the facts of one window; a refused reply becomes an issue that names the characters."""
    against = [one for place in entries for violation in verdicts[place].verdict.violations for one in violation.against]
    standing = {one.fact.id: slots[place].told for place, one in verdicts.items()}
    known = [_fact_line(standing[one]) for one in dict.fromkeys(against) if one in standing]
    told = _told(entries) + ("\nKnown before:\n" + "\n".join(f"- {line}" for line in known) if known else "")
    places = list(entries)
    source = window.chapter.source_id
    try:
        mends = yield from ask(
            settings.repair_prompt,
            attempts=settings.attempts,
            guide=guide(settings.known),
            chapter=window.chapter.number,
            facts=fence(told, "facts"),
            text=fence(window.text, "text"),
        )
    except CutReply as cut:
        if not isinstance(cut.partial, Mends):
            return _refused(cut, window)
        mends = cut.partial
    except ReplyError as error:
        return _refused(error, window)
    right = {places[mend.number - 1]: mend for mend in reversed(mends.facts) if 1 <= mend.number <= len(places)}
    wrong = [mend.number for mend in mends.facts if not 1 <= mend.number <= len(places)]
    told_wrong = f"{window.place}: the model settled facts that it was not asked about: {', '.join(map(str, wrong[:9]))}"
    return _Answer(right, (Issue("unknown_number", told_wrong, source),) if wrong else ())


def _refused(error: ReplyError, window: Window) -> _Answer:
    told = f"{window.place}: {error}; its facts that break a rule stay as they are"
    return _Answer(issues=(Issue("reply_refused", told, window.chapter.source_id),), reply=error.reply[:_REPLY], refused=True)


def _settled(slot: _Slot, mend: Mend | None, verdict: Verdict, placing: Placing, known: Ground) -> tuple[_Slot, tuple[Issue, ...]]:
    """A candidate after a reply: withdrawn, told anew, or as it was with a note for the next round."""
    if mend is None:
        return replace(slot, note=_SILENT), ()
    if mend.withdraw:
        return replace(slot, withdrawn=verdict), ()
    told, issues = grounded(mended(mend, slot.told), slot.told.window, known)
    if told is None:
        return replace(slot, note=f"your last answer does not stand: {issues[0].message}"), issues
    fact, odd = placing.fact(told)
    return replace(slot, told=told, fact=fact, note=""), issues + odd


def _outcome(slots: Sequence[_Slot], verdicts: Mapping[int, Judged], issues: tuple[Issue, ...]) -> Repaired:
    uncertain = []
    for place, slot in enumerate(slots):
        if slot.withdrawn is not None:
            uncertain.append(Uncertain(slot.fact, slot.withdrawn, slot.history, "withdrawn"))
        elif verdicts[place].fate == "rejected":
            uncertain.append(Uncertain(verdicts[place].fact, verdicts[place].verdict, slot.history))
    return Repaired(tuple(verdicts.values()), tuple(uncertain), issues)

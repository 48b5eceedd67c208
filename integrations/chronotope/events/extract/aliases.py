"""One form for each name of a source: shorter forms are read as the longer one, where there is exactly one that they can mean.

Two bearers of a name keep it apart: nothing is merged when more than one longer name fits. What was merged is told, and why.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from chronotope.naming.lexicon import CLASS_WORDS, HONORIFICS, MODIFIERS, SMALL_WORDS
from chronotope.naming.rule_names import Name, plain_name

__all__ = ["Aliases", "is_body", "may_be_person"]

_INITIALS = re.compile(r"(?:[^\W\d_]\.)+|[^\W\d_]")
_BRACKET = re.compile(r"\s*\(\s*\Z")
_PLACED = re.compile(r"\b(?:in|at|near|into|throughout|across|outside|via)\s+(?:the\s+)?\Z")
_ACTS = re.compile(
    r"['’]s\s+(?:father|mother|wife|husband|son|daughter|brother|sister|face|eyes|hand|voice)\b|\s+(?:had\s+|has\s+)?(?:said|asked|cried|"
    r"replied|answered|thought|smiled|laughed|nodded|looked|told|was\s+born|died|married|wrote|studied|resigned|felt|knew|wanted|"
    r"spoke|sat|stood|walked|ran|came|went|met|says|thinks|grew\s+up|attended|retired|loved|shouted|whispered|believed)\b"
)
_TITLES = HONORIFICS | frozenset("Dr Prof Professor Pastor Captain Major Colonel General Inspector Senator Governor".split())  # noqa: SIM905
_RARE = 10  # mentions by the bare surname for one of somebody else who has it
_OFTEN = 3  # spellings "in X" of which one in so many shows that X is a place


def is_body(name: str) -> bool:
    """True when a word of a name says that no person is meant: "Baker House", "Bank of England"."""
    return any(word.strip(".,") in CLASS_WORDS for word in name.split())


def may_be_person(name: str) -> bool:
    """True when nothing in a name tells that it is no person's."""
    words = name.split()
    capital = [word for word in words if word not in SMALL_WORDS]
    shouted = len(words) == 1 and len(name) > 1 and name.isupper()
    return 1 <= len(capital) <= 6 and not is_body(name) and not shouted and not {"of", "&", "the"} & set(words)


@dataclass
class Mentions:
    """Counts that tell what a name can be: collected while the sentences of a source are read."""

    seen: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    placed: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    acting: set[str] = field(default_factory=set)
    apart: set[tuple[str, str]] = field(default_factory=set)
    abbreviated: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def read(self, text: str, names: Iterable[Name]) -> None:
        """Count the names of one sentence."""
        found = list(names)
        for (start, end), name in found:
            self.seen[name] += 1
            if _PLACED.search(text, max(0, start - 16), start):
                self.placed[name] += 1
            if _ACTS.match(text, end):
                self.acting.add(name)
        forms = {name for _, name in found}
        self.apart |= {
            (short, full) for full in forms for short in (full.split()[0], full.split()[-1]) if short != full and short in forms
        }
        for ((_, before), full), ((start, _), short) in pairwise(found):
            if short.isupper() and _BRACKET.fullmatch(text, before, start) and _initials(full) == short:
                self.abbreviated[short].add(full)

    def is_doubtful(self, name: str | None, known: Collection[str]) -> bool:
        """True for places, and for one word that is no part of a longer name and never acts as a person does."""
        return name is not None and (self.is_place(name) or (" " not in name and name not in self.acting and name not in known))

    def is_place(self, name: str) -> bool:
        """True when the source stands things in it: "in Leeds"."""
        return self.placed.get(name, 0) * _OFTEN >= self.seen.get(name, 0) > 0 and self.placed.get(name, 0) > 0


def _initials(name: str) -> str:
    return "".join(word[0] for word in name.replace("-", " ").split() if word not in SMALL_WORDS)


@dataclass(frozen=True)
class Aliases:
    """The form of each name of a source, and why a form was read as another.

    Args:
        forms: longer form of each shorter one.
        evidence: one clause for each.
    """

    forms: Mapping[str, str] = field(default_factory=dict)
    evidence: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, name: str) -> str:
        """The form that stands for a name."""
        return self.forms.get(name, name)

    def told(self, names: Collection[str]) -> tuple[str, ...]:
        """What was read as something else among some names, for metadata."""
        return tuple(f"{name} = {self.forms[name]} ({self.evidence[name]})" for name in sorted({*names}) if name in self.forms)

    @classmethod
    def of(cls, mentions: Mentions, person: str, subject: str) -> Aliases:
        """Join the forms of the names that a source mentions.

        Args:
            mentions: what was counted.
            person: the same as `subject` where that is a person, else empty.
            subject: what the source is about, empty when unknown.
        """
        forms: dict[str, str] = {}
        evidence: dict[str, str] = {}

        def join(short: str, long: str, why: str) -> None:
            forms[short], evidence[short] = long, why

        for short, full in _of_subject(mentions, subject):
            join(short, full, "the title")
        for short, fulls in mentions.abbreviated.items():
            if len(fulls) == 1 and short not in forms:
                join(short, next(iter(fulls)), "given in brackets")
        whole = sorted({*mentions.seen, subject} - {*forms, ""})
        for short, full in _middle_names(whole, subject):
            join(short, full, "the same first and last name")
        for titled, full in _titled(whole):
            join(titled, full, "the only full name with that title")
        for short in _known_by_surname(whole, mentions, person):
            if short not in forms:
                join(short, subject, "the title; others of that name are rare")
        for short, full in _shorter([name for name in whole if name not in forms], mentions):
            join(short, full, "the only longer name")
        return cls({short: _last_form(short, forms) for short in forms}, evidence)


def _last_form(name: str, forms: Mapping[str, str]) -> str:
    seen = {name}
    while (longer := forms.get(name)) is not None and longer not in seen:
        name = longer
        seen.add(name)
    return name


def _of_subject(mentions: Mentions, subject: str) -> list[tuple[str, str]]:
    """Spellings of the title: without its part behind a comma, with its article, with a possessive that lost its apostrophe."""
    if not subject:
        return []
    plain = plain_name(subject.replace(" ,", ","))
    head = plain.partition(",")[0]
    forms = {subject, plain, head, f"{plain}s", f"{head}s"} - {"", subject}
    return [(form, subject) for form in sorted(forms) if form in mentions.seen]


def _middle_names(names: Collection[str], subject: str) -> list[tuple[str, str]]:
    """Names with the same first and last word that differ in what stands between: "Ann Lee" and "Ann B. Lee"."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in names:
        words = name.split()
        if len(words) >= 2 and may_be_person(name) and words[0].strip(".") not in HONORIFICS:
            groups[words[0], words[-1]].append(name)
    joined = []
    for (first, last), group in groups.items():
        longer = [name for name in group if name != f"{first} {last}"]
        if len(group) == 2 and len(longer) == 1:
            full = subject if subject in group else longer[0]
            joined += [(name, full) for name in group if name != full]
    return joined


def _titled(names: Collection[str]) -> list[tuple[str, str]]:
    """Names with a title: "Mr. Tom Reed" is "Tom Reed", and so is "Mr. Reed" when nobody else has that surname."""
    bare = {name: words[1] for name in names if (words := name.split(maxsplit=1))[0].strip(".") in _TITLES and len(words) == 2}
    full = {name: rest for name, rest in bare.items() if " " in rest and may_be_person(rest)}
    bearers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name, rest in full.items():
        bearers[name.split()[0], rest.split()[-1]].add(rest)
    joined = list(full.items())
    everybody = {rest for rest in (*full.values(), *(name for name in names if name not in bare)) if " " in rest}
    for name, rest in bare.items():
        same_title = bearers.get((name.split()[0], rest), set())
        if " " not in rest and len(same_title) == 1 and sum(other.endswith(f" {rest}") for other in everybody) == 1:
            joined.append((name, next(iter(same_title))))
    return joined


def _known_by_surname(names: Collection[str], mentions: Mentions, subject: str) -> list[str]:
    """The surname of the person in the title, when the text means hardly anybody else by it."""
    surname = subject.split()[-1] if " " in subject and may_be_person(subject) else ""
    if not surname or surname not in mentions.seen or mentions.is_place(surname):
        return []
    others = sum(mentions.seen[name] for name in names if name.endswith(f" {surname}") and name != subject)
    return [surname] if 0 < others * _RARE <= mentions.seen[surname] else []


def _shorter(names: Collection[str], mentions: Mentions) -> list[tuple[str, str]]:
    """Names that begin or end exactly one longer name of a person, when those that are one already count as one."""
    longer: dict[str, set[str]] = defaultdict(set)
    for name in names:
        words = name.split()
        for size in range(1, len(words)):
            longer[" ".join(words[:size])].add(name)
            longer[" ".join(words[-size:])].add(name)
    joined: dict[str, str] = {}
    for short in sorted(names, key=lambda name: (-name.count(" "), name)):
        fulls = {joined.get(full, full) for full in longer.get(short, ())}
        if len(fulls) == 1 and _is_form(short, full := next(iter(fulls)), mentions):
            joined[short] = full
    return list(joined.items())


def _is_form(short: str, full: str, mentions: Mentions) -> bool:
    words, kept = full.split(), short.split()
    rest = words[len(kept) :] if words[: len(kept)] == kept else words[: -len(kept)]
    odd = {word.strip(".") for word in rest} & (MODIFIERS | HONORIFICS)
    if words[: len(kept)] == kept and not (short in mentions.acting and len(words) == len(kept) + 1):
        return False  # a first name needs to be seen doing what persons do; "Leipzig" of "Leipzig Hbf" never does
    if (short, full) in mentions.apart:
        return False  # "Lee and his wife Ann Lee"
    initials_only = all(_INITIALS.fullmatch(word) for word in kept)
    return may_be_person(short) and may_be_person(full) and not odd and not initials_only and not mentions.is_place(short)

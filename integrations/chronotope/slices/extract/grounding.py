"""Trust in what a model says: quotations must stand in the window, names and places in the chapter; nothing else counts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from chronotope.naming.rule_names import plain_name
from chronotope.records import Issue
from chronotope.slices.extract.proposals import Mend, ProposedEntity, ProposedFact, ProposedOrder, StoryProposals
from chronotope.slices.extract.quoting import is_pronoun, quoted_span, stands_in, tells
from chronotope.slices.extract.windows import Window
from chronotope.slices.fact import Entity
from chronotope.slices.ontology.vocabulary import Ontology
from chronotope.text import Span, gives_orders, is_quoted

__all__ = ["Ground", "Told", "WindowReading", "ground", "grounded", "mended"]

_LONGEST = 80  # characters of what can be the name of a relation, and of what is shown of a name


@dataclass(frozen=True, kw_only=True)
class Told:
    """A fact as a window tells it, before its time is placed.

    Args:
        window: the window.
        span: the words that tell it, in characters of the chapter's text.
        subject: a name.
        relation: as the model, or the pattern, names it.
        object: a name or a value; empty where there is none.
        when: words of the text that say when, or a date; empty where nothing does.
        place: a name of a place, or empty.
        recalled: the chapter only looks back on it.
        by_rules: found without a model.
    """

    window: Window
    span: Span
    subject: str
    relation: str
    object: str = ""
    when: str = ""
    place: str = ""
    recalled: bool = False
    by_rules: bool = False

    @property
    def quote(self) -> str:
        """The words that tell it, as they stand in the text."""
        return self.window.chapter.text[slice(*self.span)]

    def proposal(self) -> ProposedFact:
        """The fact as a model would propose it."""
        names = ("subject", "relation", "object", "quote", "when", "place", "recalled")
        return ProposedFact(**{name: getattr(self, name) for name in names})


@dataclass(frozen=True)
class WindowReading:
    """What stands of the replies to one window."""

    facts: tuple[Told, ...] = ()
    entities: tuple[Entity, ...] = ()
    order: tuple[tuple[ProposedOrder, Window], ...] = ()
    issues: tuple[Issue, ...] = ()

    def __add__(self, other: WindowReading) -> WindowReading:
        return WindowReading(
            self.facts + other.facts, self.entities + other.entities, self.order + other.order, self.issues + other.issues
        )


@dataclass(frozen=True)
class Ground:
    """What names may be said of a story.

    Args:
        ontology: its types, among them those of values.
        names: names that count wherever they stand.
    """

    ontology: Ontology
    names: Collection[str] = ()
    _seen: dict[tuple[str, str], bool] = field(default_factory=dict, repr=False, compare=False)

    def has(self, name: str, text: str) -> bool:
        """True for a name that stands in a text or is known, and is no pronoun."""
        if is_pronoun(name) or not name:
            return False
        if name in self.names:
            return True
        key = (name, text)
        if key not in self._seen:
            self._seen[key] = stands_in(name, text)
        return self._seen[key]

    def is_value(self, relation: str, text: str) -> bool:
        """True for a value that a relation may have, such as a gender; it need not stand in the text as it is spelt."""
        if not self.ontology.has_relation(relation):
            return False
        wanted = [self.ontology.types[name] for name in self.ontology.relation(relation)[0].range]
        return any(kind.values and kind.value(text) for kind in wanted)


def ground(reply: StoryProposals, window: Window, known: Ground) -> WindowReading:
    """What stands of a reply.

    Args:
        reply: what the model answered.
        window: what it saw.
        known: names that count wherever they stand.
    """
    source = window.chapter.source_id
    facts: list[Told] = []
    issues: list[Issue] = []
    for proposal in reply.facts:
        told, odd = grounded(proposal, window, known)
        facts += [told] if told else []
        issues += odd
    kept = [one for one in reply.order if is_quoted(one.quote, window.text) and not gives_orders(one.quote, window.text)]
    issues += [
        Issue("ungrounded_order", f"{one.quote[:200]!r} does not stand in the text", source)
        for one in reply.order
        if one not in kept
    ]
    entities, odd_types = _typed(reply.entities, window, known)
    return WindowReading(tuple(facts), entities, tuple((one, window) for one in kept), (*issues, *odd_types))


def grounded(proposal: ProposedFact, window: Window, known: Ground) -> tuple[Told | None, tuple[Issue, ...]]:
    """A proposed fact on the words that tell it, or why it does not stand; a place or time that does not is left out."""
    text, chapter = window.text, window.chapter
    subject, other = plain_name(proposal.subject), plain_name(proposal.object)
    why = _flaw(proposal, subject, other, window, known)
    if why:
        return None, (Issue("ungrounded_fact", f"{_shown(proposal)}: {why}; the fact is left out", chapter.source_id),)
    start, end = quoted_span(proposal.quote, text) or (0, 0)
    place, when, issues = plain_name(proposal.place or ""), (proposal.when or "").strip(), []
    if place and not known.has(place, chapter.text):
        told = f"{_shown(proposal)}: the place {place[:_LONGEST]!r} does not stand in the chapter; the place is left out"
        issues, place = [Issue("ungrounded_place", told, chapter.source_id)], ""
    if when and not _is_told_time(when, chapter.text):
        told = f"{_shown(proposal)}: no words of the chapter tell the time {when[:_LONGEST]!r}; the time is left out"
        issues, when = [*issues, Issue("ungrounded_time", told, chapter.source_id)], ""
    span = (window.span[0] + start, window.span[0] + end)
    told_fact = Told(
        window=window,
        span=span,
        subject=subject,
        relation=" ".join(proposal.relation.split()),
        object=other,
        when=when,
        place=place,
        recalled=proposal.recalled,
    )
    return told_fact, tuple(issues)


def mended(mend: Mend, told: Told) -> ProposedFact:
    """A fact as a model tells it anew; what it leaves out stays."""
    changes = {name: value for name, value in mend.model_dump(exclude={"number", "withdraw"}).items() if value is not None}
    return told.proposal().model_copy(update=changes)


def _flaw(proposal: ProposedFact, subject: str, other: str, window: Window, known: Ground) -> str:
    if not is_quoted(proposal.quote, window.text):
        return "the quotation does not stand in the text"
    if gives_orders(proposal.quote, window.text):
        return "the quotation gives orders to the reader instead of telling a fact"
    if not tells(proposal.quote):
        return "the quotation is too short to tell a fact"
    if not proposal.relation.strip():
        return "no relation is named"
    if len(proposal.relation) > _LONGEST:
        return "what stands for the relation is no name"
    if not known.has(subject, window.chapter.text):
        return f"the name {proposal.subject[:_LONGEST]!r} does not stand in the chapter"
    if other and not known.is_value(proposal.relation, other) and not known.has(other, window.chapter.text):
        return f"the name {proposal.object[:_LONGEST]!r} does not stand in the chapter"
    return ""


def _shown(proposal: ProposedFact) -> str:
    told = " — ".join(part[:_LONGEST] for part in (proposal.subject, proposal.relation, proposal.object) if part)
    return f"{told} ({proposal.quote[:200]!r})"


def _is_told_time(when: str, text: str) -> bool:
    """True for words of the text, and for an ISO date whose year stands there."""
    year = when.lstrip("-").lstrip("0")[:4]
    return is_quoted(when, text) or (year.isdecimal() and len(year) > 2 and stands_in(year, text))


def _typed(proposals: Iterable[ProposedEntity], window: Window, known: Ground) -> tuple[tuple[Entity, ...], list[Issue]]:
    """Names with a type of the ontology; a type that it does not have is told, a name that does not stand there is nothing."""
    entities, issues = [], []
    for one in proposals:
        name, own = plain_name(one.name), known.ontology.type_name(one.type)
        if own and known.has(name, window.chapter.text):
            entities.append(Entity(name=name, type=own))
        elif not own:
            name, kind = one.name[:_LONGEST], one.type[:_LONGEST]
            told = f"{name!r} is said to be of the type {kind!r}, which {known.ontology.name!r} does not have"
            issues.append(Issue("unknown_type", told, window.chapter.source_id))
    return tuple(entities), issues

"""What can be so in a story: types of entities, relations with their signatures, and what ends what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["EntityType", "Kind", "Match", "Relation", "StateEnd"]

Kind: TypeAlias = Literal["state", "event", "timeless"]
Match: TypeAlias = Literal["pair", "subject", "object", "any"]


@dataclass(frozen=True, kw_only=True)
class EntityType:
    """A type of entities.

    Args:
        name: its name.
        names: words for it in texts, in any language.
        parent: a wider type; whoever is of this type is of that one too.
        values: for a type of values, such as genders: the only ones there are; empty where anything may be named.
        spellings: other words for its values, each with the value that it means.
    """

    name: str
    names: tuple[str, ...] = ()
    parent: str = ""
    values: tuple[str, ...] = ()
    spellings: tuple[tuple[str, str], ...] = ()

    def value(self, text: str) -> str:
        """The value that a text means, or an empty text when it means none.

        >>> EntityType(name="gender", values=("male", "female"), spellings=(("女", "female"),)).value("女")
        'female'
        """
        plain = " ".join(text.split()).casefold()
        known = {value.casefold(): value for value in self.values}
        return known.get(plain) or {word.casefold(): value for word, value in self.spellings}.get(plain, "")


@dataclass(frozen=True, kw_only=True)
class StateEnd:
    """That an event or a new state ends earlier states.

    Args:
        relation: the states that end; `*` for all.
        match: the state's pair is that of the ending fact, in either order (`pair`); the ending fact's subject is the state's
            `subject`, its `object`, or `any` of both.
    """

    relation: str
    match: Match = "pair"


@dataclass(frozen=True, kw_only=True)
class Relation:
    """A relation that facts may have.

    Args:
        name: its name, in lower case with underscores.
        domain: types that its subject may have.
        range: types that its object may have; empty for a relation without an object.
        kind: a `state` holds until something ends it, an `event` happens, a `timeless` relation holds at all times.
        symmetric: both directions say the same.
        inverse: name of the same relation read backwards; facts under that name are turned round.
        inverse_names: words for it read backwards, in any language.
        functional: a subject has at most one object at any one time; a second one is a contradiction.
        replaces: a later state of the same subject ends the earlier one, so that it is no contradiction.
        ends: states that a fact of this relation ends.
        acts: its subject does something, which the dead cannot.
        places: its subject (and its object, where that is a person) is bodily where the fact happens.
        names: words for it in texts, in any language.
        says: forms in which a text says it, with `{subject}` and `{object}`, for extraction by rules.
        nouns: what the subject is to the object, such as "wife"; extraction by rules knows the forms that a noun has.
        inverse_nouns: what the object is to the subject.
    """

    name: str
    domain: tuple[str, ...] = ()
    range: tuple[str, ...] = ()
    kind: Kind = "state"
    symmetric: bool = False
    inverse: str = ""
    inverse_names: tuple[str, ...] = ()
    functional: bool = False
    replaces: bool = False
    ends: tuple[StateEnd, ...] = ()
    acts: bool = False
    places: bool = False
    names: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    inverse_nouns: tuple[str, ...] = ()

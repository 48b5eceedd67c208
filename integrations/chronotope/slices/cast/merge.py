"""What a cast decided: that two names are one bearer, or that they are not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

__all__ = ["DECLARED", "Apart", "Merge", "Node", "Side", "Why"]

Node: TypeAlias = tuple[str, str]  # a work ("" for none), and a name as names are compared; or DECLARED and the id of an entity
Side: TypeAlias = tuple[str, str]  # a source ("" for none), and a name as it is spelled there; or DECLARED and the id of an entity
DECLARED: Final = "*"
Why: TypeAlias = Literal["declared", "alias", "form", "neighbour", "unsourced", "decision"]


@dataclass(frozen=True, kw_only=True)
class Merge:
    """That two names are one bearer, and how that is known.

    Args:
        kept: id of the entity.
        merged: the name (or, for a decision of the user, the id) that now means it.
        why: a `declared` entity has both names, an `alias` statement, a shorter `form` of the name, a shared `neighbour`,
            a name told without a source (`unsourced`), or a `decision` of the user.
        evidence: the words that tell it, or one clause.
        fact: id of the fact that tells it; empty when none does.
        chapter: chapter that tells it; None when it is known from the beginning.
        sides: the two names, each with a source that tells it.
    """

    kept: str
    merged: str
    why: Why
    evidence: str = ""
    fact: str = ""
    chapter: int | None = None
    sides: tuple[Side, Side] = field(default=(("", ""), ("", "")), repr=False)


@dataclass(frozen=True, kw_only=True)
class Apart:
    """A decision of the user that two entities are not one.

    Args:
        sides: a name of each, with a source that tells it.
        reason: why.
        chapter: chapter that tells it; None when it is known from the beginning.
    """

    sides: tuple[Side, Side]
    reason: str
    chapter: int | None = None

"""What the spellings of one name in a story have in common."""

from __future__ import annotations

from chronotope.naming import name_key

__all__ = ["same_name"]

_ARTICLE = "the "


def same_name(name: str) -> str:
    """A name as names of a story are compared: white space squeezed, case folded, without a leading "the".

    A text says "the Bell Inn" where a list says "Bell Inn". Other articles stay, for "a servant" is not one servant.

    >>> same_name(" The Bell\u3000Inn"), same_name("The"), same_name("Theo")
    ('bell inn', 'the', 'theo')
    """
    return name_key(name).removeprefix(_ARTICLE)

"""Weights of a ranking as users give them: a value, or a dict of those that differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar, cast

__all__ = ["weights_of"]

Weights = TypeVar("Weights")


def weights_of(kind: type[Weights], given: object) -> Weights:
    """Weights of a kind, which is a dataclass of numbers.

    Args:
        kind: the dataclass.
        given: one of them, or a mapping with the names of some.

    Raises:
        TypeError: it is something else, or names a weight that there is not.
    """
    if isinstance(given, kind):
        return given
    if not isinstance(given, Mapping):
        raise TypeError(f"weights must be {kind.__name__} or a dict of them, not {type(given).__name__}")
    known = [weight.name for weight in fields(cast("Any", kind))]
    strange = [name for name in given if name not in known]
    if strange:
        raise TypeError(f"there is no weight {strange[0]!r}; there are {', '.join(known)}")
    return kind(**cast("Mapping[str, float]", given))

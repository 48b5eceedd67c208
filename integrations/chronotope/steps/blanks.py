"""The emptiest reply that fits a model: what a dry run gets where a chat model would answer."""

from __future__ import annotations

import types
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

__all__ = ["blank_reply"]

_EMPTY = frozenset({str, int, float, bool, list, dict, tuple, set, frozenset})


def blank_reply(model: type[BaseModel]) -> BaseModel:
    """An unvalidated instance with defaults, and elsewhere empty text, zero, empty lists.

    >>> class Events(BaseModel):
    ...     title: str
    ...     events: list[int]
    >>> blank_reply(Events)
    Events(title='', events=[])
    """
    fields = {name: field for name, field in model.model_fields.items() if field.is_required()}
    return model.model_construct(**{name: _blank(field.annotation) for name, field in fields.items()})


def _blank(kind: Any) -> Any:  # noqa: ANN401 - an annotation
    origin = get_origin(kind)
    if origin is Annotated:
        return _blank(get_args(kind)[0])
    if origin is Literal:
        return get_args(kind)[0]
    if origin in {Union, types.UnionType}:
        return None if type(None) in get_args(kind) else _blank(get_args(kind)[0])
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return blank_reply(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind))
    made = origin or kind
    return made() if made in _EMPTY else None

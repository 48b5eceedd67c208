"""Small, bounded changes of shape between what models tend to write and what was asked: wrappers, renamed lists, bare lists."""

from __future__ import annotations

from typing import Any, get_origin

from pydantic import BaseModel

__all__ = ["echoes_schema", "reshaped"]

_SCHEMA_KEYS = frozenset({"properties", "$defs", "$schema", "definitions"})


def echoes_schema(value: Any, model: type[BaseModel]) -> bool:  # noqa: ANN401 - JSON
    """True when the value is a JSON schema, though the model has no such fields.

    >>> class Years(BaseModel):
    ...     years: list[int]
    >>> echoes_schema(Years.model_json_schema(), Years)
    True
    """
    if not isinstance(value, dict):
        return False
    keys = value.keys() - set(model.model_fields)
    return bool(keys & _SCHEMA_KEYS) and (isinstance(value.get("properties"), dict) or "type" in keys)


def reshaped(value: Any, model: type[BaseModel]) -> Any:  # noqa: ANN401 - JSON
    """The value in the shape of the model, as far as one step leads there; otherwise unchanged.

    Three steps are known, and only one is taken: a bare list becomes the one list field; a wrapper with a single key that
    holds an object is removed; a single list under another name is renamed.

    >>> class Years(BaseModel):
    ...     years: list[int]
    >>> [reshaped(value, Years) for value in ([1], {"items": [1]}, {"answer": {"years": [1]}})]
    [{'years': [1]}, {'years': [1]}, {'years': [1]}]
    """
    known = set(model.model_fields)
    listed = _list_field(model)
    if isinstance(value, list):
        return {listed: value} if listed else value
    if not isinstance(value, dict) or value.keys() & known == known:
        return value
    strangers = [key for key in value if key not in known]
    if len(strangers) != 1:
        return value
    (stranger,) = strangers
    content = value[stranger]
    if isinstance(content, dict) and len(value) == 1 and content.keys() & known:
        return content
    if isinstance(content, list) and listed and listed not in value:
        return {listed if key == stranger else key: item for key, item in value.items()}
    return value


def _list_field(model: type[BaseModel]) -> str | None:
    """The name of the only list field, or of the only one that must be there; None when that leaves several or none."""
    lists = [name for name, field in model.model_fields.items() if get_origin(field.annotation) in {list, tuple, set, frozenset}]
    due = [name for name in lists if model.model_fields[name].is_required()]
    named = lists if len(lists) == 1 else due
    return named[0] if len(named) == 1 else None

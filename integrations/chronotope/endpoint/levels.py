"""How strictly an endpoint can be held to a schema: as a grammar, as JSON mode, or by asking nicely."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from chronotope.models import Schema
from chronotope.prompts import with_schema_text

__all__ = ["Level", "as_strict", "format_of", "with_schema_text"]


class Level(IntEnum):
    """From the strictest to the most tolerant."""

    SCHEMA = 0
    JSON = 1
    TEXT = 2


def format_of(level: Level, schema: Schema) -> dict[str, Any]:
    """The part of the request body that asks for the level."""
    if level is Level.SCHEMA:
        named = {"name": "reply", "schema": as_strict(schema), "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": named}}
    return {"response_format": {"type": "json_object"}} if level is Level.JSON else {}


def as_strict(node: Any) -> Any:  # noqa: ANN401 - JSON
    """The schema as OpenAI's strict mode wants it: every field of an object required, and no others allowed.

    >>> as_strict({"type": "object", "properties": {"a": {"type": "string", "default": ""}}})
    {'type': 'object', 'properties': {'a': {'type': 'string'}}, 'required': ['a'], 'additionalProperties': False}
    """
    if isinstance(node, list):
        return [as_strict(item) for item in node]
    if not isinstance(node, Mapping):
        return node
    fields = node.get("properties")
    if node.get("type") != "object" or not isinstance(fields, Mapping):
        return {key: as_strict(value) for key, value in node.items() if key != "default"}
    plain = {key: as_strict(value) for key, value in node.items() if key not in {"default", "properties"}}
    strict = {"properties": {name: as_strict(field) for name, field in fields.items()}, "required": list(fields)}
    return {**plain, **strict, "additionalProperties": False}

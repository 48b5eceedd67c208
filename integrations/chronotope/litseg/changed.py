"""A printed form for settings that have many defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from chronotope.prompts import Prompt

__all__ = ["changed", "changes"]


def changed(settings: Any) -> str:  # noqa: ANN401 - a dataclass with defaults
    """The settings as a call that names what differs from the defaults; a prompt is named by name and version.

    Args:
        settings: a dataclass of which every field has a default.
    """
    return f"{type(settings).__name__}({', '.join(changes(settings))})"


def changes(settings: Any, *, without: Sequence[str] = ()) -> list[str]:  # noqa: ANN401 - a dataclass with defaults
    """What differs from the defaults, field by field, as it would be written in a call.

    Args:
        settings: a dataclass of which every field has a default.
        without: fields that are not told.
    """
    told = [field for field in fields(settings) if field.name not in without]
    differs = {field.name: value for field in told if (value := getattr(settings, field.name)) != field.default}
    return [f"{name}={_brief(value)}" for name, value in differs.items()]


def _brief(value: object) -> str:
    return f"{value.name} {value.version}" if isinstance(value, Prompt) else repr(value)

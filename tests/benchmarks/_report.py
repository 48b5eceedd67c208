"""How every benchmark writes its figures: one flat JSON object, nested ones joined by dots."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path


def flat(figures: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def write(path: Path | None, figures: Mapping[str, object]) -> None:
    """Write the figures to a file, if one was named."""
    if path:
        path.write_text(json.dumps(dict(flat(figures)), indent=2) + "\n", encoding="utf-8")

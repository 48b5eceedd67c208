"""Types that pydantic takes as they are: it would look into them, and some name types that exist for type checkers alone."""

from __future__ import annotations

from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

__all__ = ["Opaque"]


class Opaque:
    """Marks the type of a field as one that is neither checked nor changed: `Annotated[Ontology | str, Opaque]`."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401 - pydantic's
        """The schema of anything."""
        return core_schema.any_schema()

"""Options of constructors under the names that users may think of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["embeddings_by_name"]


def embeddings_by_name(options: Mapping[str, Any]) -> None:
    """Refuse another word for embeddings, and say which it is.

    Args:
        options: what a constructor was given beside its own.

    Raises:
        TypeError: one of them means embeddings.
    """
    for name in ("embed_model", "embedding", "embedder", "embedding_function"):
        if name in options:
            raise TypeError(f"there is no option {name!r}; did you mean 'embeddings'?")

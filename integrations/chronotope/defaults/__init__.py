"""What runs when there is no endpoint: a small embedder and a small reranker whose weights come with their Python packages.

Both need the extra `local` and nothing else: no network, no GPU, no account. They run on the calling thread or a pool of their
own, never with spinning OpenMP threads, and are rebuilt on the other side when they are pickled.
"""

from __future__ import annotations

from chronotope.defaults.embedder import LocalEmbedder
from chronotope.defaults.reranker import LocalReranker

__all__ = ["LocalEmbedder", "LocalReranker", "default_embedder", "default_reranker"]


def default_embedder() -> LocalEmbedder:
    """The embedder that is used when none is given.

    Raises:
        MissingExtraError: the extra `local` is not installed.
    """
    return LocalEmbedder()


def default_reranker() -> LocalReranker:
    """The reranker that is used when one is asked for and none is given.

    Raises:
        MissingExtraError: the extra `local` is not installed.
    """
    return LocalReranker()

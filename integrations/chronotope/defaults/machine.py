"""What the local models may use of this machine."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version

from chronotope.errors import MissingExtraError

__all__ = ["cpus", "installed"]


def cpus() -> int:
    """Number of CPUs that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def installed(package: str, *others: str, need: str) -> str:
    """Version of a package of the extra `local`, found without importing anything.

    Args:
        package: the package whose version is wanted.
        others: packages that must be there too.
        need: what needs them, for the message.

    Raises:
        MissingExtraError: one of them is not installed.
    """
    try:
        found, *_ = [version(name) for name in (package, *others)]
    except PackageNotFoundError as error:
        raise MissingExtraError("local", need) from error
    return found

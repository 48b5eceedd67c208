"""Shared by all tests: no property test is timed, since machines are shared; continuous integration draws the same examples."""

import os

from hypothesis import settings

settings.register_profile("shared", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "shared")

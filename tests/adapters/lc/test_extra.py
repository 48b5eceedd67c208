"""Without LangChain the adapter says how to install it, and the core does not miss it."""

from __future__ import annotations

import subprocess
import sys

BLOCKED = """
import sys
sys.modules["langchain_core"] = None
import chronotope, chronotope.diachronic
from chronotope.errors import MissingExtraError
try:
    import chronotope.langchain
except MissingExtraError as error:
    print(error)
"""


def test_an_absent_framework_names_the_extra():
    told = subprocess.run(
        [sys.executable, "-c", BLOCKED], capture_output=True, text=True, check=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert 'pip install "chronotope[langchain]"' in told.stdout

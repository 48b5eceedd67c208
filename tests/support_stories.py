"""A short story for the tests of adapters, and a model that cuts it with subtitles and context sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chronotope.litseg import RuleSettings
from chronotope.models import Message

SHORT = RuleSettings(length=120, longest=400)

STORY = """CHAPTER I. The Lock-Keeper

Ada Quill kept the lock at Wendle. She had kept it since her father drowned, and she kept it well. Every evening she wrote
the height of the water in a book {bound in green}.

"You will have a flood by Sunday," said the bargeman. He had said so every week of the winter, and nobody listened.

    The river comes up, the river goes down,
        and who shall be dry when it comes to the town?

* * *

On Sunday the water stood at the third step. Ada rang the bell. The mill answered, and then the church, and then nothing.

CHAPTER II. The Mill

Twelve years before, Tom Ravel had sold the mill to pay for a boat. The boat sank on its first voyage. He told nobody.

"Who rings?" he asked. "It is the lock," said his wife. He went out with a lantern, and he did not come back before morning.

CHAPTER III. The Book

The green book was found in the mud in May. Its last line was in another hand: "Fourth step. Bell rung. Gone to the mill."
"""

POEM = """    The river comes up, the river goes down,
        and who shall be dry when it comes to the town?

            * * *

    The river comes up, the river goes down,
        and who shall be dry when it comes to the town?
"""

CUT = {
    "turning_points": [{"type": "setback", "sentence": 3, "what": "the flood"}],
    "segments": [
        {"subtitle": "A keeper and {her} book", "from_idx": 1, "to_idx": 2, "context_idx": [3]},
        {"subtitle": "The flood comes", "from_idx": 3, "to_idx": 99, "context_idx": [1, 2]},
    ],
}


def cutter(messages: Sequence[Message]) -> Any:
    """A model that cuts each chapter before its third sentence; its last number is beyond every chapter, which is repaired."""
    from support_litseg import stage_of

    said = {"events": {"events": ["1 A bell rings"]}, "threads": {"threads": [{"name": "The flood"}]}}
    return said.get(stage_of(messages), CUT)

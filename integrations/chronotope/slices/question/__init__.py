"""What a question about a story asks: chapters, story time, places and whom, read by rules over the names of its graph."""

from chronotope.slices.question.ask import story_scope
from chronotope.slices.question.parse import parse_question

__all__ = ["parse_question", "story_scope"]

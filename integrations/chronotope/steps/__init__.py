"""Model work as generators: steps say what they need, a runner gets it.

An operation that needs a model is a generator function. It does no I/O: it yields requests and receives results, so it is tested
by hand, and runs the same under threads, under an event loop, or as a dry run that only counts.

>>> from chronotope.testing import HashEmbedder
>>> def nearest(query, texts):
...     (asked,) = yield from embed([query], kind="query")
...     vectors = yield from embed(texts)
...     return texts[int((vectors @ asked).argmax())]
>>> Runner(embedder=HashEmbedder()).run(nearest("the old king", ["a new queen", "the king was old"]))
'the king was old'
"""

from chronotope.replies import Rejected
from chronotope.steps.estimates import Estimate
from chronotope.steps.flows import Cache
from chronotope.steps.requests import (
    Ask,
    CutReply,
    Embed,
    Foreign,
    Gather,
    Rank,
    Request,
    Step,
    ask,
    ask_in_halves,
    call,
    embed,
    gather,
    rank,
)
from chronotope.steps.runner import Runner

__all__ = [
    "Ask",
    "Cache",
    "CutReply",
    "Embed",
    "Estimate",
    "Foreign",
    "Gather",
    "Rank",
    "Rejected",
    "Request",
    "Runner",
    "Step",
    "ask",
    "ask_in_halves",
    "call",
    "embed",
    "gather",
    "rank",
]

"""One run, as a flow of commands: start this call, wait for one, let others breathe. Both drivers obey the same flow."""

from __future__ import annotations

from collections.abc import Callable, Generator
from enum import Enum
from typing import TypeAlias, TypeVar

from chronotope.errors import BudgetError
from chronotope.steps.flows import Desk
from chronotope.steps.requests import Step
from chronotope.steps.tree import Job, Outcome, Tree

__all__ = ["Command", "Done", "Pause", "session"]

T = TypeVar("T")
_STEPS_WITHOUT_BREATH = 32
_AHEAD = 4  # one prepared call for so many under way, so that nobody idles while the next is worked out; none for a single worker


class Pause(Enum):
    """What a driver does when it has no call to start."""

    WAIT = "send the next outcome"
    BREATHE = "let an event loop serve others, then go on"


Command: TypeAlias = Job | Pause
Done: TypeAlias = tuple[Job, Outcome]


def session(step: Step[T], desk: Desk, concurrency: int, count: Callable[[int, int], object]) -> Generator[Command, Done | None, T]:
    """Run a step by commanding a driver.

    Args:
        step: the step to run.
        desk: serves its requests.
        concurrency: calls under way at once; a few more are commanded ahead, and wait at the driver.
        count: told how many gathered steps were added and finished.

    Yields:
        A job to start, or a pause; the answer to `Pause.WAIT` is a job that is done, with its outcome.

    Returns:
        The result of the step, after every call under way has ended.

    Raises:
        BudgetError: a cap was reached.
    """
    tree = Tree(step, desk.expand, count)
    under_way: set[Job] = set()
    limit = concurrency + concurrency // _AHEAD
    steps = 0
    try:
        while not tree.done or under_way:
            if not tree.ready or len(under_way) >= limit:
                done = yield Pause.WAIT
                under_way.remove(_settled(tree, desk, done))
            elif (job := tree.advance()) is not None and _admitted(tree, desk, job):
                under_way.add(job)
                yield job
            elif (steps := steps + 1) % _STEPS_WITHOUT_BREATH == 0:
                yield Pause.BREATHE
    finally:
        for job in under_way:
            desk.ledger.drop(job.call)
    return tree.result()


def _admitted(tree: Tree[T], desk: Desk, job: Job) -> bool:
    """True when the cap allows the call; otherwise the run ends."""
    try:
        desk.ledger.open(job.call)
    except BudgetError as reached:
        tree.abandon(job, reached)
        return False
    return True


def _settled(tree: Tree[T], desk: Desk, done: Done | None) -> Job:
    """Pass an outcome on to the account and to the step that waits."""
    if done is None:
        raise TypeError("the answer to Pause.WAIT is a job that is done")
    job, outcome = done
    desk.ledger.close(job.call, outcome)
    tree.settle(job, outcome)
    return job

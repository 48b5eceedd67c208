"""The scheduler: advances steps, fans out gathers and says which calls are due. It knows neither threads nor event loops."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, TypeAlias, TypeVar

from chronotope.steps.requests import Ask, Call, Embed, Foreign, Gather, Rank, Step

__all__ = ["Flow", "Job", "Outcome", "Tree"]

T = TypeVar("T")
AnyFlow: TypeAlias = Generator[Any, Any, Any]
Flow: TypeAlias = Generator[Call | Gather, Any, Any]
Expand: TypeAlias = Callable[[Ask[Any] | Embed | Rank | Foreign], Flow]


class Outcome(AbstractContextManager["Outcome"]):
    """A result or the error that came instead; as a context it catches the error of its block.

    >>> with Outcome() as outcome:
    ...     outcome.value = 1 // 0
    >>> outcome.error
    ZeroDivisionError('integer division or modulo by zero')
    """

    __slots__ = ("error", "value")

    def __init__(self, value: Any = None, error: BaseException | None = None) -> None:  # noqa: ANN401 - any result
        self.value, self.error = value, error

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        self.error = error
        return isinstance(error, Exception)


class _Task:
    """A step under way: who waits for it, and for whom it waits. `serving` tasks are our own flows behind a request."""

    __slots__ = ("busy", "children", "closed", "flow", "missing", "parent", "place", "results", "serving")

    def __init__(self, flow: AnyFlow, parent: _Task | None = None, place: int | None = None, *, serving: bool = False) -> None:
        self.flow, self.parent, self.place, self.serving = flow, parent, place, serving
        self.children: set[_Task] = set()
        self.results: list[Any] = []
        self.missing = 0
        self.busy = self.closed = False


@dataclass(eq=False)
class Job:
    """A call that is due, and the task that waits for it."""

    call: Call
    task: _Task


class Tree(Generic[T]):
    """All steps of one run.

    Depth first: a step that got its result goes on before a new one starts, so few prompts are alive at a time.

    Args:
        root: the step to run.
        expand: the flow that serves an Ask, an Embed or a Rank by calls.
        count: told how many gathered steps were added and finished, for a progress bar.
    """

    def __init__(self, root: Step[T], expand: Expand, count: Callable[[int, int], object]) -> None:
        self._root, self._expand, self._count = _Task(root), expand, count
        self._ready: deque[tuple[_Task, Outcome]] = deque([(self._root, Outcome())])
        self._result: Outcome | None = None

    @property
    def done(self) -> bool:
        """True when the root has returned or raised."""
        return self._result is not None

    def result(self) -> T:
        """What the root returned; raises whatever the root raised."""
        if self._result is None:
            raise RuntimeError("the run is not over")
        if self._result.error is not None:
            raise self._result.error
        value: T = self._result.value
        return value

    @property
    def ready(self) -> bool:
        """True when some step can go on without waiting for a call."""
        return bool(self._ready) and not self.done

    def advance(self) -> Job | None:
        """Take one ready step to its next request; gives the call when that needs one."""
        task, outcome = self._ready.popleft()
        if task.closed:
            return None
        with Outcome() as ahead:
            ahead.value = _resume(task.flow, outcome)
        if ahead.error is not None:
            self._finish(task, _ending(ahead.error))
        elif task.serving and isinstance(ahead.value, Call):
            task.busy = True
            return Job(ahead.value, task)
        else:
            self._serve(task, ahead.value)
        return None

    def settle(self, job: Job, outcome: Outcome) -> None:
        """Give a call's outcome to its task; one that nobody waits for may still keep its reply, but asks no more."""
        task = job.task
        task.busy = False
        if not task.closed:
            self._ready.appendleft((task, outcome))
            return
        with Outcome():
            _resume(task.flow, outcome)
        task.flow.close()

    def abandon(self, job: Job, error: BaseException) -> None:
        """End the run because a job may not start; steps are closed, except the flows whose call is under way."""
        job.task.busy = False
        _close([self._root])
        self._result = Outcome(error=error)

    def _serve(self, task: _Task, request: object) -> None:
        """Start what a request needs."""
        if isinstance(request, Gather):
            self._spawn(task, request.steps)
        elif isinstance(request, Ask | Embed | Rank | Foreign):
            child = _Task(self._expand(request), task, serving=True)
            task.children.add(child)
            self._ready.appendleft((child, Outcome()))
        else:
            hint = f"a step may yield ask, embed, rank, call and gather (by 'yield from'), not {type(request).__name__}"
            self._ready.appendleft((task, Outcome(error=TypeError(hint))))

    def _spawn(self, task: _Task, steps: Iterable[AnyFlow]) -> None:
        children = [_Task(flow, task, place, serving=task.serving) for place, flow in enumerate(steps)]
        if not children:
            self._ready.appendleft((task, Outcome([])))
            return
        task.children, task.results, task.missing = set(children), [None] * len(children), len(children)
        self._ready.extendleft((child, Outcome()) for child in reversed(children))
        if not task.serving:
            self._count(len(children), 0)

    def _finish(self, task: _Task, outcome: Outcome) -> None:
        """Hand a task's outcome to whoever waits for it."""
        parent = task.parent
        if parent is None:
            self._result = outcome
            return
        parent.children.discard(task)
        if outcome.error is not None:
            _close(parent.children)
            parent.children = set()
        elif task.place is not None:
            parent.results[task.place] = outcome.value
            parent.missing -= 1
            if not parent.serving:
                self._count(0, 1)
            if parent.missing:
                return
            outcome = Outcome(parent.results)
        self._ready.appendleft((parent, outcome))


def _resume(flow: AnyFlow, outcome: Outcome) -> object:
    return flow.send(outcome.value) if outcome.error is None else flow.throw(outcome.error)


def _ending(error: BaseException) -> Outcome:
    """How a flow ended: its return value, or the error that left it."""
    return Outcome(error.value) if isinstance(error, StopIteration) else Outcome(error=error)


def _close(tasks: Iterable[_Task]) -> None:
    """Close tasks and all below them, the innermost first."""
    doomed = list(tasks)
    for task in doomed:
        doomed.extend(task.children)
    for task in reversed(doomed):
        task.closed = True
        if not task.busy:
            task.flow.close()

"""Which lines fit a budget: chains first, each whole or not at all, then single lines in the order given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

__all__ = ["Chosen", "choose_lines"]


@dataclass(frozen=True)
class Chosen:
    """Lines that fit a budget.

    Args:
        groups: what was taken, in this order; the lines of one group stay together.
        left: what is left of the budget.
    """

    groups: tuple[tuple[str, ...], ...] = ()
    left: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """All lines taken, in their order."""
        return tuple(name for group in self.groups for name in group)

    def fewer(self) -> Chosen:
        """Without what was taken last."""
        return replace(self, groups=self.groups[:-1])


def choose_lines(
    budget: int,
    costs: Mapping[str, int],
    *,
    first: Iterable[str] = (),
    chains: Sequence[Sequence[str]] = (),
    others: Iterable[str] = (),
) -> Chosen:
    """Take lines until nothing more fits. What does not fit is passed over, and what is cheaper may still come after it.

    A line of a chain that did not fit is not shown by itself, unless nothing else is there to show: half a chain reads like a
    whole one.

    Args:
        budget: what the lines may cost together.
        costs: what each line costs, by name.
        first: lines that come before all others.
        chains: lines that only count together.
        others: single lines, best first.

    >>> choose_lines(5, {"a": 2, "b": 2, "c": 2, "d": 1}, chains=[("a", "b", "c")], others=["a", "d"])
    Chosen(groups=(('d',),), left=4)
    """
    purse = _Purse(budget, costs)
    for name in first:
        purse.take((name,))
    torn = [chain for chain in chains if not purse.take(chain)]
    withheld = dict.fromkeys(name for chain in torn for name in chain)
    others = tuple(others)
    for name in others:
        if name not in withheld:
            purse.take((name,))
    for name in dict.fromkeys((*others, *withheld)) if not purse.groups else ():
        purse.take((name,))
    return Chosen(tuple(purse.groups), purse.left)


class _Purse:
    """Takes groups of lines as long as it can pay for them; a line is paid for once."""

    def __init__(self, left: int, costs: Mapping[str, int]) -> None:
        self.left = left
        self.groups: list[tuple[str, ...]] = []
        self._costs = costs
        self._taken: set[str] = set()

    def take(self, group: Iterable[str]) -> bool:
        """True when all of the group are taken now, whether by this call or by an earlier one."""
        new = tuple(name for name in dict.fromkeys(group) if name not in self._taken)
        cost = sum(self._costs[name] for name in new)
        if cost > self.left:
            return False
        if new:
            self.left -= cost
            self.groups.append(new)
            self._taken.update(new)
        return True

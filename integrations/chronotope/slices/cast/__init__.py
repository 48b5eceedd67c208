"""Who is who: the entities that the names of facts mean, with the evidence for every merge."""

from chronotope.slices.cast.cast import Cast
from chronotope.slices.cast.merge import Apart, Merge
from chronotope.slices.cast.told import Clock
from chronotope.slices.cast.works import SameWork

__all__ = ["Apart", "Cast", "Clock", "Merge", "SameWork"]

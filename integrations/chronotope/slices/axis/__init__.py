"""When the chapters of a story play: the axis of its own time, from dates or from what a text says of before and after."""

from chronotope.slices.axis.axis import StoryAxis
from chronotope.slices.axis.build import build_axis
from chronotope.slices.axis.order import OrderConstraint

__all__ = ["OrderConstraint", "StoryAxis", "build_axis"]

"""Story graphs: facts with two times and places, and exact slices of them."""

from chronotope.slices.graph.build import build_graph
from chronotope.slices.graph.graph import StoryGraph
from chronotope.slices.graph.paths import Path
from chronotope.slices.graph.places import PlaceTree
from chronotope.slices.graph.slice import Constraint, Slice

__all__ = ["Constraint", "Path", "PlaceTree", "Slice", "StoryGraph", "build_graph"]

"""Views: what a method found, as one HTML file that stands alone, for a notebook or for sending to a colleague."""

from chronotope.views.event_graph import event_graph_view
from chronotope.views.evolution_view import evolution_view
from chronotope.views.page import Page, render
from chronotope.views.segment_map import segment_map
from chronotope.views.slice_view import slice_view
from chronotope.views.timeline import timeline_view

__all__ = ["Page", "event_graph_view", "evolution_view", "render", "segment_map", "slice_view", "timeline_view"]

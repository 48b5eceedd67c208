"""Views: what a method found, as one HTML file that stands alone, for a notebook or for sending to a colleague."""

from chronotope.views.page import Page, render
from chronotope.views.segment_map import segment_map

__all__ = ["Page", "render", "segment_map"]

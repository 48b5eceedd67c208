"""When the events of a text happened, by rules: full dates, crumbs read from the dates around them, and a document's own date."""

from chronotope.dating.dateline import dateline
from chronotope.dating.rules import RuleTimes, date_by_rules

__all__ = ["RuleTimes", "date_by_rules", "dateline"]

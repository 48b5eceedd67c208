"""How an entity stands in its story from step to step of an axis."""

"""The event graph: which events lie near each other, exact and incremental, and walks over it."""

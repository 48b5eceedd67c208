"""From a slice to an answer: what is shown within a budget, with coordinates, and what is cited, verified."""

"""Event indexes: events, their passages and their times, found by vectors, words and time."""

"""From a question to events: clauses, scores, walks."""

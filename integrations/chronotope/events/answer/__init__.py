"""From events to an answer: the timeline, what is shown within a budget, and Time-CoT."""

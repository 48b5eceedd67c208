"""Times as texts leave them: fields not yet complete, the frame that completes them, and two ends that make a range."""

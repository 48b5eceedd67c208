"""From a question to the slice that it asks for: facts and passages, ranked, with the reasons."""

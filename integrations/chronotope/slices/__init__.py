"""NS-ST-GraphRAG: story graphs with rules, two times and places."""

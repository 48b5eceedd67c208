"""Which stage lost an answer: the parser, the retrieval, the generation, or a constraint that cut too much."""

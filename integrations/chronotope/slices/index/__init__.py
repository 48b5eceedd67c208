"""Story indexes: facts and passages with their graph, found by vectors and words; what is added, read and saved."""

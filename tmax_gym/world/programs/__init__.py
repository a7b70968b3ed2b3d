"""Random programs: one tree, its evaluator, its mutants and its text in six languages."""

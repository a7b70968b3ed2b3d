"""Measures the catalogue: balance, diversity, structure, difficulty, contamination."""

"""Grading of a Harbor task: its verifier's run, and whether its tests can have run."""

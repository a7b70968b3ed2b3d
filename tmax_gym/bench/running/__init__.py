"""Making a run: datasets, agents, models, trials side by side, and grading them again.

Covers everything between a command line and finished records.  Does not cover how they look.
"""

"""Making a run: datasets, agents, models, trials side by side, and grading them again."""

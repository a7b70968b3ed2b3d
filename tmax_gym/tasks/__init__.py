"""Tasks: specifications, the planner, composition from families, and the catalogue."""

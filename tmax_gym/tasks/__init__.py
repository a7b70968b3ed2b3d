"""Tasks: their specs, the planner, composition from families, and the catalogue."""

"""Instructions: clauses, skins, personas, layouts, the realiser that joins them, and a lint."""

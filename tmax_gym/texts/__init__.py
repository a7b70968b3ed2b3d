"""What instructions are made of: clauses, skins, personas, realisation, lint, measures."""

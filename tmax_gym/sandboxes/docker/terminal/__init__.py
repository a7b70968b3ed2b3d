"""Terminals in containers, through the engine's streams or a pseudo-terminal of this host."""

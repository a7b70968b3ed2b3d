"""Faults of the unsound-service family, a module for each language."""

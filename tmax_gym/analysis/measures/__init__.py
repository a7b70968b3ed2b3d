"""Measures of a catalogue: pure functions from tasks or texts to numbers."""

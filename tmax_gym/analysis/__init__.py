"""Measure the catalogue: balance, diversity, structure, difficulty, contamination.

Covers the measures of a catalogue of any size, their targets, and a report of them.
Does not cover whether single tasks are sound: see `tmax_gym/proofs`.
"""

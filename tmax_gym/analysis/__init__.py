"""What the catalogue is like: balance, diversity, structure, difficulty, contamination.

Covers the measures of one catalogue of any size, their targets, and a report of them.  Each
module but `survey` and `pages` is a set of pure functions.
Does not cover whether single tasks are sound: see `validate.py`.
"""

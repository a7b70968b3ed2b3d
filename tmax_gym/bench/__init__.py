"""Benchmark runs: many trials of an agent, kept on disk, graded, compared and shown.

Covers what a run is on disk (`records.py`, `store.py`, `events.py`, `remains.py`), making one
(`running/`) and telling of it (`reports/`).  Does not cover formulae: see `statistics/`.
"""

"""Telling of runs: pages, tables, figures, recordings, and Harbor's job directories.

Covers what is made of finished records.  Does not cover making them.
"""

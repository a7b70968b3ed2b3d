"""Readers of other people's data: each turns one schema into Harbor task directories.

`sources.py` has the list; what is read is a dataset like any other.
"""

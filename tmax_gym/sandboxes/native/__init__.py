"""Machines made by system calls: *covers* the backend `native`; it needs no engine."""

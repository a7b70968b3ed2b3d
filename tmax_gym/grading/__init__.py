"""Grading: runs a task's checks in a sandbox of its own and returns a verdict."""

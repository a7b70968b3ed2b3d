"""This host: its processes, control groups and programs, and cleaning up on it."""

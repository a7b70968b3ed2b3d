"""Benchmark runs: many trials of an agent, kept on disk, graded, compared and shown."""

"""Harnesses: what a model is told, and what its replies mean; one module each.

*Covers* `bash`, `plain`, `terminus2` and `openhands`, which are sets of pure functions (the
protocol `Harness`), and `mini`, which is another package's own loop.
*Does not cover* the conversation, which is the same for all: see `agents/model_agent.py`.
"""

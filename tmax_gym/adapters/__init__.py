"""Adapters: other programs' runners on our sandboxes, and our agents and tasks in theirs."""

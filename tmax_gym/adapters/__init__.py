"""Adapters: other programs' runners on our sandboxes, and our agents in theirs (Harbor)."""

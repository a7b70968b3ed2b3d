"""Other people's runners on our sandboxes, and our agents in theirs; one module a consumer.

*Covers* Harbor.  Every module needs its consumer installed, and nothing here imports one.
"""

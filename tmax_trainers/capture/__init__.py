"""Train with any harness: a chat endpoint that records every token that the engine sampled.

A harness asks it as it would ask any OpenAI-compatible server.  `requests` reads what it asks,
`dialects` is the text around it, `sequences` and `sessions` are the record, `server` answers over
HTTP, and `agent` plays episodes.
"""

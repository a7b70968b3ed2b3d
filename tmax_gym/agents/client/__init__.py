"""A client for OpenAI-compatible endpoints: requests, streams, waits, answers."""

"""Agents: what decides the next command, and `rollout`, which plays an episode with one.

Harnesses let a language model be the agent; `client` talks to the model's endpoint.
"""

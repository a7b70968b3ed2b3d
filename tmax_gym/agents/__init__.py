"""Agents: what decides the next command, and `rollout`, which plays an episode with one.

A model becomes an agent through a harness: `chat_agent` drives one behind an endpoint (`client`),
`token_agent` a policy in training.  `registry` has all agents by name.
"""

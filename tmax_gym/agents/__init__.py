"""Agents choose the next command; `rollout` plays an episode with an agent.

A harness turns a model into an agent: `chat_agent` uses a model behind an endpoint (`client`),
`token_agent` a policy in training.  `registry` has all agents by name.
"""

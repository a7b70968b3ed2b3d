"""Harnesses around models behind a chat interface: who is told what, and what replies mean.

*Covers* four ways to let a model work (`bash`, `terminus2`, `openhands`, `mini`), agents without
a model (`oracle`, `noop`, `replay`, `human`), a client, and the room of its context window.
A style is a set of pure functions; one agent (`dialogue.py`) drives them all.
*Does not cover* token policies in training: see `tmax_gym.agents.model_agents`.
"""

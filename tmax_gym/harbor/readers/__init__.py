"""Readers of other people's data: each turns one schema into Harbor task directories.

*Covers* TMax-15K in its five forms, Endless Terminals, OpenThoughts-Agent, TermiGen, TerminalTraj,
CLI-Gym, SWE-smith and R2E-Gym (`sources.py` has the list).
*Does not cover* running them: what is read is a dataset like any other, see `tmax_gym.harbor.run`.
"""

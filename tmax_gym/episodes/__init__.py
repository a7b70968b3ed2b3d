"""Episodes: what a task is to those who play it, and a running episode of one.

Covers the protocols `Task` and `Episode`, limits, observations, and the shell that episodes of
every kind of task share.  Does not cover Gymnasium: see `tmax_gym.envs`.
"""

"""Harbor's formats, read and written: task directories, rewards, trajectories, results.

*Covers* datasets of task directories (schema 1.0 to 1.4) as frozen dataclasses, the reward
files of a verifier, ATIF trajectories and chat lists, trial and job results, and the export of
one of our own tasks.
*Does not cover* running any of it: no process is started here.
"""

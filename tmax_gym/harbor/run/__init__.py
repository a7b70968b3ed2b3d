"""Trials of Harbor tasks: any task directory as a Gymnasium environment, graded sealed.

*Covers* a task's machine (`machines.py`), its steps (`episode.py`), its verifier (`grading.py`),
the environment (`task.py`) and whole datasets (`datasets.py`).
*Does not cover* reading the format: that is `tmax_gym.harbor`.
"""

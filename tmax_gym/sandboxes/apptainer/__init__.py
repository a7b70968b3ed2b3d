"""The backends `apptainer` and `singularity`: sandboxes as instances, without a daemon."""

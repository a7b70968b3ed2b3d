"""Instances: *covers* the backends `apptainer` and `singularity`, and no engine."""

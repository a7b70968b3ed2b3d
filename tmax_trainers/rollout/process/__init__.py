"""Rollouts in their own operating-system process."""

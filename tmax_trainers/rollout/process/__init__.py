"""Rollouts in a process of their own."""

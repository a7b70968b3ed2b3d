"""Trials of Harbor tasks: any task directory as a Gymnasium environment, graded in isolation."""

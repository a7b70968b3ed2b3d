"""Recipes: a training run as YAML, and the run that is built from it."""

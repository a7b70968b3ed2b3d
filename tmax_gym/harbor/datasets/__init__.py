"""Datasets in Harbor's format: directories of tasks, manifests and registries."""

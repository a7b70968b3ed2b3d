"""Gymnasium environments: one terminal, vectors of them, asynchronous ones, wrappers, ids."""

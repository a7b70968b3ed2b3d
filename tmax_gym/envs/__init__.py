"""Gymnasium environments: a terminal, vectors of terminals, asyncio, wrappers, and ids."""

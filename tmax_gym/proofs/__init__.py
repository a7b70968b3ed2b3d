"""Proofs that tasks are sound: each is solvable, and cheats earn nothing."""

"""Checks: what a verifier looks at, how outputs are compared, and the verdict."""

"""Harnesses, one module each.

`bash`, `plain`, `terminus2` and `openhands` implement the protocol `Harness`; `mini` runs the loop
of the package mini-swe-agent.
"""

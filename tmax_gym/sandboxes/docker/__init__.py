"""The backends `docker` and `podman`: sandboxes as containers."""

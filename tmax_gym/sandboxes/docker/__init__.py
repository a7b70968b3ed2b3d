"""Containers: *covers* the backends `docker` and `podman`; their images are made elsewhere."""

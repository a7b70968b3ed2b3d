"""Images for containers, built from Dockerfiles by the engine or by BuildKit."""

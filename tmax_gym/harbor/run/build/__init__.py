"""How a task's Dockerfile and build context become a machine."""

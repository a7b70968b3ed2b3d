"""Export of this project's tasks as Harbor task directories."""

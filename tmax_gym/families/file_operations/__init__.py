"""Task families of the domain file operations."""

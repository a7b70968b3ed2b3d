"""Task families of the domain software engineering."""

"""Task families of the domain debugging."""

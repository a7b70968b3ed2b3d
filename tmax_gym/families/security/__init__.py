"""Task families of the domain security."""

"""Task families of the domain scientific computing."""

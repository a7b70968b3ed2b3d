"""Task families of the domain data processing."""

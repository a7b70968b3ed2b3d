"""Executables for x86-64 Linux, built byte by byte without a compiler."""

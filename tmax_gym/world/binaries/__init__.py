"""Build executables for x86-64 Linux byte by byte, without a compiler."""

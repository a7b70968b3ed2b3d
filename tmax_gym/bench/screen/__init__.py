"""The screen of a benchmark run while it goes on."""

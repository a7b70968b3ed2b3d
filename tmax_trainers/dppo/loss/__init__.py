"""Losses: tensors in, coefficients and metrics out; they import nothing of ours."""

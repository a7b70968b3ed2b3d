"""Reference programs of the ledger-clean family: the same rules in Python and in awk."""

from __future__ import annotations

from tmax_gym.families.shared.programs import program_text

CLEANER = program_text(__package__, "main.py")
AWK = "\n" + program_text(__package__, "main.awk")

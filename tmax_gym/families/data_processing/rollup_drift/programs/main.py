"""Rolls meter readings up: WINDOW LIMIT < readings > report."""

import sys

sys.dont_write_bytecode = True

from reading import accepted, parsed  # noqa: E402
from usage import used  # noqa: E402
from window import Window  # noqa: E402

window = Window(int(sys.argv[1]), int(sys.argv[2]))
for second, usage, fresh in used(accepted(parsed(sys.stdin))):
    print(window.add(second, usage, fresh))
print(window.end())

"""The C of the unsound-service family: rows in a list, everything on the heap."""

from __future__ import annotations

from collections.abc import Sequence

from tmax_gym.families.shared.programs import program_sections
from tmax_gym.families.software_engineering.unsound_service.faults import c
from tmax_gym.families.software_engineering.unsound_service.kit import Call, Kit


def main(calls: Sequence[Call]) -> str:
    """Return the main function of a service."""
    steps = "".join(
        f"        {call.step}({', '.join(('&batch', *map(str, call.numbers)))});\n"
        for call in calls
    )
    return (
        "int main(void)\n{\n    struct batch batch = {0};\n"
        f"    while (read_batch(stdin, &batch)) {{\n{steps}"
        "        print_batch(stdout, &batch);\n        release(&batch);\n    }\n"
        "    return 0;\n}\n"
    )


_SECTIONS = program_sections(__package__, "service.c")
KIT = Kit(
    head=_SECTIONS["frame"],
    steps=_SECTIONS,
    first=c.FIRST,
    faults=c.FAULTS,
    main=main,
    strict="gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -fsanitize=address,undefined "
    "-fno-sanitize-recover=all",
)

"""The Go of the unsound-service family: steps of goroutines, and the code around them.

The desk holds every call until enough of them are open, so that a step which was made sequential
never ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tmax_gym.families.shared.programs import program_sections
from tmax_gym.families.software_engineering.unsound_service.faults import go
from tmax_gym.families.software_engineering.unsound_service.kit import Call, Edits, Kit


def main(calls: Sequence[Call]) -> str:
    """Return the main function of a service."""
    sorts = any(call.step == "rank" for call in calls)
    imports = ("bufio", "fmt", "os", "runtime", *(("sort",) if sorts else ()), "sync", "time")
    steps = "".join(
        f"\t\trows = {call.step}({', '.join(('rows', *map(str, call.numbers)))})\n"
        for call in calls
    )
    listed = "".join(f'\t"{name}"\n' for name in imports)
    return (
        f"func main() {{\n\tin := bufio.NewScanner(os.Stdin)\n\tfor {{\n"
        f"\t\trows, more := readBatch(in)\n\t\tif !more {{\n\t\t\treturn\n\t\t}}\n{steps}"
        "\t\tprintBatch(rows)\n\t}\n}\n" + f"//IMPORTS\n{listed}"
    )


_SECTIONS = program_sections(__package__, "service.go")
DESK = _SECTIONS["desk"]
"""Code that no repair may change."""


class _GoKit(Kit):
    """A kit whose imports follow what is used."""

    def source(self, calls: Sequence[Call], faults: Mapping[str, Edits] | None = None) -> str:
        """Return the program, its imports first."""
        body, _, imports = super().source(calls, faults).partition("//IMPORTS\n")
        return body.replace("@imports", imports)


KIT = _GoKit(
    head="".join(_SECTIONS[name] for name in ("frame", "desk", "rows")),
    steps=_SECTIONS,
    first=go.FIRST,
    faults=go.FAULTS,
    main=main,
    strict="go build",
    always="price",
)

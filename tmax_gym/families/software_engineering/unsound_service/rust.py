"""The Rust of the unsound-service family: rows that are moved, lent and given back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tmax_gym.families.shared.programs import program_sections
from tmax_gym.families.software_engineering.unsound_service.faults import rust
from tmax_gym.families.software_engineering.unsound_service.kit import Call, Edits, Kit


def _main(calls: Sequence[Call]) -> str:
    names = {call.step for call in calls}
    uses = [
        *(("collections::HashMap",) if "tally" in names else ()),
        *(("collections::VecDeque",) if names & {"window", "recent"} else ()),
        "io::{self, BufRead, Write}",
    ]
    steps = "".join(
        f"        rows = {call.step}({', '.join(('rows', *map(str, call.numbers)))});\n"
        for call in calls
    )
    listed = "".join(f"use std::{name};\n" for name in uses)
    return (
        "fn main() -> io::Result<()> {\n    let mut lines = io::stdin().lock().lines();\n"
        "    let mut out = io::stdout().lock();\n"
        f"    while let Some(mut rows) = read_batch(&mut lines)? {{\n{steps}"
        "        print_batch(&mut out, &rows)?;\n    }\n    Ok(())\n}\n" + f"//USES\n{listed}"
    )


_SECTIONS = program_sections(__package__, "service.rs")


class _RustKit(Kit):
    """A kit whose imports follow what is used."""

    def source(self, calls: Sequence[Call], faults: Mapping[str, Edits] | None = None) -> str:
        """Return the program, its imports first."""
        body, _, uses = super().source(calls, faults).partition("//USES\n")
        return body.replace("//HERE\n", uses)


KIT = _RustKit(
    head=_SECTIONS["frame"],
    steps=_SECTIONS,
    first=rust.FIRST,
    faults=rust.FAULTS,
    main=_main,
    strict="rustc -C overflow-checks=on --edition=2021 -D warnings",
)

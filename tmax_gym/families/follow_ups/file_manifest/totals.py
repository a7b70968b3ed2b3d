"""The second file of a manifest: sums by suffix or directory, or one object about all files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from tmax_gym.checks import exact
from tmax_gym.checks.check import Check
from tmax_gym.families.contract import Following, write_file
from tmax_gym.families.products import Files
from tmax_gym.families.shared import file_sets
from tmax_gym.texts.obligations import Obligation

By = Literal["suffix", "directory", "all"]


@dataclass(frozen=True, slots=True)
class Totals:
    """What the file adds up."""

    target: str
    by: By
    separator: str
    absolute: bool
    sums: tuple[tuple[str, int, int], ...]
    """Key, files and bytes, in byte order of the keys; one row without a key for all files."""
    largest: str
    """The path of the largest file, as the manifest has it."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the columns or fields."""
        return ("files", "bytes", "largest") if self.by == "all" else (self.by, "files", "bytes")

    @property
    def empty(self) -> str:
        """Return a file of the right form without content."""
        if self.by == "all":
            return json.dumps({"files": 0, "bytes": 0, "largest": ""})
        return self.separator.join(self.names)

    def check(self, *, weight: float) -> Check:
        """Return a check of the whole file."""
        if self.by == "all":
            _, files, size = self.sums[0]
            right = {"files": files, "bytes": size, "largest": self.largest}
            return exact.fields("totals", self.target, right, weight=weight)
        return exact.rows(
            "totals",
            self.target,
            self.sums,
            header=self.names,
            delimiter=self.separator,
            weight=weight,
        )

    def commands(self, program: str, root: str) -> tuple[str, ...]:
        """Return the commands that write it from the paths and sizes in `/tmp/files.tsv`."""
        if self.by == "all":
            prefix = f"{root}/" if self.absolute else ""
            return (
                "files=$(wc -l < /tmp/files.tsv)",
                "bytes=$(awk -F '\\t' '{ n += $2 } END { print n }' /tmp/files.tsv)",
                "largest=$(LC_ALL=C sort -t \"$(printf '\\t')\" -k 2,2nr -k 1,1 /tmp/files.tsv "
                "| head -n 1 | cut -f 1)",
                f'jq -n --argjson files "$files" --argjson bytes "$bytes" --arg largest '
                f"\"{prefix}$largest\" '{{files: $files, bytes: $bytes, largest: $largest}}' "
                f"> {self.target}",
            )
        tab = self.separator.replace("\t", "\\t")
        return (
            write_file("/tmp/totals.awk", program),
            f"printf '{tab.join(self.names)}\\n' > {self.target}",
            f"awk -v by={self.by} -v OFS='{tab}' -f /tmp/totals.awk /tmp/files.tsv "
            f"| LC_ALL=C sort -t \"$(printf '{tab}')\" -k 1,1 >> {self.target}",
            "rm /tmp/totals.awk",
        )


def totals_of(ctx: Following[Files], *, absolute: bool, separator: str) -> Totals:
    """Return totals that say something about the files, drawn from those that do."""
    files, rng = ctx.product, ctx.rng.fork("totals")
    sizes = file_sets.sizes(files)
    keys: dict[By, Callable[[str], str]] = {"suffix": file_sets.suffix, "directory": file_sets.top}
    kinds = [kind for kind, key in keys.items() if len({key(path) for path in sizes}) > 1]
    by = rng.choice((*kinds, *kinds, "all"))
    sums: dict[str, tuple[int, int]] = {}
    for path, size in sizes.items():
        key = keys[by](path) if by in keys else ""
        count, total = sums.get(key, (0, 0))
        sums[key] = count + 1, total + size
    ending = "json" if by == "all" else "tsv" if separator == "\t" else "csv"
    stem = rng.choice(("totals", "summary", "sums"))
    largest = min(sizes, key=lambda path: (-sizes[path], path.encode()))
    return Totals(
        target=ctx.path(f"{stem}.{ending}"),
        by=by,
        separator=separator,
        absolute=absolute,
        sums=tuple((key, *sums[key]) for key in sorted(sums, key=str.encode)),
        largest=f"{files.root}/{largest}" if absolute else largest,
    )


def totals_rules(totals: Totals, files: Files) -> Iterator[Obligation]:
    """Yield what the second file holds."""
    if totals.by == "all":
        yield Obligation(
            "totals",
            f"Also write the JSON object `{totals.target}`. Its fields are `files`, the number of "
            "files, `bytes`, the sum of their sizes, and `largest`, the path of the largest file "
            "as it is in the manifest (the first one in byte order if several are equally large).",
            "output",
        )
        return
    key = {
        "suffix": "The suffix is what follows the last dot of the file name. Files whose name has "
        "no dot are counted under `-`.",
        "directory": f"The directory is the first part of the path relative to `{files.root}`. "
        "Files that are in no directory below it are counted under `.`.",
    }[totals.by]
    yield Obligation(
        "totals",
        f"Also write `{totals.target}`, separated in the same way, with a first line of the names "
        f"`{totals.by}`, `files` and `bytes`, and one line for each {totals.by}: the number of its "
        "files and the sum of their sizes. Sort it by the first column in byte order.",
        "output",
    )
    yield Obligation("key", key, "rule")

"""The tables of `tmax_gym/sandboxes/README.md`, which `table.py` writes, from `results/`.

Each table is between two comments with its name.  The break-it list has our backends from
`break_it.json` and others from `peers.json`; the attacks come from `attacks.json`, times from
`verification.json`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.support.attack_cases import ATTACKS, HOST, KERNEL, LIMITS, MACHINE, OUTPUTS, REWARD
from tests.support.break_it_cases import CASES

HERE = Path(__file__).parent
DOCUMENT = HERE.parent / "tmax_gym" / "sandboxes" / "README.md"
PARTS = {
    "reward and verifier": REWARD,
    "what is copied out": OUTPUTS,
    "exhaustion": LIMITS,
    "the machine itself": MACHINE,
    "the kernel": KERNEL,
    "the host and its other machines": HOST,
}
Runs = Mapping[str, Mapping[str, str]]


def results(name: str) -> Mapping[str, Any]:
    """Return a result file, or nothing if it does not exist yet."""
    path = HERE / "results" / f"{name}.json"
    result: Mapping[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return result


def break_it() -> list[str]:
    """Return a row for every case: our backends first, then others."""
    runs: dict[str, Mapping[str, str]] = {
        f"**{name}**": run for name, run in _ordered(results("break_it").get("break_it", {}))
    }
    peers: Runs = results("peers").get("break_it", {})
    runs |= {name: run for name, run in peers.items() if not name.startswith("ours")}
    rows = _head("case", list(runs))
    rows += [_row(case.name, [run.get(case.name, "-") for run in runs.values()]) for case in CASES]
    counts = [list(run.values()) for run in runs.values()]
    passed = [f"**{words.count('ok')}/{len(words) - words.count('-')}**" for words in counts]
    return [*rows, _row("**passed / run**", passed)]


def attacks() -> list[str]:
    """Return a row for every attack, in parts, and a column for every backend."""
    runs = dict(_ordered(results("attacks").get("attacks", {})))
    rows = _head("attack | tries to", list(runs))
    for title, part in PARTS.items():
        rows.append(_row(f"***{title}*** | ", [""] * len(runs)))
        rows += [
            _row(
                f"{attack.name} | {attack.tries}",
                [run.get(attack.name, "-") for run in runs.values()],
            )
            for attack in part
        ]
    counts = [f"**{list(run.values()).count('ok')}/{len(ATTACKS)}**" for run in runs.values()]
    return [*rows, _row("**contained** | ", counts)]


def verification() -> list[str]:
    """Return a row for every kind of verifier."""
    seconds = results("verification").get("seconds", {}).get("verification", {})
    rows = ["| verifier kind | median ms |", "|---|--:|"]
    for kind, samples in sorted(seconds.items()):
        middle = sorted(samples)[len(samples) // 2]
        rows.append(f"| {kind} | {1e3 * middle:.1f} |")
    return rows


TABLES: Mapping[str, Callable[[], list[str]]] = {
    "break-it": break_it,
    "attacks": attacks,
    "verification": verification,
}


def _ordered(runs: Runs) -> list[tuple[str, Mapping[str, str]]]:
    order = ["native", "native, rootless", "gvisor", "docker", "podman"]
    return sorted(runs.items(), key=lambda item: (order.index(item[0]), item[0]))


def _head(first: str, names: list[str]) -> list[str]:
    columns = first.count("|") + 1
    return [_row(first, names), "|" + "---|" * columns + ":-:|" * len(names)]


def _row(first: str, cells: list[str]) -> str:
    return "| " + " | ".join([first, *cells]) + " |"

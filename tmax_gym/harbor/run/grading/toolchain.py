"""Programs and wheels for test scripts without a network, in place of downloads.

They are for the usual `curl … | sh; uvx … pytest` of Harbor's tasks (`drivers/bootstrap.py`).
`pip download` fills the directory of wheels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from tmax_gym.grading import drivers
from tmax_gym.harbor.run.opened import PLACE, Opened
from tmax_gym.nodes import Node, text

PROGRAMS = ("curl", "uv", "uvx", "pip", "pip3", "apt-get", "apt")
MOST_BYTES = 64 << 20
_USED = re.compile(r"\b(uvx?|curl|pip3?|apt(-get)?)\b")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def equip(opened: Opened, script: str, *, wheels: Path) -> Mapping[str, str]:
    """Put the programs into a machine whose test script calls them.

    Returns:
        The environment that they need; empty if the script calls none of them, if there are no
        wheels, or if the machine has no python3 to run them.
    """
    if not wanted(script, wheels) or not (files := _wheels(wheels)):
        return {}
    python = opened.sandbox.exec(["/bin/sh", "-c", "command -v python3"], env=dict(opened.env))
    if python.exit_code:
        return {}
    interpreter = python.stdout.decode(errors="replace").strip()
    stub = '#!/bin/sh\nexec {python} -S -B {place}/bootstrap.py {name} "$@"\n'
    opened.sandbox.put(
        [
            text(f"{PLACE}/bootstrap.py", drivers.source("bootstrap")),
            *(Node(f"{PLACE}/wheels/{p.name}", data=p.read_bytes()) for p in files),
            *(
                text(
                    f"{PLACE}/bin/{name}",
                    stub.format(python=interpreter, place=PLACE, name=name),
                    mode=0o755,
                )
                for name in PROGRAMS
            ),
        ]
    )
    return {
        "PATH": f"{PLACE}/bin:{opened.env.get('PATH', _PATH)}",
        "PYTHONPATH": f"{PLACE}/site",  # where `pip install` puts packages, for any python3
        "UV_PYTHON_DOWNLOADS": "never",
    }


def wanted(script: str, wheels: Path) -> bool:
    """Return whether a test script gets these programs if its machine has a python3."""
    return bool(_USED.search(script) and _wheels_in(wheels))


def _wheels_in(place: Path) -> list[Path]:
    return sorted(place.glob("*.whl")) if place.is_dir() else []


def _wheels(place: Path) -> list[Path]:
    """Return the wheels of a directory, up to `MOST_BYTES`."""
    kept, total = [], 0
    for path in _wheels_in(place):
        total += path.stat().st_size
        if total > MOST_BYTES:
            break
        kept.append(path)
    return kept

"""All attacks on one backend: play them, and tell as JSON how each went.

    python -m tests.attack_play native [--image core] [--only NAME ...]

Covers the order: quiet attacks share a machine, all others have one of their own.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator, Sequence

from tests.attack_cases import ATTACKS, Attack
from tests.attack_ground import Ground
from tmax_gym.sandboxes import Backend, backend, images

HONEST = "honest work"
"""The name under which is told that the same task does not pay what is right."""
OPEN = "open"
"""A cell of the table: this backend does not promise to stop it."""


def open_to(attack: Attack, machines: Backend) -> bool:
    """Return whether a backend says itself that it does not stop this."""
    lacking = bool(attack.needs) and attack.needs not in machines.capabilities()
    return lacking or machines.name in attack.unstopped


def play(
    machines: Backend, image: str, attacks: Sequence[Attack] = ATTACKS
) -> Iterator[tuple[str, list[str]]]:
    """Yield every attack's name with what went wrong; `[OPEN]` where it was not tried."""
    with contextlib.closing(Ground(machines, image)) as ground:
        if (reward := ground.honest()) != 1.0:
            yield HONEST, [f"reward: {reward}"]
        quiet = [attack for attack in attacks if attack.quiet]
        if quiet:
            for attack, seen in zip(quiet, ground.play(quiet), strict=True):
                yield attack.name, seen.wrong(attack)
        for attack in attacks:
            if open_to(attack, machines):
                yield attack.name, [OPEN]
            elif not attack.quiet:
                yield attack.name, ground.play([attack])[0].wrong(attack)


def main() -> int:
    """Play, print one JSON object, return 1 where something went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("backend")
    parser.add_argument("--only", nargs="*", help="attacks with one of these in their name")
    parser.add_argument("--image", default="")
    options = parser.parse_args()
    chosen = [a for a in ATTACKS
              if not options.only or any(n in a.name for n in options.only)]  # fmt: skip
    machines = backend(options.backend)
    image = options.image or images.default_image()
    seen = dict(play(machines, image, chosen))
    print(json.dumps(seen, indent=1))
    return int(any(wrong not in ([], [OPEN]) for wrong in seen.values()))


if __name__ == "__main__":
    sys.exit(main())

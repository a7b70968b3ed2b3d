"""All attacks on one backend: play them, and tell as JSON how each went.

    python -m tests.support.attack_play native [--image core] [--only NAME ...]

Covers the order: quiet attacks share a machine, all others have one of their own.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.support.attack_cases import ATTACKS, Attack
from tests.support.attack_ground import Ground
from tmax_gym.sandboxes import Backend, backend, images

ROOT = Path(__file__).parents[2]
STRANGER = 4242
"""A user id that owns nothing here."""
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


class NoStranger(Exception):
    """Attacks cannot be played here as a user without any rights; the message says why."""


def play_as_stranger() -> dict[str, list[str]]:
    """Return all attacks on `native` as a user sees them who has no rights at all.

    Raises:
        NoStranger: There cannot be such a user here.
    """
    if os.getuid() != 0:
        raise NoStranger("only root can become somebody else")
    python, packages = _python(), sysconfig.get_path("purelib")
    _check_readable(python, packages)
    with contextlib.ExitStack() as stack:
        # Not below the directory of tests: that is closed to other users.
        base = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())
        stack.callback(subprocess.run, ["rm", "-rf", str(base)])
        for name in ("tmax_gym", "tests", "pyproject.toml"):
            # With their times, so that what is compiled stays good.
            subprocess.run(["cp", "-rp", str(ROOT / name), str(base)], check=True)
        (base / "cache").mkdir()
        subprocess.run(["chown", "-R", f"{STRANGER}:{STRANGER}", str(base)], check=True)
        kept = {"PATH": os.environ["PATH"], "PYTHONPATH": packages}
        done = subprocess.run(
            [python, "-m", "tests.support.attack_play", "native", "--image", "host"],
            user=STRANGER, group=STRANGER, extra_groups=[], cwd=base, timeout=280,
            env={**kept, "TMAX_CACHE": str(base / "cache"), "HOME": str(base)},
            capture_output=True, text=True,
        )  # fmt: skip
    if not done.stdout and "cannot run here" in done.stderr:
        raise NoStranger(done.stderr.strip().splitlines()[-1][:300])
    assert done.stdout, done.stderr
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def _python() -> str:
    """Return an interpreter of this version that everybody may start."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for found in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        with contextlib.suppress(OSError):
            done = subprocess.run(
                [found, "-V"], user=STRANGER, group=STRANGER, extra_groups=[], capture_output=True
            )
            if done.returncode == 0:
                return found
    raise NoStranger(f"no {version} here that another user may start")


def _check_readable(python: str, packages: str) -> None:
    """Raise if another user may not read the packages, as below a closed home directory."""
    done = subprocess.run(
        [python, "-c", "import gymnasium"], user=STRANGER, group=STRANGER, extra_groups=[],
        cwd="/", env={"PYTHONPATH": packages}, capture_output=True,
    )  # fmt: skip
    if done.returncode:
        raise NoStranger(f"another user may not import from {packages}")


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

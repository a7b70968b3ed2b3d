"""The seccomp profile of Apptainer's sandboxes: it refuses the same calls as the native backend.

It allows `clone3`: its flags are behind a pointer, and the error that makes libc fall back to
`clone` cannot be asked for here.  So a program may make a user namespace, in which it still
cannot mount, change a namespace or reach the host.
"""

from __future__ import annotations

import json
from pathlib import Path

from tmax_gym.sandboxes import seccomp

DENIED = (*seccomp.DENIED, "clock_settime64")
"""libseccomp leaves out the names that an architecture or its own version lacks."""
_FAMILIES = (3, 4, 5, 8, 9, 11, *range(17, 47))
"""All of bits/socket.h but AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK; ancient ones aside."""


def profile() -> str:
    """Return the profile in the OCI form that `--security seccomp:FILE` reads."""
    rules = [seccomp.refuse(DENIED), *seccomp.shared_rules()]
    for family in _FAMILIES:
        rules.append(seccomp.refuse(("socket",), {"op": "SCMP_CMP_EQ", "value": family}))
    return json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": rules}, sort_keys=True)


def write(path: Path) -> None:
    """Write the profile for a client to read."""
    path.write_text(profile(), encoding="ascii")

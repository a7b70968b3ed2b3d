"""The document with the baseline, and the names of the files of a task."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.families.security.hardening_baseline.host import Rules
from tmax_gym.families.shared.sheets import flowed

ROOTS = ("host", "rootfs", "image", "machine", "snapshot", "sysroot")
BASELINES = ("BASELINE", "HARDENING", "POLICY", "STANDARD", "RULES")
REPORTS = ("altered", "changes", "integrity", "differences", "findings")
MANIFESTS = ("MANIFEST", "installed", "checksums", "inventory")
_BASELINE = """\
# Baseline

This baseline is to be applied as of {today}. All paths are relative to the root of the host.

The exceptions are in `{exceptions}`. An exception replaces the rule for its object up to and
including its last day (`until`). If that day is before {today}, the object must follow the baseline
like any other.

## sshd

Every connection, whatever its user and address, must get the following values, with any Match
blocks and included files taken into account. All of them must be set explicitly; do not rely on
defaults.

{settings}
Settings that are not in this list stay as they are.

## Keys

`{register}` is the register of all keys, by fingerprint. The `authorized_keys` file of an account
must contain only keys that the register lists as `active` for that very account. RSA keys with
fewer than 3072 bits are never allowed. If the register has an address in `from`, the key must have
the option `from="ADDRESS"`. Keys that comply with these rules stay, and no keys are added.

## Modes

| path | mode |
|---|---|
{modes}
In a path, `*` does not match `/`.

All other files and directories must not be writable by others, and must not have the set-user-ID or
set-group-ID bit, except that `{set_id}` keeps its set-user-ID bit. Remove only these bits and leave
the other bits as they are.

## Services

Each unit in `etc/systemd/system`, together with any drop-ins, must explicitly set the following in
`[Service]`:

{directives}
The account and the capabilities must be exactly as follows. An empty cell means an empty bounding
set.

| unit | User | CapabilityBoundingSet |
|---|---|---|
{services}
All other settings of a unit, such as paths or limits, stay in force, whichever file they are in.
"""


def baseline(rules: Rules, names: Mapping[str, str]) -> str:
    """Return the document with the baseline."""
    exceptions, register = (names[n].rpartition("/")[2] for n in ("exceptions", "register"))
    settings = "".join(f"    {word} {value}\n" for word, value in sorted(rules.settings.items()))
    directives = "".join(f"    {w}={v}\n" for w, v in sorted(rules.directives.items()))
    modes = "".join(f"| `{path}` | {mode} |\n" for path, mode in rules.modes)
    services = "".join(f"| `{u}` | {a} | {c} |\n" for u, (a, c) in sorted(rules.services.items()))
    document = _BASELINE.format(
        today=rules.today, exceptions=exceptions, register=register, settings=settings,
        modes=modes, set_id=rules.set_id, directives=directives, services=services,
    )  # fmt: skip
    return flowed(document)

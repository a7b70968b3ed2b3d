"""The document with the baseline, and the names of the files of a task."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.families.security.hardening_baseline.host import Rules

ROOTS = ("host", "rootfs", "image", "machine", "snapshot", "sysroot")
BASELINES = ("BASELINE", "HARDENING", "POLICY", "STANDARD", "RULES")
REPORTS = ("altered", "changes", "integrity", "differences", "findings")
MANIFESTS = ("MANIFEST", "installed", "checksums", "inventory")
_BASELINE = """\
# Baseline

This document describes the state on {today}. All paths are relative to the root of the host.

The exceptions are in `{exceptions}`. An exception replaces the rule for its object until its last
day, including that day. After this day, the object must follow the baseline like any other one.

## sshd

Every connection, from anywhere, must get the following values, also if Match blocks and included
files are taken into account. All of them must be set explicitly; do not rely on defaults.

{settings}
Settings that are not in this list stay as they are.

## Keys

`{register}` is the register of all keys, by fingerprint. The `authorized_keys` of an account must
only contain keys that are `active` in the register for this very account. RSA keys with fewer than
3072 bits are never allowed. If the register has an address in `from`, the key must have the option
`from="ADDRESS"`. Keys that follow these rules stay, and no keys are added.

## Modes

| path | mode |
|---|---|
{modes}
All other files and directories must not be writable for others, and must not have a set-user-id or
set-group-id bit, except for `{set_id}`, which keeps it. Remove only these bits and leave the other
bits as they are.

## Services

Each unit in `etc/systemd/system`, together with its drop-ins, must set the following in `[Service]`
explicitly:

{directives}
The account and the capabilities must be exactly these, where an empty cell means an empty bounding
set:

| unit | User | CapabilityBoundingSet |
|---|---|---|
{services}
Everything else (limits, paths, priorities) stays in force, no matter in which file it is.
"""


def baseline(rules: Rules, names: Mapping[str, str]) -> str:
    """Return the document with the baseline."""
    exceptions, register = (names[n].rpartition("/")[2] for n in ("exceptions", "register"))
    settings = "".join(f"    {word} {value}\n" for word, value in sorted(rules.settings.items()))
    directives = "".join(f"    {w}={v}\n" for w, v in sorted(rules.directives.items()))
    modes = "".join(f"| `{path}` | {mode} |\n" for path, mode in rules.modes)
    services = "".join(f"| `{u}` | {a} | {c} |\n" for u, (a, c) in sorted(rules.services.items()))
    return _BASELINE.format(
        today=rules.today, exceptions=exceptions, register=register, settings=settings,
        modes=modes, set_id=rules.set_id, directives=directives, services=services,
    )  # fmt: skip

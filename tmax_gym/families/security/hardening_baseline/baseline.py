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

State of affairs: {today}. All paths are relative to the root of the host.

Exceptions stand in `{exceptions}`. One of them takes the place of the rule for its object up to
its last day, that day included. When it is over, the object follows the baseline like any other.

## sshd

Whoever connects, from wherever, gets these values, Match blocks and included files considered.
They are all set: we do not rely on defaults.

{settings}
What is not in this list stays as it is configured.

## Keys

`{register}` is the register, by fingerprint. An account's `authorized_keys` holds no key but those
that the register has as `active` for this very account; RSA keys below 3072 bits are out in any
case. Where the register has an address in `from`, the key carries the option `from="ADDRESS"`.
Keys that comply stay, and no key is added.

## Modes

| path | mode |
|---|---|
{modes}
What no row names must not be writable for others, and has no set-user-id or set-group-id bit
unless it is `{set_id}`. Take just those bits away; the others are nobody's business.

## Services

Each unit in `etc/systemd/system`, with its drop-ins, has these in `[Service]`, and set explicitly:

{directives}
Account and capabilities are exactly these (an empty cell is an empty bounding set):

| unit | User | CapabilityBoundingSet |
|---|---|---|
{services}
What is not mentioned (limits, paths, priorities) stays in force, wherever it stands.
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

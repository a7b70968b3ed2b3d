"""Reference scanners of a fleet, in Bash and in Python, and what goes wrong in such scanners."""

from __future__ import annotations

from collections.abc import Mapping

from tmax_gym.axes import Language
from tmax_gym.families.security.trust_chain.fleet import Policy
from tmax_gym.families.shared.programs import program_text

BASH = program_text(__package__, "main.sh")
PYTHON = program_text(__package__, "main.py")
Edit = tuple[str, str]
MISTAKES: Mapping[str, tuple[frozenset[str], Mapping[Language, Edit]]] = {
    "common name accepted": (
        frozenset({"common name"}),
        {
            "bash": ("|| code=62", "|| true"),
            "python": ("code = 62", "pass"),
        },
    ),
    "key sizes ignored": (
        frozenset({"weak key"}),
        {"bash": ("-auth_level @level", ""), "python": ('"-auth_level", @level, ', "")},
    ),
    "issuers forgotten": (
        frozenset({"revoked"}),
        {
            "bash": ('grep -qxF "$issuer,$serial"', 'grep -qxF "$serial"'),
            "python": ("f\"{issuer},{told['serial']}\"", "told['serial']"),
        },
    ),
    "lifetime ignored": (
        frozenset({"too long"}),
        {
            "bash": ("until - since > @days", "until - since > 9 * @days"),
            "python": ("life > @days", "life > 9 * @days"),
        },
    ),
    "purpose ignored": (
        frozenset({"clients only"}),
        {"bash": ("-purpose sslserver", ""), "python": ('"-purpose", "sslserver",', "")},
    ),
    "order ignored": (
        frozenset({"shuffled", "with root"}),
        {
            "bash": ("elif (( links ))", "elif false"),
            "python": ('return "ok" if linked(bundle) else "bundle"', 'return "ok"'),
        },
    ),
    "another time": (
        frozenset({"expired", "early", "old authority"}),
        {
            "bash": ('-attime "$at"', '-attime "$((at + 86400 * 400))"'),
            "python": ('"-attime", at,', '"-attime", at + 86400 * 400,'),
        },
    ),
    "names ignored": (
        frozenset({"other name", "wildcard"}),
        {
            "bash": ('-verify_hostname "$name"', ""),
            "python": ('"-verify_hostname", name, ', ""),
        },
    ),
    "bundle unread": (
        frozenset({"alone"}),
        {"bash": ('-untrusted "$bundle"', ""), "python": ('"-untrusted", bundle, ', "")},
    ),
}
"""Name to (troubles of which the fleet must have one, the change to the program)."""
_LEVELS = {2048: 2, 3072: 3}
"""Smallest RSA key in bits to the security level of OpenSSL (SSL_CTX_set_security_level)."""


def source(language: Language, policy: Policy, edit: Edit = ("", "")) -> str:
    """Return a scanner, with one change if asked for."""
    program = {"bash": BASH, "python": PYTHON}[language]
    if edit[0] not in program:
        raise ValueError(f"the scanner has no {edit[0]!r} to be changed")
    program = program.replace(*edit) if edit[0] else program
    return program.replace("@level", str(_LEVELS[policy.bits])).replace("@days", str(policy.days))

"""Environment variables with templates: `${VAR}` and `${VAR:-default}` as whole values.

They are filled in from the host's variables, as in Harbor 0.25: a value that is not wholly a
template is literal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tmax_gym.errors import HarborError

_TEMPLATE = re.compile(r"\$\{([^}:]+)(?::-(.*))?\}", re.DOTALL)


def resolve(env: Mapping[str, str], host: Mapping[str, str]) -> dict[str, str]:
    """Return the variables with their templates filled in.

    >>> resolve({"A": "${HOME}", "B": "${NONE:-two}", "C": "x${HOME}"}, {"HOME": "/r"})
    {'A': '/r', 'B': 'two', 'C': 'x${HOME}'}

    Raises:
        HarborError: A variable without a default is not set here.
    """
    if absent := missing(env, host):
        raise HarborError(
            f"the task needs {', '.join(absent)} from this machine's environment: export "
            f"{'it' if len(absent) == 1 else 'them'} first"
        )
    return {name: _value(text, host) for name, text in env.items()}


def missing(env: Mapping[str, str], host: Mapping[str, str]) -> tuple[str, ...]:
    """Return the host variables that a task needs and that are not set, sorted."""
    matches = map(_TEMPLATE.fullmatch, env.values())
    return tuple(sorted({m[1] for m in matches if m and m[2] is None and m[1] not in host}))


def _value(text: str, host: Mapping[str, str]) -> str:
    match = _TEMPLATE.fullmatch(text)
    if match is None:
        return text
    return host[match[1]] if match[1] in host else (match[2] or "")

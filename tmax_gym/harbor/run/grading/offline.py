"""Settings with which programs fail at once if there is no network, for scripts of a task.

Without them `apt-get update` takes seven seconds for four tries, and two minutes if the resolver
never answers (in a container whose host is offline).  pip and npm wait as well.  The settings are
used in machines without a network, and in machines whose resolver leaves a lookup unanswered for
as long as the C library waits.

Test scripts and `solve.sh` get them.  The agent's shell does not: an agent that types `env` would
see another machine than its task describes, and learn that no network is expected.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tmax_gym.harbor.run.opened import PLACE, Opened
from tmax_gym.nodes import text

_APT = f"{PLACE}/offline-apt.conf"
_APT_SAYS = """\
Acquire::Retries "0";
Acquire::http::Timeout "2";
Acquire::https::Timeout "2";
"""
_SAYS: Mapping[str, str] = {
    "APT_CONFIG": _APT,
    "RES_OPTIONS": "timeout:1 attempts:1",  # of the C library: 5 s and 2 by default
    "PIP_RETRIES": "0",
    "PIP_DEFAULT_TIMEOUT": "2",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "UV_HTTP_RETRIES": "0",
    "UV_HTTP_TIMEOUT": "2",
    "npm_config_fetch_retries": "0",
    "npm_config_fetch_timeout": "2000",
    "npm_config_update_notifier": "false",
    "CARGO_NET_RETRY": "0",
    "BUNDLE_RETRY": "0",
}
_LOOKUP_SECONDS = 5
"""The time of one attempt of the C library, in which a working resolver has answered."""
_NOWHERE = "example.com"
_TIMED_OUT = 124
"""Exit status of `timeout`."""
UNREACHED = re.compile(
    rb"could not resolve|temporary failure (?:in name resolution|resolving)|"
    rb"name or service not known|network is unreachable|no such host|dns error|"
    rb"unable to resolve|EAI_AGAIN|ENOTFOUND|ENETUNREACH|ConnectionError|NewConnectionError",
    re.IGNORECASE,
)
"""Output of programs that reach no network."""
_ASKS = re.compile(
    r"\b(?:apt|apt-get|pip3?|npm|npx|yarn|pnpm|uvx?|cargo|gem|conda|apk|dnf|yum)\b|"
    r"\b(?:curl|wget|git\s+(?:clone|fetch|pull))\b"
)


def equip(opened: Opened, script: str) -> Mapping[str, str]:
    """Return the environment of a script, empty if its machine has a network.

    Variables of the image stay as they are.
    """
    if not opened.offline and not (_ASKS.search(script) and _unanswered(opened)):
        return {}
    opened.sandbox.put([text(_APT, _APT_SAYS)])
    return {name: value for name, value in _SAYS.items() if name not in opened.env}


def asked(opened: Opened, script: str, output: bytes) -> bool:
    """Return whether a test script needed a network that its machine does not have."""
    return opened.offline and bool(_ASKS.search(script)) and bool(UNREACHED.search(output))


def _unanswered(opened: Opened) -> bool:
    """Return whether a lookup has no answer, not even a refusal; False without `getent`."""
    look = f"exec timeout {_LOOKUP_SECONDS} getent hosts {_NOWHERE}"
    return opened.run(["/bin/sh", "-c", look], user="root", timeout=60.0).exit_code == _TIMED_OUT

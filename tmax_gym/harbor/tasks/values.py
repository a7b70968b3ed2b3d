"""Types of the texts in a `task.toml` and in manifests: names, hosts, paths, users."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, StringConstraints

_PACKAGE = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]*/[a-zA-Z0-9][a-zA-Z0-9._-]*")
_TASK = re.compile(r"\w[\w .+@-]*(?:/\w[\w .+@-]*)?")
_SERVICE = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]*")
_HOST = re.compile(r"(?:\*\.)?[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9-]{1,63})*")
_STEP = re.compile(r'[^<>:"/\\|?*\x00-\x1f\x7f]+')


def must_be(what: str, check: Callable[[str], object]) -> AfterValidator:
    """Return a validator that refuses texts; its message says what they must be."""

    def checked(text: str) -> str:
        if not check(text):
            raise ValueError(f"not {what}")
        return text

    return AfterValidator(checked)


def _is_step(name: str) -> bool:
    fits = _STEP.fullmatch(name) and name not in (".", "..") and name[-1] not in ". "
    return bool(fits and name.strip()) and len(name.encode(errors="replace")) <= 255


def _is_target(text: str) -> bool:
    path = PurePosixPath(text)
    plain = not path.is_absolute() and ".." not in path.parts and "\\" not in text
    return plain and bool(path.parts) and str(path) != "manifest.json"


def _host(text: str) -> str:
    host = text.strip().lower().rstrip(".")
    try:
        return str(ipaddress.ip_network(host) if "/" in host else ipaddress.ip_address(host))
    except ValueError:
        if _HOST.fullmatch(host):
            return host
    raise ValueError("not a host: write names, *.names, addresses or ranges")


def _user(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, str | int | None):
        raise ValueError("not the name or number of a user")
    return value


PackageName = Annotated[
    str, must_be("of the form org/name", lambda t: _PACKAGE.fullmatch(t) and ".." not in t)
]
TaskName = Annotated[
    str,
    must_be(
        "of the form org/name, or a plain name",
        lambda t: _TASK.fullmatch(t) and ".." not in t and t == t.strip(),
    ),
]
StepName = Annotated[str, must_be("usable as the name of a directory", _is_step)]
Service = Annotated[
    str,
    StringConstraints(strip_whitespace=True),
    must_be("the name of a service", _SERVICE.fullmatch),
]
Host = Annotated[str, AfterValidator(_host)]
Source = Annotated[
    str, must_be("a path without '..'", lambda t: t and ".." not in PurePosixPath(t).parts)
]
Target = Annotated[str, must_be("a relative path without '..'", _is_target)]
Workdir = Annotated[str, must_be("an absolute path", lambda t: t.startswith("/") and "\0" not in t)]
User = Annotated[str | int | None, BeforeValidator(_user)]
"""A name or a number; None for the image's own."""

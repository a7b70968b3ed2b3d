"""The effective configuration of a host: the values that daemons read from its files.

Covers sshd_config with Match blocks (User, Address) and included files, service units with
drop-ins, authorized_keys and modes.  Does not cover what sshd or systemd would refuse.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from tmax_gym.nodes import Node

Tree = Mapping[str, Node]
"""Entries by their path relative to the host's root."""
Facts = dict[str, str]
Visitor = tuple[str, str]
"""A user who connects, and the address."""

SSHD = "etc/ssh/sshd_config"
UNITS = "etc/systemd/system"
_LINE = re.compile(r"\s*(\w+)(?:\s*=\s*|\s+)(.*?)\s*(?:\s#.*)?\Z")
_KEY = re.compile(r"(?:\A|\s)(ssh-[a-z0-9]+|ecdsa-sha2-\w+)\s+([A-Za-z0-9+/=]{40,})")
_OPTION = re.compile(r'(?:[^,"]|"[^"]*")+')
_YES = dict.fromkeys(("1", "yes", "true", "on"), "yes") | dict.fromkeys(
    ("0", "no", "false", "off"), "no"
)
_LISTS = frozenset(
    {"AmbientCapabilities", "CapabilityBoundingSet", "Environment", "ReadWritePaths"}
)
"""Directives whose assignments add up until an empty one (systemd.exec(5))."""
_DEPTH = 4
"""Files that include each other end here; sshd itself stops at 16."""


def sshd(tree: Tree, visitors: Sequence[Visitor]) -> Facts:
    """Return keyword to its values, one a visitor."""
    lines = list(_directives(tree, SSHD, ""))
    taken = [_effective(lines, visitor) for visitor in visitors]
    return {
        word: " | ".join(values.get(word, "-") for values in taken)
        for word in sorted({word for values in taken for word in values})
    }


def units(tree: Tree) -> Facts:
    """Return "unit section directive" to its value, drop-ins included."""
    facts: Facts = {}
    for path in sorted(p for p in tree if fnmatchcase(p, f"{UNITS}/*.service")):
        if tree[path].kind != "file":
            continue
        extra = sorted(p for p in tree if fnmatchcase(p, f"{path}.d/*.conf"))
        for section, name, value in (row for p in (path, *extra) for row in _assignments(tree, p)):
            key = f"{path.rpartition('/')[2]} {section} {name}"
            if name in _LISTS:
                words = {*facts.get(key, "").split(), *value.split()} if value else set()
                facts[key] = " ".join(sorted(words))
            else:
                facts[key] = _YES.get(value.lower(), value)
    return facts


def keys(tree: Tree) -> Facts:
    """Return "account key" to the options in front of the key."""
    facts: Facts = {}
    for path in sorted(p for p in tree if p.endswith("/.ssh/authorized_keys")):
        account = path.split("/")[-3]
        for line in _lines(tree, path):
            if hit := _KEY.search(line):
                options = _OPTION.findall(line[: hit.start()].strip())
                facts[f"{account} {hit[2]}"] = ",".join(sorted(options))
    return facts


def modes(tree: Tree) -> Facts:
    """Return path to permission bits."""
    return {path: f"{n.mode & 0o7777:04o}" for path, n in tree.items() if n.kind != "link"}


def _lines(tree: Tree, path: str) -> list[str]:
    data = tree[path].data if path in tree else b""
    lines = (data or b"").decode("utf-8", "replace").splitlines()
    return [line for line in lines if line.strip() and line.lstrip()[0] not in "#;"]


def _directives(
    tree: Tree, path: str, block: str, depth: int = 0
) -> Iterator[tuple[str, str, str]]:
    """Yield (criteria of the Match block or "", keyword, value)."""
    for line in _lines(tree, path):
        if not (hit := _LINE.match(line)):
            continue
        word, value = hit[1].lower(), hit[2].strip('"')
        if word == "include" and depth < _DEPTH:
            full = value.lstrip("/") if value.startswith("/") else f"etc/ssh/{value}"
            # A block that an included file opens ends with that file.
            for name in sorted(p for p in tree if fnmatchcase(p, full)):
                yield from _directives(tree, name, block, depth + 1)
        elif word == "match":
            block = value
        elif word != "include":
            yield block, word, value


def _effective(lines: Sequence[tuple[str, str, str]], visitor: Visitor) -> Facts:
    """Return what one connection gets: a Match block before the rest, the first line of each."""
    general: Facts = {}
    matched: Facts = {}
    for block, word, value in lines:
        plain = "prohibit-password" if value == "without-password" else value
        if not block:
            general.setdefault(word, _plain(plain))
        elif _applies(block, visitor):
            matched.setdefault(word, _plain(plain))
    return general | matched


def _plain(value: str) -> str:
    return value.lower() if value.lower() in ("yes", "no") else value


def _applies(block: str, visitor: Visitor) -> bool:
    words = block.split()
    if words[0].lower() == "all":
        return True
    pairs = zip(words[::2], words[1::2], strict=False)
    return all(_meets(kind.lower(), wanted.split(","), visitor) for kind, wanted in pairs)


def _meets(kind: str, patterns: Sequence[str], visitor: Visitor) -> bool:
    user, address = visitor
    hits = []
    for pattern in patterns:
        bare = pattern.removeprefix("!")
        if kind == "user":
            hit = fnmatchcase(user, bare)
        else:
            hit = kind == "address" and _within(address, bare)
        if hit and bare != pattern:
            return False
        hits.append(hit)
    return any(hits)


def _within(address: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(address) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return fnmatchcase(address, network)


def _assignments(tree: Tree, path: str) -> Iterator[tuple[str, str, str]]:
    section = ""
    for line in _lines(tree, path):
        bare = line.strip()
        if bare.startswith("[") and bare.endswith("]"):
            section = bare[1:-1]
        elif "=" in bare:
            name, _, value = bare.partition("=")
            yield section, name.strip(), value.strip()

"""A host that keeps to its baseline: its files, and the rules that they follow.

Covers sshd, authorized keys, service units and modes, with the exceptions that were granted.  Does
not cover later deviations: see `drift`.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field

from tmax_gym.families.contract import Context
from tmax_gym.families.security.hardening_baseline.facts import SSHD, UNITS, Visitor
from tmax_gym.nodes import Node, directory, text
from tmax_gym.rng import Rng

OUTSIDE = "198.51.100.7"
"""Where an ordinary connection comes from: a documentation address (RFC 5737)."""
DROPINS = "etc/ssh/sshd_config.d"
INCLUDES, OLD_SINS = 0.3, 4
"""Level from which sshd includes files; one drifted file in so many was so from the start."""
_CIPHERS = "chacha20-poly1305@openssh.com,aes256-gcm@openssh.com"
_MACS = "hmac-sha2-512-etm@openssh.com,hmac-sha2-256-etm@openssh.com"
SETTINGS = {
    "PermitRootLogin": (("no", "prohibit-password"), "yes"),
    "PasswordAuthentication": (("no",), "yes"),
    "KbdInteractiveAuthentication": (("no",), "yes"),
    "PermitEmptyPasswords": (("no",), "yes"),
    "X11Forwarding": (("no",), "yes"),
    "AllowTcpForwarding": (("no", "local"), "yes"),
    "AllowAgentForwarding": (("no",), "yes"),
    "PermitTunnel": (("no",), "point-to-point"),
    "GatewayPorts": (("no", "clientspecified"), "yes"),
    "MaxAuthTries": (("3", "4"), "12"),
    "MaxSessions": (("4", "6"), "80"),
    "LogLevel": (("VERBOSE", "INFO"), "QUIET"),
    "StrictModes": (("yes",), "no"),
    "PermitUserEnvironment": (("no",), "yes"),
    "Ciphers": ((_CIPHERS,), f"{_CIPHERS},3des-cbc"),
    "MACs": ((_MACS,), f"{_MACS},hmac-md5"),
}
"""Keyword to (values that a baseline may ask for, a value that none does)."""
EVERYWHERE = frozenset({"StrictModes", "PermitUserEnvironment", "Ciphers", "MACs"})
"""Keywords that sshd_config(5) does not allow in a Match block."""
ROOTED = frozenset({"PermitRootLogin"})
"""Keywords that mean nothing in a block about somebody else."""
DIRECTIVES = {
    "NoNewPrivileges": (("yes",), "no"),
    "ProtectSystem": (("strict", "full"), "no"),
    "ProtectHome": (("yes", "read-only"), "no"),
    "PrivateTmp": (("yes",), "no"),
    "PrivateDevices": (("yes",), "no"),
    "ProtectKernelTunables": (("yes",), "no"),
    "ProtectKernelModules": (("yes",), "no"),
    "ProtectControlGroups": (("yes",), "no"),
    "RestrictSUIDSGID": (("yes",), "no"),
    "MemoryDenyWriteExecute": (("yes",), "no"),
    "RestrictNamespaces": (("yes",), "no"),
    "UMask": (("0077", "0027"), "0000"),
}
CAPABILITIES = ("", "CAP_NET_BIND_SERVICE", "CAP_CHOWN", "CAP_SYS_NICE", "CAP_DAC_READ_SEARCH")


@dataclass(slots=True)
class Host:
    """Files under construction, by path below the root."""

    lines: dict[str, list[str]] = field(default_factory=dict)
    modes: dict[str, int] = field(default_factory=dict)
    """Modes of files and of directories; a path without lines is a directory."""

    def add(self, path: str, lines: list[str], mode: int = 0o644) -> None:
        """Add a file."""
        self.lines[path], self.modes[path] = lines, mode

    def copy(self) -> Host:
        """Return a host that can be changed on its own."""
        return Host({p: list(rows) for p, rows in self.lines.items()}, dict(self.modes))

    def content(self, path: str) -> str:
        """Return the text of a file."""
        return "\n".join(self.lines[path]) + "\n"

    def entry(self, path: str) -> tuple[str, str]:
        """Return the mode and the digest of a file."""
        digest = hashlib.sha256(self.content(path).encode()).hexdigest()
        return f"{self.modes[path]:04o}", digest

    def nodes(self, root: str) -> tuple[Node, ...]:
        """Return the entries below a root."""
        return tuple(
            text(f"{root}/{path}", self.content(path), mode=mode)
            if path in self.lines
            else directory(f"{root}/{path}", mode=mode)
            for path, mode in sorted(self.modes.items())
        )


@dataclass(frozen=True, slots=True)
class Key:
    """A public key."""

    kind: str
    blob: str
    comment: str

    @property
    def line(self) -> str:
        """Return it as authorized_keys has it."""
        return f"{self.kind} {self.blob} {self.comment}"

    @property
    def fingerprint(self) -> str:
        """Return its fingerprint as ssh-keygen shows it."""
        digest = hashlib.sha256(base64.b64decode(self.blob)).digest()
        return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


@dataclass(slots=True)
class Rules:
    """The baseline of a host."""

    today: str
    settings: dict[str, str]
    directives: dict[str, str]
    services: dict[str, tuple[str, str]]
    """Unit to (account, capabilities)."""
    modes: list[tuple[str, str]]
    set_id: str
    """The one program that may have a set-id bit."""
    people: tuple[str, ...]
    register: list[tuple[str, str, str, str]]
    """Rows (fingerprint, account, state, from)."""
    exceptions: list[tuple[str, str, str, str]]
    """Rows (last day, object, setting, reason)."""
    visitors: list[Visitor]
    exempt: set[str] = field(default_factory=set)
    """Keywords, and "unit directive" pairs, that an exception is about."""


def key(rng: Rng, comment: str, *, bits: int = 0) -> Key:
    """Return a public key: Ed25519, or RSA of so many bits; nobody has the private half."""
    kind, parts = "ssh-ed25519", [rng.bytes(32)]
    if bits:
        modulus = rng.bits(bits) | 1 << (bits - 1) | 1
        kind, parts = "ssh-rsa", [b"\x01\x00\x01", b"\0" + modulus.to_bytes(bits // 8, "big")]
    raw = b"".join(len(p).to_bytes(4, "big") + p for p in (kind.encode(), *parts))
    return Key(kind, base64.b64encode(raw).decode(), comment)


def host(ctx: Context, rng: Rng) -> tuple[Host, Rules]:
    """Return a host in good order, and its rules."""
    people = tuple(dict.fromkeys(ctx.skin.login(n) for n in ctx.skin.people(rng.fork("who"), 5)))
    year, month = rng.integer(2024, 2026), rng.integer(3, 10)
    stems = [s.replace("_", "-") for s in rng.sample(sorted(set(ctx.skin.stems)), 4)]
    rules = Rules(
        today=f"{year}-{month:02d}-{rng.integer(1, 28):02d}",
        settings=_drawn(rng.fork("ssh"), SETTINGS, ctx.knob(6, 12), "PasswordAuthentication"),
        directives=_drawn(rng.fork("units"), DIRECTIVES, ctx.knob(5, 9), "NoNewPrivileges"),
        services={},
        modes=[],
        set_id=f"usr/local/bin/{stems[0]}-mount",
        people=people[: ctx.knob(2, 4)],
        register=[],
        exceptions=[],
        visitors=[(people[0], OUTSIDE), ("root", OUTSIDE)],
    )
    host = Host()
    _sshd(ctx, rng.fork("sshd"), host, rules)
    for name in stems[: ctx.knob(2, 4)]:
        _service(ctx, rng.fork("service", name), host, rules, name=name)
    for person in rules.people:
        _person(ctx, rng.fork("person", person), host, rules, person=person)
    _rest(ctx, rng.fork("rest"), host, rules, stems=stems)
    return host, rules


def later(rng: Rng, today: str, years: int) -> str:
    """Return a day about so many years after another one (before it, if negative)."""
    return f"{int(today[:4]) + years}-{rng.integer(1, 12):02d}-{rng.integer(1, 28):02d}"


def _drawn(
    rng: Rng, pool: dict[str, tuple[tuple[str, ...], str]], count: int, always: str
) -> dict[str, str]:
    names = {always, *rng.sample(sorted(set(pool) - {always}), count - 1)}
    return {name: rng.choice(pool[name][0]) for name in pool if name in names}


def _sshd(ctx: Context, rng: Rng, host: Host, rules: Rules) -> None:
    """Add sshd's files: the settings, and a Match block for what was granted."""
    head = [f"# sshd of {ctx.skin.org(rng)}", "Port 22"]
    if ctx.level >= INCLUDES:
        head.insert(1, "Include /etc/ssh/sshd_config.d/*.conf")
        host.modes[DROPINS] = 0o755
    body = rng.shuffled([f"{word} {value}" for word, value in rules.settings.items()])
    tail = ["Subsystem sftp internal-sftp"]
    free = [w for w in rules.settings if w not in EVERYWHERE | ROOTED]
    for number, word in enumerate(rng.sample(free, ctx.knob(1, 2))):
        user = f"{ctx.skin.stem(rng).split('_')[0]}{number or ''}"
        value = SETTINGS[word][1]
        if rng.chance(0.5):
            scope, visitor = f"User {user}", (user, OUTSIDE)
        else:
            net = f"10.{rng.integer(1, 250)}"
            scope = f"Address {net}.0.0/16"
            visitor = (rules.people[0], f"{net}.{rng.integer(1, 250)}.{rng.integer(2, 250)}")
        tail += [f"Match {scope}", f"    {word} {value}"]
        rules.visitors.append(visitor)
        rules.exempt.add(word)
        reason = f"{ctx.skin.thing(rng).plural} need it"
        rules.exceptions.append(
            (later(rng, rules.today, 1), f"sshd Match {scope}", f"{word} {value}", reason)
        )
    config = rng.choice(("0600", "0640", "0644"))
    host.add(SSHD, [*head, *body, *tail], int(config, 8))
    host.add("etc/ssh/ssh_host_ed25519_key", private(rng), 0o600)
    host.add("etc/ssh/ssh_host_ed25519_key.pub", [key(rng, "host").line])
    rules.modes += [(SSHD, config), ("etc/ssh/ssh_host_*_key", "0600")]


def private(rng: Rng) -> list[str]:
    """Return a fake private key in the form of an encrypted one."""
    body = base64.b64encode(b"openssh-key-v1\0\0\0\0\x0aaes256-ctr" + rng.bytes(150)).decode()
    rows = [body[n : n + 70] for n in range(0, len(body), 70)]
    mark = "OPENSSH PRIVATE KEY-----"
    return [f"-----BEGIN {mark}", *rows, f"-----END {mark}"]


def _service(ctx: Context, rng: Rng, host: Host, rules: Rules, *, name: str) -> None:
    account = f"svc-{name.split('-')[0][:10]}"
    capabilities, unit = rng.choice(CAPABILITIES), f"{name}.service"
    values = dict(rules.directives)
    free = [d for d in values if DIRECTIVES[d][1] == "no"]
    if not rules.services:
        word = rng.choice(free)
        values[word] = DIRECTIVES[word][1]
        rules.exempt.add(f"{unit} {word}")
        rules.exceptions.append((
            later(rng, rules.today, 1), unit, f"{word}={values[word]}", f"{ctx.skin.term(rng)} work"
        ))  # fmt: skip
    rules.services[unit] = (account, capabilities)
    about = ["[Unit]", f"Description={ctx.skin.event(rng)} on {ctx.skin.place(rng)}", ""]
    body = ["[Service]", f"ExecStart=/usr/local/bin/{name} --serve", f"User={account}"]
    body += rng.shuffled([f"{d}={v}" for d, v in values.items()])
    body += [f"CapabilityBoundingSet={capabilities}", f"ReadWritePaths=/srv/{name}"]
    host.add(f"{UNITS}/{unit}", [*about, *body, "", "[Install]", "WantedBy=multi-user.target"])
    script = ["#!/bin/sh", f"# {ctx.skin.thing(rng).plural}", f"exec /usr/lib/{name}/run"]
    host.add(f"usr/local/bin/{name}", script, 0o755)
    host.modes[f"srv/{name}"] = 0o2770


def _person(ctx: Context, rng: Rng, host: Host, rules: Rules, *, person: str) -> None:
    home = f"home/{person}"
    host.modes |= {home: 0o750, f"{home}/.ssh": 0o700}
    rows = []
    for number in range(rng.integer(2, 3)):
        place = ctx.skin.directory(rng)
        owned = key(rng.fork(number), f"{person}@{place}", bits=3072 if number == 2 else 0)
        source = f"10.{rng.integer(0, 250)}.0.0/16" if rng.chance(0.4) else ""
        rules.register.append((owned.fingerprint, person, "active", source))
        rows.append((f'from="{source}" ' if source else "") + owned.line)
    host.add(f"{home}/.ssh/authorized_keys", rows, 0o600)
    host.add(f"{home}/.ssh/id_ed25519", private(rng), 0o600)


def _rest(ctx: Context, rng: Rng, host: Host, rules: Rules, *, stems: list[str]) -> None:
    """Add files whose mode has a rule and whose content has none."""
    host.add(rules.set_id, ["#!/bin/sh", f"exec mount /srv/{stems[0]}"], 0o4755)
    for person in rules.people[:2]:
        host.add(f"etc/sudoers.d/{person}", [f"{person} ALL=(root) /usr/bin/systemctl"], 0o440)
    for name in stems[:3]:
        line = f"place={ctx.skin.place(rng)}"
        host.add(f"etc/{name}/{name}.conf", [line, f"token_file=/run/{name}"], 0o640)
        host.add(f"usr/local/sbin/{name}-backup", ["#!/bin/sh", f"tar -c /srv/{name}"], 0o755)
    inbox = f"srv/{ctx.skin.directory(rng)}-inbox"
    host.modes[inbox] = 0o1777
    granted = (later(rng, rules.today, 2), inbox, "1777", f"{ctx.skin.thing(rng).plural} land here")
    rules.exceptions.append(granted)
    rules.modes += [
        ("home/*", "0750"),
        ("home/*/.ssh", "0700"),
        ("home/*/.ssh/authorized_keys", "0600"),
        ("home/*/.ssh/id_*", "0600"),
        ("etc/sudoers.d/*", "0440"),
        ("etc/*/*.conf", "0640"),
        ("srv/*", "2770"),
        ("etc/systemd/system/*.service", "0644"),
    ]

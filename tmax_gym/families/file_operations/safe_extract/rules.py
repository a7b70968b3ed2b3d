"""Archives, rules and reference programs of the safe-extract family.

Covers ustar archives with any member name and kind, ways to spoil an honest one by each rule, the
policy as a document, and the same rules in Python and Bash.  A rule sees what `tar -tv` shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tmax_gym.families.contract import Context
from tmax_gym.families.shared.programs import program_sections, program_text
from tmax_gym.rng import Rng

PREAMBLE = """\
Archives that may be unpacked
=============================
An archive is rejected if any of the following holds, and accepted otherwise.
The segments of a name are its parts between slashes.
"""
COMPARED = "When two names are compared, empty segments and `.` segments are ignored.\n"
POLICY = {
    "climb": "A member's name has a segment that is exactly `..`.",
    "absolute": "A member's name begins with `/`.",
    "linkout": "A symbolic link's target begins with `/`, or leads above the top of the archive "
    "when it is resolved relative to the directory of the link.",
    "through": "A member lies below the name of another member that is a symbolic link.",
    "kinds": "A member is not a regular file, a directory or a symbolic link.",
    "twice": "Two members have the same name.",
    "setuid": "A member has its set-user-ID or set-group-ID bit set.",
    "many": "The archive has more than @limit members.",
}
KNOWN = ("climb", "absolute", "linkout", "through", "kinds", "twice", "setuid", "many")


def policy(rules: Sequence[str], limit: int) -> str:
    """Return the policy with some of the rules, numbered from 1."""
    compared = COMPARED if {"through", "twice"} & set(rules) else ""
    sentences = [POLICY[rule].replace("@limit", str(limit)) for rule in rules]
    numbered = "".join(f"{n}. {rule}\n" for n, rule in enumerate(sentences, start=1))
    return f"{PREAMBLE}{compared}\n{numbered}"


@dataclass(frozen=True, slots=True)
class Member:
    """One entry of an archive."""

    name: str
    kind: str = "0"
    """The type flag: 0 file, 1 hard link, 2 symbolic link, 3 device, 5 directory, 6 FIFO."""
    target: str = ""
    body: bytes = b""
    mode: int = 0o644


def tarball(members: Sequence[Member]) -> bytes:
    """Return the archive, members in the given order."""
    out = bytearray()
    for m in members:
        head = m.name.encode().ljust(100, b"\0") + b"%07o\0" % m.mode + b"0000000\0" * 2
        head += b"%011o\0%011o\0" % (len(m.body), 1_700_000_000) + b" " * 8 + m.kind.encode()
        head += m.target.encode().ljust(100, b"\0") + b"ustar\x0000" + bytes(64)
        head = (head + b"0000000\0" * 2).ljust(512, b"\0")
        out += head[:148] + b"%06o\0 " % sum(head) + head[156:]
        out += m.body + bytes(-len(m.body) % 512)
    return bytes(out + bytes(1024))


def honest(ctx: Context, rng: Rng, *, limit: int) -> tuple[Member, ...]:
    """Return a harmless archive that looks a little suspicious."""
    top, other = rng.sample(sorted(set(ctx.skin.directories)), 2)
    stems = rng.sample(sorted(set(ctx.skin.stems)), 4)
    body = f"{ctx.skin.event(rng)}\n".encode()
    members = [
        Member(f"{top}/", "5", mode=0o755),
        Member(f"{top}/{stems[0]}.txt", body=body),
        Member(f"{top}/{other}..old/{stems[1]}..txt", body=body),
        Member(f"{top}/{stems[2]}.lnk", "2", target=f"../{top}/{stems[0]}.txt"),
        Member(f"./{top}/...{stems[3]}", body=body, mode=0o755),
    ]
    spare = [m for m in members[1:] if not rng.chance(0.2)]
    return (members[0], *spare)[:limit]


def spoilt(rng: Rng, members: Sequence[Member], *, rule: str, limit: int) -> tuple[Member, ...]:
    """Return an archive that breaks one rule and no other."""
    top, name = members[0].name, rng.secret(6)
    entries = list(members[: limit - 2])
    if rule == "twice":
        last = entries[-1] if len(entries) > 1 else Member(f"{top}{name}")
        twin = replace(last, name=last.name.removeprefix("./"))
        entries = [*entries[:-1], last, twin] if len(entries) > 1 else [*entries, last, twin]
    elif rule == "many":
        entries += [Member(f"{top}{name}{n}") for n in range(limit + 1 - len(entries))]
    elif rule == "through":
        entries += [Member(f"{top}{name}", "2", target="."), Member(f"{top}{name}/{rng.secret(4)}")]
    else:
        bad = {
            "climb": (f"{top}../../{name}", "0", "", 0o644),
            "absolute": (f"/{top}{name}", "0", "", 0o644),
            "linkout": (f"{top}{name}", "2", rng.choice(("../../etc", "/etc/passwd")), 0o644),
            "kinds": (f"{top}{name}", rng.choice("36"), "", 0o644),
            "setuid": (f"{top}{name}", "0", "", rng.choice((0o4755, 0o2755))),
        }[rule]
        entries.insert(rng.integer(1, len(entries)), Member(bad[0], bad[1], bad[2], mode=bad[3]))
    return tuple(entries)


FRAME = {"python": program_text(__package__, "vet.py"), "bash": program_text(__package__, "vet.sh")}
RULE = {
    "python": program_sections(__package__, "rules.py"),
    "bash": program_sections(__package__, "rules.sh"),
}
LINES = {
    "python": """\
import re, sys
for path in sys.argv[1:]:
    text = open(path).read()
    print("reject" if re.search(r"(?m)(^|/)\\.\\.(/|$)", text) else "accept")
""",
    "bash": """\
for f; do grep -qE '(^|/)\\.\\.(/|$)' "$f" && echo reject || echo accept; done
""",
}

"""Archives, rules and reference programs of the safe-extract family.

Covers ustar archives with any member name and kind, ways to spoil an honest one by each rule, and
the same rules in Python and Bash.  A rule sees what `tar -tv` shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tmax_gym.families.contract import Context
from tmax_gym.rng import Rng

KNOWN = ("climb", "absolute", "linkout", "through", "kinds", "twice", "setuid", "many")


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
    made = list(members[: limit - 2])
    if rule == "twice":
        last = made[-1] if len(made) > 1 else Member(f"{top}{name}")
        twin = replace(last, name=last.name.removeprefix("./"))
        made = [*made[:-1], last, twin] if len(made) > 1 else [*made, last, twin]
    elif rule == "many":
        made += [Member(f"{top}{name}{n}") for n in range(limit + 1 - len(made))]
    elif rule == "through":
        made += [Member(f"{top}{name}", "2", target="."), Member(f"{top}{name}/{rng.secret(4)}")]
    else:
        bad = {
            "climb": (f"{top}../../{name}", "0", "", 0o644),
            "absolute": (f"/{top}{name}", "0", "", 0o644),
            "linkout": (f"{top}{name}", "2", rng.choice(("../../etc", "/etc/passwd")), 0o644),
            "kinds": (f"{top}{name}", rng.choice("36"), "", 0o644),
            "setuid": (f"{top}{name}", "0", "", rng.choice((0o4755, 0o2755))),
        }[rule]
        made.insert(rng.integer(1, len(made)), Member(bad[0], bad[1], bad[2], mode=bad[3]))
    return tuple(made)


FRAME = {
    "python": """\
import glob, os, posixpath, sys, tarfile
rules = []
here = os.path.dirname(os.path.abspath(__file__))
for path in sorted(glob.glob(here + "/vet.d/*.py")):
    exec(open(path).read())
for path in sys.argv[1:]:
    members = []
    with tarfile.open(path) as box:
        for m in box.getmembers():
            members.append(m)
    print("reject" if any(rule(members) for rule in rules) else "accept")
""",
    "bash": """\
#!/bin/bash
# Every rule reads lines "kind mode name [target]" and fails on a bad archive.
here=$(dirname "$(readlink -f "$0")")
vet() {
  local list; list=$(tar -tvPf "$1" 2>/dev/null | awk '{
    kind = substr($1, 1, 1); mode = $1; name = $6; target = ""
    if ($7 == "->") target = $8
    print kind, mode, name, target }')
  local rule
  for rule in "$here"/vet.d/*.sh; do
    [ -e "$rule" ] || continue
    . "$rule" <<< "$list" || return 1
  done
}
for f; do vet "$f" && echo accept || echo reject; done
""",
}
_AWK_PLAIN = """\
awk '
function plain(p, n, i, parts, out) {
  n = split(p, parts, "/"); out = ""
  for (i = 1; i <= n; i++) if (parts[i] != "" && parts[i] != ".") out = out "/" parts[i]
  return out
}
"""
RULE = {
    "python": {
        "climb": "rules.append(lambda ms: any('..' in m.name.split('/') for m in ms))\n",
        "absolute": "rules.append(lambda ms: any(m.name.startswith('/') for m in ms))\n",
        "linkout": """\
def linkout(ms):
    for m in ms:
        if m.issym():
            full = posixpath.normpath(posixpath.join(posixpath.dirname(m.name), m.linkname))
            if m.linkname.startswith("/") or full.split("/")[0] == "..":
                return True
rules.append(linkout)
""",
        "through": """\
def through(ms):
    links = [posixpath.normpath(m.name) + "/" for m in ms if m.issym()]
    return any((posixpath.normpath(m.name)).startswith(tuple(links)) for m in ms)
rules.append(through)
""",
        "kinds": "rules.append(lambda ms: any(not (m.isreg() or m.isdir() or m.issym()) "
        "for m in ms))\n",
        "twice": """\
def twice(ms):
    names = [posixpath.normpath(m.name) for m in ms]
    return len(set(names)) < len(names)
rules.append(twice)
""",
        "setuid": "rules.append(lambda ms: any(m.mode & 0o6000 for m in ms))\n",
        "many": "rules.append(lambda ms: len(ms) > @limit)\n",
    },
    "bash": {
        "climb": "! awk '{ print $3 }' | grep -qE '(^|/)\\.\\.(/|$)'\n",
        "absolute": "! awk '{ print $3 }' | grep -q '^/'\n",
        "linkout": """\
awk '
$1 == "l" {
  if (substr($4, 1, 1) == "/") bad = 1
  n = split($3, parts, "/"); depth = 0
  for (i = 1; i < n; i++) if (parts[i] != "" && parts[i] != ".") depth++
  n = split($4, parts, "/")
  for (i = 1; i <= n; i++) {
    if (parts[i] == "..") depth--
    else if (parts[i] != "" && parts[i] != ".") depth++
    if (depth < 0) bad = 1
  }
}
END { exit bad }'
""",
        "through": _AWK_PLAIN
        + """\
{ name[NR] = plain($3); if ($1 == "l") link[plain($3) "/"] = 1 }
END {
  for (i = 1; i <= NR; i++) for (l in link) if (index(name[i], l) == 1) bad = 1
  exit bad
}'
""",
        "kinds": "! grep -qv '^[-dl] '\n",
        "twice": _AWK_PLAIN
        + """\
seen[plain($3)]++ { bad = 1 }
END { exit bad }'
""",
        "setuid": "! awk '{ print $2 }' | grep -q '[sS]'\n",
        "many": "[ $(wc -l) -le @limit ]\n",
    },
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

"""The reference solution of the dump-desk family, one artefact after the other, and then a join.

Covers the commands, and the same commands with one mistake.  Does not cover the
artefacts.
"""

from __future__ import annotations

from dataclasses import dataclass

from tmax_gym.families.contract import write_file
from tmax_gym.families.debugging.dump_desk.traffic import BASE, Heap, Wire
from tmax_gym.families.shared.programs import program_text

WORK = "/tmp/desk"
HEADER = ("record", "login", "worth", "buyer")
_PACKETS = program_text(__package__, "packets.py")
_ACCEPTED = {
    "lines": """\
    asked = re.findall(rb"KEEP (\\d+) (\\w+)\\r\\n", b"".join(sent))
    codes = re.findall(rb"(\\d+) \\w+\\r\\n", b"".join(said))
    for (record, token), code in zip(asked, codes):
        if code[:1] == b"2":
            print(token.decode(), record.decode(), sep=",")
""",
    "http": """\
    asked = re.findall(rb"POST /drop/(\\d+) .*?sid=(\\w+)", b"".join(sent), re.S)
    codes = re.findall(rb"HTTP/1.1 (\\d+)", b"".join(said))
    for (record, token), code in zip(asked, codes):
        if code[:1] == b"2":
            print(token.decode(), record.decode(), sep=",")
""",
    "datagrams": """\
    kept = {one[1] for one in said if one[:1] == b"A"}
    for one in sorted(set(sent)):
        if len(one) == 14 and one[0] == 0x50 and one[1] in kept:
            print(one[2:10].decode(), struct.unpack(">I", one[10:])[0], sep=",")
""",
}
_TAKEN = {"lines": 'if code[:1] == b"2":', "http": 'if code[:1] == b"2":',
          "datagrams": " and one[1] in kept"}  # fmt: skip
_ENTRIES = program_text(__package__, "entries.py")
_MAGIC = program_text(__package__, "magic.py")
_STICK = program_text(__package__, "stick.py")


@dataclass(frozen=True, slots=True)
class Desk:
    """Paths and formats of the artefacts, as in the handover notes."""

    home: str
    wire: Wire
    heap: Heap
    table: str
    column: str
    blank_magic: bool
    """The first bytes of the database are lost."""
    blank_log: bool
    """The first bytes of its log are lost."""
    report: str
    restored: str

    def at(self, name: str) -> str:
        """Return the path of an artefact."""
        return f"{self.home}/{name}"


@dataclass(frozen=True, slots=True)
class Slip:
    """Mistakes of a careless analyst."""

    refused: bool = False
    inside: bool = False
    ended: bool = False
    without_log: bool = False
    older: bool = False


def commands(desk: Desk, slip: Slip = Slip()) -> tuple[str, ...]:
    """Return the whole solution."""
    return (
        f"cat {desk.at('HANDOVER.md')}; mkdir -p {WORK}",
        *_list(desk, slip),
        *_transfers(desk, slip),
        *_sessions(desk, slip),
        *_ledger(desk, slip),
        *_joined(desk),
        f"rm -r {WORK}",
    )


def _list(desk: Desk, slip: Slip) -> tuple[str, ...]:
    body = f"STICK = {desk.at('stick.img')!r}\n{_STICK}"
    body = body.replace("max(found)", "min(found)") if slip.older else body
    flags = "iflag=skip_bytes,count_bytes status=none"
    return (
        f"file {desk.at('stick.img')}; xxd -s 1536 -l 160 {desk.at('stick.img')}",
        write_file(f"{WORK}/stick.py", body),
        f"read at size < <(python3 {WORK}/stick.py); "
        f"dd if={desk.at('stick.img')} of={desk.restored} skip=$at count=$size {flags}",
    )


def _transfers(desk: Desk, slip: Slip) -> tuple[str, ...]:
    body = f"CAPTURE = {desk.at('capture.pcap')!r}\n{_PACKETS}{_ACCEPTED[desk.wire]}"
    if slip.refused:
        body = body.replace(_TAKEN[desk.wire], "" if desk.wire == "datagrams" else "if True:")
    if slip.inside:
        body = body.replace("if target[0] == 10:", "if not parts:")
    return (
        write_file(f"{WORK}/packets.py", body),
        f"python3 {WORK}/packets.py | LC_ALL=C sort -u > {WORK}/transfers; cat {WORK}/transfers",
    )


def _sessions(desk: Desk, slip: Slip) -> tuple[str, ...]:
    source, target = desk.at("agent.mem"), f"{WORK}/sessions"
    if desk.heap == "entries":
        body = f"MEMORY, BASE = {source!r}, {BASE:#x}\n{_ENTRIES}"
        body = body.replace("state == 1", "state == 2") if slip.ended else body
        run = f"python3 {WORK}/entries.py | LC_ALL=C sort > {target}; cat {target}"
        return (write_file(f"{WORK}/entries.py", body), run)
    wide = "-e l " if desk.heap == "wide" else ""
    state = "ended" if slip.ended else "open"
    take = f"sed -n 's/.*sid=\\(.*\\);login=\\(.*\\);state={state}$/\\1,\\2/p'"
    return (f"strings {wide}{source} | {take} | LC_ALL=C sort > {target}; cat {target}",)


def _ledger(desk: Desk, slip: Slip) -> tuple[str, ...]:
    copy, log = f"{WORK}/ledger.db", f"{WORK}/ledger.db-wal"
    steps = [f"cp {desk.at('ledger.db')} {copy}"]
    if not slip.without_log:
        steps[0] += f"; cp {desk.at('ledger.wal')} {log}; xxd -l 32 {log}"
    if desk.blank_magic:
        steps.append(f"printf 'SQLite format 3\\0' | dd of={copy} conv=notrunc status=none")
    if desk.blank_log and not slip.without_log:
        steps.append(write_file(f"{WORK}/magic.py", f"LOG = {log!r}\n{_MAGIC}"))
        steps.append(f"python3 {WORK}/magic.py")
    query = f"SELECT id, code, {desk.column} FROM {desk.table}"
    steps.append(f"sqlite3 -csv {copy} '{query}' | tr -d '\\r' | LC_ALL=C sort > {WORK}/ledger")
    return tuple(steps)


def _joined(desk: Desk) -> tuple[str, ...]:
    w, c = WORK, "LC_ALL=C"
    return (
        f"{c} join -t, {w}/transfers {w}/sessions | {c} sort -t, -k2,2 > {w}/who",
        f"{c} join -t, -1 2 {w}/who {w}/ledger | {c} sort -t, -k4,4 > {w}/what",
        f"{c} sort {desk.restored} | {c} join -t, -1 4 -o 1.1,1.3,1.5,2.2 {w}/what - "
        f"| sort -n > {w}/rows",
        f"(echo {','.join(HEADER)}; cat {w}/rows) > {desk.report}; cat {desk.report}",
    )

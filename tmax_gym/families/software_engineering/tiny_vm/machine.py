"""The machines of the tiny-vm family: instructions, data sheet, evaluator, random programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tmax_gym.rng import Rng

STEPS = 600
"""Instructions after which a program is stopped."""
HEAD = (
    "16-BIT REGISTERS R0 TO R3, ALL 0",
    "INSTRUCTION: 3 BYTES OP A B",
    "REGISTER NUMBERS ARE MODULO 4",
    "R[A], R[B] MEAN THE REGISTERS",
    "A, B ALONE MEAN THE BYTES",
)
TAIL = (
    "PAST THE END: HALT",
    "UNKNOWN OP: PRINT trap N, HALT",
    "N: PLACE OF INSTRUCTION FROM 0",
    f"AFTER {STEPS} STEPS: PRINT limit, HALT",
    "JUMPS GO TO INSTRUCTION B",
)


@dataclass(frozen=True, slots=True)
class Operation:
    """One instruction."""

    meaning: str
    """Its description in the data sheet."""
    python: str
    c: str


OPERATIONS: Mapping[str, Operation] = {
    "SET": Operation("R[A] = B", "r[a] = y", "r[a] = y;"),
    "ADD": Operation("R[A] = R[A] + R[B]", "r[a] += r[b]", "r[a] += r[b];"),
    "OUT": Operation("PRINT R[A] IN DECIMAL", "print(r[a])", 'printf("%u\\n", r[a]);'),
    "DJN": Operation("R[A] = R[A] - 1; IF NOT 0 JUMP",
                     "r[a] = (r[a] - 1) % 65536; at = y - 1 if r[a] else at",
                     "r[a] = (r[a] - 1) % 65536; if (r[a]) at = (long)y - 1;"),
    "SUB": Operation("R[A] = R[A] - R[B]", "r[a] -= r[b]", "r[a] -= r[b];"),
    "XOR": Operation("R[A] = R[A] XOR R[B]", "r[a] ^= r[b]", "r[a] ^= r[b];"),
    "SHL": Operation("R[A] = R[A] TIMES 2", "r[a] *= 2", "r[a] *= 2;"),
    "MUL": Operation("R[A] = R[A] TIMES R[B]", "r[a] *= r[b]", "r[a] *= r[b];"),
    "HEX": Operation("PRINT R[A] AS 4 HEX DIGITS", 'print(f"{r[a]:04x}")',
                     'printf("%04x\\n", r[a]);'),
    "SWP": Operation("SWAP R[A] AND R[B]", "r[a], r[b] = r[b], r[a]",
                     "t = r[a]; r[a] = r[b]; r[b] = t;"),
    "SHR": Operation("R[A] = R[A] / 2, FRACTION LOST", "r[a] //= 2", "r[a] /= 2;"),
    "JLT": Operation("IF R[A] < R[A+1] JUMP", "at = y - 1 if r[a] < r[(a + 1) % 4] else at",
                     "if (r[a] < r[(a + 1) % 4]) at = (long)y - 1;"),
    "NOT": Operation("R[A] = 65535 - R[A]", "r[a] = 65535 - r[a]", "r[a] = 65535 - r[a];"),
}  # fmt: skip
"""Instructions in the order in which levels add them."""


def sheet(codes: Mapping[str, int]) -> list[str]:
    """Return the lines of the data sheet."""
    rows = [f"{code:02X} {name}  {OPERATIONS[name].meaning}" for name, code in codes.items()]
    return [*HEAD, "", *rows, "", *TAIL]


def run(codes: Mapping[str, int], data: list[int]) -> str:
    """Return the output of a machine for a program."""
    names = {code: name for name, code in codes.items()}
    code = [data[i : i + 3] for i in range(0, len(data) - 2, 3)]
    r, at, out = [0] * 4, 0, list[str]()
    for _ in range(STEPS):
        if at >= len(code):
            return "".join(f"{line}\n" for line in out)
        op, x, y = code[at]
        if op not in names:
            return "".join(f"{line}\n" for line in [*out, f"trap {at}"])
        at = _step(names[op], r, (x % 4, y), at=at, out=out) + 1
        r[x % 4] %= 65536
    over = ["limit"] if at < len(code) else []
    return "".join(f"{line}\n" for line in [*out, *over])


def _step(name: str, r: list[int], given: tuple[int, int], *, at: int, out: list[str]) -> int:
    """Do one instruction; return the place after which to go on."""
    (a, y), b = given, given[1] % 4
    values = {
        "SET": y, "ADD": r[a] + r[b], "SUB": r[a] - r[b], "XOR": r[a] ^ r[b], "SHL": 2 * r[a],
        "MUL": r[a] * r[b], "SHR": r[a] // 2, "NOT": 65535 - r[a], "DJN": (r[a] - 1) % 65536,
    }  # fmt: skip
    if name in values:
        r[a] = values[name]
    elif name == "SWP":
        r[a], r[b] = r[b], r[a]
    elif name in ("OUT", "HEX"):
        out.append(str(r[a]) if name == "OUT" else f"{r[a]:04x}")
    jumps = (name == "DJN" and r[a]) or (name == "JLT" and r[a] < r[(a + 1) % 4])
    return y - 1 if jumps else at


def program(codes: Mapping[str, int], rng: Rng, kind: str) -> list[int]:
    """Return a random program: plain, or one that runs into a trap or into the limit."""
    names = [name for name in codes if name not in ("DJN", "JLT")]
    rows = [(codes["SET"], n, rng.integer(0, 255)) for n in range(3)]
    rows += [(codes["SET"], 3 + 4 * rng.integer(0, 9), rng.integer(2, 6))]
    start = len(rows)
    for _ in range(rng.integer(3, 8)):
        name = rng.choice(names)
        # Register 3 counts the rounds and is left alone.
        rows.append((codes[name], rng.integer(0, 2) + 4 * rng.integer(0, 60), rng.integer(0, 2)))
    rows.append((codes["DJN"], 3, start))
    if "JLT" in codes:
        rows.append((codes["JLT"], rng.integer(0, 1), len(rows) + 2))
        rows.append((codes["ADD"], 1, 2))
    rows += [(codes["OUT"], n, 0) for n in range(3)]
    if kind == "trap":
        unused = next(n for n in range(1, 256) if n not in codes.values())
        rows.insert(rng.integer(start, len(rows)), (unused, 0, 0))
    if kind == "limit":
        rows += [(codes["SET"], 3, 9), (codes["DJN"], 3, len(rows))]
    return [byte for row in rows for byte in row]

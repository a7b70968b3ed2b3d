"""Values that a stage delivers to a later one from its outputs: a column, a sum, a digest.

Covers the value, the words that refer to it, and the command that reads it.  Does not cover who
asks for it.  A value is worth at least a thousand guesses in a chain, whose levels begin at 0.5;
below, what a stage makes may be too little for that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from tmax_gym.families.contract import Artifact, Context

Rows = Sequence[Sequence[object]]


def content(ctx: Context, path: str, value: object) -> Artifact:
    """Return the content of a file of one word."""
    return ctx.stored("secret", value, f"what {path} says", read=f"cat {path}")


def entry(ctx: Context, path: str, name: str, *, value: object) -> Artifact:
    """Return one entry of a JSON object."""
    return ctx.stored(
        "secret", value, f"the value of `{name}` in {path}", read=f"jq -r .{name} {path}"
    )


def last(ctx: Context, path: str, name: str, *, header: Sequence[str], rows: Rows) -> Artifact:
    """Return one cell of the last line of a CSV table."""
    at = header.index(name)
    phrase = f"the value of `{name}` in the last line of {path}"
    read = f"tail -n 1 {path} | cut -d, -f{at + 1}"
    return ctx.stored("secret", rows[-1][at], phrase, read=read)


def column(ctx: Context, path: str, name: str, *, header: Sequence[str], rows: Rows) -> Artifact:
    """Return the cells of a column of a CSV table, joined by hyphens."""
    at = header.index(name)
    phrase = f"the hyphen-joined cells of column `{name}` in {path} (top to bottom, no header)"
    read = f"tail -n +2 {path} | cut -d, -f{at + 1} | paste -sd-"
    return ctx.stored("secret", "-".join(str(row[at]) for row in rows), phrase, read=read)


def total(ctx: Context, path: str, name: str, *, header: Sequence[str], rows: Rows) -> Artifact:
    """Return the sum of a column of a CSV table; an empty cell adds nothing."""
    at = header.index(name)
    sum_ = sum(int(str(row[at]) or 0) for row in rows)
    read = f"awk -F, 'NR > 1 {{ n += ${at + 1} }} END {{ print n }}' {path}"
    return ctx.stored("secret", sum_, f"the sum of column `{name}` in {path}", read=read)


def digest(ctx: Context, what: str, data: bytes, *, shown: str) -> Artifact:
    """Return the digest of bytes that the command `shown` writes out."""
    value = hashlib.sha256(data).hexdigest()
    phrase = f"the SHA-256, in lower-case hex, of {what}"
    return ctx.stored("secret", value, phrase, read=f"{shown} | sha256sum | cut -c -64")
